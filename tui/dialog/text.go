package dialog

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
)

// exact breaks text that termtext.Visible has made into lines of at most width cells
// that hold every character of it.
func exact(s string, width int) []string {
	return termtext.Break(s, width)
}

// prose breaks text from outside into lines of at most width cells, between
// words where it can. Empty text has no lines.
func prose(s string, width int) []string {
	s = strings.TrimRight(strings.ReplaceAll(termtext.Block(s), "\t", "    "), "\n ")
	if s == "" {
		return nil
	}
	return termtext.Wrap(s, width)
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
func cut(s string, width int) string { return termtext.Truncate(s, width, "…") }

// pad fills a styled line with spaces, or cuts it, to exactly width cells.
func pad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-termtext.Width(s)))
}

// styled draws each line in a style.
func styled(lines []string, style lipgloss.Style) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = style.Render(l)
	}
	return out
}
