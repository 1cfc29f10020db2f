package session

import (
	"context"
	"sync"
	"sync/atomic"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
)

// pendingBound is how many bytes of events may wait to be taken. Whoever adds more
// has to wait, and while the reader of the agent's pipe waits, so does the agent.
const pendingBound = 4 << 20

// Stream is the one ordered queue of a session's events. Whatever happens is added
// to it, and one consumer takes all that is there, mostly once a frame. While
// events wait, text of one message and output of one terminal are merged, so that
// a batch takes no more memory than its bytes. Nothing is ever dropped.
//
// All methods may be called from any goroutine; Take is for one consumer.
type Stream struct {
	taking sync.Mutex   // held while a batch is taken and kept
	keeper Keeper       // nil if nobody keeps the session, or does so any more
	ring   *record.Ring // nil if there is none

	mu      sync.Mutex
	roomy   *sync.Cond
	pending []conversation.Event
	run     run // what comes after pending, and still grows
	bytes   int
	ready   chan struct{}
	closed  bool
	docket  *docket // nil if nobody judges questions
	// watch, if it is not nil, is shown every event as it is added. It must not wait.
	watch func(conversation.Event)
}

// run is text of a message or output of a terminal that is being merged.
type run struct {
	kind runKind
	text conversation.Text    // the message, without its text
	term acpclient.TerminalID // the terminal
	buf  []byte               // what was merged so far
}

type runKind int

const (
	noRun runKind = iota
	textRun
	outputRun
)

// NewStream makes an empty stream.
func NewStream() *Stream {
	s := &Stream{ready: make(chan struct{}, 1)}
	s.roomy = sync.NewCond(&s.mu)
	return s
}

// Ready receives when there may be something to take, and always once the
// stream is closed.
func (s *Stream) Ready() <-chan struct{} { return s.ready }

// Closed reports that the stream was closed and everything was taken.
func (s *Stream) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed && len(s.pending) == 0 && s.run.kind == noRun
}

// Keeper keeps what happens in a session.
type Keeper interface {
	// Keep gets every batch of events, in order, before whoever takes it from the
	// stream. It returns what is to be said beside it.
	Keep(batch []conversation.Event) []conversation.Event
	// Close is called when the stream has ended and all of it was kept.
	Close()
}

// Take returns everything that has happened since the last call, in order. Who keeps
// the session has had it before.
func (s *Stream) Take() []conversation.Event {
	s.taking.Lock()
	defer s.taking.Unlock()
	batch, last := s.take()
	if s.keeper != nil && len(batch) > 0 {
		batch = append(batch, s.keeper.Keep(batch)...)
	}
	if s.ring != nil && len(batch) > 0 {
		s.ring.Take(batch)
	}
	if s.keeper != nil && last {
		s.keeper.Close()
		s.keeper = nil
	}
	return batch
}

// take takes what is there, and says whether it is the last.
func (s *Stream) take() (batch []conversation.Event, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endRun()
	batch = s.pending
	s.pending, s.bytes = nil, 0
	s.roomy.Broadcast()
	return batch, s.closed
}

// Close ends the stream: whoever waits goes on, and events that are added later are
// dropped. What is there can still be taken.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.roomy.Broadcast()
	close(s.ready)
}

// push adds an event. Before that it waits until there is room, or ctx ends: this
// is the back-pressure on what the agent sends.
func (s *Stream) push(ctx context.Context, e conversation.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx)
	s.add(e)
}

// pushWhile is push for an event that only counts while route has the value at. If
// that has changed when there is room, the event is dropped.
func (s *Stream) pushWhile(ctx context.Context, e conversation.Event, route *atomic.Int64, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx)
	if route.Load() == at {
		s.add(e)
	}
}

// room waits until there is room, or ctx ends.
func (s *Stream) room(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx)
}

// wait waits until there is room, or ctx ends; s.mu is held.
func (s *Stream) wait(ctx context.Context) {
	if s.bytes < pendingBound || s.closed {
		return
	}
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.roomy.Broadcast()
	})
	defer stop()
	for s.bytes >= pendingBound && !s.closed && ctx.Err() == nil {
		s.roomy.Wait()
	}
}

// post adds an event without waiting. It is for what comes of a person's acts: they
// must never block, and their events are few.
func (s *Stream) post(e conversation.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(e)
}

// add adds an event, or merges it with the one before it; s.mu is held.
func (s *Stream) add(e conversation.Event) {
	if s.closed {
		return
	}
	if s.watch != nil {
		s.watch(e)
	}
	s.bytes += e.Size()
	s.docket.apply(e)
	switch e := e.(type) {
	case conversation.Text:
		if r := &s.run; r.kind != textRun || r.text.Chunk != e.Chunk || r.text.MessageID != e.MessageID {
			s.begin(textRun)
			r.text = conversation.Text{Chunk: e.Chunk, MessageID: e.MessageID}
		} else {
			s.bytes -= conversation.EventOverhead
		}
		s.run.buf = append(s.run.buf, e.Text...)
	case conversation.TerminalOutput:
		if r := &s.run; r.kind != outputRun || r.term != e.ID {
			s.begin(outputRun)
			r.term = e.ID
		} else {
			s.bytes -= conversation.EventOverhead
		}
		s.run.buf = append(s.run.buf, e.Data...)
	default:
		s.endRun()
		s.pending = append(s.pending, e)
	}
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// begin begins to merge; s.mu is held.
func (s *Stream) begin(k runKind) {
	s.endRun()
	s.run.kind = k
}

// endRun makes an event of what was merged; s.mu is held.
func (s *Stream) endRun() {
	r := &s.run
	switch r.kind {
	case noRun:
		return
	case textRun:
		e := r.text
		e.Text = string(r.buf)
		s.pending = append(s.pending, e)
		r.buf = r.buf[:0]
		if cap(r.buf) > 1<<20 {
			r.buf = nil
		}
	case outputRun:
		s.pending = append(s.pending, conversation.TerminalOutput{ID: r.term, Data: r.buf})
		r.buf = nil // the event owns it now
	}
	r.kind, r.text = noRun, conversation.Text{}
}
