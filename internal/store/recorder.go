package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// The title of the notice that a session cannot be stored, and how that begins which says that it is again.
const (
	Unstored    = "This session cannot be stored at the moment"
	StoredAgain = "This session is stored again"
)

// maxPrelude limits the events, in bytes, that are held until the session is worth a
// log.
const maxPrelude = 1 << 20

// While a log cannot be written, such as on a full disk, the events that are not in it are
// held, the latest maxHeld bytes of them, and writing is tried again every retryAfter. One try
// writes about maxWrite bytes at a time.
const (
	maxHeld    = 16 << 20
	maxWrite   = 1 << 20
	retryAfter = 2 * time.Second
)

// Recorder stores the events of a session.Session, batch by batch, and reads them back to
// those who follow the session. A log begins with the first prompt or message, so a session
// without either leaves none. Opening another session, or reloading the transcript, begins
// another log. While the log cannot be written the Recorder holds the events in memory. A
// Recorder is safe for concurrent use.
type Recorder struct {
	store *Store // nil for the log of [Temporary], in dir
	meta  Meta
	dir   string

	mu  sync.Mutex
	log *Log
	// agent is the agent's description of itself, and head what the next log begins with.
	agent, head []conversation.Event
	// end is the position after the last line, and spans are where the lines in logs are.
	// held are those that follow, from heldAt on. worth says that they are worth a log.
	end    int64
	spans  []span
	held   []byte
	heldAt int64
	worth  bool
	// failed is why the last write failed, nil if it did not; retry then tries again.
	failed error
	retry  *time.Timer
	// missing counts the lines that were dropped since writing fails.
	missing int
	said    []conversation.Event // notices for the next batch
	closed  bool
	follows bool          // see Follow
	leaves  bool          // see Leave
	grown   chan struct{} // closed when there is more to read; nil while no reader waits
}

// A position counts the bytes of all lines, in all logs of a Recorder. A span has those from
// at on, up to the next one, from an offset of a log on.
type span struct {
	at, offset int64
	log        *Log
}

// Record returns a recorder for sessions that begin with m. With a log, the session
// continues in it until another one is opened; the recorder takes over the log.
func (s *Store) Record(m Meta, l *Log) *Recorder {
	r := &Recorder{store: s, meta: m, log: l}
	if l != nil {
		r.spans, r.end = []span{{log: l}}, l.end
	}
	return r
}

// Temporary returns a recorder whose log is in a directory, but has no name and is gone with
// the process.
func Temporary(dir string) *Recorder { return &Recorder{dir: dir} }

// ID returns the id of the current log, or "".
func (r *Recorder) ID() ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		return ""
	}
	return r.log.ID()
}

// Stores reports whether the session can be opened again after Close.
func (r *Recorder) Stores() bool { return r.store != nil }

// Record stores a batch. It returns notices for the user, which are stored too: that the session
// cannot be stored, and that it is stored again.
func (r *Recorder) Record(batch []conversation.Event) (said []conversation.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	start := 0 // of the events yet to write
	for i, e := range batch {
		if o, ok := e.(conversation.SessionOpening); ok && o.Clear && r.store != nil {
			r.add(batch[start:i])
			if start = i; r.log == nil && !r.worth {
				continue
			}
			if err := r.begin(); err != nil {
				r.say(acpclient.NoticeError, "The end of the last session is not stored", err.Error())
			}
		}
	}
	r.add(batch[start:])
	r.grows()
	said, r.said = r.said, nil
	return said
}

// begin ends the log, and begins the next one with the agent's description. The error says that
// the end of the log is not in it. r.mu must be held.
func (r *Recorder) begin() error {
	err := r.finish()
	r.log = nil
	if r.head = slices.Clone(r.agent); err != nil {
		r.head = nil
	}
	r.held, r.worth = nil, false
	r.failed, r.missing = nil, 0
	if err != nil { // it cannot be read any more
		r.hold(r.agent...)
	}
	return err
}

// say adds a notice to the log, and for the user. r.mu must be held.
func (r *Recorder) say(severity acpclient.NoticeSeverity, title, detail string) {
	n := conversation.NoticeAdded{Severity: severity, Title: title, Detail: detail}
	r.said = append(r.said, n)
	r.hold(n)
}

