package tab

import (
	"fmt"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

const (
	// planSteps bounds the steps shown, planShare is the divisor for their part of the screen.
	planSteps = 10
	planShare = 4
	// planRoom is the least screen height that shows the plan.
	planRoom = 12
	planBar  = 8
)

// Plan draws the plan of a running turn until it is done: the progress and the current
// step, or, if open, the steps around it.
func (f *statusInfo) Plan(open bool, width, height int) []string {
	c := f.Conversation
	if c == nil || c.Plan == nil || !c.Turn.Running || height < planRoom {
		return nil
	}
	done, all := c.Plan.Progress()
	if done >= all {
		return nil
	}
	th, at := f.Theme, currentStep(c.Plan)
	line := th.Accent.Render("≡") + " " + th.Title.Render("Plan") + " " + th.Muted.Render(fmt.Sprintf("%d/%d", done, all)) +
		" " + th.Bar(float64(done)/float64(all), planBar, th.Success) + "  "
	if !open {
		line += th.Text.Render(termtext.Line(c.Plan.Entries[at].Content))
		key := th.Faint.Render("  " + f.key(config.ActionPlan) + " ")
		return []string{termtext.JoinSides(line, key, width)}
	}
	room := min(planSteps, height/planShare, all)
	from := max(0, min(at-room/2, all-room))
	hidden := ""
	if all > room {
		hidden = fmt.Sprintf("steps %d to %d", from+1, from+room)
	}
	lines := []string{termtext.Truncate(line+th.Faint.Render(hidden), width, "…")}
	for _, e := range c.Plan.Entries[from : from+room] {
		lines = append(lines, "  "+toolview.TaskLine(e, th, width-2))
	}
	return lines
}

// currentStep returns the first step in progress, or else the first that is not done.
func currentStep(p *conversation.Plan) int {
	next := -1
	for i, e := range p.Entries {
		switch {
		case e.Status == acpclient.PlanInProgress:
			return i
		case e.Status != acpclient.PlanCompleted && next < 0:
			next = i
		}
	}
	return max(next, 0)
}
