package record

import (
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"

	"parley/internal/conversation"
)

const (
	// ringBytes is how much memory the entries of a ring take at most, and unreadBytes how
	// much of it before anybody has asked for more.
	ringBytes   = 16 << 20
	unreadBytes = 1 << 20
	// ringEntries is how many entries it keeps at most.
	ringEntries = 100_000
	// longestKept is how much it keeps of one message or event at most.
	longestKept = 4 << 20
	// slotBytes is what every entry takes besides what it says.
	slotBytes = int(unsafe.Sizeof(slot{}))
	// readAtOnce is how many bytes are copied while the ring is locked: who taps the wire
	// waits for that.
	readAtOnce = 1 << 20
)

// Ring keeps what has happened last in memory: it has the form of the taps and of a
// keeper, as a Writer has, and can be read, and saved as a recording, at any time. It
// holds messages as they were, and hands none of them out but through its redactor.
//
// What comes is copied into buffers that grow up to a bound and are used again from then
// on: the oldest entries make room. The bound is a small one until KeepMore is called,
// since most rings are never read. All methods may be called from any goroutine, and
// none of them holds up a tap for longer than it takes to copy a megabyte.
type Ring struct {
	header Header
	redact *Redactor
	now    func() time.Time

	mu      sync.Mutex
	most    int    // bytes of all entries
	text    []byte // circular: what the entries say, the oldest first
	start   int    // where the oldest begins
	used    int    // bytes of text in use
	events  int    // about the bytes that events hold on to
	slots   []slot // circular
	oldest  int    // which slot is the oldest
	n       int    // slots in use
	first   uint64 // the number of the oldest entry
	told    uint64 // the number after that of the last entry that is no event
	passed  uint64 // bytes of text that there ever were
	total   int    // of all entries that there ever were but events
	changed chan struct{}
}

// slot is an entry of a ring.
type slot struct {
	at     time.Time
	kind   EntryKind
	begin  uint64 // bytes of text that there were before
	length int    // of the text, or about that of the event
	cut    int    // bytes that were too many to be kept
	event  conversation.Event
}

// Numbered is an entry of a ring. The numbers of entries follow each other, and are
// never given twice.
type Numbered struct {
	Number uint64
	Time   time.Time
	Kind   EntryKind
	// Data is the message, the line or the text, without secrets. It is the caller's.
	Data []byte
	// Cut is how many bytes are missing at its end, because there were too many.
	Cut int

	event conversation.Event
}

// NewRing makes an empty ring. The header says what it keeps; what it says of the start
// is the ring's. The redactor takes the secrets out of all that is handed out; nil finds
// none but those that it finds by their place. now is the clock.
func NewRing(h Header, r *Redactor, now func() time.Time) *Ring {
	if r == nil {
		r = NewRedactor(nil)
	}
	return &Ring{header: h, redact: r, now: now, most: unreadBytes}
}

// KeepMore makes the ring keep as much as it may from now on. It is for whoever is about
// to read it.
func (r *Ring) KeepMore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = ringBytes
}

// kept is how much is kept of a message or event of a size; r.mu is held.
func (r *Ring) kept(size int) int { return min(size, longestKept, r.most/4*3) }

// Line keeps a line of the wire. It has the form of a tap.
func (r *Ring) Line(sent bool, line []byte) {
	kind := Received
	if sent {
		kind = Sent
	}
	r.add(kind, line)
}

// Stderr keeps what the agent has written there.
func (r *Ring) Stderr(data []byte) { r.add(Stderr, data) }

// Take keeps events. They are not copied.
func (r *Ring) Take(events []conversation.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, e := range events {
		size := r.kept(e.Size())
		r.makeRoom(size)
		r.events += size
		r.push(slot{at: now, kind: Event, event: e, length: size})
	}
}

// add keeps an entry that is text.
func (r *Ring) add(kind EntryKind, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := data[:r.kept(len(data))]
	r.makeRoom(len(kept))
	r.growText(len(kept))
	at := (r.start + r.used) % max(1, len(r.text))
	if n := copy(r.text[at:], kept); n < len(kept) {
		copy(r.text, kept[n:])
	}
	r.used += len(kept)
	r.total++
	r.push(slot{at: r.now(), kind: kind, begin: r.passed, length: len(kept), cut: len(data) - len(kept)})
	r.passed += uint64(len(kept))
	r.told = r.first + uint64(r.n)
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// makeRoom drops the oldest entries until there is room for one more of a size; r.mu is
// held.
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

// growText makes the text larger if so many more bytes do not fit into it; r.mu is held.
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

// copyText copies text that begins so many bytes after the oldest; r.mu is held.
func (r *Ring) copyText(to []byte, offset int) {
	if len(to) == 0 {
		return
	}
	at := (r.start + offset) % len(r.text)
	if n := copy(to, r.text[at:]); n < len(to) {
		copy(to[n:], r.text)
	}
}

// push adds an entry; r.mu is held.
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

// Span is from which number on entries are kept, and the number of the next one.
func (r *Ring) Span() (first, next uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first, r.first + uint64(r.n)
}

// Total is how many entries there were so far, without events, also those that are not
// kept any more.
func (r *Ring) Total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// Wait waits until there is an entry of that number or a later one that is no event, or
// until ctx ends.
func (r *Ring) Wait(ctx context.Context, number uint64) {
	for ctx.Err() == nil {
		r.mu.Lock()
		if r.told > number {
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

// Read reads entries from a number on, without events, and says with which number to go
// on. Those that are not kept any more are passed over. It reads at most so many of them,
// and fewer if they are long.
func (r *Ring) Read(number uint64, most int) (entries []Numbered, next uint64) {
	all, next := r.read(number, most)
	entries = all[:0]
	for _, e := range all {
		if e.event != nil {
			continue
		}
		if e.Kind == Stderr {
			e.Data = []byte(r.redact.Text(string(e.Data)))
		} else {
			e.Data = r.redact.line(e.Kind == Sent, e.Data)
		}
		entries = append(entries, e)
	}
	return entries, next
}

// read is Read with events, and with all secrets.
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

// At is the entry of a number. It is not there if it is not kept any more, or is an
// event.
func (r *Ring) At(number uint64) (e Numbered, kept bool) {
	entries, _ := r.Read(number, 1)
	if len(entries) == 0 || entries[0].Number != number {
		return Numbered{}, false
	}
	return entries[0], true
}

// ErrNothingKept says that there is nothing to save.
var ErrNothingKept = errors.New("nothing has happened that could be saved")

// savedAtOnce is how many entries are saved at once.
const savedAtOnce = 256

// Save writes what is kept, and what has happened until now, as a recording, to a new
// file, and returns how many entries there are. The error is that of Create and of the
// writer, or ErrNothingKept.
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
	var clock time.Time // of the entry that is written
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
			if err := w.again(&batch[i]); err != nil {
				return entries, err
			}
			entries++
		}
		number = next
	}
	return entries, nil
}

// again records an entry that was kept.
func (w *Writer) again(e *Numbered) error {
	switch e.Kind {
	case Event:
		return w.Take([]conversation.Event{e.event})
	case Stderr:
		w.Stderr(e.Data)
	default:
		w.Line(e.Kind == Sent, e.Data)
	}
	return w.Err()
}
