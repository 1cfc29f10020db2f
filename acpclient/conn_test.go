package acpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// peer is the receiver at the far end of the conversations below.
type peer struct {
	release chan struct{}

	mu   sync.Mutex
	list []string
}

func (p *peer) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	switch method {
	case "push":
		p.mu.Lock()
		p.list = append(p.list, string(params))
		p.mu.Unlock()
	case "release":
		close(p.release)
	case "panic":
		panic("a bad day")
	}
}

func (p *peer) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "echo":
		return params, nil
	case "nothing":
		return nil, nil
	case "fail":
		return nil, errors.New("it failed")
	case "refuse":
		return nil, &Error{Code: 42, Message: "no"}
	case "panic":
		panic("a bad day")
	case "unencodable":
		return make(chan int), nil
	case "collect":
		p.mu.Lock()
		defer p.mu.Unlock()
		list := strings.Join(p.list, " ")
		p.list = nil
		return list, nil
	case "wait": // beside what follows, until released or cancelled
		Async(ctx)
		Async(ctx) // twice is no harm
		select {
		case <-p.release:
			return "released", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, MethodNotFoundError(method)
}

// pair joins two connections.
func pair(t *testing.T, far Receiver) *Conn {
	t.Helper()
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	here := NewConn(NewLines(r1, w2), &peer{}, ConnOptions{})
	there := NewConn(NewLines(r2, w1), far, ConnOptions{})
	t.Cleanup(func() {
		here.Close()
		there.Close()
		_ = errors.Join(r1.Close(), r2.Close(), w1.Close(), w2.Close())
	})
	return here
}

// Conversations as data.
type (
	step     interface{ run(*conversation) }
	sequence []step

	notifies struct{ method, params string }
	asks     struct{ method, params, want, err string }
	// begins is a call that awaits or cancels end.
	begins  struct{ name, method, params string }
	cancels struct{ name string }
	awaits  struct{ name, want, err string }
	closes  struct{}
)

type conversation struct {
	t     *testing.T
	conn  *Conn
	calls map[string]*running
}

type running struct {
	cancel context.CancelFunc
	done   chan struct{}
	result string
	err    error
}

func (s sequence) run(c *conversation) {
	for _, step := range s {
		step.run(c)
	}
}

func (s notifies) run(c *conversation) {
	if err := c.conn.Notify(s.method, json.RawMessage(s.params)); err != nil {
		c.t.Errorf("notify %s: %v", s.method, err)
	}
}

func (s asks) run(c *conversation) {
	begins{"", s.method, s.params}.run(c)
	awaits{"", s.want, s.err}.run(c)
}

func (s begins) run(c *conversation) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, done: make(chan struct{})}
	c.calls[s.name] = r
	if s.params == "" {
		s.params = "{}"
	}
	go func() {
		defer close(r.done)
		var result json.RawMessage
		r.err = c.conn.Call(ctx, s.method, json.RawMessage(s.params), &result)
		r.result = string(result)
	}()
}

func (s cancels) run(c *conversation) { c.calls[s.name].cancel() }

func (s awaits) run(c *conversation) {
	r := c.calls[s.name]
	<-r.done
	r.cancel()
	switch {
	case s.err == "" && r.err != nil:
		c.t.Errorf("%+v: %v", s, r.err)
	case s.err != "" && (r.err == nil || !strings.Contains(r.err.Error(), s.err)):
		c.t.Errorf("%+v: error %v", s, r.err)
	case r.result != s.want:
		c.t.Errorf("%+v: got %s", s, r.result)
	}
}

func (closes) run(c *conversation) { c.conn.Close() }

