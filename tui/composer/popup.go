package composer

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/cells"
	"parley/tui/theme"
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
		return sign + c.label(it, width, style)
	}
	column := min(c.completion.labels, width/2)
	gap := strings.Repeat(" ", column-cells.Width(c.fit(it.label, column))+2)
	return sign + c.label(it, column, style) + gap + c.theme.Muted.Render(c.fit(it.detail, width-column-2))
}

// label draws the label of an offer, with the letters that were found in it marked.
func (c *Composer) label(it item, width int, style lipgloss.Style) string {
	shown := c.fit(it.label, width)
	before := 0 // how much later what is shown begins
	if rest, cutOff := strings.CutPrefix(shown, "…"); cutOff {
		before = len(it.label) - len(rest) - len("…")
	}
	hits := make([]int, 0, len(it.hits))
	for _, h := range it.hits {
		if h -= before; h >= 0 && (before == 0 || h >= len("…")) {
			hits = append(hits, h)
		}
	}
	return theme.Letters(shown, hits, style, style.Foreground(c.theme.Accent.GetForeground()).Bold(true).Underline(true))
}

// PopupHeight is how many of the first lines of View are the popup; 0 while there is
// none.
func (c *Composer) PopupHeight() int { return c.layout().popup }

// PopupCount says how many of all that there is the popup offers, "" while there is
// nothing to count.
func (c *Composer) PopupCount() string {
	p := &c.completion
	if !p.open() || len(p.items) == 0 {
		return ""
	}
	more := ""
	if p.atLeast {
		more = "+"
	}
	return theme.Grouped(p.found) + more + " of " + theme.Grouped(p.all)
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
