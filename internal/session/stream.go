package session

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// pendingBound bounds the events, in bytes, that wait to be taken. A writer that adds more
// blocks; while the reader of the agent's pipe blocks, so does the agent.
const pendingBound = 4 << 20

// keepBuffer bounds the buffer, in bytes, that is kept when little is merged again after a
// burst.
const keepBuffer = 64 << 10

// Stream is the one ordered queue of a session's events. One consumer takes all pending
// events, usually once a frame. While events wait, Stream merges text of one message
// and output of one terminal, so that a batch takes no more memory than its bytes. It
// never drops anything.
//
// Stream is safe for concurrent use; Take is for one consumer.
type Stream struct {
	taking   sync.Mutex // held while a batch is taken and kept
	recorder Recorder   // nil if the session is not kept, or no longer
	taps     []Tap

	mu      sync.Mutex
	roomy   *sync.Cond
	pending []conversation.Event
	merge   merge // comes after pending, and still grows
	bytes   int
	ready   chan struct{}
	ending  bool // see End
	closed  bool
	pace    time.Duration // see Pace
	taken   time.Time     // when streamed events were last taken
	timer   *time.Timer   // announces events that came too soon; nil before there are any
	// watch, if not nil, sees every event before it can be taken. It must not block.
	watch func(conversation.Event)
}

// merge is text of a message or output of a terminal that is being merged.
type merge struct {
	of  source
	buf []byte // the merged bytes so far
}

// source is what mergeable events come from. The zero value is nothing.
type source struct {
	text, output bool
	chunk        acpclient.ChunkKind
	message      acpclient.MessageID
	terminal     acpclient.TerminalID
}

// NewStream returns an empty stream.
func NewStream() *Stream {
	s := &Stream{ready: make(chan struct{}, 1)}
	s.roomy = sync.NewCond(&s.mu)
	return s
}

// Ready receives when there may be something to take, and always once the stream is
// closed.
func (s *Stream) Ready() <-chan struct{} { return s.ready }

// Pace sets the least time between two batches of streamed events: text, updates and
// output. Those that come too soon wake no reader. The next event after that time announces
// them, or a timer soon after it. Other events are announced at once, and so is
// text that makes the agent wait.
func (s *Stream) Pace(least time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pace = least
	if len(s.pending) > 0 || s.merge.of != (source{}) {
		s.announce()
	}
}

// lateness is how long after the time of a batch the timer waits for an event to announce
// it: the agent's next line wakes parley anyway.
const lateness = 10 * time.Millisecond

// announceAtPace announces an event, at the [Stream.Pace] if it is a streamed one. s.mu must be held.
func (s *Stream) announceAtPace(e conversation.Event) {
	if s.pace > 0 && streamed(e) && s.bytes < pendingBound {
		if rest := s.pace - time.Since(s.taken); rest > 0 {
			if s.timer == nil {
				s.timer = time.AfterFunc(rest+lateness, func() {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.announce()
				})
			}
			return
		}
	}
	s.announce()
}

// announce makes Ready receive. s.mu must be held.
func (s *Stream) announce() {
	s.stopTimer()
	if s.closed {
		return
	}
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// Wake makes Ready receive although there may be nothing to take: what is known beside the events
// has changed.
func (s *Stream) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announce()
}

func (s *Stream) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// streamed reports whether an event is of a kind that comes in floods.
func streamed(e conversation.Event) bool {
	switch e.(type) {
	case conversation.Text, conversation.Update, conversation.TerminalOutput:
		return true
	}
	return false
}

// Closed reports that the stream was closed and everything was taken.
func (s *Stream) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed && len(s.pending) == 0 && s.merge.of == (source{})
}

// Recorder stores the events of a session.
type Recorder interface {
	// Record gets every batch of events, in order, before the consumer of the stream. It
	// returns events to add to the batch.
	Record(batch []conversation.Event) []conversation.Event
	// Close is called after the last batch.
	Close()
}

// RecordTo has a recorder store the events. Call it before there are any.
func (s *Stream) RecordTo(r Recorder) { s.recorder = r }

// Take returns everything that has happened since the last call, in order, after the
// Recorder has stored it.
func (s *Stream) Take() []conversation.Event {
	s.taking.Lock()
	defer s.taking.Unlock()
	batch, last := s.take()
	if s.recorder != nil && len(batch) > 0 {
		batch = append(batch, s.recorder.Record(batch)...)
	}
	for _, t := range s.taps {
		if err := t.Take(batch); err != nil {
			batch = append(batch, conversation.NoticeAdded{
				Severity: acpclient.NoticeError, Title: "This session is no longer recorded", Detail: err.Error(),
			})
		}
	}
	if s.recorder != nil && last {
		s.recorder.Close()
		s.recorder = nil
	}
	return batch
}

