package export

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/termtext"
	"parley/terminal/screen"
)

// Version is the version of the JSON format. It changes when the meaning of a field does,
// not when fields are added.
const Version = 1

// Transcript is an exported conversation. Its JSON is the format "json".
type Transcript struct {
	Version int       `json:"version"`
	Title   string    `json:"title,omitempty"`
	Session string    `json:"session,omitempty"` // the agent's id
	Stored  string    `json:"stored,omitempty"`  // the id that parley's commands know
	Agent   string    `json:"agent,omitempty"`
	Cwd     string    `json:"cwd,omitempty"`
	Begun   time.Time `json:"begun,omitzero"`
	Entries []Entry   `json:"entries"`

	secrets *record.Redactor
	brief   bool // see [Brief]
}

// Entry is an item of the conversation. Which fields are set depends on the type.
type Entry struct {
	// Type is prompt, answer, thought, tool_call, command (the user's own), plan, question,
	// note, compaction or unknown.
	Type string `json:"type"`
	// Text is Markdown in answers and thoughts, and plain elsewhere.
	Text string `json:"text,omitempty"`
	// Attachments follow the text of a message. What follows them is an entry of its own,
	// which Continues the message.
	Attachments []Attachment `json:"attachments,omitempty"`
	Continues   bool         `json:"continues,omitempty"`
	// Steered means that the prompt went into a running turn.
	Steered bool `json:"steered,omitempty"`
	// Relayed means that the prompt is the agent's, to a subagent.
	Relayed bool `json:"relayed,omitempty"`

	// Of a tool call.
	ID      string    `json:"id,omitempty"`
	Parent  string    `json:"parent,omitempty"` // the id of the parent call
	Title   string    `json:"title,omitempty"`  // of a note, too
	Kind    string    `json:"kind,omitempty"`
	Status  string    `json:"status,omitempty"`
	Answer  string    `json:"answer,omitempty"` // the user's
	Seconds float64   `json:"seconds,omitempty"`
	Paths   []string  `json:"paths,omitempty"`
	Input   string    `json:"input,omitempty"` // JSON
	Content []Content `json:"content,omitempty"`

	// Steps are the steps of a plan, or of the task list that a call sets.
	Steps []Step `json:"steps,omitempty"`
	// Fields are the answers to a question.
	Fields []Field `json:"fields,omitempty"`
	// Severity is the severity of a note.
	Severity string `json:"severity,omitempty"`

	Caption string `json:"-"` // describes an entry of an unknown type
}

// Attachment is content that is not text.
type Attachment struct {
	Type     string `json:"type"`
	Name     string `json:"name,omitempty"`
	URI      string `json:"uri,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	Data     string `json:"data,omitempty"` // of an image, in base64
}

// Content is a piece of the output of a tool.
type Content struct {
	// Type is text, diff, terminal, attachment or unknown.
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Path and Diff, a unified diff, describe a change.
	Path string `json:"path,omitempty"`
	Diff string `json:"diff,omitempty"`
	// Command, Output and Exit describe a terminal.
	Command    string      `json:"command,omitempty"`
	Output     string      `json:"output,omitempty"`
	Exit       string      `json:"exit,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`

	Lines []string `json:"-"` // of the output, with colours
}

// Step is a step of a plan.
type Step struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Field is a field of a form.
type Field struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Secret bool   `json:"secret,omitempty"`
}

// Of returns the transcript of a conversation, without secrets. It keeps no reference to
// the conversation.
func Of(c *conversation.Conversation, secrets *record.Redactor) *Transcript {
	t := Begin(c, secrets)
	for _, item := range c.Items {
		t.Add(item)
	}
	return t
}

// Begin returns the transcript of a conversation without its items, for callers that add
// a few at a time with Add.
func Begin(c *conversation.Conversation, secrets *record.Redactor) *Transcript {
	t := &Transcript{
		Version: Version, Title: termtext.Line(c.Title), Session: termtext.Line(string(c.ID)),
		Agent: termtext.Line(c.Agent.Name()), Cwd: termtext.Line(c.Cwd), Begun: c.Agent.Since,
		Entries: []Entry{}, secrets: secrets,
	}
	secrets.Strings(t)
	return t
}

// mostBrief limits what [Brief] returns of a text that a tool has printed, in bytes.
const mostBrief = 4 << 10

// Brief returns an item as Markdown for another agent: without the input of tools, and of what they
// have printed only the end, of changes only the path. It is "" for notes of parley's and for the
// user's own commands, and has none of their answers to forms: no agent learns of either.
func Brief(item conversation.Item) string {
	t := &Transcript{secrets: record.NewRedactor(nil), brief: true}
	t.Add(item)
	parts := make([]string, len(t.Entries))
	for i := range t.Entries {
		parts[i] = t.Entries[i].Markdown()
	}
	return strings.Join(parts, "\n")
}

