package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/acpclient"
	"parley/internal/test"
	"parley/internal/test/peer"
)

// scripted is an agent that does what a script says.
func scripted(t *testing.T, text string) test.Agent {
	t.Helper()
	s, err := peer.Parse("agent", text)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, in io.Reader, out io.Writer) {
		var said strings.Builder
		if s.Run(ctx, in, out, &said) != 0 && ctx.Err() == nil {
			t.Errorf("the agent: %s", said.String())
		}
	}
}

// listener notes what an agent says, and allows everything.
type listener struct {
	mu    sync.Mutex
	said  strings.Builder
	tells chan struct{} // gets something when something was said
}

func (l *listener) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := n.Update.(*acpclient.ContentChunk); ok {
		l.said.WriteString(c.Content.Text)
		select {
		case l.tells <- struct{}{}:
		default:
		}
	}
}

func (l *listener) RequestPermission(_ context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected(r.Options[0].OptionID)}, nil
}

func (l *listener) heard() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

// talk opens a session over a connection.
func talk(t *testing.T, c *Connection) (*acpclient.Client, *listener, acpclient.SessionID) {
	t.Helper()
	l := &listener{tells: make(chan struct{}, 1)}
	client := acpclient.NewClient(c, l, acpclient.ConnOptions{})
	t.Cleanup(client.Conn().Close)
	if _, err := client.Initialize(t.Context(), &acpclient.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	s, err := acpclient.Call(t.Context(), client.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/srv"})
	if err != nil {
		t.Fatal(err)
	}
	return client, l, s.SessionID
}

const counting = `
handshake {"sessionCapabilities": {"close": {}}}
serve session/close
expect session/prompt
repeat 500
  update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${n} "}}
end
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "t"},
  "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]} as permission
await permission contains yes
say done
end-turn`

func TestASessionOverEachTransport(t *testing.T) {
	var want strings.Builder
	for n := range 500 {
		fmt.Fprintf(&want, "%d ", n+1)
	}
	want.WriteString("done")
	for _, secure := range []bool{false, true} {
		for _, overHTTP := range []bool{false, true} {
			t.Run(fmt.Sprintf("secure %v, HTTP %v", secure, overHTTP), func(t *testing.T) {
				var mu sync.Mutex
				deleted, old := 0, ""
				server := agentServer(t, scripted(t, counting))
				server.Seen = func(_ http.ResponseWriter, r *http.Request) bool {
					mu.Lock()
					defer mu.Unlock()
					if r.Method == http.MethodDelete {
						deleted++
					}
					if r.ProtoMajor < 2 {
						old = r.Proto
					}
					return true
				}
				ws, plain, trust := serve(t, server, secure)
				at := ws
				if overHTTP {
					at = plain
				}
				c := dial(t, Options{URL: at, TLS: trust})
				client, l, id := talk(t, c)
				r, err := acpclient.Call(t.Context(), client.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("count")}})
				if err != nil || r.StopReason != acpclient.StopEndTurn {
					t.Fatalf("%+v, %v", r, err)
				}
				if got := l.heard(); got != want.String() {
					t.Errorf("heard %q", got)
				}
				if _, err := acpclient.Call(t.Context(), client.Conn(), acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: id}); err != nil {
					t.Error(err)
				}
				within(t, "the end", func() { c.Stop(context.Background()) })
				if err := c.Err(); err != nil {
					t.Errorf("it is told as a loss: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				if overHTTP && deleted != 1 {
					t.Errorf("the server was told %d times of the end", deleted)
				}
				if overHTTP && secure && old != "" {
					t.Errorf("a request came over %s", old)
				}
			})
		}
	}
}

