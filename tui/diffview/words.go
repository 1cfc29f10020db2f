package diffview

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"parley/internal/termtext"
)

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
