// Package conversation remembers a session: the events that happened in it, and
// the Conversation that they fold into. It starts nothing, does no I/O and knows
// of no screen, so that a screen, an export, a store and a replay can all read
// the same state.
package conversation

import (
	"time"

	"parley/acpclient"
)

// Conversation is all that is known of a session: the fold of its events. It
// knows of no screen and does no I/O; the same events give the same
// conversation. It is not safe for concurrent use.
type Conversation struct {
	ID        acpclient.SessionID
	Cwd       string
	Title     string
	UpdatedAt string

	Agent AgentState
	Phase Phase

	// Items are what happened, oldest first. Items are only ever added, and
	// change in place.
	Items []Item

	// Plan is the latest plan, nil if there is none.
	Plan *Plan

	// Options are all that the person can set about the session, in the agent's
	// order. Modes and models of an agent without config options are among them.
	Options  []acpclient.SessionConfigOption
	Commands []acpclient.AvailableCommand
	Usage    *acpclient.UsageUpdate

	Turn        Turn
	Queue       []QueuedPrompt
	QueuePaused bool

	// Permissions and Elicitations are the open questions, oldest first.
	Permissions  []*Permission
	Elicitations []*Elicitation

	Terminals map[acpclient.TerminalID]*Terminal
	// Files are the files that the agent wrote through the client, in the order
	// of the first write.
	Files []*FileChange

	// AuthError is the agent's answer when it wants the person to sign in, or
	// when that has failed.
	AuthError error

	settings

	tools       map[acpclient.ToolCallID]*ToolCall
	live        []*ToolCall             // of the turn that runs
	turns       int                     // that have begun
	messages    map[messageKey]*Message // of the current turn, by id
	last        *Message                // the message that a chunk without id continues
	turnPlan    *Plan                   // the plan item of the current turn
	plans       map[acpclient.PlanID]*Plan
	compactions map[acpclient.CompactionID]*Compaction
	subagents   map[acpclient.SessionID]*Note
	echo        echo
	visits      []*Elicitation // addresses that the person went to, until done there
}

// New returns a conversation in which nothing has happened.
func New() *Conversation {
	return &Conversation{
		Terminals:   map[acpclient.TerminalID]*Terminal{},
		settings:    newSettings(),
		tools:       map[acpclient.ToolCallID]*ToolCall{},
		messages:    map[messageKey]*Message{},
		plans:       map[acpclient.PlanID]*Plan{},
		compactions: map[acpclient.CompactionID]*Compaction{},
		subagents:   map[acpclient.SessionID]*Note{},
	}
}

// Phase is where the session is in its life.
type Phase int

// The phases of a session.
const (
	PhaseStarting Phase = iota // the agent's program is starting
	PhaseOpening               // the agent is opening the session
	PhaseReady
	PhaseFailed // the agent could not be started, or refused the session
	PhaseLost   // the agent has gone
)

// AgentState is what is known of the agent.
type AgentState struct {
	Command      string
	Since        time.Time // when it was started
	Info         acpclient.Implementation
	Capabilities acpclient.AgentCapabilities
	AuthMethods  []acpclient.AuthMethod
	// Err and Stderr say why it could not be started, or how it ended.
	Err    error
	Stderr string
}

// Name is the agent's name for people, "" while it is not known.
func (a AgentState) Name() string {
	if a.Info.Title != "" {
		return a.Info.Title
	}
	return a.Info.Name
}

// Turn is the current turn.
type Turn struct {
	Running bool
	Started time.Time
	// Cancelling is since when the person waits for the turn to be cancelled;
	// zero if they do not.
	Cancelling time.Time
}

// QueuedPrompt is a prompt that waits for the turn's end.
type QueuedPrompt struct {
	ID     int                      `json:"id"`
	Prompt []acpclient.ContentBlock `json:"prompt"`
}

// Item is one thing in the transcript: *Message, *ToolCall, *Plan, *Note,
// *Compaction or *Unknown.
type Item interface {
	// Version changes whenever something about the item changes.
	Version() uint64
}

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
}

// ToolCall is a tool call and all that was said about it.
type ToolCall struct {
	revision
	ID        acpclient.ToolCallID
	Title     string
	Name      string
	Kind      acpclient.ToolKind
	Status    acpclient.ToolCallStatus
	Content   []acpclient.ToolCallContent
	Locations []acpclient.ToolCallLocation
	RawInput  []byte
	RawOutput []byte
	// Parent is the tool call, mostly a subagent, that this one works for.
	Parent acpclient.ToolCallID
	// Answer is how the person, or a cancel, answered the latest question about
	// it; nil if there was none, or it is open.
	Answer *PermissionAnswer
	// Cancelled says that the turn was cancelled before the call was done.
	Cancelled bool
	// Live says that the turn in which it was announced still runs.
	Live bool
	// Terminals are the terminals embedded in it, in order.
	Terminals []*Terminal

	turn int // in which it was announced
}

// PermissionAnswer is how a question about a tool call was answered: with an
// option, or not at all.
type PermissionAnswer struct {
	Option    acpclient.PermissionOption
	Cancelled bool
}

// ended reports that the agent has said how the call came out.
func (t *ToolCall) ended() bool {
	return t.Status == acpclient.ToolCompleted || t.Status == acpclient.ToolFailed
}

// Running reports whether the call is, as far as is known, at work.
func (t *ToolCall) Running() bool {
	return t.Live && !t.Cancelled && (t.Status == acpclient.ToolInProgress || t.Status == acpclient.ToolPending || t.Status == "")
}

// Plan is a plan and where it stands.
type Plan struct {
	revision
	ID       acpclient.PlanID
	Entries  []acpclient.PlanEntry
	Markdown string
	URI      string
	Removed  bool
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

// Permission is an open question about a tool call.
type Permission struct {
	ID       int
	ToolCall *ToolCall
	Options  []acpclient.PermissionOption
}

// Elicitation is an open question of the agent.
type Elicitation struct {
	ID        int
	Request   *acpclient.CreateElicitationRequest
	Completed bool // asked by URL, and done there
}

// FileChange is what the agent did to a file through the client, over the whole
// session.
type FileChange struct {
	Path   string
	Before *string // as it was before the first write; nil is a new file
	After  string
	Writes int
}

type messageKey struct {
	chunk  acpclient.ChunkKind
	id     acpclient.MessageID
	parent acpclient.ToolCallID
}
