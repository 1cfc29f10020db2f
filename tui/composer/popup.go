package composer

import (
	"fmt"
	"strings"

	"parley/internal/cells"
)

// popupLines appends the popup, n lines of it.
func (c *Composer) popupLines(lines []string, n int) []string {
	p := &c.completion
	if n > 0 && len(p.items) == 0 {
		return append(lines, strings.Repeat(" ", gutter)+c.theme.Faint.Render(c.fit(p.note, c.textWidth())))
	}
	for i := p.top; i < min(p.top+n, len(p.items)); i++ {
		lines = append(lines, c.popupLine(p.items[i], i == p.selected))
	}
	return lines
}

// popupLine is one offer, with the descriptions of all offers in one column
// where there is room for it.
func (c *Composer) popupLine(it item, selected bool) string {
	const roomy = 30
	sign, style := "  ", c.theme.Choice
	if selected {
		sign, style = c.theme.Selected.Render("›")+" ", c.theme.ChoiceSelected
	}
	width := c.textWidth()
	if it.detail == "" || width < roomy {
		return sign + style.Render(c.fit(it.label, width))
	}
	column := min(c.completion.labels, width/2)
	label := c.fit(it.label, column)
	gap := strings.Repeat(" ", column-cells.Width(label)+2)
	return sign + style.Render(label) + gap + c.theme.Muted.Render(c.fit(it.detail, width-column-2))
}

// fit cuts text off at a width. Of a path the end says more than the begin.
func (c *Composer) fit(text string, width int) string {
	if c.completion.kind == fileCompletion && c.completion.note == "" {
		return cells.TruncateStart(text, width, "…")
	}
	return cells.Truncate(text, width, "…")
}

// searchLine is the line of the history search, and the column of the cursor in
// it.
func (c *Composer) searchLine() (line string, column int) {
	s := c.search
	label := "history"
	switch {
	case s.at == len(s.texts) && s.query == "":
	case s.at < 0 || s.at == len(s.texts):
		label = "no match"
	case c.width >= 40:
		label = fmt.Sprintf("history %d/%d", len(s.texts)-s.at, len(s.texts))
	}
	label += ": "
	room := max(1, c.textWidth()-len(label))
	query := cells.TruncateStart(s.query, room, "…")
	line = strings.Repeat(" ", gutter) + c.theme.Key.Render(label) + c.theme.Strong.Render(query)
	return cells.Truncate(line, c.width, ""), min(c.width-1, gutter+len(label)+cells.Width(query))
}