// Add adds the next item. The first prompt becomes the title of a transcript without one.
func (t *Transcript) Add(item conversation.Item) { item.Visit(writer{t}) }

// writer adds the entry of each kind of item.
type writer struct{ *Transcript }

func (w writer) add(e Entry) {
	w.secrets.Strings(&e)
	if w.Title == "" && e.Type == "prompt" {
		w.Title, _, _ = strings.Cut(strings.TrimSpace(e.Text), "\n")
	}
	w.Entries = append(w.Entries, e)
}

// Message adds a message that is not empty.
func (w writer) Message(m *conversation.Message) {
	e := Entry{Type: "answer", Parent: string(m.Parent)}
	switch m.Chunk {
	case acpclient.UserMessageChunk:
		e.Type, e.Steered, e.Relayed = "prompt", m.Steered, m.Relayed
	case acpclient.AgentThoughtChunk:
		e.Type = "thought"
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Block != nil {
			e.Attachments = append(e.Attachments, attachmentOf(p.Block))
			continue
		}
		said := strings.TrimSpace(termtext.Block(p.Text()))
		if said == "" {
			continue
		}
		if e.Text != "" || e.Attachments != nil {
			w.add(e)
			e.Text, e.Attachments, e.Continues = "", nil, true
		}
		e.Text = said
	}
	if e.Text != "" || e.Attachments != nil {
		w.add(e)
	}
}

// ToolCall adds a call with its output.
func (w writer) ToolCall(t *conversation.ToolCall) {
	e := Entry{
		Type: "tool_call", ID: termtext.Line(string(t.ID)), Parent: termtext.Line(string(t.Parent)),
		Title: termtext.Line(t.Title), Kind: termtext.Line(string(t.Kind)), Status: termtext.Line(t.State()),
		Steps: stepsOf(t.Tasks), Seconds: t.Took().Round(time.Millisecond).Seconds(),
	}
	if !w.brief {
		e.Input = w.jsonOf(t.RawInput)
	}
	if t.Answer != nil && !t.Answer.Cancelled {
		e.Answer = conversation.OptionLine(t.Answer.Option)
		if asked := t.AskedAs(); asked != nil {
			e.Answer += " (asked as: " + termtext.Line(asked.Title) + ")"
		}
	}
	for _, l := range t.Locations {
		e.Paths = append(e.Paths, termtext.Line(l.Path))
	}
	terminals := t.Terminals
	for i := range t.Content {
		c := &t.Content[i]
		if c.Type == acpclient.ToolContentTerminal && len(terminals) > 0 {
			e.Content = append(e.Content, w.terminalOf(terminals[0]))
			terminals = terminals[1:]
			continue
		}
		e.Content = append(e.Content, w.contentOf(c, t.Status == acpclient.ToolCompleted))
	}
	for _, left := range terminals {
		e.Content = append(e.Content, w.terminalOf(left))
	}
	w.add(e)
}

// Plan adds a plan.
func (w writer) Plan(p *conversation.Plan) {
	e := Entry{Type: "plan", Text: termtext.Block(p.Markdown), Steps: stepsOf(p.Entries)}
	if p.URI != "" {
		e.Attachments = []Attachment{{Type: "file", URI: termtext.Line(p.URI)}}
	}
	w.add(e)
}

// Elicitation adds a question and its answers.
func (w writer) Elicitation(q *conversation.Elicitation) {
	e := Entry{Type: "question", Text: termtext.Block(q.Request.Message), Status: string(q.Action)}
	for _, a := range q.Answers {
		if w.brief {
			break
		}
		e.Fields = append(e.Fields, Field{Name: termtext.Line(a.Field), Value: termtext.Block(a.Value), Secret: a.Secret})
	}
	w.add(e)
}

// ShellCommand adds a command of the user's own.
func (w writer) ShellCommand(s *conversation.ShellCommand) {
	if w.brief {
		return
	}
	w.add(Entry{Type: "command", Content: []Content{w.terminalOf(s.Terminal)}})
}

// Note adds a note unless it is empty.
func (w writer) Note(n *conversation.Note) {
	e := Entry{Type: "note", Title: termtext.Line(n.Title), Text: termtext.Block(n.Detail), Severity: string(n.Severity), Seconds: n.Worked.Round(time.Millisecond).Seconds()}
	if !w.brief && (e.Title != "" || e.Text != "" || e.Seconds != 0) {
		w.add(e)
	}
}

