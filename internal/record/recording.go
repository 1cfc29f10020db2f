// Package record keeps the traffic between parley and an agent: it writes recordings
// without secrets ([Writer]), holds the ring that the protocol inspector reads
// ([Ring]), describes messages for the inspector ([Inspector]), and plays recorded or
// stored events ([Player]).
//
// # The format
//
// A recording is a file of JSON lines. The first one is the header:
//
//	{"v":1,"recording":"parley","version":"0.1.0","started":"2026-11-21T12:00:00Z","command":["my-agent","--acp"],"cwd":"/home/me/project"}
//
// Each of the others is one entry; "t" is the time in seconds since the start:
//
//	{"t":0.012345,"sent":{"jsonrpc":"2.0","id":1,"method":"initialize",…}}
//	{"t":0.050000,"received":{"jsonrpc":"2.0","id":1,"result":{…}}}
//	{"t":0.051000,"noise":"a line from the agent that is not JSON"}
//	{"t":0.052000,"stderr":"what the agent wrote there"}
//	{"t":0.060000,"event":{"v":1,"event":"text","data":{…}}}
//
// A message on the wire is recorded byte for byte, unless it contains secrets: see
// [Redactor]. An event is one of package conversation, in its own encoding and version.
// Events are recorded beside the wire because they are what the user saw, and some of
// that, such as the output of commands, never crosses the wire. Replays use only the
// events.
//
// A reader ignores unknown fields and kinds of lines, and damaged lines. Whatever
// changes the meaning of a line needs a new version.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	Parley string `json:"version,omitempty"`
	// Started is when it began. The times of the entries count from there.
	Started time.Time `json:"started"`
	// Command is the agent's command, and Agent its name in the configuration.
	Command []string `json:"command,omitempty"`
	Agent   string   `json:"agent,omitempty"`
	// Cwd is the session's directory.
	Cwd string `json:"cwd,omitempty"`
}

// EntryKind is the kind of an entry.
type EntryKind string

// The kinds of entries.
const (
	Sent     EntryKind = "sent"     // a message from parley
	Received EntryKind = "received" // a message from the agent
	Noise    EntryKind = "noise"    // a line from the agent that is not a message
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

// headerLine is the on-disk form of a header.
type headerLine struct {
	Version   int    `json:"v"`
	Recording string `json:"recording"`
	Header
}

// entryLine is the on-disk form of an entry.
type entryLine struct {
	At       *float64        `json:"t"`
	Sent     json.RawMessage `json:"sent"`
	Received json.RawMessage `json:"received"`
	Noise    *string         `json:"noise"`
	Stderr   *string         `json:"stderr"`
	Event    json.RawMessage `json:"event"`
}

// longest is the largest plausible time of an entry.
const longest = 10 * 365 * 24 * time.Hour

// Lost is a line that could not be read and was skipped.
type Lost struct {
	Line int // counted from 1
	Why  error
}

// Recording is the contents of a recording.
type Recording struct {
	Header  Header
	Entries []Entry
	Lost    []Lost
}

var (
	errCut     = errors.New("it is truncated")
	errDamaged = errors.New("it is damaged")
)

// Read reads a recording to its end. It skips damaged lines and lists them in Lost; a
// damaged header stays empty. The error wraps ErrNoRecording or ErrNewer, or is the
// reader's.
func Read(from io.Reader) (*Recording, error) {
	r := &Recording{}
	lines := bufio.NewReaderSize(from, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		whole := err == nil
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := r.take(n, line, whole); err != nil {
				return nil, err
			}
		}
		if !whole {
			break
		}
	}
	if r.Header.Started.IsZero() && len(r.Entries) == 0 {
		return nil, ErrNoRecording
	}
	return r, nil
}

// firstLines is within how many lines a recording must have a readable one.
const firstLines = 8

// take handles a line. Only the first one can be a header.
func (r *Recording) take(n int, line []byte, whole bool) error {
	if n == 1 {
		h, err := readHeader(line)
		if err == nil || errors.Is(err, ErrNewer) {
			r.Header = h
			return err
		}
		r.Lost = append(r.Lost, Lost{n, errDamaged})
		return nil
	}
	e, err := readEntry(line)
	switch {
	case err == nil:
		if last := len(r.Entries) - 1; last >= 0 {
			e.At = max(e.At, r.Entries[last].At)
		}
		r.Entries = append(r.Entries, e)
	case errors.Is(err, errUnknown):
	case !whole:
		r.Lost = append(r.Lost, Lost{n, errCut})
	default:
		r.Lost = append(r.Lost, Lost{n, err})
	}
	if n >= firstLines && len(r.Entries) == 0 && r.Header.Started.IsZero() {
		return ErrNoRecording // it may be large
	}
	return nil
}

func readHeader(line []byte) (Header, error) {
	var h headerLine
	err := json.Unmarshal(line, &h)
	switch {
	case h.Recording != mark:
		return Header{}, ErrNoRecording
	case h.Version > Version:
		return Header{}, fmt.Errorf("%w (version %d, this one knows %d)", ErrNewer, h.Version, Version)
	case err != nil, h.Started.IsZero():
		return Header{}, errDamaged
	}
	return h.Header, nil
}

// errUnknown means that a line is of an unknown kind.
var errUnknown = errors.New("unknown kind of line")

