package dialog

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// plain is what a permission asks about as text, for the person's editor: everything,
// with every character that hides something made visible.
func (d *Permission) plain() string {
	t, at := d.asked.Asked, toolview.PathsIn(d.env.Cwd)
	var parts []string
	add := func(label, s string) {
		if s = strings.TrimRight(s, "\n"); s != "" {
			parts = append(parts, label+"\n"+s)
		}
	}
	add("# "+toolview.KindOf(t.Kind).Verb, toolview.Title(t, termtext.VisibleLine))
	if toolview.AgreementOf(t) == toolview.Differs {
		add("# beware", "The agent's own words for it, above, differ from what would be done.")
	}
	if d.asker.subagent {
		add("# asked by a subagent", d.asker.name+"\n")
	}
	if d.asked.File != nil {
		add("# the file", plainFile(d.asked.File))
		add("# why parley asks", strings.Join(reasons(d.asked.File, t), "\n"))
	}
	add("# where", plainLocations(t, at, d.env.Reach))
	add("# command", at.Command(t.RawInput).Line)
	if dir := at.Command(t.RawInput).Dir; dir != "" {
		add("# in", dir)
	}
	for _, q := range toolview.Questions(t.RawInput) {
		add("# question", plainQuestion(q))
	}
	for _, task := range t.Tasks {
		add("# task", termtext.Visible(task.Content))
	}
	for _, e := range hiddenInput(t, at) {
		add("# "+termtext.VisibleLine(e.key), e.text())
	}
	for i := range t.Content {
		add("# content", plainContent(&t.Content[i], at))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// plainFile is the file of a question of parley's own: where it leads, and what the
// agent calls it if that is another path.
func plainFile(q *conversation.FileQuestion) string {
	if q.Path == q.Target {
		return termtext.VisibleLine(q.Target)
	}
	return termtext.VisibleLine(q.Target) + "\nby the path " + termtext.VisibleLine(q.Path)
}

// plainQuestion is a question of the agent, and what there is to choose.
func plainQuestion(q toolview.Question) string {
	lines := []string{q.Line()}
	for _, o := range q.Options {
		lines = append(lines, "- "+o.Line())
	}
	if q.Multiple {
		lines = append(lines, "several may be chosen")
	}
	return strings.Join(lines, "\n")
}

func plainLocations(t *conversation.ToolCall, at toolview.Paths, reach *toolview.Reach) string {
	var lines []string
	for _, l := range at.ShownLocations(t.Locations) {
		line, leads := at.Location(l), reach.Of(l.Path)
		if leads.Real != "" {
			line += " → " + termtext.VisibleLine(leads.Real)
		}
		if leads.Outside {
			line += "  outside the project"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func plainContent(c *acpclient.ToolCallContent, at toolview.Paths) string {
	if c.Type == acpclient.ToolContentDiff {
		patch, err := diffview.New(at.Path(c.Path), c.OldText, c.NewText).Patch()
		if err != nil { // it cannot be written as one
			patch = at.Path(c.Path) + "\n" + c.NewText
		}
		return termtext.Visible(patch)
	}
	if c.Content == nil {
		return ""
	}
	words := at.Block(c.Content)
	return termtext.Visible(strings.TrimSpace(words.String() + "\n" + words.Text))
}
