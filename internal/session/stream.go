package session

import (
	"context"
	"sync"

	"parley/acpclient"
)

// pendingBound is how many bytes of events may wait to be taken before whoever
// brings more waits too, and with it the reading of the agent's pipe.
const pendingBound = 4 << 20

// Stream is the one ordered queue of a session's events: whatever happens is
// pushed, and one consumer takes all that is there, mostly once a frame. While
// events wait, text of one message and output of one terminal are merged, so
// that a batch costs no more than its bytes. It never drops anything.
//
// All methods may be called from any goroutine; Take is for one consumer.
type Stream struct {
	mu      sync.Mutex
	room    *sync.Cond
	pending []Event
	run     textRun // the text that pending ends with, if run.on
	bytes   int
	ready   chan struct{}
	closed  bool
}

// textRun is text that still grows. It stands behind the last pending event.
type textRun struct {
	on   bool
	head Text
	buf  []byte
}

// NewStream makes an empty stream.
func NewStream() *Stream {
	s := &Stream{ready: make(chan struct{}, 1)}
	s.room = sync.NewCond(&s.mu)
	return s
}

// Ready receives when there is something to take.
func (s *Stream) Ready() <-chan struct{} { return s.ready }

// Closed reports that the stream was closed and everything was taken.
func (s *Stream) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed && len(s.pending) == 0 && !s.run.on
}

// Take returns everything that has happened since the last call, in order.
func (s *Stream) Take() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endRun()
	batch := s.pending
	s.pending, s.bytes = nil, 0
	s.room.Broadcast()
	return batch
}

// Close lets everybody go: events pushed after it are dropped.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.room.Broadcast()
	s.signal()
}

// push adds an event, and waits first while too much is waiting already: that is
// the back-pressure on what the agent sends. It gives up when ctx ends.
func (s *Stream) push(ctx context.Context, e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes >= pendingBound && !s.closed {
		stop := context.AfterFunc(ctx, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.room.Broadcast()
		})
		defer stop()
		for s.bytes >= pendingBound && !s.closed && ctx.Err() == nil {
			s.room.Wait()
		}
	}
	s.add(e)
}

// post adds an event without waiting: for what a person does, which must never
// block and is never much.
func (s *Stream) post(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(e)
}

func (s *Stream) add(e Event) {
	if s.closed {
		return
	}
	n := e.size()
	switch e := e.(type) {
	case Text:
		if s.run.on && s.run.head.Chunk == e.Chunk && s.run.head.MessageID == e.MessageID {
			s.run.buf = append(s.run.buf, e.Text...)
			n -= eventOverhead
			break
		}
		s.endRun()
		s.run.on, s.run.head = true, e
		s.run.buf = append(s.run.buf[:0], e.Text...)
	case TerminalOutput:
		s.endRun()
		if last := len(s.pending) - 1; last >= 0 {
			if p, ok := s.pending[last].(TerminalOutput); ok && p.ID == e.ID {
				p.Data = append(p.Data, e.Data...)
				s.pending[last] = p
				break
			}
		}
		e.Data = append([]byte(nil), e.Data...) // it will grow
		s.pending = append(s.pending, e)
	default:
		s.endRun()
		s.pending = append(s.pending, e)
	}
	s.bytes += n
	s.signal()
}

// endRun makes an event of the text that was growing.
func (s *Stream) endRun() {
	if !s.run.on {
		return
	}
	e := s.run.head
	e.Text = string(s.run.buf)
	s.pending = append(s.pending, e)
	s.run.on = false
	if cap(s.run.buf) > 1<<20 {
		s.run.buf = nil
	}
}

func (s *Stream) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// event makes the event of an update; plain text of a message is a Text.
func event(n *acpclient.SessionNotification) Event {
	if c, ok := n.Update.(*acpclient.ContentChunk); ok &&
		c.Content.Type == acpclient.ContentText && c.Content.Annotations == nil && len(c.Meta) == 0 && len(c.Content.Meta) == 0 {
		return Text{Chunk: c.Chunk, MessageID: c.MessageID, Text: c.Content.Text}
	}
	return Update{Update: n.Update, Meta: n.Meta}
}
