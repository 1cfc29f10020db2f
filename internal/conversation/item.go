package conversation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// Item is one thing in the transcript.
type Item interface {
	// Version changes whenever something about the item changes.
	Version() uint64
	// Visit calls the method of v for the item's kind.
	Visit(v Visitor)
	// plain is the item as plain text, and who says it; "" if it is a remark of
	// neither side.
	plain() (side string, paragraphs []Paragraph)
}

// Visitor has a method for each kind of item. Every view implements it, so that a new
// kind does not compile until all of them show it.
type Visitor interface {
	Message(*Message)
	ToolCall(*ToolCall)
	Plan(*Plan)
	Elicitation(*Elicitation)
	ShellCommand(*ShellCommand)
	Note(*Note)
	Compaction(*Compaction)
	Unknown(*Unknown)
}

// revision counts the changes of an item.
type revision struct{ n uint64 }

// Version implements Item.
func (r *revision) Version() uint64 { return r.n }
func (r *revision) changed()        { r.n++ }

// Message is a message of the person, of the agent, or a thought of the agent.
type Message struct {
	revision
	Chunk acpclient.ChunkKind
	ID    acpclient.MessageID
	// Parent is the tool call, mostly a subagent, whose message this is; empty
	// for the agent's own.
	Parent acpclient.ToolCallID
	Parts  Parts
	// Done says that nothing more is expected of it.
	Done bool
	// Growing says that it is what the agent is saying: from when it begins in a
	// turn that runs until anything else begins. What belongs to a message that is
	// not done may come later still.
	Growing bool

	replaced int    // how often all of its content was replaced
	phase    string // of the agent's work, "" if it names none
	// own says that the person has written it here: what the agent says it is changes
	// nothing of it.
	own bool
}

// Visit implements Item.
func (m *Message) Visit(v Visitor) { v.Message(m) }

func (m *Message) plain() (side string, paragraphs []Paragraph) {
	switch m.Chunk {
	case acpclient.UserMessageChunk:
		side = "You"
	case acpclient.AgentThoughtChunk:
		side = "Agent, thinking"
	default:
		side = "Agent"
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		paragraph := Paragraph{p.Text(), m.Chunk != acpclient.UserMessageChunk}
		if p.Block != nil {
			paragraph = Paragraph{Text: "[" + strings.TrimSpace(string(p.Block.Type)+" "+p.Block.Name+" "+p.Block.URI) + "]"}
		}
		paragraphs = append(paragraphs, paragraph)
	}
	return side, paragraphs
}

// ToolCall is a tool call and all that was said about it.
type ToolCall struct {
	revision
	// Clock measures the work on it: from when the agent says that it is in progress,
	// or else from when it was announced, until the agent says how it came out, or the
	// turn was cancelled. It stands still while the person is asked about the call, or
	// about one that works for it.
	Clock
	ID        acpclient.ToolCallID
	Title     string
	Name      string
	Kind      acpclient.ToolKind
	Status    acpclient.ToolCallStatus
	Content   []acpclient.ToolCallContent
	Locations []acpclient.ToolCallLocation
	RawInput  []byte
	RawOutput []byte
	// Tasks is the task list that the call sets, nil if it sets none.
	Tasks []acpclient.PlanEntry
	// Parent is the tool call, mostly a subagent, that this one works for.
	Parent acpclient.ToolCallID
	// Answer is how the person, or a cancel, answered the latest question about
	// it; nil if there was none, or it is open.
	Answer *PermissionAnswer
	// Asked is the call as each question about it that is closed had it, oldest
	// first: the agent may replace its content once it has its answer.
	Asked []*ToolCall
	// Cancelled says that the turn was cancelled before the call was done.
	Cancelled bool
	// Rejected says that the person has denied the call, and that its turn ended
	// without a word about how it came out.
	Rejected bool
	// Live says that the turn in which it was announced still runs.
	Live bool
	// CanCancel says that the agent can cancel this call alone.
	CanCancel bool
	// Terminals are the terminals embedded in it, in order.
	Terminals []*Terminal

	// Nested counts the calls that were made for this one, also those that were made
	// for one of them.
	Nested Tally

	grows     bool // Content is the call's own, and what is added goes behind it in place
	announced int  // the number of the turn in which it was announced
	index     int  // in the conversation's Items
}

