package serve

import (
	"cmp"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/host"
	"parley/internal/machine"
	"parley/internal/schema"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a session with a scripted agent, in a host of this process.
type stage struct {
	t     testing.TB
	opt   session.Options
	conns chan net.Conn

	mu    sync.Mutex // guards the rest
	over  chan struct{}
	ended chan struct{} // closed when the host has ended; nil before it is made
	stop  context.CancelFunc
	known bool // it is listed although its host is not made
	// stored means that the session was stored before, and its agent has ended.
	stored bool
}

func newStage(t testing.TB, script string) *stage {
	s := &stage{t: t, conns: make(chan net.Conn), over: make(chan struct{})}
	cwd := t.TempDir()
	s.opt = session.Options{Cwd: cwd, Machine: func(w session.Observer, a session.Asker) (session.Machine, error) {
		return machine.New(w, machine.Options{Asker: a}, cwd)
	}, Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil }}
	t.Cleanup(func() {
		if s.ended != nil {
			s.stop()
			<-s.ended
		}
	})
	return s
}

// Accept, Close and Addr make the stage the listener of its host.
func (s *stage) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.isOver():
		return nil, net.ErrClosed
	}
}

func (s *stage) Close() error {
	over := s.isOver()
	select {
	case <-over:
	default:
		close(over)
	}
	return nil
}

func (s *stage) isOver() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// reset has another host made, of a session that is known.
func (s *stage) reset() {
	s.stop()
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.over, s.known = nil, make(chan struct{}), true
}

func (s *stage) Addr() net.Addr { return nil }

func (s *stage) dial(ctx context.Context, _ string) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	select {
	case s.conns <- theirs:
		return ours, nil
	case <-s.isOver():
		return nil, host.ErrGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin makes the host.
func (s *stage) begin() {
	s.opt.Recorder = store.Temporary(s.t.TempDir())
	made, err := app.Here(s.opt)
	if err != nil {
		s.t.Fatal(err)
	}
	h := host.New(host.Options{ID: "host", Session: made.(app.Local), Agent: config.Agent{ID: "agent", Name: "Agent"}, Dir: s.t.TempDir()})
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		h.Run(ctx, s)
	}()
}

// attach attaches a viewer.
func (s *stage) attach(ctx context.Context, readOnly bool) (*host.Client, error) {
	return host.Attach(ctx, host.ClientOptions{Running: "host", Dial: s.dial, Name: "viewer", ReadOnly: readOnly})
}

// sees has a viewer take events until something is true of what it sees.
func sees(viewer *host.Client, see *conversation.Conversation, is func() bool) {
	for !is() {
		<-viewer.Stream().Ready()
		for _, e := range viewer.Stream().Take() {
			see.Apply(e)
		}
	}
}

// backend makes the session once, and attaches to it then.
func (s *stage) backend() app.Backend {
	return app.Backend{
		Make: func(ctx context.Context, spec app.Spec) (*app.Opened, error) {
			s.mu.Lock()
			fresh := s.ended == nil
			if fresh {
				s.begin()
			}
			s.mu.Unlock()
			c, err := s.attach(ctx, spec.LookOn)
			if err != nil {
				return nil, err
			}
			o := &app.Opened{Session: c, Runs: !fresh, Transcript: &store.Transcript{Conversation: c.Past()}}
			if fresh && s.stored {
				o.Transcript.Conversation.Apply(conversation.AgentLost{Err: host.ErrGone})
			}
			if spec.LookOn {
				o.ReadOnly = host.ErrReadOnly
			}
			return o, nil
		},
		Visit: func(ctx context.Context, _ string) (app.Session, error) { return s.attach(ctx, true) },
		Running: func(context.Context) ([]app.Running, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.ended == nil && !s.known {
				return nil, nil
			}
			return []app.Running{{ID: "host", Cwd: s.opt.Cwd, Viewers: []string{"viewer"}}}, nil
		},
	}
}

// client is a client of the protocol. It folds what it is sent, and answers questions with decide.
type client struct {
	acpclient.Requester
	t    testing.TB
	conn *acpclient.Conn
	info *acpclient.InitializeResponse
	id   acpclient.SessionID
	// leave closes the connection, and waits until that was noticed.
	leave func()

	mu      sync.Mutex
	changed *sync.Cond
	conv    *conversation.Conversation
	kinds   []string              // of the updates, in order
	told    []acpclient.MessageID // of the user's messages, in order
	asked   []*acpclient.RequestPermissionRequest
	decide  func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error)
}

func (c *client) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conv.Apply(conversation.FromNotification(n))
	c.kinds = append(c.kinds, n.Update.UpdateKind())
	switch u := n.Update.(type) {
	case *acpclient.ContentChunk:
		if u.Chunk == acpclient.UserMessageChunk {
			c.told = append(c.told, u.MessageID)
		}
	case *acpclient.MessageUpdate:
		c.told = append(c.told, u.MessageID)
	}
	c.changed.Broadcast()
}

