package store

import (
	"errors"
	"slices"
	"sync"

	"parley/acpclient"
	"parley/internal/conversation"
)

// maxPrelude limits the events, in bytes, that are held until the session is worth a
// log.
const maxPrelude = 1 << 20

// Recorder stores the events of a session.Session, batch by batch. A log begins with
// the first prompt or message, so a session without either leaves none. Opening
// another session, or reloading the transcript, begins another log. A Recorder is safe
// for concurrent use.
type Recorder struct {
	store *Store
	meta  Meta

	mu      sync.Mutex
	log     *Log
	agent   []conversation.Event // the agent's description of itself
	prelude []conversation.Event // events since the session was opened
	waiting int                  // bytes of prelude
	failed  bool
	closed  bool
}

// Record returns a recorder for sessions that begin with m. With a log, the session
// continues in it until another one is opened; the recorder takes over the log.
func (s *Store) Record(m Meta, l *Log) *Recorder { return &Recorder{store: s, meta: m, log: l} }

// ID returns the id of the current log, or "".
func (r *Recorder) ID() ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		return ""
	}
	return r.log.ID()
}

// Take stores a batch. After an error it stores nothing more, since a log must not have
// gaps, and reports no further error.
func (r *Recorder) Take(batch []conversation.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed || r.closed {
		return nil
	}
	var err error
	start := 0 // of the events yet to write
	for i, e := range batch {
		if o, ok := e.(conversation.SessionOpening); ok && o.Clear {
			err = errors.Join(err, r.write(batch[start:i]), r.end())
			start = i
		}
	}
	err = errors.Join(err, r.write(batch[start:]))
	r.failed = err != nil
	return err
}

// write writes events, or holds them until the session is worth a log. r.mu must be
// held.
func (r *Recorder) write(batch []conversation.Event) error {
	for _, e := range batch {
		switch e.(type) {
		case conversation.AgentStarting:
			r.agent = []conversation.Event{e}
		case conversation.AgentReady:
			r.agent = append(r.agent, e)
		}
	}
	if r.log != nil {
		return r.append(batch)
	}
	for _, e := range batch {
		r.prelude = append(r.prelude, e)
		r.waiting += e.Size()
	}
	for _, e := range batch {
		if worthALog(e) || r.waiting > maxPrelude {
			l, err := r.store.Create(r.meta)
			if err != nil {
				return err
			}
			r.log = l
			prelude := r.prelude
			r.prelude, r.waiting = nil, 0
			return r.append(prelude)
		}
	}
	return nil
}

// worthALog reports whether an event is worth storing.
func worthALog(e conversation.Event) bool {
	switch e := e.(type) {
	case conversation.PromptSent:
		return true
	case conversation.Text:
		return e.Chunk == acpclient.UserMessageChunk
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ContentChunk:
			return u.Chunk == acpclient.UserMessageChunk
		case *acpclient.MessageUpdate:
			return u.Chunk == acpclient.UserMessageChunk
		}
	}
	return false
}

// append writes events, and syncs important ones in the background. r.mu must be held.
func (r *Recorder) append(batch []conversation.Event) error {
	if err := r.log.Append(batch); err != nil {
		return err
	}
	for _, e := range batch {
		if _, ok := e.(conversation.TurnEnded); ok {
			go r.log.Sync() // a later failure of the disk cannot be handled
			break
		}
	}
	return nil
}

// end ends the log, and begins the next prelude with the agent's description. r.mu must
// be held.
func (r *Recorder) end() error {
	r.prelude, r.waiting = slices.Clone(r.agent), 0
	if r.log == nil {
		return nil
	}
	l := r.log
	r.log = nil
	return l.Close()
}

// Close ends recording and releases the log.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.end()
}
