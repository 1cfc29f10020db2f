package dialog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// aboutCall is content with everything known about a tool call.
func aboutCall(t *conversation.ToolCall, by toolview.Asker, show callContent) column {
	parts := aboutCallItself(t, by, show)
	for _, q := range toolview.Questions(t.RawInput) {
		parts.add(vital{questionBlock(q)})
	}
	if len(t.Tasks) > 0 {
		parts.add(vital{newBlock(func(p renderContext) (out []string) {
			for _, task := range t.Tasks {
				out = append(out, toolview.Task(task, p.th, p.width)...)
			}
			return out
		})})
	}
	if emptyPlan(t) {
		parts.add(vital{newBlock(func(p renderContext) []string { return styled(prose("The plan is empty.", p.width), p.th.Warning) })})
	}
	show.said, show.whole = shownTexts(t, show.at), toolview.DrawsWhole(t)
	for i := range t.Content {
		c := &t.Content[i]
		show.kind, show.deletes = t.Kind, toolview.Deletes(c, t.Kind)
		if part := toolview.Visit(c, show); part != nil {
			parts.add(part)
		}
	}
	return parts
}

// emptyPlan reports whether a call asks to carry out a plan that says nothing.
func emptyPlan(t *conversation.ToolCall) bool {
	if t.Kind != acpclient.ToolSwitchMode {
		return false
	}
	var input struct{ Plan *string }
	_ = json.Unmarshal(t.RawInput, &input) // any other input has no plan
	if input.Plan != nil && strings.TrimSpace(*input.Plan) != "" {
		return false
	}
	says := func(c acpclient.ToolCallContent) bool {
		return c.Type != acpclient.ToolContentBlock || c.Content == nil || c.Content.Type != "text" || strings.TrimSpace(c.Content.Text) != ""
	}
	return (input.Plan != nil || len(t.Content) > 0) && !slices.ContainsFunc(t.Content, says)
}

// aboutCallItself returns the asker and the call's kind, title, locations, command and
// other input. A title that only repeats the command is left out; one that differs from it
// is shown below, as the agent's words.
func aboutCallItself(t *conversation.ToolCall, by toolview.Asker, show callContent) column {
	var parts column
	if by.Subagent {
		parts = append(parts, vital{newBlock(func(p renderContext) []string {
			words := "from a subagent"
			if by.Name != "" {
				words += ": " + by.Name
			}
			return []string{accent(p.th).Render(cut(words, p.width))}
		})})
	}
	title, places := toolview.CheckTitle(t), show.locations(t)
	command := show.at.Command(t.RawInput)
	runs := command.Line != "" && t.Kind == acpclient.ToolExecute && title != toolview.TitleAgrees // the command is the heading
	if !runs {
		var head content = newBlock(func(p renderContext) []string {
			return callHead(t, title == toolview.TitleAgrees, places, p)
		})
		if slices.ContainsFunc(t.Locations, func(l acpclient.ToolCallLocation) bool { return !changes(t, l.Path) }) {
			head = vital{head}
		}
		parts = append(parts, head)
	}
	if command.Line != "" {
		parts.add(vital{commandBlock(command, show.targets.Of(toolview.CommandDir(t)))})
	}
	if runs && len(places) > 0 {
		parts.add(vital{newBlock(func(p renderContext) (out []string) {
			const label = "path  "
			for _, pl := range places {
				lines := pl.lines(max(1, p.width-len(label)), p.th.Text, p.th)
				out = append(out, hang(p.th.Muted.Render(label), strings.Repeat(" ", len(label)), lines)...)
			}
			return out
		})})
	}
	if title == toolview.TitleDiffers {
		parts.add(vital{otherWords(t)})
	}
	if left := show.at.OtherInput(t); len(left) > 0 {
		parts.add(vital{inputBlock(left, show.targets)})
	}
	return parts
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
	lead := pad(accent(th).Render(kind.Icon+" "+kind.Verb), indent)
	switch {
	case !titled:
	case len(t.RawInput) > 0 || len(t.Content) > 0 || len(t.Locations) > 0:
		out = append(out, lead+th.Strong.Render(cut(title, room)))
	default:
		out = hang(lead, pad(th.CodeBar.Render("│"), indent), styled(termtext.Break(title, room), th.Strong))
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
		out := hang(accent(p.th).Render("$")+" ", "  ", styled(termtext.Break(c.Line, max(1, p.width-2)), p.th.Text))
		if c.Dir != "" {
			out = append(out, location{"  in " + c.Dir, dir}.lines(p.width, p.th.Muted, p.th)...)
		}
		return out
	})
}

