package dialog

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// aboutCall is content with everything known about a tool call.
func aboutCall(t *conversation.ToolCall, by toolview.Asker, show callContent) column {
	parts := aboutCallItself(t, by, show)
	for _, q := range toolview.Questions(t.RawInput) {
		parts = append(parts, gap{}, vital{questionBlock(q)})
	}
	if len(t.Tasks) > 0 {
		parts = append(parts, gap{}, vital{tasksBlock(t.Tasks)})
	}
	show.said, show.whole = shownTexts(t, show.at), toolview.DrawsWhole(t)
	for i := range t.Content {
		c := &t.Content[i]
		show.kind, show.deletes = t.Kind, toolview.Deletes(c, t.Kind)
		if part := toolview.Visit(c, show); part != nil {
			parts = append(parts, gap{}, part)
		}
	}
	return parts
}

// aboutCallItself is who asks, and what a tool call says that it would do: its kind,
// title, places and command, and what else its input names. A title that says no more
// than the command is left out; one that says something else stands below what would
// be done, as the agent's words.
func aboutCallItself(t *conversation.ToolCall, by toolview.Asker, show callContent) column {
	var parts column
	if by.Subagent {
		parts = append(parts, aboutAsker(by))
	}
	agreement, places := toolview.AgreementOf(t), show.locations(t)
	command := show.at.Command(t.RawInput)
	if agreement == toolview.Agrees || command.Line == "" || t.Kind != acpclient.ToolExecute || len(places) > 0 {
		var head content = newBlock(func(p renderContext) []string {
			return callHead(t, agreement == toolview.Agrees, places, p)
		})
		if !onlyChanged(t) {
			head = vital{head}
		}
		parts = append(parts, head)
	}
	if command.Line != "" {
		parts = append(parts, gap{}, vital{commandBlock(command, show.reach.Of(toolview.CommandDir(t)))})
	}
	if agreement == toolview.Differs {
		parts = append(parts, gap{}, vital{otherWords(t)})
	}
	if left := show.at.OtherInput(t); len(left) > 0 {
		parts = append(parts, gap{}, vital{inputBlock(left, show.reach)})
	}
	if _, empty := parts[0].(gap); empty {
		parts = parts[1:]
	}
	return parts
}

// onlyChanged reports whether a call names no place but those that it changes.
func onlyChanged(t *conversation.ToolCall) bool {
	return !slices.ContainsFunc(t.Locations, func(l acpclient.ToolCallLocation) bool {
		return !slices.ContainsFunc(t.Content, func(c acpclient.ToolCallContent) bool {
			return c.Type == acpclient.ToolContentDiff && c.Path == l.Path
		})
	})
}

// callHead is the kind, the title and the places of a call. A title has one line,
// so that it can look like nothing else; it is shown whole, behind a bar, if there
// is nothing else that tells what is asked.
func callHead(t *conversation.ToolCall, titled bool, places []location, p renderContext) []string {
	th, kind := p.th, toolview.KindOf(t.Kind)
	indent := termtext.Width(kind.Verb) + 4
	if p.width < 3*indent {
		indent = 2
	}
	room := max(1, p.width-indent)
	var out []string
	title := toolview.Title(t, termtext.VisibleLine)
	lead := pad(th.Accent.Render(kind.Icon+" "+kind.Verb), indent)
	switch {
	case !titled:
	case len(t.RawInput) > 0 || len(t.Content) > 0 || len(t.Locations) > 0:
		out = append(out, lead+th.Strong.Render(cut(title, room)))
	default:
		for i, line := range exact(title, room) {
			if i > 0 {
				lead = pad(th.CodeBar.Render("│"), indent)
			}
			out = append(out, lead+th.Strong.Render(line))
		}
	}
	for _, pl := range places {
		style := th.Muted
		if !titled {
			style = th.Strong
		}
		for _, line := range pl.lines(room, style, th) {
			if len(out) > 0 {
				lead = strings.Repeat(" ", indent)
			}
			out = append(out, lead+line)
		}
	}
	if len(out) == 0 {
		out = append(out, lead)
	}
	return out
}

// otherWords shows a title that names something else than what would be done.
func otherWords(t *conversation.ToolCall) content {
	return newBlock(func(p renderContext) []string {
		title := toolview.Title(t, termtext.VisibleLine)
		lead, bar := "! The agent's description differs", p.th.CodeBar.Render("│ ")
		if room := p.width - termtext.Width(lead) - 3; termtext.Width(title) <= room {
			return []string{p.th.Warning.Render(lead) + " " + bar + p.th.Muted.Render(title)}
		}
		lines := styled(termtext.Wrap(lead, p.width), p.th.Warning)
		return append(lines, bar+p.th.Muted.Render(cut(title, max(1, p.width-2))))
	})
}

// commandBlock shows a command whole, every character of it.
func commandBlock(c toolview.Command, dir toolview.Target) content {
	return newBlock(func(p renderContext) []string {
		var out []string
		for i, line := range exact(c.Line, max(1, p.width-2)) {
			lead := "  "
			if i == 0 {
				lead = p.th.Accent.Render("$") + " "
			}
			out = append(out, lead+p.th.Text.Render(line))
		}
		if c.Dir != "" {
			out = append(out, location{"  in " + c.Dir, dir}.lines(p.width, p.th.Muted, p.th)...)
		}
		return out
	})
}

// questionBlock shows a question to the person, and what there is to choose.
func questionBlock(q toolview.Question) content {
	return newBlock(func(p renderContext) []string {
		out := styled(exact(q.Line(), p.width), p.th.Strong)
		for _, o := range q.Options {
			for i, line := range exact(o.Line(), max(1, p.width-2)) {
				lead := "  "
				if i == 0 {
					lead = "• "
				}
				out = append(out, p.th.Muted.Render(lead)+p.th.Text.Render(line))
			}
		}
		if q.Multiple {
			out = append(out, p.th.Muted.Render("choose any"))
		}
		return out
	})
}

