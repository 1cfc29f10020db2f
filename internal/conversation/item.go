package conversation

import (
	"time"

	"parley/acpclient"
)

// Item is one thing in the transcript: *Message, *ToolCall, *Plan, *Elicitation,
// *ShellCommand, *Note, *Compaction or *Unknown.
type Item interface {
	// Version changes whenever something about the item changes.
	Version() uint64
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

// Compaction is a compaction of the agent's context.
type Compaction struct {
	revision
	ID      acpclient.CompactionID
	Status  acpclient.CompactionStatus
	Summary Parts
	Error   string
}

// Unknown is an update of a kind that parley does not know.
type Unknown struct {
	revision
	Kind string
	Raw  []byte
}
