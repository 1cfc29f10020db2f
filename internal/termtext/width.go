// Package termtext makes text fit for a terminal: it removes control sequences and
// invisible characters from untrusted text, measures how many cells text takes, and
// cuts and wraps it.
//
// All text from outside (the agent, files, programs) passes through it before it is
// drawn. No other package measures text.
//
// # Widths
//
// Terminals disagree about widths. Some add up the widths of code points, as wcwidth(3)
// gives them: a thumb with a skin tone takes four columns there. Others draw a grapheme
// cluster in one or two columns, and say so when asked for mode 2027. A program that
// expects one kind and meets the other writes past the end of the line, where text is
// lost: part of a command, for instance, that the user is asked to allow. So there are
// two ways to measure, see [Method], and both reserve more space where a terminal's
// behaviour is unknown, never less.
//
// A process has one terminal, and so one current method, which the functions of the
// package use. It is [Safe] until the terminal has answered, see [UseMethod]. A caller
// that keeps lines that were laid out keeps their [Layout] with them.
package termtext

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Method is a way to measure text. Its methods do not depend on the current one.
type Method uint8

const (
	// Safe reserves as much space for each character as any terminal takes: the sum of
	// its code points' widths or the width of the whole, whichever is larger. It is for
	// terminals that have not said what they do.
	Safe Method = iota
	// Graphemes is for terminals with mode 2027. Characters take one or two columns.
	// Where such terminals differ (vowel signs and conjuncts of Indic scripts, for
	// instance), it reserves the larger width.
	Graphemes
)

var current atomic.Uint32

// UseMethod sets the method of the process, once the terminal has said what it does. It
// is safe for concurrent use; callers that compare [Layout]s lay out earlier lines again.
// A test that calls it must restore the former method and must not run in parallel.
func UseMethod(m Method) { current.Store(uint32(m)) }

// CurrentMethod returns the method of the process.
func CurrentMethod() Method { return Method(current.Load()) }

// Layout identifies what lines were laid out for: lines for one layout are unusable for
// another. The zero Layout means that there are no lines.
type Layout struct {
	width  int
	method Method
	known  bool
}

// NewLayout returns the layout of lines of a width, in cells, with the current method.
func NewLayout(width int) Layout { return Layout{width, CurrentMethod(), true} }

// NextCluster is [Method.Next] with the current method.
func NextCluster(s string) (n, width int) { return CurrentMethod().Next(s) }

// Width is [Method.Width] with the current method.
func Width(s string) int { return CurrentMethod().Width(s) }

// Fit is [Method.Fit] with the current method.
func Fit(s string, room, width int) (n, used int) { return CurrentMethod().Fit(s, room, width) }

// Truncate is [Method.Truncate] with the current method.
func Truncate(s string, width int, tail string) string {
	return CurrentMethod().Truncate(s, width, tail)
}

// TruncateStart is [Method.TruncateStart] with the current method.
func TruncateStart(s string, width int, lead string) string {
	return CurrentMethod().TruncateStart(s, width, lead)
}

// ExpandTabs is [Method.ExpandTabs] with the current method.
func ExpandTabs(s string, stop int) string { return CurrentMethod().ExpandTabs(s, stop) }

// Wrap is [Method.Wrap] with the current method.
func Wrap(s string, width int) []string { return CurrentMethod().Wrap(s, width) }

// Break is [Method.Break] with the current method.
func Break(s string, width int) []string { return CurrentMethod().Break(s, width) }

// maxCluster limits the bytes of one character, because texts can stack accents or join
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
		r >= 0x2800 && r <= 0x28ff:
		return 1
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3001 && r <= 0x3029, r >= 0xff01 && r <= 0xff60, r >= 0x3041 && r <= 0x3096,
		r >= 0x30a1 && r <= 0x30fa, r >= 0xac00 && r <= 0xd7a3:
		return 2
	}
	switch r {
	case '\u2039', '\u203a', '\u20ac', '\u2663', '\u270e', '\u2713', '\u2717', '\u273b', '\u276f': // symbols that parley draws
		return 1
	}
	return 0
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
