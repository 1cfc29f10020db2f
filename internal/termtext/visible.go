package termtext

import (
	"fmt"
	"strings"
	"unicode"
)

// maxMarks bounds the combining marks over one character. Terminals drop more than a
// few.
const maxMarks = 4

// Visible makes text fit to be drawn without leaving anything out: it shows a character
// that draws nothing, or that hides or reorders others, as a symbol or by its number,
// and so a combining mark without a base or with too many below it. Use it for what the
// user decides on, such as commands, paths and URLs. Newlines stay, CRLF becomes a
// newline, and a tab becomes four spaces. Text without such characters is returned as
// it is.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, func(r rune) bool { return hides(r) || mark(r) }) {
		return s
	}
	var b strings.Builder
	marks := maxMarks // over the last character; a mark at the beginning is one too many
	for _, r := range s {
		if !mark(r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		switch {
		case r == '\n':
			marks = maxMarks
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r < ' ':
			b.WriteRune('\u2400' + r) // the symbol for the control character
		case r == 0x7f:
			b.WriteRune('\u2421')
		case hides(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// VisibleLine is Visible for a text of one line: it trims space around the text, and
// shows a newline as a symbol.
func VisibleLine(s string) string {
	return Visible(strings.ReplaceAll(strings.TrimSpace(s), "\n", "\u2424"))
}

// mark reports whether r is drawn over the previous character.
func mark(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) }

// hides reports whether r draws nothing of its own, or elsewhere.
func hides(r rune) bool {
	switch {
	case r == '\n' || r >= ' ' && r < 0x7f:
		return false
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r): // blank letters and the like
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return true
	}
	return unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Zs, r) && r != ' ' && r != 0x3000
}