func TestConversations(t *testing.T) {
	tests := []struct {
		name string
		do   sequence
	}{
		{"a call", sequence{asks{"echo", `{"a":1}`, `{"a":1}`, ""}}},
		{"an empty result", sequence{asks{"nothing", "", `{}`, ""}}},
		{"errors", sequence{
			asks{"fail", "", "", "it failed (code -32603)"},
			asks{"refuse", "", "", "no (code 42)"},
			asks{"unheard", "", "", "Method not found"},
			asks{"unencodable", "", "", "unsupported type"},
		}},
		{"a panic stays where it was", sequence{
			notifies{"panic", "1"},
			asks{"panic", "", "", "the handler of panic failed"},
			asks{"echo", `1`, `1`, ""},
		}},
		{"notifications come before the call behind them", sequence{
			notifies{"push", "1"},
			notifies{"push", "2"},
			asks{"collect", "", `"1 2"`, ""},
			notifies{"push", "3"},
			asks{"collect", "", `"3"`, ""},
		}},
		{"calls beside each other", sequence{
			begins{"a", "wait", ""},
			begins{"b", "wait", ""},
			asks{"echo", `1`, `1`, ""},
			notifies{"release", "{}"},
			awaits{"a", `"released"`, ""},
			awaits{"b", `"released"`, ""},
		}},
		{"a call cancelled", sequence{
			begins{"a", "wait", ""},
			begins{"b", "wait", ""},
			asks{"echo", `1`, `1`, ""},
			cancels{"a"},
			awaits{"a", "", "context canceled"},
			asks{"echo", `2`, `2`, ""},
			notifies{"release", "{}"},
			awaits{"b", `"released"`, ""},
		}},
		{"cancelled before it began", sequence{
			begins{"a", "echo", `1`},
			awaits{"a", `1`, ""},
			cancels{"a"},
			asks{"echo", `2`, `2`, ""},
		}},
		{"closed with open calls", sequence{
			begins{"a", "wait", ""},
			begins{"b", "wait", ""},
			asks{"echo", `1`, `1`, ""},
			closes{},
			closes{},
			awaits{"a", "", "closed"},
			awaits{"b", "", "closed"},
			asks{"echo", `1`, "", "closed"},
		}},
		{"params that cannot be encoded", sequence{asks{"echo", `{`, "", "encode echo"}, asks{"echo", `1`, `1`, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &conversation{t, pair(t, &peer{release: make(chan struct{})}), map[string]*running{}}
			tt.do.run(c)
		})
	}
}

// Whatever happens to a request, it is answered once.
func TestEachRequestIsAnsweredOnce(t *testing.T) {
	release := make(chan struct{})
	_, w := connect(t, &listener{
		onPermission: func(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			Async(ctx)
			switch r.SessionID {
			case "panics":
				panic("a bad day")
			case "waits":
				<-release
			case "obeys":
				<-ctx.Done()
				return nil, ctx.Err()
			case "answers all the same":
				<-ctx.Done()
			}
			return &RequestPermissionResponse{Outcome: PermissionCancelled}, nil
		},
	}, ConnOptions{})
	ask := func(id, session string) {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"t"},"options":[]}}`, id, session))
	}
	cancel := func(id string) {
		w.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`)
	}
	expect := func(id string, code ErrorCode) {
		t.Helper()
		m := w.receive()
		var got ErrorCode
		if m.Error != nil {
			got = m.Error.Code
		}
		if string(m.ID) != id || got != code {
			t.Errorf("answer %s with code %d, want %s with %d", m.ID, got, id, code)
		}
	}
	ask(`"p"`, "panics")
	expect(`"p"`, CodeInternalError)

	ask(`1`, "obeys")
	cancel(`1`)
	expect(`1`, CodeRequestCancelled)
	cancel(`1`) // answered already
	cancel(`99`)
	cancel(`null`)

	ask(`2`, "answers all the same")
	cancel(`2`)
	cancel(`2`)
	expect(`2`, 0)

	ask(`"dup"`, "waits")
	ask(`"dup"`, "waits")
	expect(`"dup"`, CodeInvalidRequest)
	ask(`3`, "at once")
	expect(`3`, 0)
	close(release)
	expect(`"dup"`, 0)

	ask(`"dup"`, "at once") // free again
	expect(`"dup"`, 0)
}

// A panic of a handler costs the message that it was about, and no other.
func TestUpdateHandlerPanics(t *testing.T) {
	seen := 0
	stream := chunk("a") + "\n" + update(`{"sessionUpdate":"plan","entries":[]}`) + "\n" + chunk("b") + "\n"
	c := NewClient(NewLines(strings.NewReader(stream), io.Discard), &listener{onUpdate: func(*SessionNotification) {
		seen++
		panic("a bad day")
	}}, ConnOptions{})
	<-c.Conn().Done()
	if seen != 3 {
		t.Errorf("%d of 3 updates were handed on", seen)
	}
}

