package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// maxPrelude limits the events, in bytes, that are held until the session is worth a
// log.
const maxPrelude = 1 << 20

// While a log cannot be written, such as on a full disk, the events that are not in it are
// held, up to maxHeld bytes of them, and writing is tried again every retryAfter. One try
// writes about maxWrite bytes at a time.
const (
	maxHeld    = 16 << 20
	maxWrite   = 1 << 20
	retryAfter = 2 * time.Second
)

// Recorder stores the events of a session.Session, batch by batch. A log begins with
// the first prompt or message, so a session without either leaves none. Opening
// another session, or reloading the transcript, begins another log. While the log cannot
// be written it holds the events in memory, and says in the log what had no room there. A
// Recorder is safe for concurrent use.
type Recorder struct {
	store *Store
	meta  Meta

	mu    sync.Mutex
	log   *Log
	agent []conversation.Event // the agent's description of itself
	// held are the events that are not in the log, oldest first, and size is how many
	// bytes they take. worth says that they are worth a log.
	held  []conversation.Event
	size  int
	worth bool
	// failed is why the last write failed, nil if it did not; retry then tries again.
	failed error
	retry  *time.Timer
	// gap is where in held a notice says that lost events were dropped, -1 if none were.
	gap, lost int
	// missing counts those of the whole time for which writing fails.
	missing int
	said    []conversation.Event // notices for the next batch
	closed  bool
}

// Record returns a recorder for sessions that begin with m. With a log, the session
// continues in it until another one is opened; the recorder takes over the log.
func (s *Store) Record(m Meta, l *Log) *Recorder {
	return &Recorder{store: s, meta: m, log: l, gap: -1}
}

// ID returns the id of the current log, or "".
func (r *Recorder) ID() ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		return ""
	}
	return r.log.ID()
}

// Take stores a batch. It returns notices for the user: that the session cannot be stored,
// and that it is stored again.
func (r *Recorder) Take(batch []conversation.Event) (said []conversation.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	start := 0 // of the events yet to write
	for i, e := range batch {
		if o, ok := e.(conversation.SessionOpening); ok && o.Clear {
			r.add(batch[start:i])
			if err := r.end(); err != nil {
				r.said = append(r.said, conversation.NoticeAdded{
					Severity: acpclient.NoticeError, Title: "The end of the last session is not stored", Detail: err.Error(),
				})
			}
			start = i
		}
	}
	r.add(batch[start:])
	said, r.said = r.said, nil
	return said
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
	if r.log != nil && r.failed == nil {
		if err := r.append(batch); err != nil {
			r.hold(batch)
			r.fails(err)
		}
		return
	}
	r.hold(batch)
	switch {
	case r.failed != nil:
		r.drop()
	case r.worth:
		r.write()
	}
}

// hold adds events to what is held. r.mu must be held.
func (r *Recorder) hold(batch []conversation.Event) {
	for _, e := range batch {
		r.held = append(r.held, e)
		r.size += conversation.SizeOf(e)
		r.worth = r.worth || conversation.Says(e) || r.size > maxPrelude
	}
}

// write writes what is held. r.mu must be held.
func (r *Recorder) write() {
	if err := r.flush(); err != nil {
		r.fails(err)
		return
	}
	if r.failed != nil {
		r.said = append(r.said, storedAgain(r.missing))
		r.failed, r.missing = nil, 0
	}
}

// fails holds what could not be written, and has it tried again. r.mu must be held.
func (r *Recorder) fails(err error) {
	if r.failed == nil {
		r.said = append(r.said, notStored(err))
	}
	r.failed = err
	r.drop()
	r.retry = time.AfterFunc(retryAfter, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed != nil && !r.closed {
			r.write()
		}
	})
}

