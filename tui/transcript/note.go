package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// note draws a notice, an error or the end of a turn; expanded, with its JSON.
type note struct {
	base
	item *conversation.Note
	raw  *rawBody
}

// Note implements conversation.Visitor.
func (m *maker) Note(i *conversation.Note) { m.made = &note{item: i} }

func (n *note) update(env *environment, expanded bool) {
	n.base.update(env, expanded)
	n.raw = n.raw.of("as the agent sent it", n.item.Raw)
}

func (n *note) lines(_, width int) []string {
	return n.kept.get(n.item.Version(), width, func(width int) []string {
		out := wrap(n.item.Title, width, n.style())
		if words := n.worked(); words != "" {
			out = slices.Clip(out)
			if last := &out[len(out)-1]; termtext.Width(*last)+termtext.Width(words) <= width {
				*last += n.env.theme.Faint.Render(words)
			}
		}
		if n.item.Detail != "" {
			out = append(out, wrap(n.item.Detail, width, n.env.theme.Muted)...)
		}
		if n.expanded && n.raw != nil {
			out = append(out, n.raw.draw(width, n.env)...)
		}
		return out
	})
}

// worked says how long the turn that ended worked, "" if that is short.
func (n *note) worked() string {
	words := worked(n.item.Worked)
	switch {
	case words == "":
		return ""
	case n.item.Title == "":
		return "worked " + words
	}
	return "  worked " + words
}

func (n *note) style() lipgloss.Style {
	switch n.item.Severity {
	case acpclient.NoticeError:
		return n.env.theme.Error
	case acpclient.NoticeWarning:
		return n.env.theme.Warning
	}
	return n.env.theme.Muted
}

func (n *note) mark() string {
	switch n.item.Severity {
	case acpclient.NoticeError:
		return n.style().Render("✗")
	case acpclient.NoticeWarning:
		return n.style().Render("!")
	}
	if n.item.Title == "" {
		return n.env.theme.Faint.Render("·")
	}
	return n.style().Render("·")
}

func (n *note) excerpt() toolview.Excerpt {
	return toolview.Excerpt{Text: strings.TrimSpace(n.item.Title + n.worked() + "\n" + n.item.Detail)}
}

func (n *note) title() string { return "Notice" }

// Note passes on the title and the details.
func (t itemTexts) Note(n *conversation.Note) {
	t.give(n.Title)
	t.give(n.Detail)
}

// compaction draws a compaction of the context: a rule with its state; expanded, with
// the summary.
type compaction struct {
	base
	item  *conversation.Compaction
	parts textParts
	last  uint64
}

// Compaction implements conversation.Visitor.
func (m *maker) Compaction(i *conversation.Compaction) { m.made = &compaction{item: i} }

func (c *compaction) update(env *environment, expanded bool) {
	c.expanded = expanded
	if c.env == env && c.last == c.item.Version() {
		return
	}
	c.env, c.last = env, c.item.Version()
	c.parts = textParts(nil).follow(c.item.Summary, env.dimmed, env.page)
}

func (c *compaction) sections() int {
	if c.expanded {
		return 1 + c.parts.sections()
	}
	return 1
}

func (c *compaction) lines(section, width int) []string {
	if section > 0 {
		return c.parts.lines(section-1, width, c.env, nil)
	}
	th := c.env.theme
	words := map[acpclient.CompactionStatus]string{
		acpclient.CompactionInProgress: "Compacting the context…",
		acpclient.CompactionCompleted:  "The context was compacted",
		acpclient.CompactionFailed:     "The context could not be compacted",
		acpclient.CompactionCancelled:  "Compacting the context was cancelled",
	}[c.item.Status]
	if words == "" {
		words = "Compaction: " + termtext.Line(string(c.item.Status))
	}
	if c.item.Error != "" {
		words += ": " + termtext.Line(c.item.Error)
	}
	line := th.Muted.Render(words) + " "
	return []string{fit(line+th.Rule.Render(strings.Repeat("─", max(0, width-termtext.Width(line)))), width)}
}

func (c *compaction) mark() string { return c.env.theme.Muted.Render("▼") }

func (c *compaction) excerpt() toolview.Excerpt {
	return toolview.Excerpt{Text: c.item.Summary.Plain()}
}

func (c *compaction) title() string { return "Summary of the context" }

// Compaction passes on the summary.
func (t itemTexts) Compaction(c *conversation.Compaction) { t.parts(c.Summary) }

// unknown draws an update of an unknown kind: its name; expanded, with its JSON.
type unknown struct {
	base
	item *conversation.Unknown
	raw  *rawBody
}