// What is wrong with a server of streamable HTTP ends the connection with words, or one
// request with an error.
func TestHostileServersOfHTTP(t *testing.T) {
	for _, tt := range []struct {
		name string
		seen func(w http.ResponseWriter, r *http.Request) bool
		want string
	}{
		{"wrong type of the first answer", func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Acp-Connection-Id", "x")
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
			return false
		}, `the type "text/html" where JSON was expected`},
		{"no name of the connection", func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{}")
			return false
		}, "Acp-Connection-Id is missing"},
		{"first answer too long", func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Acp-Connection-Id", "x")
			w.Header().Set("Content-Type", "application/json")
			for range 200 {
				_, _ = io.WriteString(w, strings.Repeat(" ", 10_000))
			}
			return false
		}, "longer than 1000000 bytes"},
		{"endless headers", func(w http.ResponseWriter, r *http.Request) bool {
			for range 100 {
				w.Header().Add("X-Long", strings.Repeat("y", 10_000))
			}
			return true
		}, "cannot connect to"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "https://example.com/x?token=hunter2", http.StatusPermanentRedirect)
			return false
		}, "the server redirects to https://example.com/x; "},
		{"no stream of the connection", func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Type", "text/plain")
			}
			return r.Method != http.MethodGet
		}, `the type "text/plain" where a stream was expected`},
		{"no stream of a session", func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet && r.Header.Get("Acp-Session-Id") != "" {
				http.NotFound(w, r)
				return false
			}
			return true
		}, "unknown session"},
		{"a request that is not taken", func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && r.Header.Get("Acp-Connection-Id") != "" {
				http.Error(w, "too much", http.StatusRequestEntityTooLarge)
				return false
			}
			return true
		}, "413 Request Entity Too Large (too much)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := agentServer(t, scripted(t, "handshake"))
			server.Seen = tt.seen
			_, plain, trust := serve(t, server, true)
			c := dial(t, Options{URL: plain, TLS: trust, MaxMessage: 1_000_000})
			client := acpclient.NewClient(c, &listener{}, acpclient.ConnOptions{})
			defer client.Conn().Close()
			within(t, tt.name, func() {
				_, err := client.Initialize(t.Context(), &acpclient.InitializeRequest{})
				if err == nil {
					_, err = acpclient.Call(t.Context(), client.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/srv"})
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// A message that is too long is refused alone. The agent gets the answer to its request in its session.
func TestHTTPRefusesWhatIsTooLongAlone(t *testing.T) {
	server := agentServer(t, scripted(t, `
handshake
expect session/prompt
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+strings.Repeat("x", 200_000)+`"}}
request fs/read_text_file {"sessionId":"${session}","path":"/`+strings.Repeat("x", 200_000)+`"} as reads
await reads contains message refused
say short
end-turn`))
	var bare atomic.Int32 // messages to no session
	server.Seen = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && r.Header.Get("Acp-Connection-Id") != "" && r.Header.Get("Acp-Session-Id") == "" {
			bare.Add(1)
		}
		return true
	}
	_, plain, trust := serve(t, server, true)
	c := dial(t, Options{URL: plain, TLS: trust, MaxMessage: 100_000})
	client, l, id := talk(t, c)
	if _, err := acpclient.Call(t.Context(), client.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id}); err != nil || l.heard() != "short" {
		t.Errorf("heard %.20q, %v", l.heard(), err)
	}
	if n := bare.Load(); n != 1 {
		t.Errorf("%d messages go to no session, not only that which begins one", n)
	}
}

// A connection that the server forgets is lost, with what had come before.
func TestALostConnectionOverHTTP(t *testing.T) {
	server := agentServer(t, scripted(t, "handshake\nexpect session/prompt\nsay begun\nhang"))
	_, plain, trust := serve(t, server, true)
	c := dial(t, Options{URL: plain, TLS: trust})
	client, l, id := talk(t, c)
	lost := make(chan error)
	go func() {
		_, err := acpclient.Call(context.Background(), client.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id})
		lost <- err
	}()
	within(t, "the beginning", func() {
		for l.heard() != "begun" {
			<-l.tells
		}
	})
	server.Cut()
	within(t, "the loss", func() {
		if err := <-lost; !errors.Is(err, acpclient.ErrClosed) || !strings.Contains(err.Error(), " lost: ") {
			t.Errorf("%v", err)
		}
	})
}

func TestEventsAreReadAsTheFormatHasThem(t *testing.T) {
	long := strings.Repeat("z", 3*readBuffer)
	stream := ": hello\n\nevent: x\nid: 7\ndata: {\"a\":1}\n\ndata:{\"b\":\r\ndata:2}\r\n\r\ndata\n\nretry: 3\n\n" +
		"data: " + long + "\n\ndata: " + strings.Repeat("y", 4*readBuffer) + "\n\n" + ":" + long + long + "\ndata: last\n\ndata: cut off"
	e := newEvents(strings.NewReader(stream), len(long))
	var got []string
	for {
		m, err := e.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, acpclient.ErrMessageRefused) {
			m = []byte("refused")
		}
		got = append(got, string(m))
	}
	want := []string{`{"a":1}`, "{\"b\":\n2}", long, "refused", "last"}
	if len(got) != len(want) {
		t.Fatalf("%d messages: %.100q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message %d is %.40q", i, got[i])
		}
	}
}
