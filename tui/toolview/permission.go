package toolview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
)

// Asker is who asks for a permission.
type Asker struct {
	Subagent bool
	// Name is the title of the subagent's call, or "".
	Name string
}

// AskerOf returns who asks about a tool call.
func AskerOf(c *conversation.Conversation, call *conversation.ToolCall) Asker {
	if call == nil || call.Parent == "" {
		return Asker{}
	}
	by := Asker{Subagent: true}
	if parent := c.Tool(call.Parent); parent != nil {
		by.Name = Title(parent, termtext.VisibleLine)
	}
	return by
}

// LeftOut says that a question does not show all of its call.
const LeftOut = "Parts of this call were left out, because the agent sent too much. It can only be rejected."

// PermissionText returns what a permission asks about as text: everything, with every
// character that hides something made visible.
func (p Paths) PermissionText(asked *conversation.Permission, by Asker, targets *PathTargets, positions *DiffPositions) string {
	t := asked.Asked
	var parts []string
	add := func(label, s string) {
		if s = strings.TrimRight(s, "\n"); s != "" {
			parts = append(parts, label+"\n"+s)
		}
	}
	add("# "+KindOf(t.Kind).Verb, Title(t, termtext.VisibleLine))
	if CheckTitle(t) == TitleDiffers {
		add("# beware", "The agent's description above differs from what would be done.")
	}
	if t.Incomplete {
		add("# beware", LeftOut)
	}
	if by.Subagent {
		add("# from a subagent", by.Name+"\n")
	}
	if asked.File != nil {
		add("# the file", fileText(asked.File))
		add("# why parley asks", strings.Join(FileReasons(asked.File, t), "\n"))
	}
	add("# where", p.locationsText(t, targets))
	add("# command", p.Command(t.RawInput).Line)
	if dir := p.Command(t.RawInput).Dir; dir != "" {
		add("# in", dir)
	}
	for _, q := range Questions(t.RawInput) {
		add("# question", questionText(q))
	}
	for _, task := range t.Tasks {
		add("# task", termtext.Visible(task.Content))
	}
	for _, e := range p.OtherInput(t) {
		add("# "+termtext.VisibleLine(e.Key), e.Text())
	}
	for i := range t.Content {
		add("# content", p.contentText(&t.Content[i], positions))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// fileText returns the file of a question of parley's own: where it leads, and what the
// agent calls it if that is another path.
func fileText(q *conversation.FileQuestion) string {
	if q.Path == q.Target {
		return termtext.ExactLine(q.Target)
	}
	return termtext.ExactLine(q.Target) + "\nby the path " + termtext.ExactLine(q.Path)
}

// questionText returns a question of the agent and its options.
func questionText(q Question) string {
	lines := []string{q.Line()}
	for _, o := range q.Options {
		lines = append(lines, "- "+o.Line())
	}
	if q.Multiple {
		lines = append(lines, "choose any")
	}
	return strings.Join(lines, "\n")
}

func (p Paths) locationsText(t *conversation.ToolCall, targets *PathTargets) string {
	var lines []string
	for _, l := range p.ShownLocations(t.Locations) {
		line, leads := p.Location(l), targets.Of(l.Path)
		if leads.Real != "" {
			line += " → " + termtext.ExactLine(leads.Real)
		}
		if leads.Outside {
			line += "  outside the project"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (p Paths) contentText(c *acpclient.ToolCallContent, positions *DiffPositions) string {
	if c.Type == acpclient.ToolContentDiff {
		before, after := positions.Of(c.Path, c.OldText, c.NewText).Whole(c.OldText, c.NewText)
		patch, err := diffview.New(p.Path(c.Path), before, after).Patch()
		if err != nil { // it cannot be written as a patch
			patch = p.Path(c.Path) + "\n" + c.NewText
		}
		return termtext.Visible(patch)
	}
	if c.Content == nil {
		return ""
	}
	words := p.Block(c.Content)
	return termtext.Visible(strings.TrimSpace(words.String() + "\n" + words.Text))
}

// FileReasons returns why parley asks about a file, for the call that it made of it.
func FileReasons(q *conversation.FileQuestion, t *conversation.ToolCall) []string {
	var out []string
	if q.Rule != "" {
		out = append(out, "Because "+termtext.VisibleLine(q.Rule)+".")
	}
	if q.Outside {
		out = append(out, "It is outside the session's directories.")
	}
	if q.Own {
		out = append(out, "It belongs to parley itself.")
	}
	if q.Secret != "" {
		out = append(out, "It may hold secrets: "+termtext.VisibleLine(q.Secret))
	}
	if q.Runs != "" {
		out = append(out, "Programs run this file or take commands from it: "+termtext.VisibleLine(q.Runs))
	}
	switch removed := len(t.Content) == 1 && t.Content[0].OldText == nil; {
	case q.Changed && removed:
		out = append(out, "It was removed after the agent read it.")
	case q.Changed:
		out = append(out, "It changed on disk after the agent read it. The diff is against the file as it is now.")
	}
	switch {
	case q.Links > 1 && q.Write:
		out = append(out, fmt.Sprintf("It has %d names (hard links). Only this one gets the new content.", q.Links))
	case q.Links > 1:
		out = append(out, fmt.Sprintf("It has %d names (hard links): its content may belong elsewhere.", q.Links))
	}
	if q.Unkept {
		out = append(out, "parley cannot keep what it contains now, so the write cannot be undone. Is the disk full, or the file too large?")
	}
	if q.Hidden {
		out = append(out, "The change is too large to show.")
	}
	return out
}

// locationKeys are the keys under which agents give paths in a call's raw input.
var locationKeys = slices.Concat(pathKeys, dirKeys, []string{
	"source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath",
	"source_path", "destination_path", "sourcePath", "destinationPath", "dir_path", "dirPath",
})

// IsLocation reports whether agents give paths under a key of a call's raw input.
func IsLocation(key string) bool { return slices.Contains(locationKeys, key) }

// NamedPaths returns all paths that a call names.
func NamedPaths(t *conversation.ToolCall) []string {
	all := append(shownPaths(t), texts(t.RawInput, locationKeys)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// CommandDir returns the command's directory in a call's raw input, or "".
func CommandDir(t *conversation.ToolCall) string {
	if all := texts(t.RawInput, dirKeys); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns the strings under some keys of a JSON object, in the order of the keys.
func texts(raw json.RawMessage, keys []string) []string {
	in := decoded[map[string]json.RawMessage](raw)
	var all []string
	for _, key := range keys {
		if s := decoded[string](in[key]); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// Question is a question to the user in the raw input of a call. Its texts have no
// newlines, and every character is visible.
type Question struct {
	Header, Text string
	Options      []QuestionOption
	// Multiple allows several options.
	Multiple bool
}

// QuestionOption is one answer.
type QuestionOption struct{ Label, About string }

// Line returns the question on one line.
func (q Question) Line() string {
	if q.Header != "" && q.Header != q.Text {
		return q.Header + ": " + q.Text
	}
	return q.Text
}

// Line returns the option on one line.
func (o QuestionOption) Line() string {
	if o.About != "" {
		return o.Label + ": " + o.About
	}
	return o.Label
}

// Questions finds the questions in the raw input of a tool call, nil if there are none:
// agents have a tool that asks, and some send it as a permission request.
func Questions(rawInput json.RawMessage) []Question {
	var in struct{ Questions []json.RawMessage }
	if json.Unmarshal(rawInput, &in) != nil {
		return nil
	}
	var questions []Question
	for _, raw := range in.Questions {
		if q := question(raw); q.Text != "" || len(q.Options) > 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// question decodes a question: a string, or an object.
func question(raw json.RawMessage) Question {
	if s := decoded[string](raw); s != "" {
		return Question{Text: termtext.VisibleLine(s)}
	}
	fields := decoded[map[string]json.RawMessage](raw)
	q := Question{
		Header: firstText(fields, "header", "title"), Text: firstText(fields, "question", "text", "prompt"),
		Multiple: decoded[bool](fields["multiSelect"]) || decoded[bool](fields["multiple"]),
	}
	for _, o := range decoded[[]json.RawMessage](fields["options"]) {
		if option := questionOption(o); option.Label != "" {
			q.Options = append(q.Options, option)
		}
	}
	return q
}

// firstText returns the first of some fields that has text.
func firstText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		if s := decoded[string](fields[name]); s != "" {
			return termtext.VisibleLine(s)
		}
	}
	return ""
}

// questionOption decodes an option: a string, or an object with a label.
func questionOption(raw json.RawMessage) QuestionOption {
	if s := decoded[string](raw); s != "" {
		return QuestionOption{Label: termtext.VisibleLine(s)}
	}
	fields := decoded[map[string]json.RawMessage](raw)
	return QuestionOption{Label: firstText(fields, "label", "title", "name", "value"), About: firstText(fields, "description", "about")}
}
