package record

import (
	"time"

	"parley/internal/schema"
)

// MessageKind is the kind of a Message.
type MessageKind uint8

// The kinds of messages.
const (
	Request MessageKind = iota
	Answer
	Notification
	NoiseMessage  // a line that is not a message
	StderrMessage // output of the agent to stderr
)

// String names the kind.
func (k MessageKind) String() string {
	return [...]string{"request", "answer", "notification", "noise", "stderr"}[k]
}

// Message describes a message, or other output of the agent. Its texts come from the
// agent; sanitise them before drawing.
type Message struct {
	// Number is the number of the entry in the ring.
	Number uint64
	Time   time.Time
	// Sent means that parley sent it.
	Sent bool
	Kind MessageKind
	// Method is the method of the message, or of the request that it answers; "" if
	// unknown.
	Method string
	// Variant is the kind of a session/update.
	Variant string
	// ID is the id of a request or answer, as JSON.
	ID string
	// Failed means that it is an error.
	Failed bool
	// Summary summarises the content in a few words; Text means that it is a piece
	// of text that continues in the next message of the same kind.
	Summary string
	Text    bool
	// Size is the size in bytes.
	Size int
	// Answers is the number of the request that it answers, and Took the time since
	// then. Both are 0 if it is not an answer, or its request is unknown.
	Answers uint64
	Took    time.Duration
	// Wrong lists its violations of the schema.
	Wrong []*schema.Violation
}

// Foldable reports whether a message continues the previous one, so that runs of such
// messages can be shown as one.
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