// tasksBlock shows a task list that a call sets.
func tasksBlock(tasks []acpclient.PlanEntry) content {
	return newBlock(func(p renderContext) []string {
		var out []string
		for _, task := range tasks {
			out = append(out, toolview.Task(task, p.th, p.width)...)
		}
		return out
	})
}

// callContent shows each content of a call; what it makes is nil if there is
// nothing to see.
type callContent struct {
	at        toolview.Paths
	reach     *toolview.Reach
	said      map[string]bool // texts that are shown already
	positions *toolview.DiffPositions
	diffs     *diffview.Preference
	context   int                // unchanged lines around a change
	kind      acpclient.ToolKind // of the call
	whole     bool               // Glamour draws its texts
	deletes   bool               // a change takes its file away
}

var _ toolview.Visitor[content] = callContent{}

func (c callContent) Block(b *acpclient.ContentBlock) content {
	words := c.at.Block(b)
	var parts column
	if label := words.String(); label != "" {
		parts = append(parts, note(label))
	}
	switch {
	case strings.TrimSpace(words.Text) == "", b.Type == acpclient.ContentText && c.said[unfenced(words.Text)]:
	case b.Type == acpclient.ContentText && toolview.VerbatimWhenAsked(c.kind, words.Text):
		parts = append(parts, newBlock(func(p renderContext) []string {
			return styled(exact(termtext.Visible(strings.TrimRight(words.Text, "\n")), p.width), p.th.Text)
		}))
	default:
		parts = append(parts, newMarkdown(words.Text, c.whole))
	}
	if len(parts) == 0 {
		return nil
	}
	return parts
}

func (c callContent) Diff(path string, before *string, after string) content {
	position := c.positions.Of(path, before, after)
	before, after = position.Whole(before, after)
	d := diffview.New(c.at.Path(path), before, after)
	d.SetFirstLine(position.Line)
	d.SetContext(c.context)
	return newDiff(d, c.diffs, c.deletes || position.Deleted, c.reach.Of(path))
}

// Terminal shows nothing: the transcript shows terminals, and none runs before
// the person has answered.
func (c callContent) Terminal(acpclient.TerminalID) content { return nil }

func (c callContent) Unknown(label string, raw json.RawMessage) content {
	return rawPart(label, raw)
}

// rawPart shows JSON whole, below a label.
func rawPart(label string, raw []byte) content {
	return newBlock(func(p renderContext) []string {
		lines := []string{p.th.Muted.Render(label)}
		return append(lines, styled(exact(toolview.JSON(raw, 0), p.width), p.th.Text)...)
	})
}

// quoted draws text in full, below a label and behind a bar, so that it cannot imitate
// the dialog.
func quoted(label, s string) content {
	return newBlock(func(p renderContext) []string {
		lines := []string{p.th.Muted.Render(label)}
		for _, line := range exact(termtext.Visible(s), max(1, p.width-2)) {
			lines = append(lines, p.th.CodeBar.Render("│ ")+p.th.Text.Render(line))
		}
		return lines
	})
}

// gap is an empty line.
type gap struct{}

func (gap) height(renderContext) int               { return 1 }
func (gap) lines(renderContext, int, int) []string { return []string{""} }

// note is a line or two in a quiet colour.
func note(s string) content {
	return newBlock(func(p renderContext) []string { return styled(exact(termtext.Visible(s), p.width), p.th.Muted) })
}

// change is the change of a file, below its path.
type change struct {
	head *block
	diff diffPart
}

func (c *change) column() column { return column{c.head, c.diff} }

func (c *change) height(p renderContext) int { return c.column().height(p) }

func (c *change) lines(p renderContext, from, to int) []string { return c.column().lines(p, from, to) }

// diffPart is the change of a file without its path.
type diffPart struct {
	diff  *diffview.Diff
	shown *diffview.Preference
}

func newDiff(d *diffview.Diff, shown *diffview.Preference, deleted bool, leads toolview.Target) content {
	head := newBlock(func(p renderContext) []string {
		added, removed := d.Stats()
		counts := toolview.Counts{Added: added, Removed: removed}.Styled(p.th)
		switch {
		case d.Change() == diffview.Created:
			counts += "  " + p.th.Success.Render("new file")
		case deleted:
			counts += "  " + p.th.Error.Render("deleted")
		}
		lines := location{d.Path(), leads}.lines(p.width, p.th.DiffPath, p.th)
		if last := len(lines) - 1; termtext.Width(lines[last])+2+termtext.Width(counts) <= p.width {
			lines[last] += "  " + counts
			return lines
		}
		return append(lines, counts)
	})
	return &change{head, diffPart{d, shown}}
}

func (d diffPart) height(p renderContext) int { return d.shown.Layout(d.diff, p.width).Len() }

func (d diffPart) lines(p renderContext, from, to int) []string {
	return d.shown.Layout(d.diff, p.width).Lines(from, to, p.th)
}

// firstChange is the first line that shows a changed line.
func (d diffPart) firstChange(p renderContext) int {
	return d.shown.Layout(d.diff, p.width).FirstChange()
}

// newMarkdown shows a text in Markdown, which Glamour draws if whole is set.
func newMarkdown(text string, whole bool) content {
	return newBlock(func(p renderContext) []string {
		if whole {
			return markdown.Whole(text, p.width, p.th)
		}
		doc := markdown.New(p.th)
		doc.SetText(text)
		doc.Finish()
		var out []string
		for i := range doc.Len() {
			out = append(out, doc.Lines(i, p.width)...)
		}
		return out
	})
}
