package toolview

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/termtext"
	"parley/tui/diffview"
)

// AskerOf says which subagent asks about a tool call, "" if the agent itself does.
func AskerOf(c *conversation.Conversation, call *conversation.ToolCall) string {
	if call == nil || call.Parent == "" {
		return ""
	}
	if parent := c.Tool(call.Parent); parent != nil {
		return "from a subagent: " + Title(parent, termtext.VisibleLine)
	}
	return "from a subagent"
}

// LeftOut says that a question does not show all of its call.
const LeftOut = "Parts of this call were left out, because the agent sent too much. It can only be rejected."

// Look is how the screen draws a part of a question.
type Look uint8

const (
	LookNote     Look = iota // a text of parley's
	LookPlain                // another one, which matters
	LookStrong               // what is asked
	LookWarning              // what is wrong
	LookAsker                // who asks
	LookHead                 // the kind of a call, with its locations and title
	LookCommand              // a command, every character of it
	LookPlaces               // paths, behind the label
	LookQuote                // the agent's words, behind a bar
	LookField                // the same below a label, or behind it if both fit on a line
	LookVerbatim             // text of a file or program
	LookMarkdown             // text of the agent
	LookItems                // a list
	LookTasks                // a task list
	LookDiff                 // the change of a file
)

// Part is a part of what a question asks. Its texts have no character that hides or reorders
// others, except in Markdown.
type Part struct {
	Look Look
	// Label names the part, "" if it needs no name. The icon of a head is in front of its.
	Icon, Label string
	Text        string
	Places      []Place
	Items       []string
	Tasks       []acpclient.PlanEntry
	// Diff is the change of a file, Places its path, and Text says whether the file is new, is
	// replaced or goes.
	Diff *diffview.Diff
	// Tight means that the part belongs to the one before it.
	Tight bool
}

// Place is a path as the user sees it, and where it leads.
type Place struct {
	Path string
	Target
}

// String returns the path and where it leads.
func (p Place) String() string {
	if p.Real != "" {
		return p.Path + " → " + termtext.ExactLine(p.Real)
	}
	return p.Path
}

const (
	// OutsideWords follow a path that leads out of the session's directories.
	OutsideWords = "outside the project"
	// These follow the path of a change.
	ReplacesFile  = "replaces the file"
	NewFile       = "new file"
	UnknownBefore = "previous content unknown"
	DeletesFile   = "deleted"
)

// Asked returns what a permission asks about: everything that is known of it, in the order in which
// the user reads it.
func (p Paths) Asked(asked *conversation.Permission, by string, facts *Facts) []Part {
	t := asked.Asked
	q := &askedParts{at: p, call: t, facts: facts, own: asked.File != nil}
	if asked.File != nil {
		q.file(asked.File)
	} else {
		q.of(by)
	}
	for i := range t.Content {
		q.deletes = Deletes(&t.Content[i], t.Kind)
		q.add(Visit(&t.Content[i], q)...)
	}
	for _, words := range []string{asked.Title, asked.Description} {
		if words = strings.TrimSpace(words); words != "" && words != strings.TrimSpace(t.Title) {
			q.add(Part{Text: "the agent says: " + termtext.Visible(words)})
		}
	}
	if t.Incomplete {
		q.add(Part{Text: LeftOut})
	}
	switch {
	case asked.Why != "":
		q.add(Part{Text: "no rule applies: " + termtext.Visible(asked.Why)})
	case asked.File == nil && len(asked.Options) > 0 && t.Kind == acpclient.ToolExecute && p.Command(t.RawInput).Line == "":
		q.add(Part{Text: "no rule can describe it: the agent names the command only in the title"})
	}
	return q.parts
}

// PermissionQuestion returns a permission as a question in plain lines.
func PermissionQuestion(c *conversation.Conversation, asked *conversation.Permission, facts *Facts) app.Question {
	q := app.Question{
		Title: "may the agent do this?", Text: AskedText(PathsIn(c.Cwd).Asked(asked, AskerOf(c, asked.ToolCall), facts)),
		Choices: app.PermissionChoices(asked), While: func() bool { return c.Asks(asked) },
	}
	if asked.File != nil {
		q.Title = "parley asks: " + q.Title
	}
	return q
}

