// This file says what the messages between parley and an agent are: which answers
// which, how long that took, in a few words what is in it, and what about it breaks the
// protocol's schema.
//
// What it says of the messages is text of the agent's, and not fit to be drawn.

package record

import (
	"time"

	"parley/internal/schema"
)

// Kind is what a message is.
type MessageKind uint8

// The kinds of messages.
const (
	Request MessageKind = iota
	Answer
	Notification
	NoiseMessage  // a line that is no message
	StderrMessage // what the agent wrote there
)

// String names the kind.
func (k MessageKind) String() string {
	return [...]string{"request", "answer", "notification", "noise", "stderr"}[k]
}

// Message is a message, or another thing that the agent has written.
type Message struct {
	// Number is that of the entry in the ring.
	Number uint64
	Time   time.Time
	// Sent says that it is parley's.
	Sent bool
	Kind MessageKind
	// Method is that of the message; of an answer, that of its request, or "" if that is
	// not known.
	Method string
	// Variant is which update a session/update is.
	Variant string
	// ID is that of a request or answer, as JSON.
	ID string
	// Failed says that it is an error.
	Failed bool
	// Gist is in a few words what is in it; Text says that it is a piece of a text that
	// goes on in the next message of the same kind.
	Gist string
	Text bool
	// Size is how many bytes it has.
	Size int
	// Answers is the number of the request that it answers, and Took how long that took.
	// They are 0 if it is no answer, or its request is not known.
	Answers uint64
	Took    time.Duration
	// Wrong is what about it breaks the schema.
	Wrong []*schema.Violation
}

// Foldable reports whether a message says more of the same as the one before it: runs of
// such messages are one thing to a reader.
func (m *Message) Foldable(before *Message) bool {
	if m.Kind != before.Kind || m.Sent != before.Sent || len(m.Wrong) > 0 || len(before.Wrong) > 0 {
		return false
	}
	switch m.Kind {
	case Notification:
		return m.Method == before.Method && m.Variant == before.Variant
	case NoiseMessage, StderrMessage:
		return true
	}
	return false
}
