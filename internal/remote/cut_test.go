package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/remote"
	"parley/internal/session"
	"parley/internal/test"
)

// chunks is how many pieces the answer to a prompt has.
const chunks = 10

// keeperAgent is an agent whose session outlives its connections. It answers each prompt
// with pieces that name it, and counts what it is asked.
type keeperAgent struct {
	offersV2 bool

	mu      sync.Mutex
	counts  map[string]int
	prompts int
	told    []string // the history, in the second version
}

func (a *keeperAgent) serve(ctx context.Context, in io.Reader, out io.Writer) {
	h := &keeperConn{agent: a, ready: make(chan struct{})}
	h.conn = acpclient.NewConn(acpclient.NewLines(in, out), h, acpclient.ConnOptions{})
	close(h.ready)
	select {
	case <-h.conn.Done():
	case <-ctx.Done():
		h.conn.Close()
	}
}

type keeperConn struct {
	agent *keeperAgent
	ready chan struct{} // closed when conn is set
	conn  *acpclient.Conn
}

func (*keeperConn) HandleNotification(context.Context, string, json.RawMessage) {}

func (h *keeperConn) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if h.agent.offersV2 {
		return h.handleV2(ctx, method, params)
	}
	switch method {
	case acpclient.Initialize.Name:
		return json.RawMessage(`{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`), nil
	case acpclient.SessionNew.Name:
		return json.RawMessage(`{"sessionId":"one"}`), nil
	case acpclient.SessionPrompt.Name:
		text, _, err := h.agent.prompted(params)
		if err != nil {
			return nil, err
		}
		for n := range chunks {
			h.say(fmt.Sprintf("%s#%d ", text, n))
		}
		return json.RawMessage(`{"stopReason":"end_turn"}`), nil
	case acpclient.SessionLoad.Name:
		h.say("the history, as the agent has it")
	}
	return struct{}{}, nil
}

