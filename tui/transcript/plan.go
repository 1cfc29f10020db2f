package transcript

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// planBar is the width of a plan's bar, in cells.
const planBar = 10

// plan draws a plan with the state of its steps.
type plan struct {
	base
	item *conversation.Plan
}

// Plan implements conversation.Visitor.
func (m *maker) Plan(i *conversation.Plan) { m.made = &plan{item: i} }

func (p *plan) sections() int {
	if p.item.Removed {
		return 0
	}
	return 1
}

func (p *plan) draw(s *sheet, _, width int) {
	th := p.env.theme
	title := th.Title.Render("Plan")
	if done, all := p.item.Progress(); all > 0 {
		title += " " + th.Muted.Render(fmt.Sprintf("%d of %d", done, all)) + " " + th.Bar(float64(done)/float64(all), planBar, th.Success)
	}
	s.add(title)
	for _, e := range p.item.Entries {
		for _, line := range toolview.Task(e, th, width-2) {
			s.add("  " + line)
		}
	}
	if p.item.Markdown != "" {
		s.add(markdown.Draw(p.item.Markdown, width, th)...)
	}
	if p.item.URI != "" {
		s.add(fit(th.Info.Underline(true).Render(termtext.Line(p.item.URI)), width))
	}
}

func (p *plan) mark() string { return p.env.theme.Accent.Render("≡") }

// excerpt is the plan as a list of tasks in Markdown.
func (p *plan) excerpt() toolview.Excerpt {
	var b strings.Builder
	for _, e := range p.item.Entries {
		mark := " "
		if e.Status == acpclient.PlanCompleted {
			mark = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", mark, e.Content)
	}
	return toolview.Excerpt{Text: b.String() + p.item.Markdown}
}

func (p *plan) title() string { return "Plan" }