// take takes what is pending, and reports whether it is the last.
func (s *Stream) take() (batch []conversation.Event, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endMerge()
	batch = s.pending
	s.pending, s.bytes = nil, 0
	s.stopTimer()
	if s.pace > 0 && slices.ContainsFunc(batch, streamed) {
		s.taken = time.Now()
	}
	s.roomy.Broadcast()
	return batch, s.closed
}

// End drops later events except notices, and waiting callers continue, so that nothing holds
// up the end of the agent. Close follows.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	s.roomy.Broadcast()
}

// Close ends the stream: waiting callers continue, and later events are dropped.
// Pending events can still be taken.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.stopTimer()
	s.roomy.Broadcast()
	close(s.ready)
}

// Push adds an event. It waits until there is room, or ctx ends: this is the back-pressure on
// the agent.
func (s *Stream) Push(ctx context.Context, e conversation.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx)
	s.add(e)
}

// room waits until there is room, or ctx ends.
func (s *Stream) room(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx)
}

// wait waits until there is room, or ctx ends. s.mu must be held.
func (s *Stream) wait(ctx context.Context) {
	if s.bytes < pendingBound || s.closed || s.ending {
		return
	}
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.roomy.Broadcast()
	})
	defer stop()
	for s.bytes >= pendingBound && !s.closed && !s.ending && ctx.Err() == nil {
		s.roomy.Wait()
	}
}

// post adds an event without waiting. It is for the user's actions, which must never
// block and cause few events.
func (s *Stream) post(e conversation.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(e)
}

// add adds an event, or merges it with the previous one. s.mu must be held.
func (s *Stream) add(e conversation.Event) {
	if _, notice := e.(conversation.NoticeAdded); s.closed || s.ending && !notice {
		return
	}
	if s.watch != nil {
		s.watch(e)
	}
	s.bytes += conversation.SizeOf(e)
	switch e := e.(type) {
	case conversation.Text:
		s.mergeFrom(source{text: true, chunk: e.Chunk, message: e.MessageID})
		s.merge.buf = append(s.merge.buf, e.Text...)
	case conversation.TerminalOutput:
		s.mergeFrom(source{output: true, terminal: e.ID})
		s.merge.buf = append(s.merge.buf, e.Data...)
	default:
		s.endMerge()
		s.pending = append(s.pending, e)
	}
	s.announceAtPace(e)
}

// mergeFrom prepares the merge for more from a source. s.mu must be held.
func (s *Stream) mergeFrom(of source) {
	if s.merge.of == of {
		s.bytes -= conversation.EventOverhead
		return
	}
	s.endMerge()
	s.merge.of = of
}

// endMerge turns the merged bytes into an event. s.mu must be held.
func (s *Stream) endMerge() {
	m := &s.merge
	switch {
	case m.of.text:
		s.pending = append(s.pending, conversation.Text{Chunk: m.of.chunk, MessageID: m.of.message, Text: string(m.buf)})
		if cap(m.buf) > max(keepBuffer, 8*len(m.buf)) {
			m.buf = nil
		}
		m.buf = m.buf[:0]
	case m.of.output:
		s.pending = append(s.pending, conversation.TerminalOutput{ID: m.of.terminal, Data: m.buf})
		m.buf = nil // the event owns it now
	}
	m.of = source{}
}

// pacedReader reads what an agent writes. While text trickles in it reads once a frame:
// what the agent writes meanwhile stays in the pipe and is read at once, instead of waking
// parley for every line. It never rests during a flood, however small the reads are: a
// reader that is quicker than its agent makes small ones.
type pacedReader struct {
	r      io.Reader
	stream *Stream

	began    time.Time // when the frame began
	bytes    int       // read in it
	trickles bool      // the last frame brought little, and so has this one
}

const (
	// mostRest bounds how long the agent's next message may stay in the pipe: a question
	// or the end of a turn comes that much later after text. It is also the least time
	// of a frame of pacedReader.
	mostRest = 40 * time.Millisecond
	// floodBytes is how many bytes in a frame make a flood.
	floodBytes = 4 << 10
)

func (p *pacedReader) Read(b []byte) (int, error) {
	if p.trickles {
		if rest := p.stream.rest(); rest > 0 {
			time.Sleep(rest)
		}
	}
	n, err := p.r.Read(b)
	p.count(n)
	return n, err
}

// count notes that n bytes have been read. After a pause nothing is known of what comes
// next, until a frame has passed.
func (p *pacedReader) count(n int) {
	now := time.Now()
	p.bytes += n
	lasted := now.Sub(p.began)
	switch {
	case p.bytes >= floodBytes, lasted >= 2*mostRest:
		p.trickles = false
	case lasted >= mostRest:
		p.trickles = true
	}
	if lasted >= mostRest {
		p.began, p.bytes = now, 0
	}
}

// rest returns how long the reader of the agent's pipe may rest: a little longer than the
// pace, so that what is read next is announced at once. It is 0 unless text was added last
// and it has not been taken.
func (s *Stream) rest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace == 0 || !s.merge.of.text || s.closed {
		return 0
	}
	return min(s.pace, mostRest) + time.Millisecond
}
