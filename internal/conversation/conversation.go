// Package conversation folds the events of a session into a Conversation. It does no I/O and
// knows no screen, so that the screen, exports, the store and replays share one state.
package conversation

import "parley/acpclient"

// Conversation is a session as a reader sees it: its State, and the items that show its
// events. The same events give the same conversation. It is not safe for concurrent use.
type Conversation struct {
	State
	Transcript
	// before is the transcript that opening a session has cleared, kept until the session is
	// open.
	before *Transcript
}

// Transcript is the readable part of a session.
type Transcript struct {
	// Items are what happened, oldest first. New ones are appended; they change in place, and
	// none is removed.
	Items []Item

	// Plan is the latest plan, nil if there is none.
	Plan *Plan

	Terminals  map[acpclient.TerminalID]*Terminal
	running    []*Terminal // those that run on this machine
	heldOutput held
	// Files are the paths that the agent wrote through the client, in the order of the first write.
	Files []string

	outline

	messages map[messageKey]*Message // those of the current turn, by id
	last     *Message                // the message that a chunk without id continues
	prompt   *Message                // of the current turn, nil if no prompt began it
	whole    map[messageKey]*Message // by id, for updates that replace a message
	// retry is the last note about a retry.
	retry *Note
	// heldItems counts the content of all items but tool calls.
	heldItems held
	// turnPlan is the item of the plan in the current turn.
	turnPlan    *Plan
	plans       map[acpclient.PlanID]*Plan
	compactions map[acpclient.CompactionID]*Compaction
	between     map[acpclient.MessageID]*Message // messages between sessions, by id
	echo        Echo
	banner      string // the announced banner, "" once it has arrived
	// changes is the note about the agent's latest changes of options, and noted lists them.
	// While it is the last item, further changes are merged into it.
	changes *Note
	noted   []optionChange
}

// New returns an empty conversation.
func New() *Conversation {
	return &Conversation{State: *NewState(), Transcript: newTranscript()}
}

func newTranscript() Transcript {
	return Transcript{
		Terminals:   map[acpclient.TerminalID]*Terminal{},
		heldOutput:  held{most: outputKeep},
		outline:     outline{root: &Node{index: -1}, orphans: map[acpclient.ToolCallID][]*Node{}},
		messages:    map[messageKey]*Message{},
		whole:       map[messageKey]*Message{},
		plans:       map[acpclient.PlanID]*Plan{},
		compactions: map[acpclient.CompactionID]*Compaction{},
		between:     map[acpclient.MessageID]*Message{},
	}
}
