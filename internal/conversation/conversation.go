// Package conversation remembers a session: the events that happened in it, and
// the Conversation that they fold into. It starts nothing, does no I/O and knows
// of no screen, so that a screen, an export, a store and a replay can all read
// the same state.
package conversation

import "parley/acpclient"

// Conversation is a session as it is read: its State, and the items in which events show.
// It knows of no screen and does no I/O; the same events give the same conversation. It is
// not safe for concurrent use.
type Conversation struct {
	State
	Transcript
	// before is the transcript that an opening has cleared, until the session is open.
	before *Transcript
}

// Transcript is what is read of a session.
type Transcript struct {
	// Items are what happened, oldest first. New ones are added at the end; they
	// change in place, and none is removed.
	Items []Item

	// Plan is the latest plan, nil if there is none.
	Plan *Plan

	Terminals     map[acpclient.TerminalID]*Terminal
	terminalCount int         // how many there were
	running       []*Terminal // those that run on this machine
	outputKept    int         // bytes of their output
	outputLeft    int         // what was left of them when old output was dropped last
	// Files are the files that the agent wrote through the client, in the order
	// of the first write.
	Files     []*FileChange
	filesKept int // bytes of their contents

	outline

	messages map[messageKey]*Message // those of the current turn that have an id
	last     *Message                // the message that a chunk without id continues
	prompt   *Message                // of the current turn, nil if the user began none
	whole    map[messageKey]*Message // all messages that have an id, to be changed as a whole
	// retry is the last note about a retry.
	retry *Note
	// heldItems counts the content of all items but tool calls.
	heldItems held
	// turnPlan is the item of the plan in the current turn.
	turnPlan    *Plan
	plans       map[acpclient.PlanID]*Plan
	compactions map[acpclient.CompactionID]*Compaction
	between     map[acpclient.MessageID]*Message // those between sessions, by their ids
	echo        Echo
	banner      string // what the agent has announced to say of itself, "" once it has
	// changes is the note about the latest changes of options by the agent, which
	// further changes are merged into while it is the last item, and noted is what it
	// says.
	changes *Note
	noted   []optionChange
}

// New returns a conversation in which nothing has happened.
func New() *Conversation {
	return &Conversation{State: *NewState(), Transcript: newTranscript()}
}

func newTranscript() Transcript {
	return Transcript{
		Terminals:   map[acpclient.TerminalID]*Terminal{},
		outline:     outline{root: &Node{index: -1}, orphans: map[acpclient.ToolCallID][]*Node{}},
		messages:    map[messageKey]*Message{},
		whole:       map[messageKey]*Message{},
		plans:       map[acpclient.PlanID]*Plan{},
		compactions: map[acpclient.CompactionID]*Compaction{},
		between:     map[acpclient.MessageID]*Message{},
	}
}