// AskedText returns the parts of a question as text.
func AskedText(parts []Part) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString("\n")
			if !p.Tight {
				b.WriteString("\n")
			}
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// String returns the part as text.
func (p Part) String() string {
	lines := []string{}
	if p.Label != "" {
		lines = append(lines, "# "+p.Label)
	}
	if text := strings.TrimRight(p.Text, "\n"); text != "" {
		lines = append(lines, termtext.Visible(text))
	}
	for _, place := range p.Places {
		line := place.String()
		if place.Outside {
			line += "  " + OutsideWords
		}
		lines = append(lines, line)
	}
	for _, item := range p.Items {
		lines = append(lines, "- "+item)
	}
	for _, task := range p.Tasks {
		lines = append(lines, termtext.Visible(task.Content))
	}
	if p.Diff != nil {
		patch, err := p.Diff.Patch()
		if err != nil {
			patch = "The change cannot be shown: " + err.Error()
		}
		lines = append(lines, termtext.Visible(strings.TrimRight(patch, "\n")))
	}
	return strings.Join(lines, "\n")
}

// askedParts collects the parts of a question.
type askedParts struct {
	at      Paths
	call    *conversation.ToolCall
	facts   *Facts
	parts   []Part
	own     bool // parley asks, which has seen the file
	deletes bool // the change that is visited takes its file away
}

var _ Visitor[[]Part] = (*askedParts)(nil)

func (q *askedParts) add(parts ...Part) { q.parts = append(q.parts, parts...) }

// of adds what a call would do, without its content: who asks, the kind, the locations, the command,
// the title as the agent's words, and the rest of the input.
func (q *askedParts) of(by string) {
	t := q.call
	if by != "" {
		q.add(Part{Look: LookAsker, Text: by})
	}
	kind, command, places := KindOf(t.Kind), q.at.Command(t.RawInput), q.locations()
	title := Title(t, termtext.VisibleLine)
	switch {
	case Unfenced(title) == command.Line, strings.TrimSpace(t.Title+t.Name) == "":
		title = ""
	case command.Line != "":
		title = termtext.Truncate(title, mostTitle, "…")
	}
	heads := command.Line == "" || t.Kind != acpclient.ToolExecute // else the command is the heading
	if heads {
		q.add(Part{Look: LookHead, Icon: kind.Icon, Label: kind.Verb, Places: places, Text: title})
	}
	if command.Line != "" {
		q.add(Part{Look: LookCommand, Label: "command", Text: command.Line})
		if command.Dir != "" {
			q.add(Part{Look: LookPlaces, Label: "in", Places: []Place{{command.Dir, q.facts.Target(texts(t.RawInput, dirKeys)[0])}}, Tight: true})
		}
		if command.Env != "" {
			q.add(Part{Look: LookField, Label: "with", Text: command.Env, Tight: true})
		}
	}
	if !heads && title != "" {
		q.add(Part{Look: LookQuote, Label: "title", Text: title})
	}
	if !heads && len(places) > 0 {
		q.add(Part{Look: LookPlaces, Label: "path", Places: places})
	}
	for _, e := range q.at.OtherInput(t) {
		q.add(q.field(e))
	}
	for _, asks := range Questions(t.RawInput) {
		q.add(Part{Look: LookStrong, Label: "question", Text: asks.Line}, Part{Look: LookItems, Items: asks.Options, Tight: true})
		if asks.Multiple {
			q.add(Part{Text: "choose any", Tight: true})
		}
	}
	if len(t.Tasks) > 0 {
		q.add(Part{Look: LookTasks, Label: "task", Tasks: t.Tasks})
	}
	if emptyPlan(t) {
		q.add(Part{Look: LookWarning, Text: "The plan is empty."})
	}
}

// mostTitle bounds the title of a call whose command is known, in cells.
const mostTitle = 200

// locations returns where a call works, except the paths of its diffs.
func (q *askedParts) locations() []Place {
	var all []Place
	for _, l := range q.at.ShownLocations(q.call.Locations) {
		changed := slices.ContainsFunc(q.call.Content, func(c acpclient.ToolCallContent) bool {
			return c.Type == acpclient.ToolContentDiff && c.Path == l.Path
		})
		if l.Line != nil || !changed {
			all = append(all, Place{q.at.Location(l), q.facts.Target(l.Path)})
		}
	}
	return all
}

// field returns a member of the input.
func (q *askedParts) field(e policy.Field) Part {
	part := Part{Look: LookField, Label: cmp.Or(termtext.VisibleLine(e.Key), RawInput)}
	if text := inputText(e.Value); slices.Contains(locationKeys, e.Key) && q.facts.Target(text).Outside {
		part.Places = []Place{{termtext.ExactLine(text), q.facts.Target(text)}}
	} else {
		part.Text = termtext.Visible(strings.TrimRight(text, "\n"))
	}
	return part
}

