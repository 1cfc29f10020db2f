package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Page is a full-screen frame: a head, a body, and a foot with a message or an input.
type Page struct {
	Theme *theme.Theme
	// Line is the input in the foot.
	Line Input

	lead   string // the label of Line; "" if it is not shown
	note   string // the message
	failed bool   // the message is an error
}

// headLines is the number of lines above the body.
const headLines = 2

// Rows returns the height of a page's body.
func Rows(height int) int { return max(1, height-headLines-1) }

// BodyLine converts a line of the page to a line of the body, negative in the head.
func BodyLine(y int) int { return y - headLines }

// Say shows a message in the foot until Hush.
func (p *Page) Say(words string, failed bool) { p.note, p.failed = termtext.Line(words), failed }

// Hush clears the message.
func (p *Page) Hush() { p.note = "" }

// Write shows an input in the foot, labelled lead.
func (p *Page) Write(lead, hint, text string) {
	p.lead, p.Line = lead, Input{Hint: hint}
	p.Line.Set(text)
}

// Writes reports whether the input is shown.
func (p *Page) Writes() bool { return p.lead != "" }

// Written hides the input and returns its text.
func (p *Page) Written() string {
	text := p.Line.Text()
	p.lead, p.Line = "", Input{}
	return text
}

// Head draws the head: title and about on the left, and right, which is already styled.
func (p *Page) Head(title, about, right string, width int) string {
	left := "  " + p.Theme.DialogTitle.Render(title)
	if about != "" {
		left += "  " + p.Theme.Muted.Render(about)
	}
	if right != "" {
		right += " "
	}
	return termtext.JoinSides(left, right, width)
}

// Draw draws a page: the head, the line below it, the body, and in the foot the input, or
// the message, or else idle.
func (p *Page) Draw(head, below string, body []string, idle string, style lipgloss.Style, width, height int) (lines []string, cursor *tea.Cursor) {
	lines = append(append(make([]string, 0, height), head, below), body...)
	for len(lines) < headLines+Rows(height) {
		lines = append(lines, "")
	}
	foot, column := p.foot(idle, style, width)
	lines = append(lines, foot)
	if column >= 0 && len(lines) <= height {
		cursor = tea.NewCursor(column, len(lines)-1)
	}
	return lines[:min(len(lines), height)], cursor
}

// foot draws the last line. column is the cursor's, -1 for none.
func (p *Page) foot(idle string, style lipgloss.Style, width int) (line string, column int) {
	if p.Writes() {
		lead := termtext.Truncate("  "+p.lead, max(0, width/2), "…") + " "
		text, at := p.Line.Draw(max(1, width-termtext.Width(lead)-1), p.Theme)
		return p.Theme.Accent.Render(lead) + text, termtext.Width(lead) + at
	}
	if p.note != "" {
		idle, style = p.note, p.Theme.Text
		if p.failed {
			style = p.Theme.Error
		}
	}
	return "  " + style.Render(termtext.Truncate(idle, max(0, width-3), "…")), -1
}

// Beside joins two columns, the left one of a width, with a bar between them.
func Beside(left, right []string, width int, bar string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = l + strings.Repeat(" ", max(0, width-termtext.Width(l))) + bar + r
	}
	return out
}
