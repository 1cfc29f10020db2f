package diffview

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"parley/internal/termtext"
	"parley/tui/theme"
)

const (
	// maxLineBytes bounds how much of one line is drawn.
	maxLineBytes = 4096
	// clipLead is how much of a long line is drawn before its first change.
	clipLead = 256
	tabWidth = 4
)

// text returns a line as it is drawn: without control characters and tabs. pair is the
// line of the other side that it is compared with, or none. d.mu must be held.
func (d *Diff) text(s side, line, pair int32) string {
	raw := d.raw(s, line)
	if len(raw) <= maxLineBytes {
		return printable(d.method, raw)
	}
	key := lineKey{s, line}
	text, ok := d.clips[key]
	if !ok {
		from := 0
		if pair != none {
			from = commonPrefix(raw, d.raw(1-s, pair)) - clipLead
		}
		text = clip(d.method, raw, from)
		if d.clips == nil {
			d.clips = make(map[lineKey]string)
		}
		d.clips[key] = text
	}
	return text
}

// raw returns a line of a text, without its carriage return if all lines of the file
// have one.
func (d *Diff) raw(s side, line int32) string {
	lines := d.old
	if s == newSide {
		lines = d.new
	}
	if d.showCR {
		return lines[line]
	}
	return strings.TrimSuffix(lines[line], "\r")
}

// clip returns the part of a long line that begins at from, fit to be drawn, with a
// note of how much is left out on either side.
func clip(m termtext.Method, raw string, from int) string {
	from = max(0, min(from, len(raw)-maxLineBytes))
	to := min(from+maxLineBytes, len(raw))
	for from > 0 && !utf8.RuneStart(raw[from]) && to-from < maxLineBytes+utf8.UTFMax {
		from--
	}
	for to < len(raw) && !utf8.RuneStart(raw[to]) && to-from < maxLineBytes+2*utf8.UTFMax {
		to++
	}
	text := printable(m, raw[from:to])
	if from > 0 {
		text = "⟨… " + theme.Grouped(from) + " bytes not shown⟩ " + text
	}
	if to < len(raw) {
		text += " ⟨… " + theme.Grouped(len(raw)-to) + " bytes not shown⟩"
	}
	return text
}

