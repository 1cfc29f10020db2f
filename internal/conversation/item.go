package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// Item is one thing in the transcript.
type Item interface {
	// Version changes whenever something about the item changes.
	Version() uint64
	// Visit calls the method of v for this kind of item.
	Visit(v Visitor)
}

// Visitor has a method for each kind of item. Every view implements it, so that a new kind of
// item does not compile until every view shows it.
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
type revision struct{ n uint32 }

func (r *revision) Version() uint64 { return uint64(r.n) }
func (r *revision) changed()        { r.n++ }

// Message is a message of the user or the agent, or a thought of the agent.
type Message struct {
	revision
	replaced int32 // how often its whole content was replaced
	Chunk    acpclient.ChunkKind
	ID       acpclient.MessageID
	// Parent is the tool call, usually of a subagent, that the message belongs to;
	// empty for the agent's own.
	Parent acpclient.ToolCallID
	Parts  Parts
	// Sent is a prompt as sent, and At when; both are zero for any other message.
	Sent []acpclient.ContentBlock
	At   time.Time
	// Relayed means that the message went between sessions: from the agent to a subagent, or
	// back.
	Relayed bool
	// Done reports that the message is complete.
	Done bool
	// Banner means that the agent introduces itself when a session begins; it answers no
	// prompt.
	Banner bool
	// Steered means that the agent took the user's message into its running turn.
	Steered bool
	// Growing means that the agent is writing the message now: until anything else begins, or
	// the turn ends. A message that is not Done may still grow later.
	Growing bool

	own   bool   // written here: ignore the agent's copy of it
	phase string // of the agent's work, "" if it names none
}

func (m *Message) Visit(v Visitor) { v.Message(m) }

// ToolCall is a tool call.
type ToolCall struct {
	revision
	// Nested counts the calls below this one, at any depth.
	Nested    Tally
	announced int32 // the number of the turn that announced it
	index     int32 // in the conversation's Items
	// Clock measures the work: from in_progress, or else the announcement, until the final
	// status or the cancellation of the turn. It pauses while a question about the call, or
	// about a nested one, is open.
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
	// Subagent is set for a call that stands for a subagent's session: it has the status of
	// that session, and what happens there is nested below it.
	Subagent *Subagent
	// ExitCode is the exit code of the call's command, nil if it is unknown or only its
	// terminals have one; see [ToolCall.Exit].
	ExitCode *int
	// Tasks is the task list that the call sets, nil if it sets none.
	Tasks []acpclient.PlanEntry
	// Parent is the tool call, usually of a subagent, that this one belongs to.
	Parent acpclient.ToolCallID
	// Answer is the answer to the latest question about the call; nil without one, or
	// while it is open.
	Answer *PermissionAnswer
	// Asked is the call as each closed question showed it, oldest first: the agent may replace
	// the content afterwards.
	Asked []*ToolCall
	// Files are those that it would replace without saying so, as a question about it shows them.
	Files []FileSeen
	// Earlier is what the call was said to do before the agent said that it does something
	// else, oldest first, without content.
	Earlier []*ToolCall
	// Cancelled reports that the turn was cancelled before the call ended.
	Cancelled bool
	// Rejected reports that the user denied the call, and that it failed or got no final
	// status before its turn ended.
	Rejected bool
	// Live reports that the turn of the call is running.
	Live bool
	// CanCancel reports that the agent can cancel this call alone.
	CanCancel bool
	// Incomplete reports that parts of what the call does were left out. A user who does
	// not know them cannot allow it.
	Incomplete bool
	grows      bool // Content is the call's own slice: append may write to it
	// Terminals are the terminals embedded in the call, in order.
	Terminals []*Terminal
}

func (t *ToolCall) Visit(v Visitor) { v.ToolCall(t) }

// State returns the call's status in the protocol, or "rejected" or "cancelled". A call
// without a status is pending.
func (t *ToolCall) State() string {
	switch {
	case t.Rejected:
		return "rejected"
	case t.Cancelled:
		return "cancelled"
	}
	if t.Failed() {
		return string(acpclient.ToolFailed)
	}
	return string(cmp.Or(t.Status, acpclient.ToolPending))
}

// Exit returns how the call's last command ended; nil if it has not, or that is unknown.
func (t *ToolCall) Exit() *acpclient.TerminalExitStatus {
	if t.ExitCode != nil {
		return &acpclient.TerminalExitStatus{ExitCode: t.ExitCode}
	}
	if n := len(t.Terminals); n > 0 {
		return t.Terminals[n-1].Exit
	}
	return nil
}

// Failed reports whether the call failed. Some agents complete a call whose command has
// failed.
func (t *ToolCall) Failed() bool {
	if t.Status != acpclient.ToolCompleted {
		return t.Status == acpclient.ToolFailed
	}
	exit := t.Exit()
	return exit != nil && exit.ExitCode != nil && *exit.ExitCode != 0
}

// ended reports whether the call has a final status.
func (t *ToolCall) ended() bool { return ended(t.Status) }

func ended(status acpclient.ToolCallStatus) bool {
	return status == acpclient.ToolCompleted || status == acpclient.ToolFailed || status == acpclient.ToolCancelled
}