// Compaction adds the summary of a compaction.
func (w writer) Compaction(c *conversation.Compaction) {
	w.add(Entry{Type: "compaction", Caption: "The context was compacted", Text: termtext.Block(c.Summary.Plain()), Status: string(c.Status)})
}

// Unknown adds an unknown update.
func (w writer) Unknown(u *conversation.Unknown) {
	if w.brief {
		return
	}
	kind := termtext.Line(u.Kind)
	w.add(Entry{Type: "unknown", Caption: "An update that parley does not know: " + kind, Title: kind, Input: w.jsonOf(u.Raw)})
}

func attachmentOf(b *acpclient.ContentBlock) Attachment {
	a := Attachment{Type: string(b.Type), Name: termtext.Line(b.Name), URI: termtext.Line(b.URI), MimeType: termtext.Line(b.MimeType)}
	switch {
	case b.Type == acpclient.ContentImage:
		a.Data = b.Data
	case b.Resource != nil:
		a.URI, a.MimeType = termtext.Line(b.Resource.URI), termtext.Line(b.Resource.MimeType)
	}
	return a
}

func (w writer) contentOf(c *acpclient.ToolCallContent, done bool) Content {
	switch {
	case w.brief && c.Path != "" && done:
		return Content{Type: "text", Text: "changed " + termtext.Line(c.Path)}
	case w.brief && c.Path != "":
		return Content{Type: "text", Text: "would change " + termtext.Line(c.Path)}
	case c.Type == acpclient.ToolContentBlock && c.Content != nil && c.Content.Type == acpclient.ContentText:
		return Content{Type: "text", Text: w.end(termtext.Block(c.Content.Text))}
	case c.Type == acpclient.ToolContentBlock && c.Content != nil:
		a := attachmentOf(c.Content)
		return Content{Type: "attachment", Attachment: &a}
	case c.Type == acpclient.ToolContentDiff && c.Change != nil: // an operation on a whole file
		words := string(c.Change.Operation) + " " + c.Path
		if c.Change.OldPath != "" {
			words = string(c.Change.Operation) + " " + c.Change.OldPath + " to " + c.Path
		}
		return Content{Type: "text", Text: termtext.Line(words)}
	case c.Type == acpclient.ToolContentDiff:
		path := termtext.Line(c.Path)
		before, from := "", "/dev/null"
		if c.OldText != nil {
			before, from = termtext.Block(*c.OldText), path
		}
		return Content{Type: "diff", Path: path, Diff: udiff.Unified(from, path, before, termtext.Block(c.NewText))}
	}
	return Content{Type: "unknown", Text: w.jsonOf(c.Raw)}
}

// The size of the terminal that output is shown on.
const (
	columns = 120
	rows    = 24
	history = 100_000
)

func (w writer) terminalOf(t *conversation.Terminal) Content {
	c := Content{Type: "terminal", Command: termtext.Block(t.Command)}
	if t.Exit != nil {
		switch {
		case t.Exit.Signal != "":
			c.Exit = termtext.Line(t.Exit.Signal)
		case t.Exit.ExitCode != nil:
			c.Exit = termtext.Line(strconv.Itoa(*t.Exit.ExitCode))
		}
	}
	s := screen.New(columns, rows, history)
	s.SetImpliedCR(t.Own)
	from := int64(0)
	if w.brief {
		from = max(0, t.Total()-mostBrief)
	}
	raw, _ := t.Since(from)
	_, _ = io.WriteString(s, w.secrets.Text(string(raw))) // before its lines are broken; it never fails
	c.Lines = s.Lines()
	plain := make([]string, len(c.Lines))
	for i, line := range c.Lines {
		plain[i] = strings.TrimRight(termtext.Line(line), " ")
	}
	c.Output = strings.TrimRight(strings.Join(plain, "\n"), "\n")
	return c
}

// end returns a text that a tool has printed, or its end.
func (w writer) end(text string) string {
	if cut := len(text) - mostBrief; w.brief && cut > 0 {
		return "…" + strings.ToValidUTF8(text[cut:], "")
	}
	return text
}

func stepsOf(entries []acpclient.PlanEntry) []Step {
	var steps []Step
	for _, e := range entries {
		steps = append(steps, Step{Text: termtext.Block(e.Content), Status: string(e.Status)})
	}
	return steps
}

// jsonOf indents JSON, as far as termtext does. It returns other text as it is.
func (w writer) jsonOf(raw []byte) string {
	if len(raw) == 0 || string(raw) == "{}" || string(raw) == "null" {
		return ""
	}
	raw = w.secrets.Event(raw) // where they are escaped
	if indented, ok := termtext.Indented(raw); ok {
		raw = indented
	}
	return termtext.Block(string(raw))
}
