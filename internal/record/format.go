// This file keeps what passes between parley and an agent in a file: every
// message of the wire, what the agent writes to stderr, and the events that the
// session made of it all, each with its time.
//
// A recording is a file of JSON lines. The first one says what it is:
//
//	{"v":1,"recording":"parley","version":"0.1.0","started":"2026-11-21T12:00:00Z","command":["my-agent","--acp"],"cwd":"/home/me/project"}
//
// Each of the others is one thing that happened; "t" is when, in seconds since the
// start:
//
//	{"t":0.012345,"sent":{"jsonrpc":"2.0","id":1,"method":"initialize",…}}
//	{"t":0.050000,"received":{"jsonrpc":"2.0","id":1,"result":{…}}}
//	{"t":0.051000,"noise":"a line of the agent's that is no JSON"}
//	{"t":0.052000,"stderr":"what the agent wrote there"}
//	{"t":0.060000,"event":{"v":1,"event":"text","data":{…}}}
//
// A message of the wire stands there byte for byte, unless it has secrets: see
// Redactor. An event is one of package conversation, in its own form and version. The
// wire says what parley and the agent told each other, the events what a person saw of
// it: some of what is shown, such as the output of commands, never crosses the wire.
//
// A reader passes over fields and kinds of lines that it does not know, and over lines
// that are damaged. Whatever changes the meaning of a line needs a new version.

package record

import (
	"encoding/json"
	"errors"
	"time"

	"parley/internal/conversation"
)

// Version is the version of the format that is written.
const Version = 1

// mark is what a header says of the file that it begins.
const mark = "parley"

var (
	// ErrNoRecording says that a file is something else.
	ErrNoRecording = errors.New("it is no recording of parley's")
	// ErrNewer says that a file was written in a newer format.
	ErrNewer = errors.New("a newer version of parley has made this recording")
)

// Header says what was recorded.
type Header struct {
	// Parley is the version of parley that has made the recording.
	Parley string
	// Started is when it began. The times of the entries count from there.
	Started time.Time
	// Command has started the agent, and Agent is what the person calls it.
	Command []string
	Agent   string
	// Cwd is the session's directory.
	Cwd string
}

// Kind is what an entry is.
type EntryKind string

// The kinds of entries.
const (
	Sent     EntryKind = "sent"     // a message of parley's
	Received EntryKind = "received" // a message of the agent's
	Noise    EntryKind = "noise"    // a line of the agent's that is no message
	Stderr   EntryKind = "stderr"   // what the agent wrote to stderr
	Event    EntryKind = "event"    // what happened in the session
)

// Entry is one thing that was recorded.
type Entry struct {
	// At is when it happened, since the recording was started.
	At   time.Duration
	Kind EntryKind
	// Data is the message, the line or the text.
	Data []byte
	// Event is set if the entry is one, and nil otherwise.
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
