package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
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
	"parley/internal/journal"
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

	id string // of its host
	// library stores the session, and lists the stored ones; nil stores nothing.
	library *store.Library
	store   *store.Store
	// others are the stages of more agents, by id, from which a client may choose; forks is that of a fork.
	others map[string]*stage
	forks  *stage
	// lax attaches clients that look on as if they did not, to see what serve itself refuses.
	lax bool
	// reached gets an element when the silent host is reached.
	reached chan struct{}

	mu      sync.Mutex // guards the rest
	viewers []string   // of the session, as listed
	silent  string     // why its host does not answer, as listed
	running []app.Running
	made    []app.Spec // what was asked for
	local   app.Local
	host    *host.Host
	over    chan struct{}
	ended   chan struct{} // closed when the host has ended; nil before it is made
	stop    context.CancelFunc
	known   bool // it is listed although its host is not made
	// stored means that the session was stored before, and its agent has ended.
	stored bool
}

func newStage(t testing.TB, script string) *stage {
	s := &stage{t: t, id: "host", viewers: []string{"viewer"}, conns: make(chan net.Conn), over: make(chan struct{}), reached: make(chan struct{}, 1)}
	s.opt = session.Options{Cwd: t.TempDir(), Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil }}
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

// storing has the session stored.
func (s *stage) storing() *stage {
	s.store = store.New(s.t.TempDir())
	s.library = store.NewLibrary(s.store)
	s.t.Cleanup(func() { _ = s.library.Close() })
	return s
}

// begin makes the host.
func (s *stage) begin(spec app.Spec) {
	opt := s.opt
	opt.MCPServers = spec.MCP
	switch {
	case s.library == nil:
		opt.Recorder = store.Temporary(s.t.TempDir())
	case spec.Stored != "" && spec.Branch == 0:
		t, err := s.library.Read(context.Background(), spec.Stored)
		log, continued := s.library.Continue(spec.Stored)
		if err := errors.Join(err, continued); err != nil {
			s.t.Error(err)
			return
		}
		opt.Recorder = s.library.Record(t.Meta, log)
		opt.ResumeID, opt.HasTranscript, opt.Past = t.Conversation.ID, true, &t.Conversation.State
	default:
		opt.Recorder = s.library.Record(store.Meta{ID: spec.As, Cwd: s.opt.Cwd, Agent: "agent"}, nil)
	}
	changes, err := journal.Open(journal.Options{Dir: s.t.TempDir(), Cwd: opt.Cwd, Roots: []string{opt.Cwd}})
	if err != nil {
		s.t.Error(err)
		return
	}
	opt.Journal = changes
	var h *host.Host
	opt.Machine = func(w session.Observer, a session.Asker) (session.Machine, error) {
		m, err := machine.New(w, machine.Options{Asker: a, Editor: func() func(context.Context, string) (string, error) { return h.Editor() }}, opt.Cwd)
		if err == nil {
			m.Journal(changes)
		}
		return m, err
	}
	made, err := app.Here(opt)
	if err != nil {
		s.t.Error(err)
		return
	}
	s.local = made.(app.Local)
	h = host.New(host.Options{ID: s.id, Session: s.local, Agent: config.Agent{ID: "agent", Name: "Agent"}, Dir: s.t.TempDir()})
	s.host = h
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.ended, s.over = ended, make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(ctx, s)
	}()
}

