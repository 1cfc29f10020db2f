package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a session without an agent. Acts that a test does not replace fail.
type fake struct {
	stored    store.ID
	app.Local // nil
	stream    *session.Stream
	log       *store.Recorder
	ring      *record.Ring

	mu       sync.Mutex
	prompts  []string // those that it was given
	answered map[int]bool
	cwd      string
	happened []conversation.Event
	state    *conversation.State
	closing  conversation.Event // happens when it is closed, if it is not nil
}

// newFake returns a session in which these events have happened.
func newFake(before ...conversation.Event) *fake {
	f := &fake{stored: "stored", stream: session.NewStream(), log: store.Temporary(os.TempDir()), state: conversation.NewState(), answered: map[int]bool{}}
	f.stream.RecordTo(f.log)
	f.log.Record(before)
	for _, e := range before {
		f.state.Apply(e)
	}
	return f
}

func (f *fake) Log() *store.Recorder { return f.log }

func (f *fake) Read(read func(*conversation.State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	read(f.state)
}

func (f *fake) Stream() *session.Stream   { return f.stream }
func (f *fake) About() app.About          { return app.About{Cwd: cmp.Or(f.cwd, "/w"), Dirs: []string{"/d"}} }
func (f *fake) StoredID() store.ID        { return f.stored }
func (f *fake) Journal() *journal.Summary { return nil }
func (f *fake) Ring() *record.Ring        { return f.ring }

func (f *fake) Close(context.Context) {
	if f.closing != nil {
		f.post(f.closing)
	}
	f.stream.Close()
}

// Perform implements [app.Session]. A prompt is an event, and a turn is always running.
func (f *fake) Perform(_ context.Context, c session.Call) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch a := c.Act().(type) {
	case session.Prompt:
		f.prompts = append(f.prompts, a.Prompt.Text())
		f.postLocked(conversation.PromptSent{Prompt: a.Prompt.Prompt})
	case session.Answer:
		if f.answered[a.Question.ID] {
			return session.ErrAnswered
		}
		f.answered[a.Question.ID] = true
		f.postLocked(conversation.QuestionClosed{ID: a.Question.ID, Outcome: acpclient.PermissionSelected(a.Option)})
	case session.AddNotice:
		f.postLocked(conversation.NoticeAdded{Severity: a.Severity, Title: a.Title, Detail: a.Detail})
	case session.Cancel:
		return c.SetResult(json.RawMessage("true"))
	}
	return nil
}

// post adds an event without waiting.
func (f *fake) post(e conversation.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.postLocked(e)
}

func (f *fake) postLocked(e conversation.Event) {
	f.happened = append(f.happened, e)
	f.state.Apply(e)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	f.stream.Push(gone, e)
}

func text(s string) conversation.Text {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: s}
}

func queued(s string) conversation.QueuedPrompt {
	return conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(s)}}
}

// pipes are a listener without a network.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return nil }

// dial connects as [connect] does.
func (p *pipes) dial(ctx context.Context, _ string) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, fmt.Errorf("session: %w", ErrGone)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// running is a host that runs for a test.
type running struct {
	*Host
	*pipes
	stop  context.CancelCauseFunc
	ended chan struct{}
}

// start starts a host.
func start(t testing.TB, opt Options) *running {
	t.Helper()
	opt.ID, opt.Agent = cmp.Or(opt.ID, "id"), config.Agent{ID: "agent", Name: "Agent"}
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	h := New(opt)
	r := &running{Host: h, pipes: newPipes(), ended: make(chan struct{})}
	var ctx context.Context
	ctx, r.stop = context.WithCancelCause(context.Background())
	go func() {
		defer close(r.ended)
		h.Run(ctx, r.pipes)
	}()
	return r
}

// end ends the host, and waits for that.
func (r *running) end() {
	r.stop(errors.New("the test is over"))
	<-r.ended
}

// run runs a host until the end of the test.
func run(t testing.TB, opt Options) *running {
	t.Helper()
	r := start(t, opt)
	t.Cleanup(r.end)
	return r
}

// attach attaches a viewer until the end of the test.
func (r *running) attach(t testing.TB, opt ClientOptions) *watcher {
	t.Helper()
	if opt.Dial == nil {
		opt.Dial = r.dial
	}
	if opt.Name == "" {
		opt.Name = "viewer"
	}
	c, err := Attach(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c.Close(ctx)
	})
	return &watcher{Client: c, seen: c.Past()}
}

// watcher folds what a viewer sees.
type watcher struct {
	*Client
	seen   *conversation.Conversation
	events []conversation.Event // those that came after attaching
}

// until takes events until done says so.
func (w *watcher) until(t testing.TB, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-w.Stream().Ready():
			for _, e := range w.Stream().Take() {
				w.events = append(w.events, e)
				w.seen.Apply(e)
			}
		case <-t.Context().Done():
			t.Fatal("it is never seen")
		}
	}
}

// untilNotice waits for a notice of parley's.
func (w *watcher) untilNotice(t testing.TB, title string) {
	t.Helper()
	w.until(t, func() bool {
		for _, i := range w.seen.Items {
			if n, ok := i.(*conversation.Note); ok && n.Title == title {
				return true
			}
		}
		return false
	})
}

// said is what the agent has said.
func said(c *conversation.Conversation) (all string) {
	for _, i := range c.Items {
		if m, ok := i.(*conversation.Message); ok && m.Chunk == acpclient.AgentMessageChunk {
			for _, p := range m.Parts {
				all += p.Text()
			}
		}
	}
	return all
}
