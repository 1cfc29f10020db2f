package termtext

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster bounds the bytes of one character, because texts can stack accents or join
// emoji without end.
const maxCluster = 128

// Next measures the first piece of s, which must not be empty: its length n in bytes,
// and the cells that it takes. A piece is a character as users see it (one or more code
// points), an escape sequence, or a control character. The latter two take no cells,
// nor do invisible characters such as joiners, and combining marks without a base,
// which terminals draw over the previous cell.
//
// Each byte that is not UTF-8 takes one cell.
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

// escape returns the length of the escape sequence at the start of s.
func escape(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	return max(n, 1)
}

// cluster measures the first grapheme cluster of s, including the characters of zero
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
	for n < len(s) && maybeZeroWidth(s[n:]) {
		k, w := m.first(s[n:])
		if w > 0 {
			break
		}
		n += k
	}
	return n, width
}

// first measures only the first grapheme cluster of s.
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
		// Some of these terminals draw a letter and its vowel sign in one column,
		// others in two; none takes more.
		sum = min(sum, 2)
	}
	return len(cluster), max(whole, sum)
}

// validEnd returns where the valid UTF-8 of a cluster ends: the library adds a
// truncated code point to the previous cluster.
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

// maybeZeroWidth reports whether s begins with a code point that may be a character of
// zero width.
func maybeZeroWidth(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0xa0 && unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
}

// spacing reports whether r is a format character that some terminals draw as a
// character of its own, whatever the libraries say: the soft hyphen, and signs before
// the digits of a number in Arabic and related scripts.
func spacing(r rune) bool {
	return r == 0xad || r >= 0x600 && unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// standsAlone reports whether s begins with a code point that does not join the
// previous character.
func standsAlone(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return common(r) > 0 || r == utf8.RuneError && n == 1
}

// ambiguousNarrow is false if the environment makes characters of East Asian ambiguous
// width wide (RUNEWIDTH_EASTASIAN); then only the library knows their widths.
var ambiguousNarrow = ansi.StringWidth("─") == 1

// common returns the widths of the most frequent code points that join neither their
// predecessor nor their successor, including those that parley itself draws. 0 means to
// ask the tables of Unicode.
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

// drawn reports whether r is one of the symbols that parley draws, outside of the
// ranges above.
func drawn(r rune) bool {
	switch r {
	case '\u2039', '\u203a', '\u20ac', '\u2663', '\u270e', '\u2713', '\u2717', '\u273b', '\u276f':
		return true
	}
	return false
}

// RuneWidth returns the width of a single code point, the most that any terminal takes.
// It is 0 for one that joins the previous character.
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
