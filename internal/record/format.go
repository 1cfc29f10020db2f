package record

import (
	"encoding/json"
	"errors"
	"time"

	"parley/internal/conversation"
)

// Version is the version of the format that Writer writes.
const Version = 1

// mark identifies a header.
const mark = "parley"

var (
	// ErrNoRecording means that a file is not a recording.
	ErrNoRecording = errors.New("it is not a parley recording")
	// ErrNewer means that a file has a newer format.
	ErrNewer = errors.New("a newer version of parley made this recording")
)

// Header describes a recording.
type Header struct {
	// Parley is the version of parley that made the recording.
	Parley string
	// Started is when it began. The times of the entries count from there.
	Started time.Time
	// Command is the agent's command, and Agent its name in the configuration.
	Command []string
	Agent   string
	// Cwd is the session's directory.
	Cwd string
}

// EntryKind is the kind of an entry.
type EntryKind string

// The kinds of entries.
const (
	Sent     EntryKind = "sent"     // a message of parley's
	Received EntryKind = "received" // a message of the agent's
	Noise    EntryKind = "noise"    // a line of the agent's that is not a message
	Stderr   EntryKind = "stderr"   // output of the agent to stderr
	Event    EntryKind = "event"    // an event of the session
)

// Entry is one entry of a recording.
type Entry struct {
	// At is the time since the start of the recording.
	At   time.Duration
	Kind EntryKind
	// Data is the message, the line or the text.
	Data []byte
	// Event is set only for an Event entry.
	Event conversation.Event
}

// headerLine is a header as it is written.
type headerLine struct {
	Version   int       `json:"v"`
	Recording string    `json:"recording"`
	Parley    string    `json:"version,omitempty"`
	Started   time.Time `json:"started"`
	Agent     string    `json:"agent,omitempty"`
	Command   []string  `json:"command,omitempty"`
	Cwd       string    `json:"cwd,omitempty"`
}

// entryLine is an entry as it is read.
type entryLine struct {
	At       *float64        `json:"t"`
	Sent     json.RawMessage `json:"sent"`
	Received json.RawMessage `json:"received"`
	Noise    *string         `json:"noise"`
	Stderr   *string         `json:"stderr"`
	Event    json.RawMessage `json:"event"`
}