func readEntry(line []byte) (Entry, error) {
	var l entryLine
	if err := json.Unmarshal(line, &l); err != nil || l.At == nil {
		return Entry{}, errDamaged
	}
	if *l.At < 0 || *l.At > longest.Seconds() {
		return Entry{}, fmt.Errorf("%w: invalid time", errDamaged)
	}
	e := Entry{At: time.Duration(*l.At * float64(time.Second)).Round(time.Microsecond)}
	switch {
	case l.Event != nil:
		event, err := conversation.Decode(l.Event)
		if err != nil {
			return Entry{}, err
		}
		e.Kind, e.Data, e.Event = Event, l.Event, event
	case l.Sent != nil:
		e.Kind, e.Data = Sent, l.Sent
	case l.Received != nil:
		e.Kind, e.Data = Received, l.Received
	case l.Noise != nil:
		e.Kind, e.Data = Noise, []byte(*l.Noise)
	case l.Stderr != nil:
		e.Kind, e.Data = Stderr, []byte(*l.Stderr)
	default:
		return Entry{}, errUnknown
	}
	return e, nil
}

// fileMode makes recordings accessible only to their owner.
const fileMode = 0o600

// Writer writes a recording. Each call writes its entry to the file before it returns,
// so that a crash loses nothing. It is safe for concurrent use. The first error ends
// the recording, because one with a gap would be misleading; see Err.
type Writer struct {
	mu       sync.Mutex
	to       io.WriteCloser
	name     string // of the file, "" if there is none
	now      func() time.Time
	started  time.Time
	redact   *Redactor
	begun    bool
	closed   bool
	err      error
	reported bool // Take has returned err
	line     []byte
}

// Create creates the file of a recording. It does not replace a file: the error then
// wraps fs.ErrExist.
func Create(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, fmt.Errorf("record the session: %w", err)
	}
	w := NewWriter(f, time.Now)
	w.name = path
	return w, nil
}

// NewWriter returns a Writer, whose Close closes to. now is the clock.
func NewWriter(to io.WriteCloser, now func() time.Time) *Writer {
	return &Writer{to: to, now: now}
}

// Begin writes the header, with the current time as its start. Earlier entries are
// dropped. The redactor removes secrets from all entries; nil removes only those in the
// protocol's fields.
func (w *Writer) Begin(h Header, r *Redactor) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun {
		return errors.New("the recording has already begun")
	}
	if r == nil {
		r = NewRedactor(nil)
	}
	w.begun, w.started, w.redact = true, w.now(), r
	h.Started, h.Command = w.started.UTC(), slices.Clone(h.Command)
	r.Strings(&h.Command)
	line, err := json.Marshal(headerLine{Version, mark, h})
	if err == nil {
		w.write(line)
		err = w.err
	}
	return err
}

// Begun reports whether the header was written.
func (w *Writer) Begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun
}

// Line records a line from the wire, without its line end. Its signature is that of a tap.
func (w *Writer) Line(sent bool, line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.writes() {
		return
	}
	switch {
	case !json.Valid(line) || bytes.IndexByte(line, '\n') >= 0:
		w.text(Noise, string(line))
	case sent:
		w.entry(Sent, w.redact.Message(true, line))
	default:
		w.entry(Received, w.redact.Message(false, line))
	}
}

// Stderr records output to stderr.
func (w *Writer) Stderr(data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writes() {
		w.text(Stderr, string(data))
	}
}

// Take records events. It returns the error that ended the recording, once.
func (w *Writer) Take(events []conversation.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		if !w.writes() {
			break
		}
		line, err := conversation.Encode(e)
		if err != nil {
			w.err = fmt.Errorf("record the session: %w", err)
			break
		}
		w.entry(Event, w.redact.Event(line))
	}
	if w.reported {
		return nil
	}
	w.reported = w.err != nil
	return w.err
}

// Err returns the error that ended the recording, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close ends the recording. It removes a file without entries.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.to.Close()
	if !w.begun && w.name != "" {
		err = errors.Join(err, os.Remove(w.name))
	}
	return err
}

// writes reports whether entries are still written. w.mu must be held.
func (w *Writer) writes() bool { return w.begun && !w.closed && w.err == nil }

// text writes an entry of text. w.mu must be held.
func (w *Writer) text(k EntryKind, text string) {
	value, err := json.Marshal(strings.ToValidUTF8(w.redact.Text(text), "\uFFFD"))
	if err == nil { // encoding a string never fails
		w.entry(k, value)
	}
}

// entry writes an entry whose value is JSON. w.mu must be held.
func (w *Writer) entry(k EntryKind, value []byte) {
	at := max(0, w.now().Sub(w.started))
	b := append(w.line[:0], `{"t":`...)
	b = strconv.AppendFloat(b, at.Seconds(), 'f', 6, 64)
	b = append(append(append(b, `,"`...), k...), `":`...)
	b = append(append(b, value...), '}')
	w.write(b)
	if cap(b) <= 1<<20 {
		w.line = b
	}
}

// write writes a line and its end. w.mu must be held.
func (w *Writer) write(line []byte) {
	if _, err := w.to.Write(append(line, '\n')); err != nil {
		w.err = fmt.Errorf("record the session: %w", err)
	}
}