// The tap sees every line of both directions as it is, noise as well.
func TestTap(t *testing.T) {
	var mu sync.Mutex
	var sent, received []string
	c, w := connect(t, &listener{}, ConnOptions{Tap: func(out bool, line []byte) {
		mu.Lock()
		defer mu.Unlock()
		if out {
			sent = append(sent, string(line))
		} else {
			received = append(received, string(line))
		}
	}})
	_ = c.Conn().Notify(SessionCancel.Name, &CancelNotification{SessionID: "s"})
	w.receive()
	w.send("noise", chunk("a"))
	_ = w.to.Close()
	<-c.Conn().Done()
	mu.Lock()
	defer mu.Unlock()
	if want := []string{`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`}; !slices.Equal(sent, want) {
		t.Errorf("sent %q", sent)
	}
	if want := []string{"noise", chunk("a")}; !slices.Equal(received, want) {
		t.Errorf("received %q", received)
	}
}

// failingWriter fails from the n-th write on.
type failingWriter struct{ left int }

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// When the agent takes no more messages, open calls and later ones fail and say
// so; what it still says is heard.
func TestWriteError(t *testing.T) {
	r, agent := io.Pipe()
	l := &listener{}
	c := NewClient(NewLines(r, &failingWriter{left: 1}), l, ConnOptions{})
	first, second := make(chan error, 1), make(chan error, 1)
	Go(c.Conn(), SessionClose, &CloseSessionRequest{}, func(_ *CloseSessionResponse, err error) { first <- err })
	Go(c.Conn(), SessionClose, &CloseSessionRequest{}, func(_ *CloseSessionResponse, err error) { second <- err })
	for _, ch := range []chan error{first, second} {
		if err := <-ch; !errors.Is(err, ErrClosed) || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v", err)
		}
	}
	if err := c.Conn().Notify(SessionCancel.Name, &CancelNotification{}); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := c.Conn().Flush(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("what was not written is taken for written: %v", err)
	}
	_, _ = io.WriteString(agent, chunk("last words")+"\n")
	_ = agent.Close()
	<-c.Conn().Done()
	if got := (heard{updates: l.updates}).texts(); len(got) != 1 || got[0] != "last words" {
		t.Errorf("heard %q", got)
	}
}

