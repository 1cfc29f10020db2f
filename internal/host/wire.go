package host

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// Version is the version of the wire. Host and viewer must have the same one.
const Version = 7

// wireDiffers returns the error for a host and a viewer with different wires, from the
// versions of their programs and wires.
func wireDiffers(host string, hostWire int, viewer string, viewerWire int) error {
	return fmt.Errorf("the session runs in parley %s and this is parley %s, and they do not understand each other (wire %d and %d): attach with parley %[1]s, or end the session and open it again",
		cmp.Or(host, "of an unknown version"), cmp.Or(viewer, "of an unknown version"), hostWire, viewerWire)
}

// The requests of a viewer, and the request and the notifications of a host, with their types.
const (
	requestStatus  = "status"  // watching, and a watched
	requestReplace = "replace" // replacing, and leftActs
	requestAttach  = "attach"  // hello, and a welcome
	requestAct     = "act"     // act, and the list of its results
	requestLeave   = "leave"   // the viewer will not return
	requestEnd     = "end"     // ending

	requestRead = "read" // reading, and readText; of the host

	notifyEvents  = "events"  // events
	notifyChanged = "changed" // changed
	notifyEnded   = "ended"   // ended
)

// hello attaches a viewer.
type hello struct {
	Version int `json:"version"`
	// Parley is the version of the viewer's program.
	Parley string `json:"parley,omitempty"`
	// Viewer is its id, which it keeps when it connects again; Name is for people.
	Viewer   string `json:"viewer"`
	Name     string `json:"name"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	// Passing means that no user watches: the viewer gives an order and detaches.
	Passing bool `json:"passing,omitempty"`
	// Files means that it can be asked for the text of files.
	Files bool `json:"files,omitempty"`
	// From is its position in the log.
	From int64 `json:"from,omitempty"`
}

// reading asks a viewer for the text that its editor has of a file.
type reading struct {
	Path string `json:"path"`
}

type readText struct {
	Text string `json:"text"`
}

// replacing names a viewer that has left and whom this one replaces: its pending acts no longer
// happen. The answer says which were done.
type replacing struct {
	Viewer string `json:"viewer"`
}

// welcome is the answer to a hello.
type welcome struct {
	Version int       `json:"version"`
	Parley  string    `json:"parley,omitempty"` // version of the host's program
	ID      string    `json:"id"`
	About   app.About `json:"about"`
	Agent   agent     `json:"agent"`
	Shared  bool      `json:"shared,omitempty"` // other viewers are attached
	// Earlier is text to send with the first prompt, by [app.WithEarlier], or "".
	Earlier string `json:"earlier,omitempty"`
	// History is the position at the log's end. The events from hello.From, or from the
	// beginning, follow.
	History int64 `json:"history"`
	changed
	Header *record.Header `json:"header,omitempty"` // of the inspector, nil if it is empty
}

// agent describes an agent without its secrets, which have no place in JSON.
type agent struct {
	config.Agent
	Env, Headers *struct{} `json:",omitempty"`
}

func describe(a config.Agent) agent {
	return agent{Agent: config.Agent{ID: a.ID, Name: a.Name, Source: a.Source, Command: a.Command, Args: a.Args, Address: a.Listens(), InstallHint: a.InstallHint}}
}

// changed is what a viewer knows of a session besides its events.
type changed struct {
	Stored  store.ID         `json:"stored,omitempty"`
	Journal *journal.Summary `json:"journal,omitempty"` // nil if nothing is recorded
}

// ending ends the session. Next is the ID of the host that continues it, or "".
type ending struct {
	Next string `json:"next,omitempty"`
}

// ended says why the host has ended, and where the session continues.
type ended struct {
	Why  string `json:"why"`
	Next string `json:"next,omitempty"`
}

// events are events as package conversation encodes them. At is the position after them.
type events struct {
	At    int64             `json:"at"`
	Lines []json.RawMessage `json:"lines"`
}

// encodeEvents returns the JSON of [events], whose lines are JSON.
func encodeEvents(lines [][]byte, at int64) acpclient.Encoded {
	size := 64
	for _, line := range lines {
		size += len(line) + 1
	}
	b := fmt.Appendf(make([]byte, 0, size), `{"at":%d,"lines":[`, at)
	for i, line := range lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, line...)
	}
	return append(b, "]}"...)
}

// act is an act of a viewer: the name of its kind, and its encoding. Number counts the
// viewer's acts from 1; it is 0 for one that only asks. The viewer has the results of all acts
// up to Has.
type act struct {
	Number int             `json:"number,omitempty"`
	Has    int             `json:"has,omitempty"`
	Name   string          `json:"name"`
	Act    json.RawMessage `json:"act"`
}

type done struct {
	Result json.RawMessage `json:"result"`
}

// sentinels are the errors that front ends check for.
var sentinels = map[string]error{
	"answered": session.ErrAnswered, "changed": session.ErrChanged, "incomplete": session.ErrIncomplete, "cancelled": session.ErrCancelled,
	"unsupported": session.ErrUnsupported, "cannot reopen": session.ErrCannotReopen, "not queued": session.ErrNotQueued,
	"conflict": journal.ErrConflict, "nothing": journal.ErrNothing, "stale": journal.ErrStale,
	"read-only": ErrReadOnly,
}

// ErrReadOnly means that a viewer is attached read-only.
var ErrReadOnly = errors.New("you only look on at this session: attach without --read-only to take part")

// actFailed is the error code of a failed act.
const actFailed acpclient.ErrorCode = -32050

// errorData is the part of an error that front ends check.
type errorData struct {
	Is   string `json:"is,omitempty"`   // one of the sentinels
	Path string `json:"path,omitempty"` // of a [journal.FileError]
}

// wireError returns an error of an act in its form for the wire.
func wireError(err error) error {
	e := &acpclient.Error{Code: actFailed, Message: err.Error()}
	var data errorData
	for name, is := range sentinels {
		if errors.Is(err, is) {
			data.Is = name
		}
	}
	var file *journal.FileError
	if errors.As(err, &file) && file.Error() == err.Error() {
		data.Path, e.Message = file.Path, file.Err.Error()
	}
	if data != (errorData{}) {
		e.Data, _ = json.Marshal(data)
	}
	return e
}

// actError is an act's error, received from a host.
type actError struct {
	text string
	is   error
}

func (e *actError) Error() string { return e.text }
func (e *actError) Unwrap() error { return e.is }

// unwired returns an act's error as its caller should see it.
func unwired(err error) error {
	var e *acpclient.Error
	if !errors.As(err, &e) {
		return err
	}
	var data errorData
	_ = json.Unmarshal(e.Data, &data) // otherwise there is nothing to check for
	err = &actError{e.Message, sentinels[data.Is]}
	if data.Path != "" {
		err = &journal.FileError{Path: data.Path, Err: err}
	}
	return err
}
