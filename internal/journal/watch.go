package journal

import (
	"context"
	"sync"

	"parley/acpclient"
	"parley/internal/conversation"
)

// watcher follows the events of the session beside it. Events are only queued where
// they happen; one goroutine does what they ask for, in their order.
type watcher struct {
	j      *Journal
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex // guards what follows
	wake    *sync.Cond
	queue   []job
	waiting int  // bytes of what the agent told that the queue holds
	running bool // a turn
	closed  bool
}

// job is something to do, and how many bytes of what the agent told it holds.
type job struct {
	do   func(*turnWatch)
	size int
}

// maxQueued and maxWaiting, in bytes, bound what waits before no more of what an agent
// tells of its calls is queued: when it tells of more while the disk is busy, the end of
// the turn shows what became of the files.
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

// work does what is queued.
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

// do queues something.
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

// told queues what the agent tells of a call in a turn that runs, as far as there is
// room; size is about how many bytes that are. Outside of turns an agent repeats what was
// long ago.
func (w *watcher) told(size int, f func(*turnWatch)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running && len(w.queue) < maxQueued && w.waiting < maxWaiting {
		w.doLocked(job{f, size})
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

// stop ends the watcher when it has done what is queued, or when ctx ends.
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

// Wait waits until all that has been watched so far is recorded, or ctx ends.
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

// Watch takes an event of the session. It never waits.
func (j *Journal) Watch(e conversation.Event) {
	switch e := e.(type) {
	case conversation.SessionOpened:
		j.watch.do(func(*turnWatch) { j.opened(string(e.ID)) })
	case conversation.PromptSent:
		j.turnBegins(e)
	case conversation.TurnEnded, conversation.AgentLost:
		j.watch.turnEnds()
	case conversation.PermissionOpened:
		j.told(e.Request.ToolCall, e.Size())
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ToolCall:
			j.told(acpclient.ToolCallUpdate{
				ToolCallID: u.ToolCallID, Kind: &u.Kind, Status: &u.Status, Content: u.Content, Locations: u.Locations,
			}, e.Size())
		case *acpclient.ToolCallUpdate:
			j.told(*u, e.Size())
		case *acpclient.ToolCallContentChunk:
			j.watch.told(e.Size(), func(t *turnWatch) { t.toldMore(u) })
		}
	}
}

// opened notes which session of the agent's it is.
func (j *Journal) opened(id string) {
	j.mu.Lock()
	known := j.history.session == id
	j.history.session = id
	j.mu.Unlock()
	if !known {
		err := j.log.add(record{Kind: kindSession, Session: id}, false)
		j.mu.Lock()
		j.note(err)
		j.mu.Unlock()
	}
}

// turnBegins counts a turn. A prompt that is sent once more, because the agent was
// started again, is the same turn.
func (j *Journal) turnBegins(e conversation.PromptSent) {
	j.watch.mu.Lock()
	again := j.watch.running
	j.watch.running = true
	j.watch.mu.Unlock()
	if again {
		return
	}
	r := record{Kind: kindTurn, At: e.At, Prompt: promptLine(e.Prompt)}
	j.mu.Lock()
	r.Turn = j.history.turn() + 1
	j.history.apply(r)
	j.bump()
	j.mu.Unlock()
	j.watch.do(func(t *turnWatch) { t.begin(r) })
}

// promptLine is the first line of a prompt.
func promptLine(prompt []acpclient.ContentBlock) string {
	for _, b := range prompt {
		if line := firstLine(b.Text); line != "" {
			return line
		}
	}
	return ""
}

// told queues what the agent tells of a tool call, if it may be about files; size is that
// of the event.
func (j *Journal) told(u acpclient.ToolCallUpdate, size int) {
	if len(u.Content) > 0 || len(u.Locations) > 0 || u.Status != nil {
		j.watch.told(size, func(t *turnWatch) { t.told(u) })
	}
}
