package journal

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// watcher processes the events of the session in a goroutine of its own, in order. The
// session only queues them.
type watcher struct {
	j      *Journal
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex // guards what follows
	wake    *sync.Cond
	queue   []job
	waiting int  // bytes of the queued reports of the agent
	running bool // a turn
	closed  bool
}

// job is something to do; size counts the bytes of the agent's report that it holds.
type job struct {
	do   func(*turnWatch)
	size int
}

// maxQueued and maxWaiting, in bytes, bound the queue of the agent's reports. When the
// disk is too slow for more, the end of the turn shows what changed.
const (
	maxQueued  = 10_000
	maxWaiting = 64 << 20
)

func (w *watcher) start(j *Journal) {
	w.j, w.ended = j, make(chan struct{})
	w.wake = sync.NewCond(&w.mu)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	go w.work()
	w.do(func(*turnWatch) { j.prune() })
}

func (w *watcher) work() {
	defer close(w.ended)
	t := &turnWatch{j: w.j, ctx: w.ctx, stats: map[string]stat{}}
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.closed {
			w.wake.Wait()
		}
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		next := w.queue[0]
		w.queue[0] = job{}
		w.queue = w.queue[1:]
		w.mu.Unlock()
		if w.ctx.Err() == nil {
			next.do(t)
		}
		w.mu.Lock()
		w.waiting -= next.size
		w.mu.Unlock()
	}
}

func (w *watcher) do(f func(*turnWatch)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doLocked(job{do: f})
}

// doLocked is do with w.mu held.
func (w *watcher) doLocked(j job) {
	if !w.closed {
		w.queue = append(w.queue, j)
		w.waiting += j.size
		w.wake.Signal()
	}
}

// report queues a report about a call if a turn runs and there is room; size is its
// approximate size in bytes. Outside of turns an agent replays history.
func (w *watcher) report(size int, f func(*turnWatch)) {
	at := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running && len(w.queue) < maxQueued && w.waiting < maxWaiting {
		w.doLocked(job{func(t *turnWatch) { t.at = at; f(t) }, size})
	}
}

// turnEnds queues the end of the turn, if one runs.
func (w *watcher) turnEnds() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		w.running = false
		w.doLocked(job{do: (*turnWatch).end})
	}
}

// stop ends the watcher when the queue is empty or ctx ends.
func (w *watcher) stop(ctx context.Context) {
	w.turnEnds()
	w.mu.Lock()
	w.closed = true
	w.wake.Signal()
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.cancel)()
	<-w.ended
	w.cancel()
}

// Wait waits until everything watched so far is recorded, or ctx ends.
func (j *Journal) Wait(ctx context.Context) error {
	done := make(chan struct{})
	j.watch.do(func(*turnWatch) { close(done) })
	select {
	case <-done:
		return nil
	case <-j.watch.ended:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Watch takes an event of the session. It never blocks.
func (j *Journal) Watch(e conversation.Event) {
	switch e := e.(type) {
	case conversation.SessionOpened:
		j.watch.do(func(*turnWatch) { j.opened(string(e.ID)) })
	case conversation.PromptSent:
		j.turnBegins(e)
	case conversation.TurnEnded, conversation.AgentLost:
		j.watch.turnEnds()
	case conversation.PermissionOpened:
		if e.File == nil {
			j.watch.report(conversation.SizeOf(e), func(t *turnWatch) { t.opened(e.ID, e.Request.ToolCall) })
		}
	case conversation.QuestionClosed:
		j.watch.report(conversation.SizeOf(e), func(t *turnWatch) { t.answered(e.ID) })
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ToolCall:
			j.report(acpclient.ToolCallUpdate{
				ToolCallID: u.ToolCallID, Kind: &u.Kind, Status: &u.Status, Content: u.Content, Locations: u.Locations, RawInput: u.RawInput,
			}, conversation.SizeOf(e))
		case *acpclient.ToolCallUpdate:
			j.report(*u, conversation.SizeOf(e))
		case *acpclient.ToolCallContentChunk:
			j.watch.report(conversation.SizeOf(e), func(t *turnWatch) { t.reportedMore(u) })
		}
	}
}

func (j *Journal) opened(id string) {
	j.mu.Lock()
	known := j.history.session == id
	r := record{Kind: kindSession, Session: id}
	if !known {
		j.history.apply(r)
	}
	j.mu.Unlock()
	if !known && j.ready() == nil {
		j.note(j.log.add(r, false))
	}
}

// turnBegins counts a turn. A prompt that is sent again after a restart of the agent
// continues the same turn.
func (j *Journal) turnBegins(e conversation.PromptSent) {
	j.watch.mu.Lock()
	again := j.watch.running
	j.watch.running = true
	j.watch.mu.Unlock()
	if again {
		return
	}
	r := record{Kind: kindTurn, At: e.At}
	for _, b := range e.Prompt {
		if r.Prompt = firstLine(b.Text); r.Prompt != "" {
			break
		}
	}
	j.mu.Lock()
	r.Turn = j.history.turn() + 1
	since := j.history.lastID
	j.history.apply(r)
	j.bump()
	j.mu.Unlock()
	j.watch.do(func(t *turnWatch) { t.begin(r, since) })
}

// firstLine returns the beginning of a text, for display.
func firstLine(text string) string {
	const most = 200
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return termtext.Head(line, most, "…")
}

// report queues an update of a tool call that may concern files; size is the event's.
func (j *Journal) report(u acpclient.ToolCallUpdate, size int) {
	if len(u.Content) > 0 || len(u.Locations) > 0 || u.Status != nil {
		j.watch.report(size, func(t *turnWatch) { t.reported(u) })
	}
}
