package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Page is the frame of what takes the whole screen: a head, a body, and a foot in which
// something is said or written.
type Page struct {
	Theme *theme.Theme
	// Line is the line that the person writes in the foot.
	Line Input

	lead   string // stands before Line; "" while nothing is written
	note   string // said until the next key
	failed bool   // the note is about something that went wrong
}

// headLines is how many lines stand above the body.
const headLines = 2

// Rows is how many rows the body of a page of a height has.
func Rows(height int) int { return max(1, height-headLines-1) }

// BodyLine is the line of the body on a line of the page; it is negative in the head.
func BodyLine(y int) int { return y - headLines }

// Say says something in the foot until Hush.
func (p *Page) Say(words string, failed bool) { p.note, p.failed = termtext.Line(words), failed }

// Hush takes away what is said.
func (p *Page) Hush() { p.note = "" }

// Write lets the person write a line in the foot. lead says what for.
func (p *Page) Write(lead, hint, text string) {
	p.lead, p.Line = lead, Input{Hint: hint}
	p.Line.Set(text)
}

// Writes reports whether the person writes a line.
func (p *Page) Writes() bool { return p.lead != "" }

// Written takes the line away and returns what was written.
func (p *Page) Written() string {
	text := p.Line.Text()
	p.lead, p.Line = "", Input{}
	return text
}

// Head draws the title of a page, what it is about, and, at the right, how things stand.
// right is drawn already.
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

// Draw draws a page: its head, the line below it, its body, and in the foot what is
// written, or said, or else idle, in a style.
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

// foot draws the last line. column is where the cursor stands, -1 for nowhere.
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

// Beside puts a column of a width and another one beside each other, with a bar between.
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