// add writes events, or holds them until the session is worth a log and it can be written.
// r.mu must be held.
func (r *Recorder) add(batch []conversation.Event) {
	for _, e := range batch {
		switch e.(type) {
		case conversation.AgentStarting:
			r.agent = []conversation.Event{e}
		case conversation.AgentReady:
			r.agent = append(r.agent, e)
		}
	}
	if r.log != nil && len(r.held) == 0 {
		err := r.log.Append(batch)
		if err == nil {
			last := r.spans[len(r.spans)-1]
			r.end = last.at + r.log.end - last.offset
			r.sync(batch)
			return
		}
		r.hold(batch...)
		r.fails(err)
		return
	}
	r.hold(batch...)
	if r.failed != nil {
		r.drop()
	} else if r.log != nil || r.worth {
		r.write()
	}
}

// hold adds events to what is held, but for those that cannot be encoded. r.mu must be held.
func (r *Recorder) hold(batch ...conversation.Event) {
	if len(r.held) == 0 {
		r.heldAt = r.end
	}
	for _, e := range batch {
		if with, err := appendLine(r.held, e, conversation.AppendEncode); err == nil {
			r.held, r.end = with, r.heldAt+int64(len(with))
			r.worth = r.worth || conversation.Says(e) || len(r.held) > maxPrelude
		}
	}
}

// write writes what is held. r.mu must be held.
func (r *Recorder) write() {
	err := r.flush()
	if err == nil && r.failed != nil {
		missing := r.missing
		if r.failed, r.missing = nil, 0; missing == 0 {
			r.say(acpclient.NoticeInfo, StoredAgain+"; nothing is missing", "")
		} else {
			r.say(acpclient.NoticeWarning, StoredAgain+"; "+termtext.Count(missing, "update")+" missing", "")
		}
		err = r.flush()
	}
	if err != nil {
		r.fails(err)
	}
}

// fails has what could not be written tried again. r.mu must be held.
func (r *Recorder) fails(err error) {
	if r.failed == nil {
		r.say(acpclient.NoticeError, Unstored,
			fmt.Sprintf("%v\nparley holds the latest %d MB in memory and tries again.", err, maxHeld>>20))
	}
	r.failed = err
	r.drop()
	r.retry = time.AfterFunc(retryAfter, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed != nil && !r.closed {
			r.write()
			r.grows()
		}
	})
}

// flush writes what is held, until that fails. r.mu must be held.
func (r *Recorder) flush() error {
	if r.log == nil {
		l, err := r.create()
		if err != nil {
			return err
		}
		r.log = l
	}
	for len(r.held) > 0 {
		n := linesIn(r.held, maxWrite)
		if err := r.log.appendLines(r.held[:n]); err != nil {
			return err
		}
		offset := r.log.end - int64(n)
		if i := len(r.spans) - 1; i < 0 || r.spans[i].log != r.log || r.spans[i].at+offset-r.spans[i].offset != r.heldAt {
			r.spans = append(r.spans, span{r.heldAt, offset, r.log})
		}
		r.held, r.heldAt = r.held[n:], r.heldAt+int64(n)
	}
	r.held = nil
	return nil
}

// create begins a log. r.mu must be held.
func (r *Recorder) create() (*Log, error) {
	if r.store == nil {
		return unnamedLog(r.dir)
	}
	l, err := r.store.Create(r.meta)
	r.meta.ID = "" // a later log has another one
	if err != nil {
		return nil, err
	}
	if err := l.Append(r.head); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(l.path))
	}
	return l, nil
}

// sync syncs the end of a turn in the background. r.mu must be held.
func (r *Recorder) sync(batch []conversation.Event) {
	if slices.ContainsFunc(batch, func(e conversation.Event) bool { _, ended := e.(conversation.TurnEnded); return ended }) {
		go r.log.file.Sync() // a later failure of the disk cannot be handled
	}
}

// linesIn returns how many bytes the first lines take: about most, or all.
func linesIn(lines []byte, most int) int {
	if len(lines) <= most {
		return len(lines)
	}
	return most + bytes.IndexByte(lines[most:], '\n') + 1
}

