package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/conversation"
)

const (
	// ringBytes limits the memory of a ring, and unreadBytes until KeepMore is called.
	ringBytes   = 16 << 20
	unreadBytes = 128 << 10
	// ringEntries limits the number of entries.
	ringEntries = 100_000
	// longestKept limits what is kept of one message, and the length of an event that is kept.
	longestKept = 4 << 20
	// entryBytes is the overhead of an entry.
	entryBytes = 104
	// readAtOnce limits the bytes that Read returns.
	readAtOnce = 1 << 20
)

// Ring keeps the latest traffic and events in memory. Like a Writer it has the methods
// of a session.Tap, and it can be read, or saved as a recording, at any
// time. It stores messages unredacted, but returns them only through its redactor.
//
// The bound is small until KeepMore is called, since most rings are never read; only the last
// event may exceed it. A Ring is safe for concurrent use.
type Ring struct {
	header Header
	redact *Redactor
	now    func() time.Time

	mu          sync.Mutex
	most        int        // bound for all entries, in bytes
	entries     []Numbered // a circle: each is at its number, modulo the length
	kept        int        // how many there are, up to next
	used        int        // their bytes
	spare       []byte     // memory of a dropped entry, to use again; nil once entries may be read
	next        uint64     // the number of the next entry
	nextMessage uint64     // one more than the number of the last entry that is not an event
	changed     chan struct{}
	whenRead    func() // called by the first KeepMore; nil then
}

// Numbered is an entry of a ring with its number. Numbers are consecutive and never
// reused.
type Numbered struct {
	Number uint64
	Time   time.Time
	Kind   EntryKind
	// Data is a copy of the message, the line or the text, without secrets.
	Data []byte
	// Cut is the number of bytes cut off its end.
	Cut int

	event conversation.Event
	size  int // bytes that it counts for
}

// NewRing returns an empty ring. h describes it, except for the start. The redactor
// removes secrets from all output; nil removes only those in the protocol's fields. now
// is the clock.
func NewRing(h Header, r *Redactor, now func() time.Time) *Ring {
	if r == nil {
		r = NewRedactor(nil)
	}
	return &Ring{header: h, redact: r, now: now, most: unreadBytes}
}

// Header describes the ring's contents.
func (r *Ring) Header() Header { return r.header }

// WhenRead registers f, which is called before the ring is first read. It is for a ring
// whose messages come from another one, by [Ring.Add]. Call it before the first KeepMore.
func (r *Ring) WhenRead(f func()) { r.whenRead = f }

// KeepMore raises the bound to the maximum. Call it before reading: until then, later entries
// overwrite earlier ones.
func (r *Ring) KeepMore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most, r.spare = ringBytes, nil
	if f := r.whenRead; f != nil {
		r.whenRead = nil
		f()
	}
}

// Add adds an entry of another ring.
func (r *Ring) Add(e Numbered) { r.add(e.Time, e.Kind, e.Data) }

// copied returns a copy of what is kept of a message. r.mu must be held.
func (r *Ring) copied(data []byte) []byte {
	data = data[:min(len(data), longestKept, r.most/4*3)]
	spare := r.spare
	if r.spare = nil; cap(spare) < len(data) || cap(spare) > 2*len(data) { // the bound does not count what is left over
		spare = nil
	}
	return append(spare, data...)
}

// Line adds a line from the wire. Its signature is that of a tap.
func (r *Ring) Line(sent bool, line []byte) {
	kind := Received
	if sent {
		kind = Sent
	}
	r.add(r.now(), kind, line)
}

// Stderr adds output to stderr.
func (r *Ring) Stderr(data []byte) { r.add(r.now(), Stderr, data) }

// Take adds events, without copying them. It never fails. A notice is in the place of one that is
// longer than longestKept.
func (r *Ring) Take(events []conversation.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, e := range events {
		size := conversation.SizeOf(e)
		if size > longestKept {
			e = conversation.NoticeAdded{Title: fmt.Sprintf("Not in this recording: an update of %d MB", size>>20)}
			size = conversation.SizeOf(e)
		}
		r.push(Numbered{Time: now, Kind: Event, event: e, size: size})
	}
	return nil
}

