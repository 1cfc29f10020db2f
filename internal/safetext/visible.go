package safetext

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible makes text fit to be drawn without leaving anything out: a character
// that draws nothing of its own, or that hides or reorders others, is drawn as a
// symbol or by its number. It is for what a person decides on, such as commands,
// paths and addresses. Newlines stay, CRLF becomes a newline, and a tab becomes
// four spaces. Text without such characters is returned as it is.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, hides) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r < ' ' && r != '\n':
			b.WriteRune('\u2400' + r) // the picture of the control character
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

// VisibleLine is Visible for a text of one line: space around it is cut off, and
// a newline inside it is drawn as a symbol.
func VisibleLine(s string) string {
	return Visible(strings.ReplaceAll(strings.TrimSpace(s), "\n", "\u2424"))
}

// hides reports characters that draw nothing of their own, or draw elsewhere.
func hides(r rune) bool {
	switch {
	case r == '\n' || r >= ' ' && r < 0x7f:
		return false
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0: // blank letters
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return true
	}
	return unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Zs, r) && r != ' ' && r != 0x3000
}