func (c *client) RequestPermission(ctx context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	c.mu.Lock()
	c.asked = append(c.asked, r)
	c.changed.Broadcast()
	c.mu.Unlock()
	acpclient.Async(ctx)
	id, err := c.decide(ctx, r)
	if err != nil {
		return nil, err
	}
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected(id)}, nil
}

// client connects a client that offers these capabilities, in version 2 if it is to. All messages are
// checked against the official schema.
func (s *stage) client(opt Options, caps acpclient.ClientCapabilities, offerV2 bool) *client {
	s.t.Helper()
	opt.Backend = s.backend()
	opt.Agent = cmp.Or(opt.Agent, &config.Agent{ID: "agent", Name: "Agent"})
	opt.Hello = func(context.Context, config.Agent) (conversation.AgentState, error) {
		return conversation.AgentState{Info: acpclient.Implementation{Name: "scripted"}, Steering: true}, nil
	}
	c := &client{t: s.t, conv: conversation.New(), decide: func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		return "yes", nil
	}}
	c.changed = sync.NewCond(&c.mu)
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Run(ctx, toServer, fromServer, opt)
	}()
	valid := schema.NewValidator(schema.V1Unstable())
	if offerV2 {
		valid = schema.NewValidator(schema.V2Unstable())
	}
	first := acpclient.NewClient(acpclient.NewLines(toClient, fromClient), c, acpclient.ConnOptions{Tap: func(sent bool, line []byte) {
		if err := valid.Line(map[bool]schema.Side{true: schema.Client, false: schema.Agent}[sent], line); err != nil && !sent && !strings.Contains(string(line), `"_parley/`) {
			s.t.Errorf("%s: %v", line, err)
		}
	}})
	c.conn = first.Conn()
	c.leave = func() {
		_ = fromClient.Close()
		<-ended
	}
	s.t.Cleanup(func() {
		stop()
		_, _, _ = fromClient.Close(), toServer.Close(), fromServer.Close()
		<-c.conn.Done()
		<-ended
	})
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "client", Version: "1"}, ClientCapabilities: caps}
	var err error
	if offerV2 {
		c.Requester, c.info, err = v2.Negotiate(s.t.Context(), first, c, r, nil)
	} else {
		c.Requester = first.Conn()
		c.info, err = first.Initialize(s.t.Context(), r)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// open makes the session, or opens it.
func (c *client) open(cwd string) *client {
	c.t.Helper()
	r, err := acpclient.Call(c.t.Context(), c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: cwd})
	if err != nil {
		c.t.Fatal(err)
	}
	c.id = r.SessionID
	return c
}

// prompt sends a prompt; the channel gets its end.
func (c *client) prompt(text string) <-chan string {
	done := make(chan string, 1)
	acpclient.Go(c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: c.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}},
		func(r *acpclient.PromptResponse, err error) {
			if err != nil {
				done <- err.Error()
			} else {
				done <- string(r.StopReason)
			}
		})
	return done
}

// until waits until something is true of what the client was sent.
func (c *client) until(what string, is func() bool) {
	c.t.Helper()
	stop := time.AfterFunc(20*time.Second, c.changed.Broadcast) // to report it instead of hanging
	defer stop.Stop()
	begun := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !is() {
		if time.Since(begun) > 19*time.Second {
			c.t.Fatalf("never seen: %s; updates %q, %s", what, c.kinds, transcript(c.conv))
		}
		c.changed.Wait()
	}
}

// said waits until the transcript holds a text.
func (c *client) said(text string) {
	c.t.Helper()
	c.until(text, func() bool { return strings.Contains(transcript(c.conv), text) })
}

// ends waits for the end of a prompt.
func (c *client) ends(done <-chan string, want string) {
	c.t.Helper()
	select {
	case got := <-done:
		if !strings.Contains(got, want) {
			c.t.Errorf("it ended with %q, not %q", got, want)
		}
	case <-time.After(20 * time.Second):
		c.t.Fatalf("it does not end: %s", transcript(c.conv))
	}
}

// transcript is what a conversation shows, a line an item.
func transcript(c *conversation.Conversation) string {
	var b strings.Builder
	for _, item := range c.Items {
		switch i := item.(type) {
		case *conversation.Message:
			b.WriteString(strings.TrimSuffix(string(i.Chunk), "_message_chunk") + ": " + i.Parts.Plain() + "\n")
		case *conversation.ToolCall:
			b.WriteString("call " + i.Title + " " + string(statusOf(i)) + "\n")
			for _, content := range i.Content {
				if content.Content != nil {
					b.WriteString("  " + content.Content.Text + "\n")
				}
			}
			for _, t := range i.Terminals {
				out, _ := t.Since(0)
				b.WriteString("  terminal " + string(out) + "\n")
			}
		case *conversation.Plan:
			for _, e := range i.Entries {
				b.WriteString("plan " + e.Content + " " + string(e.Status) + "\n")
			}
		case *conversation.Note:
			b.WriteString("note " + i.Title + "\n")
		}
	}
	return b.String()
}