// Visit implements Item.
func (t *ToolCall) Visit(v Visitor) { v.ToolCall(t) }

func (t *ToolCall) plain() (side string, paragraphs []Paragraph) {
	state := string(t.Status)
	switch {
	case t.Rejected:
		state = "rejected"
	case t.Cancelled:
		state = "cancelled"
	}
	lines := []string{fmt.Sprintf("* %s: %s (%s)", t.Kind, t.Title, state)}
	for _, c := range t.Content {
		switch {
		case c.Content != nil:
			lines = append(lines, plainOutput(c.Content.Text))
		case c.Path != "":
			lines = append(lines, plainOutput("changed "+c.Path))
		}
	}
	for _, term := range t.Terminals {
		data, _ := term.Since(max(0, term.Total()-mostPlainOutput))
		lines = append(lines, plainOutput("$ "+term.Command+"\n"+string(data)))
	}
	text := strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
	return "Agent", []Paragraph{{Text: text}}
}

// ended reports that the agent has said how the call came out.
func (t *ToolCall) ended() bool {
	return t.Status == acpclient.ToolCompleted || t.Status == acpclient.ToolFailed || t.Status == acpclient.ToolCancelled
}

// Running reports whether the call is, as far as is known, at work.
func (t *ToolCall) Running() bool {
	return t.Live && !t.Cancelled && !t.Rejected && (t.Status == acpclient.ToolInProgress || t.Status == acpclient.ToolPending || t.Status == "")
}

// Plan is a plan and how far it has come.
type Plan struct {
	revision
	ID acpclient.PlanID
	// Entries are the steps of a plan that has steps, Markdown is a plan in words,
	// and URI names a file that holds the plan.
	Entries  []acpclient.PlanEntry
	Markdown string
	URI      string
	// Removed says that the agent has taken the plan away.
	Removed bool
}

// Visit implements Item.
func (p *Plan) Visit(v Visitor) { v.Plan(p) }

func (p *Plan) plain() (side string, paragraphs []Paragraph) {
	lines := []string{}
	for _, e := range p.Entries {
		box := "[ ]"
		if e.Status == acpclient.PlanCompleted {
			box = "[x]"
		}
		lines = append(lines, "- "+box+" "+e.Content)
	}
	return "Agent", []Paragraph{{strings.Join(append(lines, p.Markdown), "\n"), true}}
}

// Progress counts the entries that are completed.
func (p *Plan) Progress() (done, all int) {
	for _, e := range p.Entries {
		if e.Status == acpclient.PlanCompleted {
			done++
		}
	}
	return done, len(p.Entries)
}

// Note is a line that is neither side's message: a notice, an error, how a turn
// ended.
type Note struct {
	revision
	Severity acpclient.NoticeSeverity
	Title    string
	Detail   string
	// Raw is JSON that says more, for those who look closer; nil if there is none.
	Raw []byte
	// Worked is how long the agent worked in the turn whose end this is; 0 if it is
	// none, or that is not known. A turn that ended well has nothing else to say: its
	// note has no title, and if it was short there is none.
	Worked time.Duration
}

// Visit implements Item.
func (n *Note) Visit(v Visitor) { v.Note(n) }

func (n *Note) plain() (side string, paragraphs []Paragraph) {
	if n.Title == "" {
		return "", nil
	}
	return "", []Paragraph{{Text: n.Title + "\n" + n.Detail}}
}

// Compaction is a compaction of the agent's context.
type Compaction struct {
	revision
	ID      acpclient.CompactionID
	Status  acpclient.CompactionStatus
	Summary Parts
	Error   string
}

// Visit implements Item.
func (c *Compaction) Visit(v Visitor) { v.Compaction(c) }

func (c *Compaction) plain() (side string, paragraphs []Paragraph) {
	return "", []Paragraph{{"The conversation was compacted.\n" + c.Summary.Plain(), true}}
}

// Unknown is an update of a kind that parley does not know.
type Unknown struct {
	revision
	Kind string
	Raw  []byte
}

// Visit implements Item.
func (u *Unknown) Visit(v Visitor) { v.Unknown(u) }

func (u *Unknown) plain() (side string, paragraphs []Paragraph) { return "", nil }