// file adds a question of parley's own about a file: where it leads, what the agent calls it if that
// is another path, and why parley asks.
func (q *askedParts) file(f *conversation.FileQuestion) {
	words := "The agent wants to read this file:"
	switch {
	case f.Removes:
		words = "The " + f.Act + " would delete this file:"
	case f.Act != "":
		words = "The " + f.Act + " would write this file:"
	case f.Write:
		words = "The agent wants to write this file:"
	}
	q.add(
		Part{Look: LookPlain, Text: KindOf(q.call.Kind).Icon + " " + words},
		Part{Look: LookPlaces, Places: []Place{{termtext.ExactLine(f.Target), Target{Outside: f.Outside}}}, Tight: true})
	if f.Path != f.Target {
		q.add(Part{Text: "by the path " + termtext.ExactLine(f.Path), Tight: true})
	}
	q.add(Part{Look: LookItems, Items: f.Reasons(len(q.call.Content) == 1 && q.call.Content[0].OldText == nil)})
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

// Block returns a content block, unless it repeats what is above it.
func (q *askedParts) Block(b *acpclient.ContentBlock) []Part {
	words := q.at.Block(b)
	var parts []Part
	if label := words.String(); label != "" {
		parts = append(parts, Part{Text: label})
	}
	switch {
	case strings.TrimSpace(words.Text) == "", b.Type == acpclient.ContentText && q.says(Unfenced(words.Text)):
	case b.Type == acpclient.ContentText && VerbatimWhenAsked(q.call.Kind, words.Text):
		parts = append(parts, Part{Look: LookVerbatim, Label: "content", Text: words.Text, Tight: len(parts) > 0})
	default:
		parts = append(parts, Part{Look: LookMarkdown, Label: "content", Text: words.Text, Tight: len(parts) > 0})
	}
	return parts
}

// says reports whether a part is a text. Agents repeat the command and strings of the input as content.
func (q *askedParts) says(text string) bool {
	return slices.ContainsFunc(q.parts, func(p Part) bool {
		return (p.Look == LookCommand || p.Look == LookField) && Unfenced(p.Text) == termtext.Visible(text)
	})
}

func (q *askedParts) Diff(path string, before *string, after string) []Part {
	position, seen := q.facts.PositionIn(q.call, path, before, after), q.call.FileSeen(path)
	before, after = position.Whole(before, after)
	d := diffview.New(q.at.Path(path), before, after)
	d.SetFirstLine(position.Line)
	part := Part{Look: LookDiff, Label: "content", Diff: d, Places: []Place{{d.Path(), q.facts.Target(path)}}}
	switch created := d.Change() == diffview.Created; {
	case created && seen != nil && seen.Exists:
		part.Text = ReplacesFile
	case created && (q.own || seen != nil && !seen.Unknown):
		part.Text = NewFile
	case created:
		part.Text = UnknownBefore
	case q.deletes || position.Deleted:
		part.Text = DeletesFile
	}
	return []Part{part}
}

// Terminal shows nothing: the transcript shows terminals, and none runs before the user has answered.
func (q *askedParts) Terminal(acpclient.TerminalID) []Part { return nil }

func (q *askedParts) Unknown(label string, raw json.RawMessage) []Part {
	return []Part{{Look: LookField, Label: label, Text: JSON(raw, 0)}}
}

// locationKeys are the keys under which agents give paths in a call's raw input.
var locationKeys = slices.Concat(pathKeys, dirKeys, []string{
	"source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath",
	"source_path", "destination_path", "sourcePath", "destinationPath", "dir_path", "dirPath",
})

// NamedPaths returns all paths that a call names.
func NamedPaths(t *conversation.ToolCall) []string {
	all := append(shownPaths(t), texts(t.RawInput, locationKeys)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// texts returns the strings under some keys of a JSON object, in the order of the keys.
func texts(raw json.RawMessage, keys []string) []string {
	in := app.Decoded[map[string]json.RawMessage](raw)
	var all []string
	for _, key := range keys {
		if s := app.Decoded[string](in[key]); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// shownPaths returns the paths of a call's locations and changes.
func shownPaths(t *conversation.ToolCall) []string {
	var all []string
	for _, l := range t.Locations {
		all = append(all, l.Path)
	}
	for i := range t.Content {
		if c := &t.Content[i]; c.Type == acpclient.ToolContentDiff {
			all = append(all, c.Path)
		}
	}
	return all
}
