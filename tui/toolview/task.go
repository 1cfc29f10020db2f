package toolview

import (
	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// Task draws one entry of a plan or task list, in lines of at most width cells.
func Task(e acpclient.PlanEntry, th *theme.Theme, width int) []string {
	mark, style := th.Faint.Render("○"), th.Text
	switch e.Status {
	case acpclient.PlanCompleted:
		mark, style = th.Success.Render("✓"), th.Muted
	case acpclient.PlanInProgress:
		mark, style = th.Accent.Render("◐"), th.Strong
	case planCancelled:
		mark, style = th.Faint.Render("⊘"), th.Faint
	}
	tail := ""
	if e.Priority == acpclient.PlanHigh && e.Status != acpclient.PlanCompleted {
		tail = th.Warning.Render(" !")
	}
	lines := termtext.Wrap(termtext.Line(e.Content), width-4)
	for i, line := range lines {
		lead := "  "
		if i == 0 {
			lead = mark + " "
		}
		lines[i] = lead + style.Render(line)
		if i == len(lines)-1 {
			lines[i] += tail
		}
	}
	return lines
}

// planCancelled is a status of task lists that the protocol's plans do not have.
const planCancelled acpclient.PlanEntryStatus = "cancelled"