// add adds an entry of text, with its time.
func (r *Ring) add(now time.Time, kind EntryKind, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.copied(data)
	r.push(Numbered{Time: now, Kind: kind, Data: kept, Cut: len(data) - len(kept), size: len(kept)})
	r.nextMessage = r.next
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// push adds an entry, and drops the oldest ones that exceed the bounds. r.mu must be held.
func (r *Ring) push(e Numbered) {
	e.size += entryBytes
	for r.kept > 0 && (r.kept >= ringEntries || r.used+e.size > r.most) {
		oldest := r.at(r.first())
		if r.used -= oldest.size; r.most == unreadBytes {
			r.spare = oldest.Data[:0]
		}
		*oldest = Numbered{}
		r.kept--
	}
	if r.kept == len(r.entries) {
		longer := make([]Numbered, max(2*r.kept, 16))
		for n := r.first(); n < r.next; n++ {
			longer[n%uint64(len(longer))] = *r.at(n)
		}
		r.entries = longer
	}
	e.Number = r.next
	*r.at(r.next) = e
	r.next++
	r.kept++
	r.used += e.size
}

// at returns the place of an entry. r.mu must be held.
func (r *Ring) at(number uint64) *Numbered { return &r.entries[number%uint64(len(r.entries))] }

// first returns the number of the oldest entry. r.mu must be held.
func (r *Ring) first() uint64 { return r.next - uint64(r.kept) }

// Span returns the numbers of the oldest entry and of the next one to come.
func (r *Ring) Span() (first, next uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first(), r.next
}

// Wait waits until there is an entry, other than an event, with at least that number,
// or until ctx ends.
func (r *Ring) Wait(ctx context.Context, number uint64) {
	for ctx.Err() == nil {
		r.mu.Lock()
		if r.nextMessage > number {
			r.mu.Unlock()
			return
		}
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Read returns entries from a number on, without events, and the number to continue
// with. It skips dropped entries. It returns at most most entries, fewer if they are
// long.
func (r *Ring) Read(number uint64, most int) (entries []Numbered, next uint64) {
	r.mu.Lock()
	next = max(number, r.first())
	for size := 0; next < r.next && most > 0 && size < readAtOnce; next++ {
		e := *r.at(next)
		if most--; e.event == nil {
			size += e.size
			entries = append(entries, e)
		}
	}
	r.mu.Unlock()
	for i := range entries {
		e := &entries[i]
		if e.Kind == Stderr || !json.Valid(e.Data) {
			e.Data = []byte(r.redact.Text(string(e.Data)))
		} else {
			e.Data = r.redact.Message(e.Kind == Sent, e.Data)
		}
	}
	return entries, next
}

// At returns the entry with a number, false if it was dropped or is an event.
func (r *Ring) At(number uint64) (e Numbered, kept bool) {
	entries, _ := r.Read(number, 1)
	if len(entries) == 0 || entries[0].Number != number {
		return Numbered{}, false
	}
	return entries[0], true
}

// ErrNothingKept means that there is nothing to save.
var ErrNothingKept = errors.New("nothing to save yet")

// Save writes the current entries as a recording to a new file, and returns their
// number. The error is that of Create and of the writer, or ErrNothingKept.
func (r *Ring) Save(path string) (entries int, err error) {
	r.mu.Lock()
	var all []Numbered
	for n := r.first(); n < r.next; n++ {
		all = append(all, *r.at(n))
	}
	r.mu.Unlock()
	if len(all) == 0 {
		return 0, ErrNothingKept
	}
	w, err := Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	clock := all[0].Time // of the entry being written
	w.now = func() time.Time { return clock }
	if err := w.Begin(r.header, r.redact); err != nil {
		return 0, err
	}
	for i := range all {
		e := &all[i]
		clock = e.Time
		switch e.Kind {
		case Event:
			_ = w.Take([]conversation.Event{e.event}) // w.Err has the error, too
		case Stderr:
			w.Stderr(e.Data)
		default:
			w.Line(e.Kind == Sent, e.Data)
		}
		if err := w.Err(); err != nil {
			return i, err
		}
	}
	return len(all), nil
}
