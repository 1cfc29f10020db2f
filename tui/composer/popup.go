package composer

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// popupLines appends the popup, n lines of it.
func (c *Composer) popupLines(lines []string, n int) []string {
	p := c.offered()
	if n > 0 && len(p.items) == 0 {
		return append(lines, strings.Repeat(" ", gutter)+c.theme.Faint.Render(p.fit(p.note, c.textWidth())))
	}
	width := c.offerWidth()
	for i := range n {
		line := ""
		if at, ok := p.window.At(i); ok {
			line = p.line(c.theme, at, width)
		}
		if c.previews() {
			line = c.besidePreview(line, i)
		}
		lines = append(lines, line)
	}
	return lines
}

// line draws offer i, with the descriptions of all offers in one column where there is
// room for it.
func (p *completion) line(t *theme.Theme, i, width int) string {
	const roomy = 30
	it := p.items[i]
	sign, style := "  ", t.Choice
	if i == p.window.Mark {
		sign, style = t.Selected.Render("›")+" ", t.ChoiceSelected
	}
	if it.detail == "" || width < roomy {
		return sign + p.label(t, it, width, style)
	}
	column := min(p.labels, width/2)
	gap := strings.Repeat(" ", column-termtext.Width(p.fit(it.label, column))+2)
	room, mark := width-column-2, ""
	if it.own {
		mark = t.Accent.Render(ownMark)
		room = max(0, room-len(ownMark))
	}
	return sign + p.label(t, it, column, style) + gap + mark + t.Muted.Render(p.fit(it.detail, room))
}

// label draws the label of an offer, with the matching letters marked.
func (p *completion) label(t *theme.Theme, it item, width int, style lipgloss.Style) string {
	shown := p.fit(it.label, width)
	before := 0 // the offset of the visible part
	if rest, cutOff := strings.CutPrefix(shown, "…"); cutOff {
		before = len(it.label) - len(rest) - len("…")
	}
	hits := make([]int, 0, len(it.hits))
	for _, h := range it.hits {
		if h -= before; h >= 0 && (before == 0 || h >= len("…")) {
			hits = append(hits, h)
		}
	}
	return theme.Letters(shown, hits, style, style.Foreground(t.Accent.GetForeground()).Bold(true).Underline(true))
}

// PopupHeight returns how many of the first lines of View are the popup; 0 without one.
func (c *Composer) PopupHeight() int { return c.layout().popup }

// PopupCount returns how many of all matches the popup offers, "" if there is nothing
// to count.
func (c *Composer) PopupCount() string {
	p := c.offered()
	if !p.open() || len(p.items) == 0 {
		return ""
	}
	more := ""
	if p.atLeast {
		more = "+"
	}
	return theme.Grouped(p.found) + more + " of " + theme.Grouped(p.all)
}

// fit cuts text to a width. It cuts the beginning of a path, whose end says more.
func (p *completion) fit(text string, width int) string {
	if p.kind == fileCompletion && p.note == "" {
		return termtext.TruncateStart(text, width, "…")
	}
	return termtext.Truncate(text, width, "…")
}

// offered returns what the popup shows: prompts of the history during a search.
func (c *Composer) offered() *completion {
	if c.search != nil {
		return &c.search.list
	}
	return &c.completion
}
