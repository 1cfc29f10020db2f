package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/conversation"
)

// fileMode makes recordings accessible only to their owner.
const fileMode = 0o600

// Writer writes a recording. Each call writes its entry to the file before it returns,
// so that a crash loses nothing. It is safe for concurrent use. The first error ends
// the recording, because one with a gap would be misleading; see Err.
type Writer struct {
	mu      sync.Mutex
	to      io.WriteCloser
	name    string // of the file, "" if there is none
	now     func() time.Time
	started time.Time
	redact  *Redactor
	begun   bool
	closed  bool
	err     error
	told    bool // Take has returned err
	line    []byte
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
	command := make([]string, len(h.Command))
	for i, word := range h.Command {
		command[i] = r.Text(word)
	}
	line, err := json.Marshal(headerLine{Version, mark, h.Parley, w.started.UTC(), h.Agent, command, h.Cwd})
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

// Line records a line of the wire, without its end. It has the signature of a tap.
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
	if w.told {
		return nil
	}
	w.told = w.err != nil
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
