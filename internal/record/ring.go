package record

import (
	"context"
	"encoding/json"
	"errors"
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
	// longestKept limits what is kept of one message or event.
	longestKept = 4 << 20
	// slotBytes is the overhead of an entry.
	slotBytes = 80
	// readAtOnce limits the bytes copied while the ring is locked, because the taps
	// wait for that.
	readAtOnce = 1 << 20
)

// Ring keeps the latest traffic and events in memory. Like a Writer it has the methods
// of the taps and of a session.Recorder, and it can be read, or saved as a recording, at any
// time. It stores messages unredacted, but returns them only through its redactor.
//
// It copies entries into circular buffers, so that a message costs no allocation and
// old entries make room. The bound is small until KeepMore is called, since most rings
// are never read. A Ring is safe for concurrent use, and blocks a tap at most for the
// time of copying a megabyte.
type Ring struct {
	header Header
	redact *Redactor
	now    func() time.Time

	mu          sync.Mutex
	most        int    // bound for all entries, in bytes
	text        []byte // circular: the text of the entries, oldest first
	start       int    // where the oldest begins
	used        int    // bytes of text in use
	events      int    // approximate size of the events held
	slots       []slot // circular
	oldest      int    // index of the oldest slot
	n           int    // slots in use
	first       uint64 // the number of the oldest entry
	nextMessage uint64 // one more than the number of the last entry that is not an event
	passed      uint64 // bytes of text ever added
	total       int    // entries ever added, without events
	changed     chan struct{}
	whenRead    func() // called by the first KeepMore; nil then
}

// slot is an entry of a ring.
type slot struct {
	at     time.Time
	kind   EntryKind
	begin  uint64 // bytes of text added before it
	length int    // of the text, or approximately of the event
	cut    int    // bytes cut off because of the bound
	event  conversation.Event
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

// KeepMore raises the bound to the maximum. Call it before reading.
func (r *Ring) KeepMore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = ringBytes
	if f := r.whenRead; f != nil {
		r.whenRead = nil
		f()
	}
}

// Add adds an entry of another ring.
func (r *Ring) Add(e Numbered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addAt(e.Time, e.Kind, e.Data)
}

// kept returns how much is kept of a message or event of a size. r.mu must be held.
func (r *Ring) kept(size int) int { return min(size, longestKept, r.most/4*3) }

// Line adds a line from the wire. Its signature is that of a tap.
func (r *Ring) Line(sent bool, line []byte) {
	kind := Received
	if sent {
		kind = Sent
	}
	r.add(kind, line)
}

// Stderr adds output to stderr.
func (r *Ring) Stderr(data []byte) { r.add(Stderr, data) }

// Take adds events, without copying them.
func (r *Ring) Take(events []conversation.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, e := range events {
		size := r.kept(conversation.SizeOf(e))
		r.makeRoom(size)
		r.events += size
		r.push(slot{at: now, kind: Event, event: e, length: size})
	}
}

// add adds an entry of text.
func (r *Ring) add(kind EntryKind, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addAt(r.now(), kind, data)
}