// runs reports whether its host runs. s.mu must be held.
func (s *stage) runs() bool {
	if s.ended == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// attach attaches a viewer.
func (s *stage) attach(ctx context.Context, readOnly bool) (*host.Client, error) {
	return s.attachWith(ctx, host.ClientOptions{ReadOnly: readOnly})
}

func (s *stage) attachWith(ctx context.Context, opt host.ClientOptions) (*host.Client, error) {
	opt.Running, opt.Dial, opt.Name = s.id, s.dial, "viewer"
	return host.Attach(ctx, opt)
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
	b := app.Backend{
		Stored: s.library,
		Make:   s.make,
		Visit:  func(ctx context.Context, _ string) (app.Session, error) { return s.attach(ctx, true) },
		Running: func(context.Context) (all []app.Running, err error) {
			s.mu.Lock()
			all = append(all, s.running...)
			s.mu.Unlock()
			for _, one := range append(slices.Collect(maps.Values(s.others)), s, s.forks) {
				if one != nil {
					all = append(all, one.listed()...)
				}
			}
			return all, nil
		},
	}
	if s.others != nil {
		b.Available = func() ([]config.Agent, error) {
			all := []config.Agent{{ID: "agent", Name: "Agent"}}
			for _, id := range slices.Sorted(maps.Keys(s.others)) {
				all = append(all, config.Agent{ID: id, Name: strings.ToUpper(id)})
			}
			return all, nil
		}
	}
	return b
}

// listed is the session as the list has it, if it runs.
func (s *stage) listed() []app.Running {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.runs() && !s.known {
		return nil
	}
	r := app.Running{ID: s.id, Cwd: s.opt.Cwd, Viewers: s.viewers, Silent: s.silent}
	if s.runs() {
		r.Stored = s.local.StoredID()
		s.local.Read(func(c *conversation.State) { r.Overview, r.Session = app.OverviewOf(c, nil), c.ID })
	}
	return []app.Running{r}
}

// silentHost is the id of a host that never answers.
const silentHost = "silent"

func (s *stage) make(ctx context.Context, spec app.Spec) (*app.Opened, error) {
	switch {
	case spec.Running == silentHost:
		s.reached <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	case spec.LookOn && spec.Running == "":
		return (&app.Launcher{Store: s.store, Config: &config.Config{}}).Make(ctx, spec)
	}
	if s.mu.Lock(); spec.Running == "" && s.ended != nil {
		select {
		case <-s.over: // it is just ending
			<-s.ended
		default:
		}
	}
	s.made = append(s.made, spec)
	fresh := !s.runs()
	other := s.others[cmp.Or(spec.Agent, &config.Agent{}).ID]
	if spec.Branch != 0 && s.forks != s {
		other = s.forks
	}
	if other == nil && fresh {
		s.begin(spec)
	}
	s.mu.Unlock()
	if other != nil {
		return other.make(ctx, spec)
	}
	if spec.Running != "" && spec.Running != s.id {
		return nil, host.ErrGone
	}
	c, err := s.attachWith(ctx, host.ClientOptions{ReadOnly: spec.LookOn && !s.lax, ReadFile: spec.ReadFile})
	if err != nil {
		return nil, err
	}
	o := &app.Opened{Agent: *cmp.Or(spec.Agent, &config.Agent{ID: "agent", Name: "Agent"}), Session: c, Runs: !fresh, Transcript: &store.Transcript{Conversation: c.Past()}}
	if fresh && (s.stored || spec.Stored != "" && spec.Branch == 0) {
		o.Transcript.Conversation.Apply(conversation.AgentLost{Err: host.ErrGone})
	}
	if spec.LookOn {
		o.ReadOnly = host.ErrReadOnly
	}
	return o, nil
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
	lines   []string              // all that it was sent, as it was
	told    []acpclient.MessageID // of the user's messages, in order
	asked   []*acpclient.RequestPermissionRequest
	unsaved map[string]string // texts of files, by path
	opened  []string          // paths of files that it was asked for, each after the session
	decide  func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error)
	fill    func(context.Context, *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error)
}

// call makes a request, of which only the error counts. Extensions are the same in both versions.
func (c *client) call(method string, params any) error {
	if strings.HasPrefix(method, "_") {
		return c.conn.Call(c.t.Context(), method, params, nil)
	}
	return c.Call(c.t.Context(), method, params, nil)
}

func (c *client) CreateElicitation(ctx context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
	acpclient.Async(ctx)
	return c.fill(ctx, r)
}