// prompted counts a prompt, and returns its text and which one it is.
func (a *keeperAgent) prompted(params json.RawMessage) (text string, number int, err error) {
	var p struct{ Prompt []struct{ Text string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return "", 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	text = p.Prompt[0].Text
	a.counts[text]++
	a.prompts++
	return text, a.prompts, nil
}

// handleV2 is the same agent in the second version. It accepts a prompt, and works on it
// then; its messages have ids, by which it tells of them again.
func (h *keeperConn) handleV2(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case acpclient.Initialize.Name:
		return json.RawMessage(`{"protocolVersion":2,"info":{"name":"keeper","version":"1"},"capabilities":{"session":{}}}`), nil
	case acpclient.SessionNew.Name:
		return json.RawMessage(`{"sessionId":"one"}`), nil
	case acpclient.SessionPrompt.Name:
		text, n, err := h.agent.prompted(params)
		if err != nil {
			return nil, err
		}
		acpclient.OnAnswered(ctx, func() { go h.work(text, n) })
		return json.RawMessage(fmt.Sprintf(`{"messageId":"u%d"}`, n)), nil
	case acpclient.SessionResume.Name:
		h.agent.mu.Lock()
		told := slices.Clone(h.agent.told)
		h.agent.mu.Unlock()
		if strings.Contains(string(params), `"replayFrom"`) {
			for _, update := range told {
				h.tell(update)
			}
		}
		h.tell(`{"sessionUpdate":"state_update","state":"idle"}`)
	}
	return struct{}{}, nil
}

// work answers a prompt in the second version. What the client does not get any more, it
// has said all the same.
func (h *keeperConn) work(text string, n int) {
	h.keep(fmt.Sprintf(`{"sessionUpdate":"user_message","messageId":"u%d","content":[{"type":"text","text":%q}]}`, n, text))
	h.tell(`{"sessionUpdate":"state_update","state":"running"}`)
	for i := range chunks {
		h.keep(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"%s#%d "}}`, n, text, i))
	}
	h.tell(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
}

// keep tells an update that belongs to the history.
func (h *keeperConn) keep(update string) {
	h.agent.mu.Lock()
	h.agent.told = append(h.agent.told, update)
	h.agent.mu.Unlock()
	h.tell(update)
}

func (h *keeperConn) tell(update string) {
	<-h.ready
	_ = h.conn.Notify("session/update", json.RawMessage(`{"sessionId":"one","update":`+update+`}`))
}

func (h *keeperConn) say(text string) {
	h.tell(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}

// cutter is a network that breaks down, once, when so many bytes have passed.
type cutter struct {
	net.Listener
	mu    sync.Mutex
	left  int // before it breaks down; less than 0 is never
	conns []net.Conn
}

// Accept implements net.Listener.
func (c *cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conn)
	return cutConn{conn, c}, nil
}

// pass lets n bytes pass, or fewer, and breaks down.
func (c *cutter) pass(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < 0 || n < c.left {
		c.left -= min(n, max(c.left, 0))
		return n
	}
	n, c.left = c.left, -1
	for _, conn := range c.conns {
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn := conn
		defer conn.Close()
	}
	c.conns = nil
	return n
}

type cutConn struct {
	net.Conn
	cutter *cutter
}

func (c cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return c.cutter.pass(n), err
}

func (c cutConn) Write(b []byte) (int, error) {
	if n := c.cutter.pass(len(b)); n < len(b) {
		return n, io.ErrClosedPipe
	}
	return c.Conn.Write(b)
}

// noMachine is the machine of a session whose agent is offered nothing of it.
type noMachine struct{ session.Machine }

func (noMachine) EndTerminals() {}
func (noMachine) Close()        {}

// watcher folds the stream of a session.
type watcher struct {
	testing.TB
	*session.Session
	conv *conversation.Conversation
}

// until folds until the conversation is as wanted.
func (w *watcher) until(what string, as func(*conversation.Conversation) bool) {
	w.Helper()
	late := time.After(time.Minute)
	for {
		for _, e := range w.Stream().Take() {
			w.conv.Apply(e)
		}
		if as(w.conv) {
			return
		}
		select {
		case <-w.Stream().Ready():
		case <-late:
			w.Fatalf("it takes too long until %s; phase %v, shown %q", what, w.conv.Phase, w.shown())
		}
	}
}

// shown is all that was said, by the user and the agent.
func (w *watcher) shown() string {
	var b strings.Builder
	for _, item := range w.conv.Items {
		if m, ok := item.(*conversation.Message); ok {
			b.WriteString(m.Parts.Plain())
		}
	}
	return b.String()
}

func lost(c *conversation.Conversation) bool {
	return c.Phase == conversation.PhaseLost || c.Phase == conversation.PhaseFailed
}

// A connection breaks down at moments without end: what was shown stays, nothing is
// shown twice, and nothing is sent twice.
func TestAConnectionCutAtAnyMoment(t *testing.T) {
	for _, tt := range []struct {
		scheme   string
		offersV2 bool
	}{{"ws", false}, {"http", false}, {"ws", true}, {"http", true}} {
		t.Run(fmt.Sprint(tt.scheme, tt.offersV2), func(t *testing.T) {
			random := rand.New(rand.NewPCG(12, 100))
			for moment := range 100 {
				cut := random.IntN(8000)
				cutAt(t, tt.scheme, tt.offersV2, cut)
				if t.Failed() {
					t.Fatalf("moment %d: the connection was cut after %d bytes", moment, cut)
				}
			}
		})
	}
}

func cutAt(t *testing.T, scheme string, offersV2 bool, bytes int) {
	t.Helper()
	agent := &keeperAgent{offersV2: offersV2, counts: map[string]int{}}
	server := &test.Server{Agent: agent.serve}
	defer server.Close()
	web := httptest.NewUnstartedServer(server)
	network := &cutter{Listener: web.Listener, left: bytes}
	web.Listener = network
	web.Start()
	defer web.Close()
	defer web.CloseClientConnections()

	far, err := remote.New(remote.Options{URL: strings.Replace(web.URL, "http", scheme, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(session.Options{
		Cwd: "/srv", Unattended: true, OfferV2: offersV2, Remote: &session.Remote{Listens: true},
		Command: acpclient.Command{Path: far.String()},
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
		Spawn: func(acpclient.Command) (*acpclient.Peer, error) {
			c := far.Connect()
			return &acpclient.Peer{Transport: c, Done: c.Done(), Err: c.Err, Stop: c.Stop, Stderr: func() string { return "" }}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	w := &watcher{t, s, conversation.New()}
	session.Post(s, session.Start{})
	prompts := []string{"first", "second", "third"}
	for _, p := range prompts {
		session.Post(s, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(p)}}})
	}
	idle := func(c *conversation.Conversation) bool {
		return c.Phase == conversation.PhaseReady && !c.Turn.Running && len(c.Queue) == 0
	}
	w.until("it is cut off or done", func(c *conversation.Conversation) bool { return lost(c) || idle(c) && c.ID != "" })
	before := w.shown()
	network.mu.Lock()
	network.left = -1
	network.mu.Unlock()
	for tries := 0; lost(w.conv); tries++ {
		if tries == 5 {
			t.Fatalf("it is not connected again: %v", w.conv.Agent.Err)
		}
		session.Post(s, session.Start{})
		w.until("it is connected again", func(c *conversation.Conversation) bool { return c.Phase == conversation.PhaseReady || lost(c) })
	}
	if got := w.shown(); !strings.HasPrefix(got, before) {
		t.Errorf("shown was %q\nand then   %q", before, got)
	}
	session.Post(s, session.ResumeQueue{})
	session.Post(s, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("last")}}})
	w.until("the last prompt is answered", func(c *conversation.Conversation) bool {
		return idle(c) && strings.Contains(w.shown(), fmt.Sprintf("last#%d ", chunks-1))
	})
	check(t, agent, w.shown(), append(prompts, "last"))
}

// check finds what was shown or sent twice.
func check(t *testing.T, agent *keeperAgent, shown string, prompts []string) {
	t.Helper()
	agent.mu.Lock()
	defer agent.mu.Unlock()
	for _, p := range prompts {
		if agent.counts[p] > 1 {
			t.Errorf("%s was sent %d times", p, agent.counts[p])
		}
		if strings.Count(strings.ReplaceAll(shown, p+"#", ""), p) > 1 {
			t.Errorf("the prompt %s was shown twice in %q", p, shown)
		}
		for n := range chunks {
			if piece := fmt.Sprintf("%s#%d ", p, n); strings.Count(shown, piece) > 1 {
				t.Errorf("%s was shown twice in %q", piece, shown)
			}
		}
	}
}