// commonPrefix returns the length of the common prefix of two strings in bytes. It
// compares block by block, which is faster for strings of megabytes.
func commonPrefix(a, b string) int {
	const block = 1024
	n := 0
	for n+block <= min(len(a), len(b)) && a[n:n+block] == b[n:n+block] {
		n += block
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// printable makes a line fit to be drawn. It draws characters that termtext would drop
// as symbols, because a review must show them.
func printable(m termtext.Method, line string) string {
	if termtext.Block(line) != line {
		var b strings.Builder
		for _, r := range line {
			switch one := string(r); {
			case r == '\t':
				b.WriteByte('\t')
			case r < ' ':
				b.WriteRune('\u2400' + r) // control pictures
			case r == 0x7f:
				b.WriteRune('\u2421')
			case termtext.Block(one) != one:
				fmt.Fprintf(&b, "‹U+%04X›", r)
			default:
				b.WriteString(one)
			}
		}
		line = termtext.Block(b.String())
	}
	return m.FillTabs(line, tabWidth, tabHead, tabFill)
}

// A tab in a printable text is tabHead and enough tabFill to reach the next multiple of
// tabWidth. No other control characters occur in such a text, so that a tab can be told
// from spaces until it is drawn.
const (
	tabHead = '\x01'
	tabFill = '\x02'
)

// Tabs are drawn as spaces, changed ones as arrows, and changed spaces as dots.
var (
	unchangedTabs = strings.NewReplacer(string(tabHead), " ", string(tabFill), " ")
	changedTabs   = strings.NewReplacer(string(tabHead), "→", string(tabFill), " ")
	sentTabs      = strings.NewReplacer(string(tabHead), "\t", string(tabFill), "")
	changedBlanks = strings.NewReplacer(string(tabHead), "→", string(tabFill), " ", " ", "·")
)

// changed returns a highlighted piece of a text. If it has only white space, that
// becomes visible.
func changed(piece string) string {
	if strings.Trim(piece, " \x01\x02") == "" {
		return changedBlanks.Replace(piece)
	}
	return changedTabs.Replace(piece)
}

// spaced returns a printable text for measuring: with spaces for its tabs, byte by
// byte.
func spaced(text string) string { return unchangedTabs.Replace(text) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wrap returns where the pieces of a printable text end so that each fits the width.
// There is always one piece. A code point wider than the width is a piece of its own.
// d.mu must be held.
func (d *Diff) wrap(text string, width int) []int {
	if len(text) <= width && isASCII(text) {
		return []int{len(text)}
	}
	return d.method.Ends(spaced(text), width)
}

// width returns the width of a printable text. d.mu must be held.
func (d *Diff) width(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return d.method.Width(spaced(text))
}

// maxWordPairs bounds the pairs of lines that keep their emphasis.
const maxWordPairs = 4096

// span is a piece of a printable text, in bytes.
type span struct{ start, end int }

// emphasis holds the highlighted spans of a removed line and of the added one that
// replaced it.
type emphasis [2][]span

// emphasise returns the spans to highlight in a line of a pair. d.mu must be held.
func (d *Diff) emphasise(s side, line, pair int32) []span {
	if pair == none {
		return nil
	}
	key := [2]int32{line, pair}
	if s == newSide {
		key = [2]int32{pair, line}
	}
	e, ok := d.words[key]
	if !ok {
		if d.words == nil || len(d.words) >= maxWordPairs {
			d.words = make(map[[2]int32]emphasis)
		}
		e = compareWords(d.text(oldSide, key[0], key[1]), d.text(newSide, key[1], key[0]))
		d.words[key] = e
	}
	return e[s]
}

// compareWords finds the words that differ. Lines that have less than a quarter in
// common get no emphasis, because nearly all of them would be highlighted. The work is
// bounded: the texts are little longer than maxLineBytes, and package lcs bounds its
// own part.
func compareWords(before, after string) (e emphasis) {
	oldWords, newWords := splitWords(before), splitWords(after)
	ids := make(map[string]rune)
	diffs := lcs.DiffRunes(termtext.NumberLines(sameTabs(oldWords), ids), termtext.NumberLines(sameTabs(newWords), ids))
	oldAt, newAt := offsets(oldWords), offsets(newWords)
	oldSame, newSame := visible(before), visible(after)
	for _, d := range diffs {
		oldSpan, newSpan := span{oldAt[d.Start], oldAt[d.End]}, span{newAt[d.ReplStart], newAt[d.ReplEnd]}
		oldSame -= visible(before[oldSpan.start:oldSpan.end])
		newSame -= visible(after[newSpan.start:newSpan.end])
		e[oldSide] = join(e[oldSide], oldSpan, before)
		e[newSide] = join(e[newSide], newSpan, after)
	}
	if visible(before) == 0 && visible(after) == 0 {
		return e // only white space differs
	}
	if 4*oldSame < visible(before) || 4*newSame < visible(after) || oldSame == 0 && newSame == 0 {
		return emphasis{}
	}
	return e
}

// sameTabs returns the words with equally wide tabs, because the text before a tab
// changes its width.
func sameTabs(words []string) []string {
	same := words
	for i, w := range words {
		if w[0] == tabHead && len(w) > 1 {
			if &same[0] == &words[0] {
				same = slices.Clone(words)
			}
			same[i] = string(tabHead)
		}
	}
	return same
}

// visible counts the bytes that are not white space.
func visible(s string) int {
	n := len(s)
	for i := range len(s) {
		if s[i] <= ' ' {
			n--
		}
	}
	return n
}

// join appends a span, and merges it with the last one if only spaces are between them.
func join(spans []span, s span, text string) []span {
	if s.start == s.end {
		return spans
	}
	if n := len(spans); n > 0 && visible(text[spans[n-1].end:s.start]) == 0 {
		spans[n-1].end = s.end
		return spans
	}
	return append(spans, s)
}

// splitWords splits a text into words, runs of spaces, and single other characters. It
// never splits grapheme clusters.
func splitWords(text string) []string {
	var words []string
	last, measured := other, spaced(text)
	for at, start := 0, 0; at < len(text); {
		n, _ := termtext.NextCluster(measured[at:])
		class := classOf(text[at : at+n])
		if at > start && (class != last || class == other) && !(class == fill) {
			words = append(words, text[start:at])
			start = at
		}
		last = class
		at += n
		if at == len(text) {
			words = append(words, text[start:])
		}
	}
	return words
}

type class uint8

const (
	other class = iota
	space
	word
	fill // the rest of a tab
)

func classOf(cluster string) class {
	switch r, _ := utf8.DecodeRuneInString(cluster); {
	case r == ' ':
		return space
	case r == tabFill:
		return fill
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return word
	}
	return other
}

// offsets returns where each word begins, and the end of the last.
func offsets(words []string) []int {
	at := make([]int, len(words)+1)
	for i, w := range words {
		at[i+1] = at[i] + len(w)
	}
	return at
}
