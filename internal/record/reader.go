package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/internal/conversation"
)

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
	var version struct {
		Version   int    `json:"v"`
		Recording string `json:"recording"`
	}
	if err := json.Unmarshal(line, &version); err != nil || version.Recording != mark {
		return Header{}, ErrNoRecording
	}
	if version.Version > Version {
		return Header{}, fmt.Errorf("%w (version %d, this one knows %d)", ErrNewer, version.Version, Version)
	}
	var h headerLine
	if err := json.Unmarshal(line, &h); err != nil || h.Started.IsZero() {
		return Header{}, errDamaged
	}
	return Header{Parley: h.Parley, Started: h.Started, Agent: h.Agent, Command: h.Command, Cwd: h.Cwd}, nil
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
