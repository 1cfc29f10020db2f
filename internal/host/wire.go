package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// Version is that of the wire. Host and viewer must have the same; a host that does not know
// an act says so, and the viewer does without it: see [Client.call].
const Version = 2

// wireDiffers is the error for a host and a viewer whose wires differ, by the versions of their
// programs and of their wires.
func wireDiffers(host string, hostWire int, viewer string, viewerWire int) error {
	return fmt.Errorf("the session runs in parley %s and this is parley %s, and they do not understand each other (wire %d and %d): attach with parley %[1]s, or end the session and open it again",
		cmp.Or(host, "of an unknown version"), cmp.Or(viewer, "of an unknown version"), hostWire, viewerWire)
}

// The requests of a viewer, and the notifications of a host.
const (
	requestStatus = "status" // a Status
	requestAttach = "attach" // hello, and a welcome
	requestAct    = "act"    // act, and the list of its results
	requestLeave  = "leave"  // the viewer does not come back
	requestEnd    = "end"    // ending

	notifyEvents  = "events"  // events
	notifyChanged = "changed" // changed
	notifyEnded   = "ended"   // ended
)

// hello is how a viewer attaches.
type hello struct {
	Version int `json:"version"`
	// Parley is the version of the viewer's program.
	Parley string `json:"parley,omitempty"`
	// Viewer is its id, which it keeps if it has to connect again; Name is for people.
	Viewer   string `json:"viewer"`
	Name     string `json:"name"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	// Passing means that nobody looks on: it gives an order and leaves.
	Passing bool `json:"passing,omitempty"`
	// From is what it knows of the history, 0 if nothing.
	From int64 `json:"from,omitempty"`
	// Left are the viewers in whose place it comes: what they wanted happens no more.
	Left []string `json:"left,omitempty"`
}

// welcome is the answer.
type welcome struct {
	Version int       `json:"version"`
	Parley  string    `json:"parley,omitempty"` // the version of the host's program
	ID      string    `json:"id"`
	About   app.About `json:"about"`
	Agent   agent     `json:"agent"`
	Earlier string    `json:"earlier,omitempty"`
	// History ends there now. The events from hello.From, or from the beginning, follow.
	History int64 `json:"history"`
	changed
	// Left says of hello.Left what was done, if that is known.
	Left   map[string]leftActs `json:"left,omitempty"`
	Header *record.Header      `json:"header,omitempty"` // of the inspector, nil if it has nothing
}

// agent describes an agent without what its configuration keeps secret.
type agent struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Source      config.Source `json:"source,omitempty"`
	Command     string        `json:"command,omitempty"`
	Args        []string      `json:"args,omitempty"`
	Address     string        `json:"address,omitempty"`
	InstallHint string        `json:"installHint,omitempty"`
}

func describe(a config.Agent) agent {
	return agent{a.ID, a.Name, a.Source, a.Command, a.Args, a.Listens(), a.InstallHint}
}

func (a agent) config() config.Agent {
	return config.Agent{ID: a.ID, Name: a.Name, Source: a.Source, Command: a.Command, Args: a.Args, Address: a.Address, InstallHint: a.InstallHint}
}

// changed is what a viewer knows of a session beside its events.
type changed struct {
	Stored  store.ID         `json:"stored,omitempty"`
	Journal *journal.Summary `json:"journal,omitempty"` // nil if nothing is recorded
}

// ending is how a viewer ends the session. Next is the ID of the host in which it goes on, "" if
// it does not.
type ending struct {
	Next string `json:"next,omitempty"`
}

// ended says why the host has ended, and where the session goes on.
type ended struct {
	Why  string `json:"why"`
	Next string `json:"next,omitempty"`
}

// events are lines of the history. At is where it goes on after them.
type events struct {
	At    int64             `json:"at"`
	Lines []json.RawMessage `json:"lines"`
}

// encodeEvents is the JSON of [events]. Each line, which has its end, is an object.
func encodeEvents(lines []byte, at int64) acpclient.Encoded {
	b := make([]byte, 0, len(lines)+64)
	b = strconv.AppendInt(append(b, `{"at":`...), at, 10)
	b = append(b, `,"lines":[`...)
	first := len(b)
	b = append(b, bytes.TrimSuffix(lines, []byte("\n"))...)
	for rest := b[first:]; ; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return append(b, "]}"...)
		}
		rest[end] = ','
		rest = rest[end:]
	}
}

// act is something that a viewer does: the name of its kind, and the act itself. Number
// counts the acts of a viewer from 1; it is 0 for what only asks. The viewer has the results
// of all acts up to Has.
type act struct {
	Number int             `json:"number,omitempty"`
	Has    int             `json:"has,omitempty"`
	Name   string          `json:"name"`
	Act    json.RawMessage `json:"act"`
}

// done is the result of an act.
type done struct {
	Result json.RawMessage `json:"result"`
}

// sentinels are the errors that front ends look for.
var sentinels = map[string]error{
	"answered": session.ErrAnswered, "changed": session.ErrChanged, "unsupported": session.ErrUnsupported, "cannot reopen": session.ErrCannotReopen,
	"not queued": session.ErrNotQueued, "cancelled": session.ErrCancelled,
	"conflict": journal.ErrConflict, "nothing": journal.ErrNothing, "stale": journal.ErrStale,
	"read-only": ErrReadOnly,
}

// ErrReadOnly means that a viewer only looks on.
var ErrReadOnly = errors.New("you only look on at this session: attach without --read-only to take part")

// actFailed is the code of the error of an act.
const actFailed acpclient.ErrorCode = -32050

// errorData is what front ends look for in an error.
type errorData struct {
	Is   string `json:"is,omitempty"`   // one of the sentinels
	Path string `json:"path,omitempty"` // of a [journal.FileError]
}

// wireError is an error of an act as it goes over the wire.
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

// actError is the error of an act in a host.
type actError struct {
	text string
	is   error
}

func (e *actError) Error() string { return e.text }
func (e *actError) Unwrap() error { return e.is }

// errUnknownAct means that the host is older than the viewer.
var errUnknownAct = errors.New("the host does not know the act")

// unwired is the error of an act as its caller sees it.
func (c *Client) unwired(act string, err error) error {
	var e *acpclient.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == acpclient.CodeMethodNotFound, e.Code == acpclient.CodeInvalidParams: // it knows less
		host := cmp.Or(c.welcome.Parley, "an older version")
		return &actError{fmt.Sprintf("the session runs in an older parley (%s, this is %s), which cannot do this (%s): end it and open it again", host, cmp.Or(c.opt.Version, "newer"), act), errUnknownAct}
	}
	var data errorData
	_ = json.Unmarshal(e.Data, &data) // otherwise nobody looks for it
	err = &actError{e.Message, sentinels[data.Is]}
	if data.Path != "" {
		err = &journal.FileError{Path: data.Path, Err: err}
	}
	return err
}