// Running reports whether the call seems to be at work.
func (t *ToolCall) Running() bool {
	return t.Live && !t.Cancelled && !t.Rejected && (t.Status == acpclient.ToolInProgress || t.Status == acpclient.ToolPending || t.Status == "")
}

// Plan is a plan and its progress.
type Plan struct {
	revision
	ID acpclient.PlanID
	// A plan has Entries, or Markdown, or the URI of a file.
	Entries  []acpclient.PlanEntry
	Markdown string
	URI      string
	// Removed reports that the agent removed the plan.
	Removed bool
}

func (p *Plan) Visit(v Visitor) { v.Plan(p) }

// Progress returns the number of completed entries.
func (p *Plan) Progress() (done, all int) {
	for _, e := range p.Entries {
		if e.Status == acpclient.PlanCompleted {
			done++
		}
	}
	return done, len(p.Entries)
}

// Note is a notice, an error, or the end of a turn.
type Note struct {
	revision
	Severity acpclient.NoticeSeverity
	Title    string
	Detail   string
	// Raw is JSON with details, or nil.
	Raw []byte
	// Worked is how long the turn took whose end this note marks, 0 if unknown. The end of a
	// successful turn has no title, and a short one no note.
	Worked time.Duration
}

func (n *Note) Visit(v Visitor) { v.Note(n) }

// Compaction is a compaction of the agent's context.
type Compaction struct {
	revision
	Status  acpclient.CompactionStatus
	Summary Parts
	Error   string
}

func (c *Compaction) Visit(v Visitor) { v.Compaction(c) }

// Unknown is an update of an unknown kind.
type Unknown struct {
	revision
	Kind string
	Raw  []byte
}

func (u *Unknown) Visit(v Visitor) { v.Unknown(u) }

// applyPlan replaces the plan. The plans of one turn are a single item, which changes in
// place.
func (c *Conversation) applyPlan(u *acpclient.Plan) {
	if c.turnPlan == nil {
		if len(u.Entries) == 0 {
			c.Plan = nil
			return
		}
		same := func(a, b acpclient.PlanEntry) bool {
			return a.Content == b.Content && a.Status == b.Status && a.Priority == b.Priority
		}
		if p := c.Plan; p != nil && p.ID == "" && slices.EqualFunc(p.Entries, u.Entries, same) {
			return // some agents repeat the plan when a turn begins
		}
		c.closeMessage()
		c.turnPlan = &Plan{}
		c.addItem(c.turnPlan)
	}
	c.showPlan(c.turnPlan, &acpclient.PlanUpdateContent{Entries: u.Entries}, len(u.Entries) == 0)
}

// showPlan sets what a plan is now.
func (c *Conversation) showPlan(p *Plan, u *acpclient.PlanUpdateContent, removed bool) {
	p.Entries, p.Markdown, p.URI, p.Removed = first(u.Entries, mostEntries), u.Content, u.URI, removed
	p.changed()
	if c.Plan = p; removed {
		c.Plan = nil
	}
}

// applyPlanUpdate replaces one of several plans (unstable). A plan of an unknown form is shown
// as received.
func (c *Conversation) applyPlanUpdate(u *acpclient.PlanUpdateContent) {
	if len(u.Raw) > 0 {
		c.addItem(&Unknown{Kind: "plan_update", Raw: u.Raw})
		return
	}
	p := c.plans[u.PlanID]
	if p == nil {
		c.closeMessage()
		p = &Plan{ID: u.PlanID}
		c.plans[u.PlanID] = p
		c.addItem(p)
	}
	c.showPlan(p, u, false)
}

// applyPlanRemoved removes one of several plans (unstable).
func (c *Conversation) applyPlanRemoved(id acpclient.PlanID) {
	p := c.plans[id]
	if p == nil {
		return
	}
	p.Removed = true
	p.changed()
	if c.Plan == p {
		c.Plan = nil
	}
}

// tasksOf finds a task list in the raw input of a tool call, for agents that set tasks with a
// tool instead of sending plans. It is nil if there is none.
func tasksOf(rawInput []byte) []acpclient.PlanEntry {
	if !bytes.Contains(rawInput, []byte(`"todos"`)) {
		return nil // saves decoding most inputs
	}
	var in struct{ Todos []map[string]json.RawMessage }
	if json.Unmarshal(rawInput, &in) != nil {
		return nil
	}
	var tasks []acpclient.PlanEntry
	for _, todo := range in.Todos {
		task := acpclient.PlanEntry{
			Content: taskText(todo, "content", "description", "title", "text", "task"),
			Status:  taskStatus(taskText(todo, "status", "state")), Priority: acpclient.PlanEntryPriority(taskText(todo, "priority")),
		}
		if task.Content != "" {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// taskText returns the first non-empty text among some fields.
func taskText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(fields[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// taskStatus translates an agent's word for a status.
func taskStatus(word string) acpclient.PlanEntryStatus {
	switch word {
	case "done", "complete":
		return acpclient.PlanCompleted
	case "in-progress", "active", "doing":
		return acpclient.PlanInProgress
	case "", "todo", "open":
		return acpclient.PlanPending
	}
	return acpclient.PlanEntryStatus(word)
}