// questionBlock shows a question to the user, and what there is to choose.
func questionBlock(q toolview.Question) content {
	return newBlock(func(p renderContext) []string {
		out := styled(termtext.Wrap(q.Line(), p.width), p.th.Strong)
		for _, o := range q.Options {
			lines := styled(termtext.Wrap(o.Line(), max(1, p.width-2)), p.th.Text)
			out = append(out, hang(p.th.Muted.Render("• "), "  ", lines)...)
		}
		if q.Multiple {
			out = append(out, p.th.Muted.Render("choose any"))
		}
		return out
	})
}

// callContent shows each content of a call; what it makes is nil if there is
// nothing to see.
type callContent struct {
	at        toolview.Paths
	targets   *toolview.PathTargets
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
	case strings.TrimSpace(words.Text) == "", b.Type == acpclient.ContentText && c.said[toolview.Unfenced(words.Text)]:
	case b.Type == acpclient.ContentText && toolview.VerbatimWhenAsked(c.kind, words.Text):
		parts = append(parts, newBlock(func(p renderContext) []string {
			return styled(termtext.Break(termtext.Visible(strings.TrimRight(words.Text, "\n")), p.width), p.th.Text)
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
	return newDiff(d, c.diffs, c.deletes || position.Deleted, position.Exists, c.targets.Of(path))
}

// Terminal shows nothing: the transcript shows terminals, and none runs before
// the user has answered.
func (c callContent) Terminal(acpclient.TerminalID) content { return nil }

func (c callContent) Unknown(label string, raw json.RawMessage) content {
	return rawPart(label, raw)
}

// rawPart shows JSON whole, below a label.
func rawPart(label string, raw []byte) content {
	return newBlock(func(p renderContext) []string {
		lines := []string{p.th.Muted.Render(label)}
		return append(lines, styled(termtext.Break(toolview.JSON(raw, 0), p.width), p.th.Text)...)
	})
}

// quoted draws text in full, below a label and behind a bar, so that it cannot imitate
// the dialog.
func quoted(label, s string) content {
	return newBlock(func(p renderContext) []string {
		return append([]string{p.th.Muted.Render(label)}, barred(termtext.Break(termtext.Visible(s), max(1, p.width-2)), p.th.Text, p.th)...)
	})
}

// barred draws lines behind a bar.
func barred(lines []string, style lipgloss.Style, th *theme.Theme) []string {
	bar := th.CodeBar.Render("│ ")
	return hang(bar, bar, styled(lines, style))
}

// note is a line or two in a quiet colour.
func note(s string) content {
	return newBlock(func(p renderContext) []string {
		return styled(termtext.Wrap(termtext.Visible(s), p.width), p.th.Muted)
	})
}

// change is the change of a file, below its path.
type change struct {
	column // head and diff

	head *block
	diff diffPart
}

// diffPart is the change of a file without its path.
type diffPart struct {
	diff  *diffview.Diff
	shown *diffview.Preference
}

func newDiff(d *diffview.Diff, shown *diffview.Preference, deleted, exists bool, leads toolview.Target) content {
	head := newBlock(func(p renderContext) []string {
		added, removed := d.Stats()
		counts := toolview.Counts{Added: added, Removed: removed}.Styled(p.th)
		switch {
		case exists && d.Change() == diffview.Created:
			counts += "  " + p.th.Warning.Render("replaces the file")
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
	diff := diffPart{d, shown}
	return &change{column{head, diff}, head, diff}
}

func (d diffPart) height(p renderContext) int { return d.shown.Layout(d.diff, p.width).Len() }

func (d diffPart) lines(p renderContext, from, to int) []string {
	return d.shown.Layout(d.diff, p.width).Lines(from, to, p.th)
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

// location is a path as the user sees it, and its target.
type location struct {
	words  string
	target toolview.Target
}

// lines draws the location, in red and with a warning if it is outside the session's
// directories.
func (pl location) lines(width int, style lipgloss.Style, th *theme.Theme) []string {
	words := pl.words
	if pl.target.Real != "" {
		words += " → " + termtext.ExactLine(pl.target.Real)
	}
	if !pl.target.Outside {
		return styled(termtext.Break(words, width), style)
	}
	out := styled(termtext.Break(words, width), th.Error)
	const note = "outside the project"
	if last := len(out) - 1; termtext.Width(out[last])+2+len(note) <= width {
		out[last] += "  " + th.Warning.Render(note)
		return out
	}
	return append(out, styled(termtext.Break(note, width), th.Warning)...)
}

// locations returns where a call works, except the paths of its diffs.
func (c callContent) locations(t *conversation.ToolCall) []location {
	var all []location
	for _, l := range c.at.ShownLocations(t.Locations) {
		if l.Line != nil || !changes(t, l.Path) {
			all = append(all, location{c.at.Location(l), c.targets.Of(l.Path)})
		}
	}
	return all
}

// changes reports whether a call has a diff of a file.
func changes(t *conversation.ToolCall, path string) bool {
	return slices.ContainsFunc(t.Content, func(c acpclient.ToolCallContent) bool {
		return c.Type == acpclient.ToolContentDiff && c.Path == path
	})
}

// outsidePaths returns the paths outside the session's directories, as one string.
func (d *Permission) outsidePaths() string {
	if d.env.Targets == nil {
		return ""
	}
	var b strings.Builder
	for _, path := range toolview.NamedPaths(d.asked.Asked) {
		if s := d.env.Targets.Of(path); s.Outside {
			b.WriteString(path + "\x00" + s.Real + "\x00")
		}
	}
	return b.String()
}

// inputBlock draws members in full, behind their labels if both fit on a line, else below
// them: strings as lines, other values as JSON.
func inputBlock(list []toolview.InputField, targets *toolview.PathTargets) content {
	var parts column
	for _, e := range list {
		label, text := cmp.Or(termtext.VisibleLine(e.Key), toolview.RawInput), e.Text()
		indent := termtext.Width(label) + 2
		if toolview.IsLocation(e.Key) && targets.Of(text).Outside {
			path := location{termtext.ExactLine(text), targets.Of(text)}
			parts = append(parts, newBlock(func(p renderContext) []string {
				lines := path.lines(max(1, p.width-indent), p.th.Text, p.th)
				return hang(p.th.Muted.Render(label)+"  ", strings.Repeat(" ", indent), lines)
			}))
			continue
		}
		text = strings.TrimRight(text, "\n")
		below := quoted(label, text)
		parts = append(parts, newBlock(func(p renderContext) []string {
			visible := termtext.Visible(text)
			if strings.Contains(visible, "\n") || indent+termtext.Width(visible) > p.width {
				return below.lines(p, 0, below.height(p))
			}
			return []string{p.th.Muted.Render(label) + "  " + p.th.Text.Render(visible)}
		}))
	}
	return parts
}

// shownTexts returns the texts that the dialog shows before a call's content: its command
// and the strings of its raw input. Agents repeat them as content.
func shownTexts(t *conversation.ToolCall, at toolview.Paths) map[string]bool {
	all := map[string]bool{}
	add := func(s string) {
		if s = toolview.Unfenced(s); s != "" {
			all[s] = true
		}
	}
	add(at.Command(t.RawInput).Line)
	for _, e := range at.OtherInput(t) {
		var s string
		if json.Unmarshal(e.Value, &s) == nil {
			add(s)
		}
	}
	return all
}

// aboutFile is content for parley's question about a file: its path, the reason, and what
// would be written.
func aboutFile(q *conversation.FileQuestion, t *conversation.ToolCall, show callContent) column {
	parts := column{vital{fileHead(q, t)}, gap, vital{fileReasons(q, t)}}
	show.kind = t.Kind
	for i := range t.Content {
		if part := toolview.Visit(&t.Content[i], show); part != nil {
			parts.add(part)
		}
	}
	return parts
}

// fileHead is what the agent wants, and the whole path of the file: where it leads, and
// what the agent calls it if that is another path.
func fileHead(q *conversation.FileQuestion, t *conversation.ToolCall) content {
	return newBlock(func(p renderContext) []string {
		verb := "read"
		if q.Write {
			verb = "write"
		}
		look := p.th.Strong
		if q.Outside {
			look = p.th.Error
		}
		icon := toolview.KindOf(t.Kind).Icon
		words := "The agent wants to " + verb + " this file:"
		switch {
		case q.Removes:
			words = "The " + q.Act + " would delete this file:"
		case q.Act != "":
			words = "The " + q.Act + " would write this file:"
		}
		lines := styled(termtext.Wrap(icon+" "+words, p.width), p.th.Text)
		lines = append(lines, styled(termtext.Break(termtext.ExactLine(q.Target), p.width), look)...)
		if q.Path != q.Target {
			lines = append(lines, styled(termtext.Break("by the path "+termtext.ExactLine(q.Path), p.width), p.th.Muted)...)
		}
		return lines
	})
}

// fileReasons are why parley asks.
func fileReasons(q *conversation.FileQuestion, t *conversation.ToolCall) content {
	return newBlock(func(p renderContext) []string {
		var out []string
		for _, reason := range toolview.FileReasons(q, t) {
			lines := styled(termtext.Wrap(reason, max(1, p.width-2)), p.th.Text)
			out = append(out, hang(p.th.Warning.Render("• "), "  ", lines)...)
		}
		return out
	})
}
