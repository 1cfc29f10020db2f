package store

import (
	"errors"
	"sync"

	"parley/acpclient"
	"parley/internal/conversation"
)

// maxPrelude is how many bytes of events wait for something that is worth a log.
const maxPrelude = 1 << 20

// Recorder stores what happens in a session.Session, batch by batch. A log begins with
// the first prompt or message: an agent that was only looked at leaves none. When
// another session is opened, or the transcript comes again, another log begins. It
// may be used from any goroutine.
type Recorder struct {
	store *Store
	meta  Meta

	mu      sync.Mutex
	log     *Log
	agent   []conversation.Event // what the agent said of itself
	prelude []conversation.Event // what has happened since the session was opened
	waiting int                  // bytes of prelude
	failed  bool
	closed  bool
}

// Record makes a recorder of sessions that begin with a meta. If a log is given, the
// session goes on in it, until another one is opened; it is the recorder's from now on.
func (s *Store) Record(m Meta, l *Log) *Recorder { return &Recorder{store: s, meta: m, log: l} }

// ID is the id of the log that is being written, "" if there is none.
func (r *Recorder) ID() ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		return ""
	}
	return r.log.ID()
}

// Take stores a batch. After an error nothing is stored any more, and no further error
// told: a log with a hole in it would be none.
func (r *Recorder) Take(batch []conversation.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed || r.closed {
		return nil
	}
	var err error
	start := 0 // of what has yet to be written
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

// write writes events, or keeps them until there is something worth a log; r.mu is
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
			return r.begin()
		}
	}
	return nil
}

// worthALog reports an event that somebody may want to read again.
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

// begin begins a log with what has happened so far; r.mu is held.
func (r *Recorder) begin() error {
	l, err := r.store.Create(r.meta)
	if err != nil {
		return err
	}
	r.log = l
	prelude := r.prelude
	r.prelude, r.waiting = nil, 0
	return r.append(prelude)
}

// append writes events; what is worth a wait for the disk is waited for beside. r.mu is
// held.
func (r *Recorder) append(batch []conversation.Event) error {
	if err := r.log.Append(batch); err != nil {
		return err
	}
	for _, e := range batch {
		if _, ok := e.(conversation.TurnEnded); ok {
			go r.log.Sync() // nothing is done about a disk that fails later
			break
		}
	}
	return nil
}

// end ends the log, and begins the prelude of the next with what the agent said of
// itself; r.mu is held.
func (r *Recorder) end() error {
	r.prelude, r.waiting = append([]conversation.Event(nil), r.agent...), 0
	if r.log == nil {
		return nil
	}
	l := r.log
	r.log = nil
	return l.Close()
}

// Close ends recording and frees the log.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.end()
}