// Unknown implements conversation.Visitor.
func (m *maker) Unknown(i *conversation.Unknown) { m.made = &unknown{item: i} }

func (u *unknown) update(env *environment, expanded bool) {
	u.base.update(env, expanded)
	u.raw = u.raw.of("update", u.item.Raw)
}

func (u *unknown) lines(_, width int) []string {
	name := cmp.Or(termtext.Line(u.item.Kind), "without a kind")
	out := []string{fit(u.env.theme.Faint.Render("The agent sent an update that parley does not know: "+name), width)}
	if u.expanded && u.raw != nil {
		out = append(out, u.raw.draw(width, u.env)...)
	}
	return out
}

func (u *unknown) mark() string { return u.env.theme.Faint.Render("?") }

func (u *unknown) compact() bool { return true }

func (u *unknown) excerpt() toolview.Excerpt { return toolview.Excerpt{Text: string(u.item.Raw)} }

func (u *unknown) title() string { return "Notice" }

// Unknown passes on the JSON.
func (t itemTexts) Unknown(u *conversation.Unknown) { t.give(string(u.Raw)) }

// elicitation draws an answered elicitation with its answer.
type elicitation struct {
	base
	item *conversation.Elicitation
}

// Elicitation implements conversation.Visitor.
func (m *maker) Elicitation(i *conversation.Elicitation) { m.made = &elicitation{item: i} }

func (e *elicitation) lines(_, width int) []string {
	return e.kept.get(e.item.Version(), width, func(width int) []string {
		th := e.env.theme
		out := wrap(cmp.Or(strings.TrimSpace(e.item.Request.Message), "The agent asked for input"), width, th.Text)
		if url := e.item.Request.URL; url != "" {
			out = append(out, wrap(termtext.VisibleLine(url), width, th.Muted)...)
		}
		if words := e.outcome(); words != "" {
			out = append(out, th.Faint.Render(words))
		}
		for _, a := range e.item.Answers {
			out = append(out, wrap(answerInWords(a), width, th.User)...)
		}
		return out
	})
}

// answerInWords returns a field and its value.
func answerInWords(a conversation.FieldAnswer) string {
	value := a.Value
	if a.Secret {
		value = "(not shown: it may be secret)"
	}
	return a.Field + ": " + value
}

// outcome says how the elicitation ended, "" if the answers show it.
func (e *elicitation) outcome() string {
	switch {
	case e.item.Action == acpclient.ElicitDecline:
		return "you declined"
	case e.item.Completed:
		return "you went there, and the agent says it is done"
	case e.item.Request.Mode == acpclient.ElicitURL:
		return "you went there"
	case len(e.item.Answers) == 0:
		return "you accepted"
	}
	return ""
}

func (e *elicitation) mark() string { return e.env.theme.Accent.Render("?") }

func (e *elicitation) excerpt() toolview.Excerpt {
	lines := []string{strings.TrimSpace(e.item.Request.Message)}
	for _, a := range e.item.Answers {
		lines = append(lines, answerInWords(a))
	}
	return toolview.Excerpt{Text: strings.Join(lines, "\n")}
}

func (e *elicitation) title() string { return "Notice" }

// Elicitation passes on the question and its answers.
func (t itemTexts) Elicitation(e *conversation.Elicitation) {
	t.give(e.Request.Message)
	for _, a := range e.Answers {
		t.give(answerInWords(a))
	}
}

// planBar is how wide the bar of a plan is, in cells.
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

func (p *plan) lines(_, width int) []string {
	return p.kept.get(p.item.Version(), width, p.draw)
}

func (p *plan) draw(width int) []string {
	th := p.env.theme
	title := th.Title.Render("Plan")
	if done, all := p.item.Progress(); all > 0 {
		title += " " + th.Muted.Render(fmt.Sprintf("%d of %d", done, all)) + " " + th.Bar(float64(done)/float64(all), planBar, th.Success)
	}
	out := []string{title}
	for _, e := range p.item.Entries {
		for _, line := range toolview.Task(e, th, width-2) {
			out = append(out, "  "+line)
		}
	}
	if p.item.Markdown != "" {
		out = append(out, markdown.Whole(p.item.Markdown, width, th)...)
	}
	if p.item.URI != "" {
		out = append(out, fit(th.Info.Underline(true).Render(termtext.Line(p.item.URI)), width))
	}
	return out
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

// Plan passes on the steps and the text.
func (t itemTexts) Plan(p *conversation.Plan) {
	for _, e := range p.Entries {
		t.give(e.Content)
	}
	t.give(p.Markdown)
}