// addAt adds an entry with a time. r.mu must be held.
func (r *Ring) addAt(now time.Time, kind EntryKind, data []byte) {
	kept := data[:r.kept(len(data))]
	r.makeRoom(len(kept))
	r.growText(len(kept))
	at := (r.start + r.used) % max(1, len(r.text))
	if n := copy(r.text[at:], kept); n < len(kept) {
		copy(r.text, kept[n:])
	}
	r.used += len(kept)
	r.total++
	r.push(slot{at: now, kind: kind, begin: r.passed, length: len(kept), cut: len(data) - len(kept)})
	r.passed += uint64(len(kept))
	r.nextMessage = r.first + uint64(r.n)
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// makeRoom drops the oldest entries until there is room for one more of a size. r.mu
// must be held.
func (r *Ring) makeRoom(size int) {
	for r.n > 0 && (r.n == ringEntries || r.used+r.events+r.n*slotBytes+size > r.most) {
		old := &r.slots[r.oldest]
		if old.event != nil {
			r.events -= old.length
		} else {
			r.used -= old.length
			r.start = (r.start + old.length) % max(1, len(r.text))
		}
		*old = slot{}
		r.oldest = (r.oldest + 1) % len(r.slots)
		r.n--
		r.first++
	}
}

// growText enlarges the text if more bytes do not fit. r.mu must be held.
func (r *Ring) growText(more int) {
	if r.used+more <= len(r.text) {
		return
	}
	size := max(64<<10, len(r.text))
	for size < r.used+more {
		size *= 2
	}
	grown := make([]byte, size)
	r.copyText(grown[:r.used], 0)
	r.text, r.start = grown, 0
}

// copyText copies text that begins offset bytes after the oldest. r.mu must be held.
func (r *Ring) copyText(to []byte, offset int) {
	if len(to) == 0 {
		return
	}
	at := (r.start + offset) % len(r.text)
	if n := copy(to, r.text[at:]); n < len(to) {
		copy(to[n:], r.text)
	}
}

// push adds an entry. r.mu must be held.
func (r *Ring) push(s slot) {
	if r.n == len(r.slots) {
		grown := make([]slot, min(max(256, 2*len(r.slots)), ringEntries))
		for i := range r.n {
			grown[i] = r.slots[(r.oldest+i)%len(r.slots)]
		}
		r.slots, r.oldest = grown, 0
	}
	r.slots[(r.oldest+r.n)%len(r.slots)] = s
	r.n++
}

// Span returns the numbers of the oldest entry and of the next one to come.
func (r *Ring) Span() (first, next uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first, r.first + uint64(r.n)
}

// Total returns the number of entries so far, without events and including dropped
// ones.
func (r *Ring) Total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
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
	all, next := r.read(number, most)
	entries = all[:0]
	for _, e := range all {
		if e.event != nil {
			continue
		}
		if e.Kind == Stderr || !json.Valid(e.Data) {
			e.Data = []byte(r.redact.Text(string(e.Data)))
		} else {
			e.Data = r.redact.Message(e.Kind == Sent, e.Data)
		}
		entries = append(entries, e)
	}
	return entries, next
}

// read is Read with events and secrets.
func (r *Ring) read(number uint64, most int) (entries []Numbered, next uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	number = max(number, r.first)
	skip := int(min(number-r.first, uint64(r.n)))
	bytes := 0
	for i := skip; i < r.n && len(entries) < most && bytes < readAtOnce; i++ {
		s := &r.slots[(r.oldest+i)%len(r.slots)]
		e := Numbered{Number: r.first + uint64(i), Time: s.at, Kind: s.kind, Cut: s.cut, event: s.event}
		if s.event == nil {
			e.Data = make([]byte, s.length)
			r.copyText(e.Data, r.used-int(r.passed-s.begin))
			bytes += s.length
		}
		entries = append(entries, e)
	}
	return entries, r.first + uint64(skip+len(entries))
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

// savedAtOnce is how many entries are saved at a time.
const savedAtOnce = 256

// Save writes the current entries as a recording to a new file, and returns their
// number. The error is that of Create and of the writer, or ErrNothingKept.
func (r *Ring) Save(path string) (entries int, err error) {
	first, end := r.Span()
	if first == end {
		return 0, ErrNothingKept
	}
	w, err := Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var clock time.Time // of the entry being written
	w.now = func() time.Time { return clock }
	for number := first; number < end; {
		batch, next := r.read(number, int(min(savedAtOnce, end-number)))
		for i := range batch {
			clock = batch[i].Time
			if entries == 0 {
				if err := w.Begin(r.header, r.redact); err != nil {
					return 0, err
				}
			}
			switch e := &batch[i]; e.Kind {
			case Event:
				_ = w.Take([]conversation.Event{e.event}) // w.Err has the error, too
			case Stderr:
				w.Stderr(e.Data)
			default:
				w.Line(e.Kind == Sent, e.Data)
			}
			if err := w.Err(); err != nil {
				return entries, err
			}
			entries++
		}
		number = next
	}
	return entries, nil
}