// A call whose context has ended already is not sent.
func TestCallWithEndedContext(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Conn().Call(ctx, "x/call", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = c.Conn().Notify(SessionCancel.Name, &CancelNotification{SessionID: "s"})
	if m := w.receive(); m.Method != SessionCancel.Name {
		t.Errorf("sent %s", m.Method)
	}
}

// When a call's context ends the agent is told which request it was, and a late
// answer is dropped.
func TestCancelledCall(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Conn().Call(ctx, "x/call", nil, nil) }()
	call := w.receive()
	cancel()
	if m := w.receive(); m.Method != CancelRequest.Name || string(m.Params) != `{"requestId":`+string(call.ID)+`}` {
		t.Errorf("%s %s", m.Method, m.Params)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.send(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":{}}`)
	go func() { done <- c.Conn().Call(context.Background(), "x/call", nil, nil) }()
	next := w.receive()
	w.send(`{"jsonrpc":"2.0","id":` + string(next.ID) + `,"result":{}}`)
	if err := <-done; err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// The protocol does not let a client cancel initialize.
func TestInitializeIsNotCancelled(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := c.Initialize(ctx, &InitializeRequest{})
		done <- err
	}()
	w.receive()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = c.Conn().Notify(SessionCancel.Name, &CancelNotification{SessionID: "s"})
	if m := w.receive(); m.Method != SessionCancel.Name {
		t.Errorf("sent %s", m.Method)
	}
}

// Handlers are cancelled when the connection ends, and answer nobody.
func TestCloseCancelsHandlers(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	c, w := connect(t, &listener{
		onPermission: func(ctx context.Context, _ *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			close(began)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}, ConnOptions{})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`)
	<-began
	c.Conn().Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("cause %v", err)
	}
	if err := c.Conn().Notify(SessionCancel.Name, &CancelNotification{SessionID: "s"}); !errors.Is(err, ErrClosed) {
		t.Errorf("notify after close: %v", err)
	}
	Go(c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s"}, func(_ *PromptResponse, err error) { ended <- err })
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Go after close: %v", err)
	}
}

// Many calls at once, some given up, on a connection that is closed under them:
// each returns once, and nothing races.
func TestManyCallsUnderClose(t *testing.T) {
	conn := pair(t, &peer{release: make(chan struct{})})
	var wg sync.WaitGroup
	for i := range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		wg.Go(func() {
			defer cancel()
			var got json.RawMessage
			err := conn.Call(ctx, []string{"echo", "wait", "panic"}[i%3], i, &got)
			if err == nil && string(got) != fmt.Sprint(i) {
				t.Errorf("call %d got %s", i, got)
			}
		})
		if i%5 == 0 {
			wg.Go(cancel)
		}
	}
	wg.Go(conn.Close)
	wg.Wait()
}

func TestFlushWaitsForTheLastWord(t *testing.T) {
	in, feed := io.Pipe()
	read, out := io.Pipe()
	c := NewConn(NewLines(in, out), &peer{release: make(chan struct{})}, ConnOptions{})
	t.Cleanup(func() { _, _, _ = feed.Close(), read.Close(), out.Close(); <-c.Done() })

	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("with nothing to write: %v", err)
	}
	if err := c.Notify("last", nil); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := c.Flush(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with nobody reading: %v", err)
	}
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("after it was read: %v", err)
	}
	c.Close()
	if err := c.Notify("more", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// What takes an answer may panic; the connection goes on.
func TestAPanicInAnAnswerStaysThere(t *testing.T) {
	in, feed := io.Pipe()
	c := NewConn(NewLines(in, io.Discard), &peer{release: make(chan struct{})}, ConnOptions{})
	t.Cleanup(func() { _ = feed.Close(); <-c.Done() })
	Go(c, SessionDelete, &DeleteSessionRequest{SessionID: "a"}, func(*DeleteSessionResponse, error) { panic("a bad day") })
	next := make(chan error, 1)
	Go(c, SessionDelete, &DeleteSessionRequest{SessionID: "b"}, func(_ *DeleteSessionResponse, err error) { next <- err })
	for id := 1; id <= 2; id++ {
		if _, err := fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-next; err != nil {
		t.Errorf("the answer behind it: %v", err)
	}
}

// far joins a new connection to a wire: what is written to it, and what it writes.
func far(t *testing.T, r Receiver, maxLine int, opt ConnOptions) (*Conn, io.Writer, *bufio.Scanner) {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	lines := NewLines(in, out)
	lines.MaxLine = maxLine
	c := NewConn(lines, r, opt)
	t.Cleanup(func() {
		_, _ = to.Close(), from.Close()
		<-c.Done()
	})
	return c, to, bufio.NewScanner(from)
}

// A message that is too long is answered as what it is, as far as that can be told, and the connection goes on.
func TestWhatIsTooLongIsAnswered(t *testing.T) {
	const refused = `,"error":{"code":-32600,"message":"message refused: `
	for name, test := range map[string]struct{ line, answer string }{
		"the id at the beginning":   {`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"text":"LONG"}}`, `{"jsonrpc":"2.0","id":7` + refused},
		"the id at the end":         {` {"jsonrpc":"2.0","method":"echo","params":{"id":1,"list":[{"text":"\\\"}LONG\\"}]} , "id":"se\"ven"}`, `{"jsonrpc":"2.0","id":"se\"ven"` + refused},
		"the id among long members": {`{"x":"LONG\"","id":7,"y":"LONG","method":"echo"}`, `{"jsonrpc":"2.0","id":7` + refused},
		"no id":                     {`{"jsonrpc":"2.0","method":"push","params":{"id":1,"text":"LONG"}}`, ""},
		"the id null":               {`{"jsonrpc":"2.0","id":null,"method":"push","params":{"text":"LONG"}}`, `{"jsonrpc":"2.0","id":null` + refused},
		"an id that is too long":    {`{"jsonrpc":"2.0","id":"LONG","method":"echo"}`, `{"jsonrpc":"2.0","id":null` + refused},
		"an id that is none":        {`{"jsonrpc":"2.0","id":{},"method":"echo","params":"LONG"}`, `{"jsonrpc":"2.0","id":null` + refused},
		"many members":              {`{"jsonrpc":"2.0",` + strings.Repeat(`"k": {"id":[1,"x"]},`, 20_000) + `"id":7,"method":"echo"}`, `{"jsonrpc":"2.0","id":7` + refused},
		"much space":                {strings.ReplaceAll(`{ "jsonrpc" : "2.0" , "id" : 7 , "method":"echo"}`, " ", strings.Repeat(" ", 20_000)), `{"jsonrpc":"2.0","id":7` + refused},
		"no message":                {"LONG", `{"jsonrpc":"2.0","id":null` + refused},
	} {
		t.Run(name, func(t *testing.T) {
			_, to, answers := far(t, &peer{}, 100_000, ConnOptions{})
			go fmt.Fprintf(to, "%s\n%s\n", strings.ReplaceAll(test.line, "LONG", strings.Repeat("long ", 40_000)), `{"id":"next","method":"echo","params":{}}`)
			if answers.Scan(); test.answer != "" {
				if !strings.HasPrefix(answers.Text(), test.answer) {
					t.Errorf("answered %s", answers.Text())
				}
				answers.Scan()
			}
			if got := answers.Text(); got != `{"jsonrpc":"2.0","id":"next","result":{}}` {
				t.Errorf("then %s", got)
			}
		})
	}
	c, to, asked := far(t, &peer{}, 100_000, ConnOptions{})
	go func() {
		asked.Scan()
		fmt.Fprintf(to, `{"jsonrpc":"2.0",%s"result":{"text":"%s"},"id":1}`+"\n", strings.Repeat(`"k":1,`, 10_000), strings.Repeat("long ", 40_000))
	}()
	if err := c.Call(t.Context(), "anything", nil, nil); err == nil || !strings.Contains(err.Error(), "it has 260") {
		t.Errorf("a call whose answer is too long ends with %v", err)
	}
}

// Of requests beyond what is handled at once each is answered, and what follows them is read.
func TestRequestsBeyondTheBoundAreRejected(t *testing.T) {
	const requests = 100_000
	for name, params := range map[string]string{"many": `""`, "large": `"` + strings.Repeat("x", 64<<10) + `"`} {
		t.Run(name, func(t *testing.T) {
			most, sent := 1024, requests
			if name == "large" {
				most, sent = 32<<20/len(params), 1024
			}
			_, to, answers := far(t, &peer{release: make(chan struct{})}, DefaultMaxLine, ConnOptions{Rejects: true})
			go func() {
				out := bufio.NewWriterSize(to, 1<<20)
				for id := range sent {
					fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"wait","params":%s}`+"\n", id, params)
				}
				fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"release"}`)
				_ = out.Flush()
			}()
			answered, rejected := map[string]bool{}, 0
			for range sent {
				answers.Scan()
				var m message
				if err := json.Unmarshal(answers.Bytes(), &m); err != nil {
					t.Fatal(err)
				}
				answered[string(m.ID)] = true
				if m.Error != nil {
					rejected++
				}
			}
			if len(answered) != sent || rejected != sent-most {
				t.Errorf("%d of %d are answered, %d with an error", len(answered), sent, rejected)
			}
		})
	}
}

// Nothing is answered before initialize, whether it is known or not, nor after the end.
func TestInitializeComesFirst(t *testing.T) {
	answered := func(string, context.Context, json.RawMessage) (any, error) { return "it", nil }
	a := Answers[string]{Methods: map[string]func(string, context.Context, json.RawMessage) (any, error){
		Initialize.Name: answered, SessionNew.Name: answered,
	}}
	for _, c := range []struct{ method, fails string }{
		{SessionNew.Name, "initialize comes first"},
		{"none", "initialize comes first"},
		{Initialize.Name, ""},
		{SessionNew.Name, ""},
		{"none", "none"},
		{SessionNew.Name, "closed"},
	} {
		if c.fails == "closed" {
			a.End()
		}
		r, err := a.Request(t.Context(), "", c.method, nil)
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) || err == nil && r != "it" {
			t.Errorf("%+v: %v, %v", c, r, err)
		}
	}
}
