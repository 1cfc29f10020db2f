package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeAgent is an agent in this process. Its requests of the client come from
// the test; what the client asks of it waits in asked until the test answers,
// unless auto has an answer.
type fakeAgent struct {
	conn *acpclient.Conn
	auto map[string]any // results by method; an *acpclient.Error is an error
	// prompted is called with each prompt, before the next message is read; it may be nil.
	prompted func()

	mu    sync.Mutex
	asked []*asked
	log   []string // methods, in the order of the wire
	die   func()
	hears *io.PipeReader
	says  *io.PipeWriter
	once  sync.Once
	done  chan struct{}
	err   error
	slow  bool          // ends only when it is made to, or when let is closed
	let   chan struct{} // may be nil
}

// asked is a request of the client that the test has to answer.
type asked struct {
	method string
	params json.RawMessage
	answer chan any
}

func (a *fakeAgent) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, method)
	if method == acpclient.SessionCancel.Name {
		a.log[len(a.log)-1] += " " + sessionOf(params)
	}
}

func (a *fakeAgent) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	a.mu.Lock()
	a.log = append(a.log, strings.TrimSpace(method+" "+sessionOf(params)))
	if method == acpclient.SessionPrompt.Name && a.prompted != nil {
		a.prompted()
	}
	result, known := a.auto[method]
	q := &asked{method, params, make(chan any, 1)}
	if !known {
		a.asked = append(a.asked, q)
	}
	a.mu.Unlock()
	acpclient.Async(ctx)
	if !known {
		select {
		case result = <-q.answer:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err, ok := result.(error); ok {
		return nil, err
	}
	return result, nil
}

func sessionOf(params json.RawMessage) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p)
	return p.SessionID
}

// open returns the oldest request of a method that is not answered, nil if there
// is none.
func (a *fakeAgent) open(method string) *asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.asked {
		if q.method == method {
			return q
		}
	}
	return nil
}

// reply answers the oldest open request of a method, with a result or an error.
func (a *fakeAgent) reply(t testing.TB, method string, result any) {
	t.Helper()
	q := a.open(method)
	if q == nil {
		t.Fatalf("no %s is open; the agent got %q", method, a.got())
	}
	a.mu.Lock()
	a.asked = slices.DeleteFunc(a.asked, func(o *asked) bool { return o == q })
	a.mu.Unlock()
	q.answer <- result
}

// got is the log so far.
func (a *fakeAgent) got() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.log)
}

func (a *fakeAgent) count(method string) int {
	n := 0
	for _, m := range a.got() {
		if m == method || strings.HasPrefix(m, method+" ") {
			n++
		}
	}
	return n
}

func (a *fakeAgent) set(method string, result any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.auto[method] = result
}

// update sends an update of a session, given as JSON.
func (a *fakeAgent) update(session, update string) {
	_ = a.conn.Notify("session/update", json.RawMessage(fmt.Sprintf(`{"sessionId":%q,"update":%s}`, session, update)))
}

