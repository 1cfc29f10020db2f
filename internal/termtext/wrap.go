package termtext

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// Wrap breaks text, styled or not, into lines of at most width cells: between
// words where it can, inside of a word only if that is wider than a line. The
// blanks at which it breaks fall away, and so do those at a line's end for which
// there is no room; every other character is kept, in its place. A newline ends
// a line. Each line is whole: styles and links that go on from one line to the
// next are switched off at the end of the first and on again in the second.
func (m Method) Wrap(s string, width int) []string {
	return dress(s, m.words(s, max(width, 1)))
}

// Break breaks text, styled or not, into lines of at most width cells, wherever
// a line is full. It keeps every character but the newlines, which end lines
// too. Styles and links go on as they do in [Method.Wrap].
func (m Method) Break(s string, width int) []string {
	width = max(width, 1)
	spans := make([]span, 0, 1+len(s)/width)
	for from := 0; ; {
		line := s[from:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		spans = m.pieces(spans, line, from, width)
		from += len(line) + 1
		if from > len(s) {
			return dress(s, spans)
		}
	}
}

// pieces appends the spans of a line that is broken where it is full. The line
// begins at an offset of the text.
func (m Method) pieces(spans []span, line string, at, width int) []span {
	for {
		n, _ := m.Fit(line, width, width)
		spans = append(spans, span{at, at + n})
		at, line = at+n, line[n:]
		if line == "" {
			return spans
		}
	}
}

// Ends are the offsets in a plain text of one line at which its pieces end if it
// is broken wherever a line of width cells is full. There is always one piece.
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

// filler is a line while it is being filled.
type filler struct {
	start int // its first byte
	x     int // the cells it takes so far
	inked bool
	// The last place where it may be broken: where the line ends then, where the
	// next one begins, and how many cells are before that. It is none where
	// the next one would begin at or before start.
	end, next, before int
}

func (f *filler) begin(at int) { *f = filler{start: at} }

// mayBreak notes a place for a break. Blanks at the beginning of a line are none:
// there would be nothing before it.
func (f *filler) mayBreak(end, next int) {
	if f.inked {
		f.end, f.next, f.before = end, next, f.x
	}
}

// words finds the lines of a text that is broken between words.
func (m Method) words(s string, width int) []span {
	spans := make([]span, 0, 1+len(s)/width)
	var f filler
	blanks := 0 // where the run of blanks before i begins; i if there is none
	for i := 0; i < len(s); {
		n, w := 1, 1
		if !narrowASCII(s, i) {
			n, w = m.Next(s[i:])
		}
		switch {
		case s[i] == '\n':
			spans = append(spans, f.last(i, blanks, width))
			f.begin(i + 1)
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
		case w == 0: // it goes where the character before it goes
			f.inked = true
		default:
			wide := Wide(s[i:i+n], w)
			if wide && blanks == i && !ClosesStyle(s[i:]) {
				f.mayBreak(i, i)
			}
			spans, n, w = m.place(spans, &f, s[i:i+n], i, w, width)
			f.x, f.inked = f.x+w, true
			if wide && !ClosesStyle(s[i+n:]) {
				f.mayBreak(i+n, i+n)
			}
		}
		i += n
		blanks = i
	}
	return append(spans, f.last(len(s), blanks, width))
}

// place begins new lines until there is room for a character. It returns how
// much of the character stands on the line: all of it, unless it is wider than a
// line.
func (m Method) place(spans []span, f *filler, character string, at, w, width int) ([]span, int, int) {
	for f.x+w > width && f.x > 0 {
		switch {
		case f.next > f.start:
			spans = append(spans, span{f.start, f.end})
			x := f.x - f.before
			f.begin(f.next)
			f.x, f.inked = x, true
			continue
		case f.inked:
			spans = append(spans, span{f.start, at})
		}
		f.begin(at) // without the blanks that it began with, if those were all
	}
	if w > width {
		n, part := m.part(character, width)
		return spans, n, part
	}
	return spans, len(character), w
}

// last ends a line at a newline or at the end of the text. Of the blanks before
// that only those are kept for which there is room.
func (f *filler) last(end, blanks, width int) span {
	if f.x > width {
		end = max(f.start, blanks)
	}
	return span{f.start, end}
}

// Blanks is how many blanks s begins with at which a line may be broken. A blank
// that carries a mark is none.
func Blanks(s string) int {
	n := len(s) - len(strings.TrimLeft(s, " "))
	if n > 0 && n < len(s) && s[n] >= utf8.RuneSelf {
		if k, _ := Safe.Next(s[n-1:]); k > 1 {
			n--
		}
	}
	return n
}

// Word measures the first word of s, which begins with no blank: n bytes in which
// no line should be broken, and their cells. That is a run of narrow characters
// up to a blank, or one wide character, on both sides of which a line may be
// broken, see [Closing].
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

// Wide reports that a character of a width, in cells, is one before and behind
// which a line may be broken without a blank: an ideograph or an emoji, not a
// letter with signs that make it wide.
func Wide(character string, width int) bool {
	if width < 2 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(character)
	return common(r) == 2 || ansi.StringWidth(character) > 1
}

// Closing reports that s begins with punctuation that no line begins with.
func ClosesStyle(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("、。，．：；！？）」』】〉》〕］｝ー…", r) || r < utf8.RuneSelf && strings.ContainsRune(".,:;!?)]}", r)
}
