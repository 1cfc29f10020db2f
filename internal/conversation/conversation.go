// Package conversation remembers a session: the events that happened in it, and
// the Conversation that they fold into. It starts nothing, does no I/O and knows
// of no screen, so that a screen, an export, a store and a replay can all read
// the same state.
package conversation

import (
	"cmp"
	"strings"
	"time"

	"parley/acpclient"
)

// Conversation is the state of a session: the fold of its events. It
// knows of no screen and does no I/O; the same events give the same
// conversation. It is not safe for concurrent use.
type Conversation struct {
	ID        acpclient.SessionID
	Cwd       string
	Title     string
	UpdatedAt string

	Agent AgentState
	Phase Phase

	// Items are what happened, oldest first. New ones are added at the end; they
	// change in place, and none is taken out.
	Items []Item

	// Plan is the latest plan, nil if there is none.
	Plan *Plan

	// Options are all that the person can set about the session, in the agent's
	// order. Modes and models of an agent without config options are among them.
	Options  []acpclient.SessionConfigOption
	Commands []acpclient.AvailableCommand
	Usage    *acpclient.UsageUpdate

	Turn        Turn
	Work        Work
	Queue       []QueuedPrompt
	QueuePaused bool

	// Permissions and Elicitations are the open questions, oldest first.
	Permissions  []*Permission
	Elicitations []*Elicitation
	// Judging are the questions for which the rules are being looked at. The person
	// is not asked yet.
	Judging []*Permission

	Terminals     map[acpclient.TerminalID]*Terminal
	terminalCount int         // how many there were
	running       []*Terminal // those that run on this machine
	outputKept    int         // bytes of their output
	outputLeft    int         // what was left of them when old output was dropped last
	// Files are the files that the agent wrote through the client, in the order
	// of the first write.
	Files     []*FileChange
	filesKept int // bytes of their contents

	// AuthError is the agent's answer when it wants the person to sign in, or
	// when signing in has failed.
	AuthError error

	settings
	outline

	tools      map[acpclient.ToolCallID]*ToolCall
	questioned map[acpclient.ToolCallID]*ToolCall // see toldOf; those of the current turn
	liveTools  []*ToolCall                        // those that were announced in the running turn
	turns      int                                // how many turns have begun

	messages map[messageKey]*Message // those of the current turn that have an id
	last     *Message                // the message that a chunk without id continues
	prompt   *Message                // of the current turn, nil if the person began none
	whole    map[messageKey]*Message // all messages that have an id, to be changed as a whole
	// retry is the last note about a retry.
	retry *Note
	// turnPlan is the item of the plan in the current turn.
	turnPlan    *Plan
	plans       map[acpclient.PlanID]*Plan
	compactions map[acpclient.CompactionID]*Compaction
	subagents   map[acpclient.SessionID]*Note
	echo        Echo
	// before is the conversation that an opening has cleared, until it is known
	// whether the session is open; restored says that the last event brought it back.
	before   *Conversation
	restored bool
	// visits are the questions for which the person opened an address, until the
	// agent says that they are done there.
	visits []*Elicitation
}

// New returns a conversation in which nothing has happened.
func New() *Conversation {
	return &Conversation{
		Terminals: map[acpclient.TerminalID]*Terminal{},
		settings: settings{
			pending: map[acpclient.ConfigID][]OptionChosen{}, settled: map[acpclient.ConfigID]int{}, stated: map[acpclient.ConfigID]bool{},
		},
		outline:     outline{root: &Node{index: -1}, orphans: map[acpclient.ToolCallID][]*Node{}},
		tools:       map[acpclient.ToolCallID]*ToolCall{},
		questioned:  map[acpclient.ToolCallID]*ToolCall{},
		messages:    map[messageKey]*Message{},
		whole:       map[messageKey]*Message{},
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
	PhaseReady                 // prompts can be sent
	PhaseFailed                // the agent could not be started, or refused the session
	PhaseLost                  // the agent exited
)

// AgentState is the state of the agent.
type AgentState struct {
	Command      string
	Since        time.Time // when it was started
	Info         acpclient.Implementation
	Capabilities acpclient.AgentCapabilities
	AuthMethods  []acpclient.AuthMethod
	// Protocol is the version of the protocol that the connection speaks, 0 before that
	// is known.
	Protocol uint16
	// Err and Stderr say why it could not be started, or how it ended.
	Err    error
	Stderr string
}

// Name returns the agent's display name, "" while it is unknown.
func (a AgentState) Name() string {
	return cmp.Or(a.Info.Title, a.Info.Name)
}

// SkipAhead is a notification with a session's id: the agent ends the pauses of its turn.
// The built-in tour has it, for those who have read enough.
const SkipAhead = "_parley/skip"

// SkipsAhead reports whether the agent takes SkipAhead.
func (a AgentState) SkipsAhead() bool {
	skips, _ := acpclient.MetaValue[bool](a.Capabilities.Meta, "parley", "skip")
	return skips
}

// Gone reports whether there is no agent that could take a prompt, or no session: it has
// to be started again. A conversation that is nil has not begun.
func (c *Conversation) Gone() bool {
	return c != nil && (c.Phase == PhaseLost || c.Phase == PhaseFailed)
}

// Starts reports whether the agent is being started, or opens its first session.
func (c *Conversation) Starts() bool {
	return c.Phase == PhaseStarting || c.Phase == PhaseOpening && c.ID == ""
}

// Turn is the current turn.
type Turn struct {
	Running bool
	// Clock is paused while a question is open.
	Clock
	// Cancelling is since when the person waits for the turn to be cancelled;
	// zero if they do not.
	Cancelling time.Time
}

// QueuedPrompt is a prompt in the queue.
type QueuedPrompt struct {
	ID     int                      `json:"id"`
	Prompt []acpclient.ContentBlock `json:"prompt"`
	// Files are the files that the prompt mentions, as written. They are read when it is
	// sent.
	Files []string `json:"files,omitempty"`
	// Folds are the parts of the text that stand folded in the draft, in their order.
	Folds []Fold `json:"folds,omitempty"`
	// Now means that the prompt is sent even if the queue is paused.
	Now bool `json:"now,omitempty"`
}

// Fold is a folded part of a prompt's text: pasted text, or the label of a block that goes
// with the prompt.
type Fold struct {
	// From and To are bytes of the text.
	From int `json:"from"`
	To   int `json:"to"`
	// Block is the index of the block in the prompt, 0 for pasted text.
	Block int `json:"block,omitempty"`
}

// Text returns the text of the prompt.
func (q QueuedPrompt) Text() string {
	var text strings.Builder
	for _, b := range q.Prompt {
		text.WriteString(b.Text)
	}
	return text.String()
}