func (a *fakeAgent) text(session, text string) {
	a.update(session, fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}

// answered is the outcome of a request that the agent made.
type answered struct {
	raw json.RawMessage
	err error
}

// ask makes a request of the client, the answer comes on the channel.
func (a *fakeAgent) ask(ctx context.Context, method, params string) chan answered {
	ch := make(chan answered, 1)
	go func() {
		var raw json.RawMessage
		err := a.conn.Call(ctx, method, json.RawMessage(params), &raw)
		ch <- answered{raw, err}
	}()
	return ch
}

// exit ends the agent, as a process does.
func (a *fakeAgent) exit(err error) {
	a.once.Do(func() {
		a.err = err
		close(a.done)
		a.die()
	})
}

// spawn makes the Peer of a fakeAgent.
func (a *fakeAgent) spawn() *acpclient.Peer {
	inR, inW := io.Pipe()   // client to agent
	outR, outW := io.Pipe() // agent to client
	a.done, a.hears, a.says = make(chan struct{}), inR, outW
	a.die = func() { _ = errors.Join(inR.Close(), outW.Close()) }
	a.conn = acpclient.NewConn(acpclient.NewLines(inR, outW), a, acpclient.ConnOptions{})
	return &acpclient.Peer{
		In: outR, Out: inW, Done: a.done,
		Err:    func() error { return a.err },
		Stderr: func() string { return "stderr of the agent" },
		Stop: func(ctx context.Context) {
			if a.slow {
				select {
				case <-ctx.Done():
				case <-a.let:
				}
			}
			_ = inW.Close()
			select {
			case <-a.conn.Done(): // it has read its stdin to the end
			case <-ctx.Done():
			}
			a.exit(errors.New("stopped"))
			<-a.done
			a.conn.Close()
		},
	}
}

// resultOf does an act that cannot fail.
func resultOf[R any](on Doer, a Act[R]) R {
	r, _ := Do(context.Background(), on, a)
	return r
}

// harness is a Session with a fake agent and the conversation that its stream
// folds into.
type harness struct {
	testing.TB
	*Session
	conv    *conversation.Conversation
	events  []conversation.Event
	agents  []*fakeAgent
	machine *fakeMachine
	prepare func(*fakeAgent) // before an agent is started
	spawnOf func() error
}

// hello is a plain answer to initialize, with capabilities as JSON.
func hello(capabilities string) json.RawMessage {
	return json.RawMessage(`{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1"},"agentCapabilities":` + capabilities + `,
		"authMethods":[{"id":"agent","name":"Agent"},{"id":"tty","name":"Terminal","type":"terminal","args":["--login"],"env":{"B":"2","A":"1"}}]}`)
}

const everything = `{"loadSession":true,"sessionCapabilities":{"resume":{},"list":{},"delete":{},"close":{},"fork":{},"title":{}},"auth":{"logout":{}}}`

// older is what an agent without config options says when it opens a session.
const older = `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan"}]},
	"models":{"currentModelId":"m","availableModels":[{"modelId":"m","name":"M"},{"modelId":"x","name":"X"}]}`

// lineTap is a tap of the wire alone.
type lineTap func(sent bool, line []byte)

func (t lineTap) Line(sent bool, line []byte)   { t(sent, line) }
func (lineTap) Stderr([]byte)                   {}
func (lineTap) Take([]conversation.Event) error { return nil }

// newHarness must be called in a bubble. The client's messages are held against
// the schema.
func newHarness(t testing.TB, change ...func(*harness, *Options)) *harness {
	h := &harness{TB: t, conv: conversation.New(), machine: &fakeMachine{}}
	var validator atomic.Pointer[schema.Validator] // of the latest connection
	var starts atomic.Int32
	opt := Options{
		Command: acpclient.Command{Path: "fake", Args: []string{"acp"}, Env: []string{"A=0"}},
		Client:  acpclient.Implementation{Name: "parley", Version: "0"},
		Cwd:     "/work",
		Machine: func(w Observer, a Asker) (Machine, error) {
			h.machine.observer, h.machine.asker = w, a
			return h.machine, nil
		},
		Taps: []Tap{lineTap(func(sent bool, line []byte) {
			if !sent && len(line) < 1000 && bytes.Contains(line, []byte(`"id"`)) {
				_ = validator.Load().Line(schema.Agent, line) // it may say what it likes
			}
			if !sent {
				return
			}
			err := validator.Load().Line(schema.Client, line)
			if starts.Load() > 1 && err != nil && strings.Contains(err.Error(), "no open request") {
				return // an answer to the agent before this one
			}
			if err != nil {
				t.Errorf("sent %s: %v", line, err)
			}
		})},
	}
	opt.Spawn = func(acpclient.Command) (*acpclient.Peer, error) {
		if h.spawnOf != nil {
			if err := h.spawnOf(); err != nil {
				return nil, err
			}
		}
		a := &fakeAgent{auto: map[string]any{
			"initialize":  hello(everything),
			"session/new": json.RawMessage(fmt.Sprintf(`{"sessionId":"s%d",%s}`, len(h.agents)+1, older)),
		}}
		if h.prepare != nil {
			h.prepare(a)
		}
		starts.Add(1)
		validator.Store(schema.NewValidator(schema.V1Unstable(), acpclient.SessionSetModel.Name))
		peer := a.spawn()
		h.agents = append(h.agents, a)
		return peer, nil
	}
	for _, c := range change {
		c(h, &opt)
	}
	s, err := NewSession(opt)
	if err != nil {
		t.Fatal(err)
	}
	h.Session = s
	return h
}

// bubble runs a test with a harness whose session is open, and closes it.
func bubble(t *testing.T, test func(t *testing.T, h *harness), change ...func(*harness, *Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, change...)
		defer h.close()
		Post(h, Start{})
		h.settle()
		test(t, h)
	})
}

func (h *harness) close() {
	h.Session.Close(context.Background())
	h.settle()
	if !h.Stream().Closed() {
		h.Error("the stream is not closed")
	}
}

