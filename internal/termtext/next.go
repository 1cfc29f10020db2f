package termtext

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster bounds the bytes of one character. There are texts that stack
// accents or join emoji without end, and each line of such a text should cost no
// more than any other.
const maxCluster = 128

// Next measures the first piece of s, which must not be empty: n bytes of it
// that belong together, and the cells that they take. A piece is a character as
// a person sees it (one or more code points), an escape sequence, or a control
// character. The latter two take no cells; nor do characters that cannot be
// seen, such as joiners, and combining marks without a character before them,
// which terminals draw over the cell before.
//
// What is not UTF-8 counts as one cell a byte.
func (m Method) Next(s string) (n, width int) {
	if c := s[0]; c < utf8.RuneSelf {
		switch {
		case c == ansi.ESC:
			return escape(s), 0
		case c < ' ' || c == 0x7f:
			return 1, 0
		case len(s) == 1 || s[1] < utf8.RuneSelf || standsAlone(s[1:]):
			return 1, 1
		}
		return m.cluster(s)
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 1, 1
	}
	if w := common(r); w > 0 && (n == len(s) || s[n] < utf8.RuneSelf || standsAlone(s[n:])) {
		return n, w
	}
	return m.cluster(s)
}

// escape is the length of the escape sequence that s begins with.
func escape(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	return max(n, 1)
}

// cluster measures the first grapheme cluster of s, with the characters without a
// width that follow it.
func (m Method) cluster(s string) (n, width int) {
	if len(s) > maxCluster {
		end := maxCluster
		for end > maxCluster-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	n, width = m.first(s)
	for n < len(s) && cellsHidden(s[n:]) {
		k, w := m.first(s[n:])
		if w > 0 {
			break
		}
		n += k
	}
	return n, width
}

// first measures the first grapheme cluster of s alone.
func (m Method) first(s string) (n, width int) {
	cluster, whole := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if end := validEnd(cluster); end < len(cluster) {
		cluster = cluster[:end]
		whole = ansi.StringWidth(cluster)
	}
	sum := ansi.StringWidthWc(cluster)
	for _, r := range cluster {
		if !spacing(r) {
			break
		}
		sum++
	}
	if m == Graphemes {
		// Some of these terminals draw a letter and its vowel sign in one
		// column, others in two. None takes more.
		sum = min(sum, 2)
	}
	return len(cluster), max(whole, sum)
}

// validEnd is where a cluster, which begins with a code point, ends being UTF-8:
// the library takes the cut off beginning of a code point into the last one.
func validEnd(cluster string) int {
	for i, r := range cluster {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(cluster[i:]); n == 1 {
				return i
			}
		}
	}
	return len(cluster)
}

// hidden reports that s begins with a code point that may be a character without
// a width.
func cellsHidden(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0xa0 && unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
}

// spacing reports format characters that some terminals draw as a character of
// its own, whatever the libraries say: the soft hyphen, and signs that stand
// before the digits of a number in Arabic and its kin.
func spacing(r rune) bool {
	return r == 0xad || r >= 0x600 && unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// standsAlone reports that s begins with a code point that joins no character
// before it.
func standsAlone(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return common(r) > 0 || r == utf8.RuneError && n == 1
}

// ambiguousNarrow is false where the environment says that characters of East
// Asian ambiguous width are wide (RUNEWIDTH_EASTASIAN): then only the library
// knows.
var ambiguousNarrow = ansi.StringWidth("─") == 1

// common knows the widths of the most frequent code points that join neither
// those before nor those after them, apart from marks and joiners, which are not
// among them. What parley draws of itself is among them. 0 means that the tables of
// Unicode must be asked.
func common(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f:
		return 1
	case !ambiguousNarrow:
		return 0
	case r >= 0xa1 && r <= 0x2ff && r != 0xad, r >= 0x391 && r <= 0x3c9 && r != 0x3a2, r >= 0x400 && r <= 0x45f,
		r >= 0x2010 && r <= 0x2027, r >= 0x2190 && r <= 0x22ff, r >= 0x2500 && r <= 0x25fc, r >= 0x27e6 && r <= 0x27ef,
		r >= 0x2800 && r <= 0x28ff, drawn(r):
		return 1
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3001 && r <= 0x3029, r >= 0xff01 && r <= 0xff60, r >= 0x3041 && r <= 0x3096,
		r >= 0x30a1 && r <= 0x30fa, r >= 0xac00 && r <= 0xd7a3:
		return 2
	}
	return 0
}

// drawn reports the code points of parley's own pictures that stand among others.
func drawn(r rune) bool {
	switch r {
	case '\u2039', '\u203a', '\u20ac', '\u2663', '\u270e', '\u2713', '\u2717', '\u273b', '\u276f':
		return true
	}
	return false
}

// Rune is the width of a code point that stands alone, as much as any terminal
// takes for it. It is 0 for what joins the character before.
func RuneWidth(r rune) int {
	if w := common(r); w > 0 {
		return w
	}
	switch {
	case r >= 0x300 && r <= 0x36f, r == 0x200d, r >= 0xfe00 && r <= 0xfe0f: // accents, the joiner, selectors
		return 0
	case r >= 0x1f600 && r <= 0x1f64f: // faces
		return 2
	}
	_, w := Safe.Next(string(r))
	return w
}