// flush writes what is held, until that fails. r.mu must be held.
func (r *Recorder) flush() error {
	if r.log == nil {
		l, err := r.store.Create(r.meta)
		if err != nil {
			return err
		}
		r.log = l
	}
	for len(r.held) > 0 {
		n, size := 0, 0
		for ; n < len(r.held) && (n == 0 || size < maxWrite); n++ {
			size += conversation.SizeOf(r.held[n])
		}
		if err := r.append(r.held[:n]); err != nil {
			return err
		}
		r.held, r.size = r.held[n:], r.size-size
		if r.gap -= n; r.gap < 0 {
			r.gap, r.lost = -1, 0
		}
	}
	r.held, r.size = nil, 0
	return nil
}

// append writes events, and syncs important ones in the background. r.mu must be held.
func (r *Recorder) append(batch []conversation.Event) error {
	if err := r.log.Append(batch); err != nil {
		return err
	}
	if slices.ContainsFunc(batch, func(e conversation.Event) bool { _, ended := e.(conversation.TurnEnded); return ended }) {
		go r.log.Sync() // a later failure of the disk cannot be handled
	}
	return nil
}

// drop makes room for what comes: what is streamed goes first, the oldest of it before
// the rest. A notice takes its place in the log. r.mu must be held.
func (r *Recorder) drop() {
	if r.size <= maxHeld {
		return
	}
	const room = maxHeld - maxHeld/4 // to do this rarely
	for _, any := range []bool{false, true} {
		kept := make([]conversation.Event, 0, len(r.held)+1)
		for i, e := range r.held {
			if i == r.gap || r.size <= room || !any && !streamed(e) {
				if i == r.gap {
					r.gap = len(kept)
				}
				kept = append(kept, e)
				continue
			}
			if r.gap < 0 {
				r.gap = len(kept)
				kept = append(kept, nil)
			}
			r.lost++
			r.missing++
			r.size -= conversation.SizeOf(e)
		}
		r.held = kept
	}
	if was := r.held[r.gap]; was != nil {
		r.size -= conversation.SizeOf(was)
	}
	r.held[r.gap] = notInLog(r.lost, r.failed)
	r.size += conversation.SizeOf(r.held[r.gap])
}

// streamed reports whether an event is a piece of what the agent says or shows, and not one
// that says where the session has got to.
func streamed(e conversation.Event) bool {
	switch e.(type) {
	case conversation.Text, conversation.Update, conversation.TerminalOutput, conversation.FileWritten:
		return true
	}
	return false
}

// notStored is the notice that storing fails.
func notStored(err error) conversation.Event {
	return conversation.NoticeAdded{
		Severity: acpclient.NoticeError, Title: "This session cannot be stored at the moment",
		Detail: fmt.Sprintf("%v\nparley holds the latest %d MB in memory and tries again.", err, maxHeld>>20),
	}
}

// storedAgain is the notice that it works again.
func storedAgain(missing int) conversation.Event {
	if missing == 0 {
		return conversation.NoticeAdded{Severity: acpclient.NoticeInfo, Title: "This session is stored again; nothing is missing"}
	}
	return conversation.NoticeAdded{Severity: acpclient.NoticeWarning, Title: "This session is stored again; " + termtext.Count(missing, "update") + " missing"}
}

// notInLog is the notice in the log about what it has no room for.
func notInLog(lost int, err error) conversation.Event {
	return conversation.NoticeAdded{
		Severity: acpclient.NoticeWarning, Title: "Missing here: " + termtext.Count(lost, "update") + " could not be stored", Detail: err.Error(),
	}
}

// end ends the log, and begins what is held for the next with the agent's description. The
// error says that the end of the session is not in it. r.mu must be held.
func (r *Recorder) end() (err error) {
	if r.failed != nil {
		r.retry.Stop()
		err = r.flush()
	}
	r.held, r.size = nil, 0
	r.hold(r.agent)
	r.worth = false
	r.failed, r.gap, r.lost, r.missing = nil, -1, 0, 0
	if l := r.log; l != nil {
		r.log = nil
		err = errors.Join(err, l.Close())
	}
	return err
}

// Close ends recording and releases the log.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	return r.end()
}