// agent is the one started last.
func (h *harness) agent() *fakeAgent { return h.agents[len(h.agents)-1] }

// settle waits until nothing moves any more, and folds what has happened.
func (h *harness) settle() {
	for {
		synctest.Wait()
		batch := h.Stream().Take()
		if len(batch) == 0 {
			return
		}
		for _, e := range batch {
			h.events = append(h.events, e)
			h.conv.Apply(e)
		}
	}
}

func (h *harness) prompt(text string) {
	Post(h, Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}})
	h.settle()
}

// reply lets the agent answer, and waits.
func (h *harness) reply(method, result string) {
	h.Helper()
	h.agent().reply(h, method, json.RawMessage(result))
	h.settle()
}

func (h *harness) fail(method string, code acpclient.ErrorCode, message string) {
	h.Helper()
	h.agent().reply(h, method, &acpclient.Error{Code: code, Message: message})
	h.settle()
}

// setMode and setModel switch the mode and the model of an agent that has no
// config options.
func (h *harness) setMode(id acpclient.ConfigValueID) {
	Post(h, SetOption{conversation.LegacyModeID, acpclient.SelectValue(id)})
}

func (h *harness) setModel(id acpclient.ConfigValueID) {
	Post(h, SetOption{conversation.LegacyModelID, acpclient.SelectValue(id)})
}

// value is the value of the option of a category that the agent has confirmed,
// "" if there is no such option.
func (h *harness) value(cat acpclient.ConfigCategory) acpclient.ConfigValueID {
	if o := h.conv.OptionByCategory(cat); o != nil {
		return o.CurrentValue.ID
	}
	return ""
}

// eventsOf returns the events of one type.
func eventsOf[E conversation.Event](h *harness) []E {
	var out []E
	for _, e := range h.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// fakeMachine answers what it is told to.
type fakeMachine struct {
	observer Observer
	asker    Asker
	readErr  error
	closed   bool
	ended    int // how often EndTerminals was called
	// busy, if set, holds up a write, which then asks the user.
	busy chan struct{}
}

func (m *fakeMachine) EndTerminals() { m.ended++ }

func (m *fakeMachine) StartShell(_ context.Context, s ShellSpec) (acpclient.TerminalID, error) {
	m.observer(conversation.ShellStarted{ID: "own", Command: s.Line, Cwd: "/work", Lasts: s.Line == ""})
	return "own", nil
}

func (m *fakeMachine) TypeInto(acpclient.TerminalID, []byte) error { return nil }

func (m *fakeMachine) ResizeTerminal(acpclient.TerminalID, int, int) error { return nil }

func (m *fakeMachine) EndTerminal(acpclient.TerminalID) error { return nil }

func (m *fakeMachine) ReadTextFile(_ context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	if m.readErr != nil {
		return nil, m.readErr
	}
	return &acpclient.ReadTextFileResponse{Content: "text"}, nil
}

func (m *fakeMachine) WriteTextFile(ctx context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	if m.busy != nil {
		<-m.busy
		if _, err := m.asker.Ask(ctx, aboutFile(&conversation.FileQuestion{Path: r.Path, Target: r.Path, Write: true}), ""); err != nil {
			return nil, err
		}
	}
	m.observer(conversation.FileWritten{Path: r.Path})
	return &acpclient.WriteTextFileResponse{}, nil
}

func (m *fakeMachine) CreateTerminal(_ context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	m.observer(conversation.TerminalCreated{ID: "term", Command: r.Command, Cwd: "/work"})
	m.observer(conversation.TerminalOutput{ID: "term", Data: []byte("out")})
	code := 0
	m.observer(conversation.TerminalExited{ID: "term", Status: acpclient.TerminalExitStatus{ExitCode: &code}})
	return &acpclient.CreateTerminalResponse{TerminalID: "term"}, nil
}

func (m *fakeMachine) TerminalOutput(context.Context, *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error) {
	return &acpclient.TerminalOutputResponse{Output: "out"}, nil
}

func (m *fakeMachine) WaitForTerminalExit(ctx context.Context, _ *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error) {
	<-ctx.Done() // never of itself
	return nil, ctx.Err()
}

func (m *fakeMachine) KillTerminal(context.Context, *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error) {
	return &acpclient.KillTerminalResponse{}, nil
}

func (m *fakeMachine) ReleaseTerminal(context.Context, *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error) {
	return &acpclient.ReleaseTerminalResponse{}, nil
}

func (m *fakeMachine) Close() { m.closed = true }