func (*client) CompleteElicitation(context.Context, *acpclient.CompleteElicitationNotification) {}

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

func (c *client) ReadTextFile(_ context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = append(c.opened, string(r.SessionID)+" "+r.Path)
	text, has := c.unsaved[r.Path]
	if !has {
		return nil, acpclient.NotFoundError(r.Path)
	}
	return &acpclient.ReadTextFileResponse{Content: text}, nil
}

func (c *client) WriteTextFile(_ context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	c.t.Errorf("the client was told to write %s", r.Path)
	return nil, acpclient.MethodNotFoundError("fs/write_text_file")
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
	if id == "" {
		return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
	}
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected(id)}, nil
}

// extension matches what the schema does not know.
var extension = regexp.MustCompile(`"_parley/|"hologram"`)

// client connects a client that offers these capabilities, in version 2 if it is to. All messages are
// checked against the official schema.
func (s *stage) client(opt Options, caps acpclient.ClientCapabilities, offerV2 bool) *client {
	s.t.Helper()
	opt.Backend = s.backend()
	if s.others == nil {
		opt.Agent = cmp.Or(opt.Agent, &config.Agent{ID: "agent", Name: "Agent"})
	}
	if opt.Hello == nil {
		opt.Hello = func(context.Context, config.Agent) (conversation.AgentState, error) {
			return conversation.AgentState{Info: acpclient.Implementation{Name: "scripted"}, Steering: true}, nil
		}
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
		if !sent {
			c.mu.Lock()
			c.lines = append(c.lines, string(line))
			c.changed.Broadcast()
			c.mu.Unlock()
		}
		if err := valid.Line(map[bool]schema.Side{true: schema.Client, false: schema.Agent}[sent], line); err != nil && !sent && !extension.Match(line) {
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

// viewer attaches a viewer until the test ends.
func (s *stage) viewer() *host.Client {
	s.t.Helper()
	v, err := s.attach(s.t.Context(), false)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { v.Close(context.Background()) })
	return v
}

// remembers stores sessions, and returns their ids. The agent's own are agents-0, agents-1 and so on.
func (s *stage) remembers(prompts ...string) (ids []acpclient.SessionID) {
	s.t.Helper()
	for _, log := range test.Sessions(s.t.(*testing.T), func() (*store.Log, error) {
		return s.library.Create(store.Meta{Agent: "agent", Cwd: s.opt.Cwd})
	}, prompts...) {
		ids = append(ids, acpclient.SessionID(log.ID()))
	}
	return ids
}

// updates returns the updates that the client was sent, as it was: the kind, and the rest as JSON. c.mu must
// be held.
func (c *client) updates() (all []string) {
	for _, line := range c.lines {
		var m struct {
			Params struct {
				Update map[string]any `json:"update"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Error(err)
		}
		if kind := m.Params.Update["sessionUpdate"]; kind != nil {
			delete(m.Params.Update, "sessionUpdate")
			rest, _ := json.Marshal(m.Params.Update) // it was JSON
			all = append(all, fmt.Sprintf("%s %s", kind, rest))
		}
	}
	return all
}

// load opens a session, in either version.
func (c *client) load(id acpclient.SessionID) error {
	_, err := acpclient.Call(c.t.Context(), c, acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: id, Cwd: c.t.TempDir(), MCPServers: servers})
	c.id = id
	return err
}

// reports asks for the status until something is true of it.
func (c *client) reports(is func(Status) bool) Status {
	c.t.Helper()
	for begun := time.Now(); ; {
		var st Status
		if err := c.conn.Call(c.t.Context(), MethodStatus, map[string]any{"sessionId": c.id}, &st); err != nil {
			c.t.Fatal(err)
		}
		if is(st) {
			return st
		} else if time.Since(begun) > 20*time.Second {
			c.t.Fatalf("the status stays %+v", st)
		}
	}
}
