package termtext

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// Wrap breaks text, styled or not, into lines of at most width cells: between words
// where possible, inside a word only if that is wider than a line. It drops the spaces
// at which it breaks and those that do not fit at the end of a line, and keeps every
// other character. A newline ends a line. Styles and links that span lines are switched
// off at the end of one line and on again in the next.
func (m Method) Wrap(s string, width int) []string {
	return dress(s, m.words(s, max(width, 1)))
}

// Break breaks text, styled or not, into lines of at most width cells, wherever a line
// is full. It keeps every character except newlines, which end lines too. Styles and
// links continue as in [Method.Wrap].
func (m Method) Break(s string, width int) []string {
	width = max(width, 1)
	spans := make([]span, 0, 1+len(s)/width)
	for from := 0; ; {
		at, line := from, s[from:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		for _, end := range m.Ends(line, width) {
			spans = append(spans, span{from, at + end})
			from = at + end
		}
		if from++; from > len(s) {
			return dress(s, spans)
		}
	}
}

// Ends returns the offsets at which the pieces of a plain line end if it is broken
// wherever a line of width cells is full. There is always one piece.
func (m Method) Ends(s string, width int) []int {
	width = max(width, 1)
	ends := make([]int, 0, 1+len(s)/width)
	if printableASCII(s) {
		for end := width; end < len(s); end += width {
			ends = append(ends, end)
		}
		return append(ends, len(s))
	}
	for at := 0; ; {
		n, _ := m.Fit(s[at:], width, width)
		at += n
		ends = append(ends, at)
		if at >= len(s) {
			return ends
		}
	}
}

func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

type filler struct {
	start int // its first byte
	x     int // the cells it takes so far
	inked bool
	// The last possible break: where the line would end, where the next one would
	// begin, and the cells before that. There is none if next <= start.
	end, next, before int
}

// mayBreak records a possible break. Spaces at the beginning of a line are none, since
// nothing would precede the break.
func (f *filler) mayBreak(end, next int) {
	if f.inked {
		f.end, f.next, f.before = end, next, f.x
	}
}

// words finds the lines of a text that is broken between words.
func (m Method) words(s string, width int) []span {
	spans := make([]span, 0, 1+len(s)/width)
	var f filler
	blanks := 0 // where the run of spaces before i begins; i if there is none
	for i := 0; i < len(s); {
		n, w := 1, 1
		if !narrowASCII(s, i) {
			n, w = m.Next(s[i:])
		}
		switch {
		case s[i] == '\n':
			spans = append(spans, f.last(i, blanks, width))
			f = filler{start: i + 1}
		case s[i] == ' ' && n == 1:
			f.x++
			f.mayBreak(blanks, i+1)
			i++
			continue
		case s[i] == '\x1b':
			if blanks == i {
				blanks += n
			}
			i += n
			continue
		case w == 0: // it stays with the previous character
			f.inked = true
		default:
			wide := Wide(s[i:i+n], w)
			if wide && blanks == i && !ClosingPunctuation(s[i:]) {
				f.mayBreak(i, i)
			}
			spans, n, w = m.place(spans, &f, s, i, n, w, width)
			f.x, f.inked = f.x+w, true
			if wide && !ClosingPunctuation(s[i+n:]) {
				f.mayBreak(i+n, i+n)
			}
		}
		i += n
		blanks = i
	}
	return append(spans, f.last(len(s), blanks, width))
}

// place begins new lines until there is room for the character at at, of n bytes and w
// cells. It returns how much of it is on the line: all of it, unless it is wider than a line.
func (m Method) place(spans []span, f *filler, s string, at, n, w, width int) ([]span, int, int) {
	for f.x+w > width && f.x > 0 {
		switch {
		case f.next > f.start:
			spans = append(spans, span{f.start, f.end})
			*f = filler{start: f.next, x: f.x - f.before, inked: true}
			continue
		case f.inked:
			cut := m.cut(s, f.start, at)
			spans = append(spans, span{f.start, cut})
			*f = filler{start: cut, x: m.Width(s[cut:at]), inked: cut < at}
			continue
		}
		*f = filler{start: at} // without its leading spaces, if it had nothing else
	}
	if w > width {
		n, part := m.part(s[at:at+n], width)
		return spans, n, part
	}
	return spans, n, w
}

// cut returns where a line that begins at from ends if a word has to be broken before at: there,
// or before the last character that may begin a line if the word ends in punctuation.
func (m Method) cut(s string, from, at int) int {
	if end := strings.TrimLeftFunc(s[at:], closing); len(end) == len(s)-at || end != "" && end[0] != ' ' && end[0] != '\x1b' {
		return at
	}
	cut := at
	for i := from; i < at; {
		n, w := m.Next(s[i:])
		if i > from && w > 0 && !ClosingPunctuation(s[i:]) {
			cut = i
		}
		i += n
	}
	return cut
}

// last ends a line at a newline or at the end of the text. It keeps trailing spaces
// only as far as they fit.
func (f *filler) last(end, blanks, width int) span {
	if f.x > width {
		end = max(f.start, blanks)
	}
	return span{f.start, end}
}

// Word measures the first word of s, which must not begin with a space: n bytes that
// should stay on one line, and their cells. A word is a run of narrow characters up to
// a space, or one wide character, before and after which a line may be broken, see
// [ClosingPunctuation].
func (m Method) Word(s string) (n, width int, wide bool) {
	for n < len(s) {
		if narrowASCII(s, n) {
			if s[n] == ' ' {
				break
			}
			n, width = n+1, width+1
			continue
		}
		k, w := m.Next(s[n:])
		if s[n] == ' ' && k == 1 {
			break
		}
		if Wide(s[n:n+k], w) {
			if n == 0 {
				return k, w, true
			}
			break
		}
		n, width = n+k, width+w
	}
	return n, width, false
}

// Wide reports whether a line may be broken before and after a character of a width, in
// cells, without a space: an ideograph or an emoji, but not a letter with signs that
// make it wide.
func Wide(character string, width int) bool {
	if width < 2 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(character)
	return common(r) == 2 || ansi.StringWidth(character) > 1
}

// ClosingPunctuation reports whether s begins with punctuation that must not begin a line.
func ClosingPunctuation(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return closing(r)
}

func closing(r rune) bool {
	return strings.ContainsRune("、。，．：；！？）」』】〉》〕］｝ー….,:;!?)]}", r)
}