// drop makes room for what comes. r.mu must be held.
func (r *Recorder) drop() {
	if len(r.held) <= maxHeld {
		return
	}
	const room = maxHeld - maxHeld/4 // to do this rarely
	n := linesIn(r.held, len(r.held)-room)
	r.missing += bytes.Count(r.held[:n], []byte("\n"))
	r.held, r.heldAt = bytes.Clone(r.held[n:]), r.heldAt+int64(n)
}

// finish ends the log, with a last try to write what is held. r.mu must be held.
func (r *Recorder) finish() (err error) {
	if r.failed != nil {
		r.retry.Stop()
		err = r.flush()
	}
	if r.log != nil && r.leaves {
		r.log.marked = ""
	}
	switch {
	case r.log == nil:
	case r.follows:
		r.log.release()
	default:
		err = errors.Join(err, r.log.Close())
	}
	return err
}

// Leave has the session count as interrupted once recording has ended: see [Store.Interrupted].
func (r *Recorder) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaves = true
}

// Close ends recording and releases the log.
func (r *Recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	_ = r.finish() // there is no one left to tell
	r.grows()
}

// Follow keeps everything readable until the caller calls done. Call it before there is
// anything to read.
func (r *Recorder) Follow() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.follows = true
	return func() {
		r.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, s := range r.spans {
			if i == 0 || r.spans[i-1].log != s.log {
				_ = s.log.file.Close()
			}
		}
	}
}

// End returns the position after the last line.
func (r *Recorder) End() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

// grows wakes those who wait for more. r.mu must be held.
func (r *Recorder) grows() {
	if r.grown != nil {
		close(r.grown)
		r.grown = nil
	}
}

// readAtOnce is about how many bytes Read returns at most.
const readAtOnce = 256 << 10

// Read waits until there are lines after a position, 0 for the first, and returns some of them
// as [conversation.Repeats] encodes events, and the position after them. It may return none.
// Other records, which it does not decode, are among them. A notice is in the place
// of damaged lines. The error is io.EOF at the end of a closed Recorder.
func (r *Recorder) Read(ctx context.Context, at int64) (lines [][]byte, next int64, err error) {
	for most := int64(readAtOnce); ; {
		part, waits := r.after(at)
		switch {
		case part.held != nil:
			lines, _ := wholeLines(part.held)
			return lines, part.next, nil
		case part.log == nil && waits == nil:
			return nil, at, io.EOF
		case part.log == nil:
			select {
			case <-waits:
			case <-ctx.Done():
				return nil, at, ctx.Err()
			}
			continue
		}
		buf := make([]byte, min(part.size, most))
		if _, err := part.log.file.ReadAt(buf, part.offset); err != nil {
			return nil, at, fmt.Errorf("its log: %v", err) // not io.EOF
		}
		lines, used := wholeLines(buf)
		switch {
		case int64(used) == part.size, used == 0 && int64(len(buf)) == part.size:
			return lines, part.next, nil // the rest is the part of a line that its writer could not end
		case used == 0:
			most *= 2
			continue
		}
		return lines, part.at + int64(used), nil
	}
}

// part is what can be read from a position on: bytes of a log, or held lines. next is the
// position after them.
type part struct {
	log          *Log
	at           int64
	offset, size int64
	held         []byte
	next         int64
}

// after returns what there is after a position, or what to wait for, nil if nothing follows.
func (r *Recorder) after(at int64) (p part, waits <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].at > at })
	for i = max(0, i-1); i < len(r.spans); i++ {
		s, end, next := r.spans[i], r.spans[i].log.end, r.end
		if len(r.held) > 0 {
			next = r.heldAt
		}
		if i+1 < len(r.spans) {
			if next = r.spans[i+1].at; r.spans[i+1].log == s.log {
				end = r.spans[i+1].offset
			}
		}
		at = max(at, s.at)
		if offset := s.offset + at - s.at; offset < end {
			return part{log: s.log, at: at, offset: offset, size: end - offset, next: next}, nil
		}
	}
	if at = max(at, r.heldAt); len(r.held) > 0 && at < r.end {
		rest := r.held[at-r.heldAt:]
		n := linesIn(rest, readAtOnce)
		p.held, p.next = rest[:n], at+int64(n)
	} else if !r.closed {
		if r.grown == nil {
			r.grown = make(chan struct{})
		}
		waits = r.grown
	}
	return p, waits
}
