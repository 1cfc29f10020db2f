package dialog

import (
	"fmt"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/safetext"
)

// visible makes text fit to be drawn without leaving anything out: for what a
// person decides on, where a character that hides or reorders others must be
// seen itself. Newlines stay, tabs become spaces.
func visible(s string) string {
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

// visibleLine is visible for a text of one line.
func visibleLine(s string) string {
	return visible(strings.ReplaceAll(strings.TrimSpace(s), "\n", "\u2424"))
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

// exact breaks text that visible has made into lines of at most width cells
// that hold every character of it.
func exact(s string, width int) []string {
	return strings.Split(ansi.Hardwrap(s, max(width, 1), true), "\n")
}

// prose breaks text from outside into lines of at most width cells, between
// words where it can. Empty text has no lines.
func prose(s string, width int) []string {
	s = strings.TrimRight(strings.ReplaceAll(safetext.Block(s), "\t", "    "), "\n ")
	if s == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(s, max(width, 1), ""), "\n")
}

// marked is prose behind a mark of one cell, in a style of its own.
func marked(mark, s string, width int, style lipgloss.Style) []string {
	lines := prose(s, width-2)
	for i, l := range lines {
		if i > 0 {
			mark = " "
		}
		lines[i] = style.Render(mark + " " + l)
	}
	return lines
}

// cut shortens a styled line to width cells, with a mark where it was cut.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if ansi.StringWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, "…")
}

// pad fills a styled line with spaces, or cuts it, to exactly width cells.
func pad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// styled draws each line in a style.
func styled(lines []string, style lipgloss.Style) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = style.Render(l)
	}
	return out
}

// count says a number of things: "1 line", "2 lines".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
