package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
)

func TestCapabilitiesInTheHousesTerms(t *testing.T) {
	_, _, info := agreed(t, newHears())
	caps := info.AgentCapabilities
	if info.ProtocolVersion != 2 || info.AgentInfo.Name != "a" || !caps.LoadSession || !caps.PromptCapabilities.Image || caps.PromptCapabilities.Audio {
		t.Errorf("%+v", info)
	}
	if s := caps.SessionCapabilities; s.List == nil || s.Resume == nil || s.Close == nil || s.Delete == nil || s.Fork == nil {
		t.Errorf("%+v", s)
	}
	if !caps.MCPCapabilities.NoStdio || !caps.MCPCapabilities.HTTP || caps.MCPCapabilities.SSE || caps.Auth.Logout == nil {
		t.Errorf("%+v", caps)
	}
	if m := info.AuthMethods; len(m) != 2 || m[0].ID != "in" || m[1].Type != acpclient.AuthMethodTerminal || m[1].Env["A"] != "b" {
		t.Errorf("%+v", m)
	}
}

func TestAnAgentOfTheFirstVersionGoesOn(t *testing.T) {
	h := newHears()
	p := newPeer(t, h)
	c, info, err := negotiated(p, h, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
	if err != nil || c != acpclient.Requester(p.client.Conn()) || info.ProtocolVersion != 1 || !info.AgentCapabilities.LoadSession {
		t.Fatalf("%v %v %v", c, info, err)
	}
	p.misuses(`{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}`)
	if m := <-p.got; m.Error == nil || !strings.Contains(m.Error.Message, "not found") { // the handler's own answer
		t.Errorf("%+v", m)
	}
}

func TestVersionsThatDoNotMeet(t *testing.T) {
	for answer, want := range map[string]string{
		`{"protocolVersion":3}`: "version 3",
		`{}`:                    "protocolVersion",
		`{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}`: "no sessions",
		`{"protocolVersion":2,"capabilities":{"session":{}}}`:                       "info",
	} {
		h := newHears()
		_, _, err := negotiated(newPeer(t, h), h, answer)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// result waits for what a request comes to.
func result[P, R any](t *testing.T, c acpclient.Requester, m acpclient.Method[P, R], params *P) chan error {
	t.Helper()
	done := make(chan error, 2)
	acpclient.Go(c, m, params, func(_ *R, err error) { done <- err })
	return done
}

func within(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("it does not end")
		return nil
	}
}

func TestSessionMethods(t *testing.T) {
	h := newHears()
	p, c, _ := agreed(t, h)
	servers := []acpclient.MCPServer{{Name: "files", Command: "/bin/files"}, {Type: acpclient.MCPHTTP, Name: "docs", URL: "https://example.com"}}

	opened := make(chan *acpclient.NewSessionResponse, 1)
	acpclient.Go(c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/w", MCPServers: servers}, func(r *acpclient.NewSessionResponse, err error) {
		if err != nil {
			t.Error(err)
		}
		opened <- r
	})
	m := p.gets("session/new")
	if !strings.Contains(string(m.Params), `"name":"files","type":"stdio"`) || !strings.Contains(string(m.Params), `"type":"http"`) {
		t.Errorf("%s", m.Params)
	}
	p.answers(m, `{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"groupId":"g","name":"G","options":[{"value":"ask","name":"Ask"}]}]},{"configId":"x","name":"X","type":"_slider","level":3}],"availableCommands":[{"type":"command","name":"web","description":"d","input":{"type":"text","hint":"h"}}]}`)
	r := <-opened
	if o := r.ConfigOptions; len(o) != 2 || o[0].ID != "mode" || o[0].Options[0].Group != "g" || o[0].Options.All()[0].Name != "Ask" ||
		o[1].ID != "x" || !strings.Contains(string(o[1].Raw), `"level":3`) {
		t.Errorf("%+v", o)
	}
	h.wait(t, 1)
	if u := h.updates[0].Update.(*acpclient.AvailableCommandsUpdate); u.AvailableCommands[0].Input.Hint != "h" {
		t.Errorf("%+v", u)
	}

	done := result(t, c, acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: "s", Cwd: "/w"})
	m = p.gets("session/resume")
	if !strings.Contains(string(m.Params), `"replayFrom":{"type":"start"}`) {
		t.Errorf("%s", m.Params)
	}
	p.answers(m, `{}`)
	if err := within(t, done); err != nil {
		t.Error(err)
	}
	done = result(t, c, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: "s", Cwd: "/w"})
	if m = p.gets("session/resume"); strings.Contains(string(m.Params), "replayFrom") {
		t.Errorf("%s", m.Params)
	}
	p.answers(m, `{}`)
	if err := within(t, done); err != nil {
		t.Error(err)
	}
	for method, call := range map[string]func() chan error{
		"session/fork": func() chan error {
			return result(t, c, acpclient.SessionFork, &acpclient.ForkSessionRequest{SessionID: "s", Cwd: "/w"})
		},
		"session/close": func() chan error {
			return result(t, c, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: "s"})
		},
		"session/set_config_option": func() chan error {
			return result(t, c, acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "b", Value: acpclient.BoolValue(true)})
		},
		"auth/login": func() chan error {
			return result(t, c, acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: "in"})
		},
	} {
		done := call()
		p.answers(p.gets(method), map[string]string{
			"session/fork": `{"sessionId":"f"}`, "session/set_config_option": `{"configOptions":[]}`,
		}[method]+map[bool]string{true: "{}"}[method == "session/close" || method == "auth/login"])
		if err := within(t, done); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	for _, done := range []chan error{
		result(t, c, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{}),
		result(t, c, acpclient.SessionSetModel, &acpclient.SetSessionModelRequest{}),
	} {
		if err := within(t, done); !acpclient.IsCode(err, acpclient.CodeMethodNotFound) {
			t.Error(err)
		}
	}
}

func TestWhatIsAskedAndWaitedFor(t *testing.T) {
	p, c, _ := agreed(t, newHears())
	for method, call := range map[string]func(context.Context) error{
		"auth/logout": func(ctx context.Context) error {
			_, err := acpclient.Call(ctx, c, acpclient.Logout, &acpclient.LogoutRequest{})
			return err
		},
		"session/list": func(ctx context.Context) error {
			r, err := acpclient.Call(ctx, c, acpclient.SessionList, &acpclient.ListSessionsRequest{Cwd: "/w"})
			if err == nil && (len(r.Sessions) != 1 || r.Sessions[0].SessionID != "s") {
				err = errors.New("the list is another")
			}
			return err
		},
		"session/delete": func(ctx context.Context) error {
			_, err := acpclient.Call(ctx, c, acpclient.SessionDelete, &acpclient.DeleteSessionRequest{SessionID: "s"})
			return err
		},
		"tool_call/cancel": func(ctx context.Context) error {
			return c.conn.Call(ctx, ToolCallCancel, map[string]any{"sessionId": "s", "toolCallId": "c"}, nil)
		},
		"terminal/cancel": func(ctx context.Context) error {
			return c.conn.Call(ctx, TerminalCancel, map[string]any{"sessionId": "s", "terminalId": "t"}, nil)
		},
	} {
		done := make(chan error, 1)
		go func() { done <- call(t.Context()) }()
		answer := `{}`
		if method == "session/list" {
			answer = `{"sessions":[{"sessionId":"s","cwd":"/w"}]}`
		}
		p.answers(p.gets(method), answer)
		if err := within(t, done); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// The stages of a turn, as the agent may tell of them: "answer", or an update.
func TestTurns(t *testing.T) {
	const (
		answer = "answer"
		user   = `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi"}]}`
		chunk  = `{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"hi"}}`
		other  = `{"sessionUpdate":"user_message","messageId":"other"}`
		runs   = `{"sessionUpdate":"state_update","state":"running"}`
		asks   = `{"sessionUpdate":"state_update","state":"requires_action"}`
		idle   = `{"sessionUpdate":"state_update","state":"idle"}`
		ends   = `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`
		fails  = `{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"no credit"}}`
	)
	for name, tt := range map[string]struct {
		before, steps []string
		want          acpclient.StopReason
		err           string
	}{
		"as it ought to be":         {steps: []string{answer, user, runs, asks, runs, ends}, want: "end_turn"},
		"in pieces":                 {steps: []string{answer, chunk, runs, ends}, want: "end_turn"},
		"running first":             {steps: []string{runs, user, answer, ends}, want: "end_turn"},
		"idle snapshots in between": {steps: []string{answer, idle, user, idle, runs, ends}, want: "end_turn"},
		"without a reason":          {steps: []string{answer, user, runs, idle}, want: ""},
		"never said to be running":  {steps: []string{answer, user, ends}, want: "end_turn"},
		"answered last":             {steps: []string{user, runs, ends, answer}, want: "end_turn"},
		"behind other work":         {before: []string{runs}, steps: []string{ends, answer, user, runs, ends}, want: "end_turn"},
		"after another's message":   {steps: []string{other, runs, idle, answer, user, runs, ends}, want: "end_turn"},
		"with an error":             {steps: []string{answer, user, runs, fails}, err: "no credit"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHears()
			p, c, _ := agreed(t, h)
			for _, u := range tt.before {
				p.update(u)
			}
			h.wait(t, len(tt.before))
			type end struct {
				r   *acpclient.PromptResponse
				err error
			}
			done := make(chan end, 2)
			acpclient.Go(c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hi")}},
				func(r *acpclient.PromptResponse, err error) { done <- end{r, err} })
			m := p.gets("session/prompt")
			for i, step := range tt.steps {
				if i == len(tt.steps)-1 {
					p.says(`{"jsonrpc":"2.0","method":"_mark"}`)
					select {
					case e := <-done:
						t.Fatalf("it ended too early: %+v", e)
					default:
					}
				}
				if step == answer {
					p.answers(m, `{"messageId":"u"}`)
				} else {
					p.update(step)
				}
			}
			select {
			case e := <-done:
				if tt.err != "" {
					if e.err == nil || !strings.Contains(e.err.Error(), tt.err) {
						t.Errorf("got %v", e.err)
					}
				} else if e.err != nil || e.r.StopReason != tt.want {
					t.Errorf("got %+v", e)
				}
			case <-time.After(patience):
				t.Fatal("the turn does not end")
			}
		})
	}
}

func TestAPromptThatIsRefused(t *testing.T) {
	p, c, _ := agreed(t, newHears())
	done := result(t, c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hi")}})
	m := p.gets("session/prompt")
	p.says(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32000,"message":"sign in"}}`)
	if err := within(t, done); !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
		t.Error(err)
	}
}

func TestATurnEndsWithItsConnection(t *testing.T) {
	h := newHears()
	p, c, _ := agreed(t, h)
	done := result(t, c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hi")}})
	p.answers(p.gets("session/prompt"), `{"messageId":"u"}`)
	h.wait(t, 1)
	p.client.Conn().Close()
	if err := within(t, done); !errors.Is(err, acpclient.ErrClosed) {
		t.Error(err)
	}
}

// An end of the connection while the answer to a prompt is being told must end the turn
// as well: the answer has been taken, so the connection has nothing to end any more.
func TestATurnEndsWithAConnectionThatEndsWhileItsPromptIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &closes{}
		p, c, _ := agreed(t, h)
		h.conn = c.conn
		done := result(t, c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hi")}})
		p.answers(p.gets("session/prompt"), `{"messageId":"u"}`)
		if err := within(t, done); !errors.Is(err, acpclient.ErrClosed) {
			t.Error(err)
		}
	})
}

// closes closes the connection at the first update, and holds it up until nothing else
// moves any more.
type closes struct {
	conn *acpclient.Conn
}

func (c *closes) SessionUpdate(context.Context, *acpclient.SessionNotification) {
	c.conn.Close()
	synctest.Wait()
}

func TestFilesAndTerminalsAreNotServed(t *testing.T) {
	p, _, _ := agreed(t, newHears())
	for _, method := range []string{"fs/read_text_file", "terminal/create", "elicitation/create", "_custom"} {
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": method, "method": method, "params": map[string]string{"sessionId": "s"}})
		p.misuses(string(line))
		if m := p.gets(""); m.Error == nil || m.Error.Code != acpclient.CodeMethodNotFound {
			t.Errorf("%s: %+v", method, m)
		}
	}
}

func TestPermissions(t *testing.T) {
	h := newHears()
	p, _, _ := agreed(t, h)
	for i, tt := range []struct {
		subject string
		is      func(*acpclient.RequestPermissionRequest) bool
	}{
		{`{"type":"tool_call","toolCall":{"toolCallId":"c","title":"Edit","kind":"edit","content":[{"type":"diff","changes":[{"operation":"delete","path":"/a"}]}]}}`, func(r *acpclient.RequestPermissionRequest) bool {
			return r.ToolCall.ToolCallID == "c" && *r.ToolCall.Title == "Edit" && r.ToolCall.Content[0].Change.Operation == acpclient.FileDelete
		}},
		{`{"type":"command","command":"rm -rf x","cwd":"/w","toolCallId":"c"}`, func(r *acpclient.RequestPermissionRequest) bool {
			return r.ToolCall.ToolCallID == "c" && r.ToolCall.Title == nil && *r.ToolCall.Kind == acpclient.ToolExecute && string(r.ToolCall.RawInput) == `{"command":"rm -rf x","cwd":"/w"}`
		}},
		{`{"type":"_other","what":1}`, func(r *acpclient.RequestPermissionRequest) bool {
			return *r.ToolCall.Title == "May I?" && string(r.Subject) == `{"type":"_other","what":1}`
		}},
		{`null`, func(r *acpclient.RequestPermissionRequest) bool {
			return r.ToolCall.ToolCallID == "" && *r.ToolCall.Title == "May I?" && len(r.Subject) == 0
		}},
	} {
		p.says(`{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","title":"May I?","description":"Please.","subject":` + tt.subject + `,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`)
		m := p.gets("")
		if string(m.Result) != `{"outcome":{"outcome":"selected","optionId":"y"}}` {
			t.Errorf("%s: %s", tt.subject, m.Result)
		}
		if r := h.asked[i]; r.Title != "May I?" || r.Description != "Please." || !tt.is(r) {
			t.Errorf("%s: %+v", tt.subject, r)
		}
	}
}

// undecided is a handler whose user never answers.
type undecided struct{ *hears }

func (u undecided) RequestPermission(ctx context.Context, _ *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	u.told <- struct{}{}
	acpclient.Async(ctx)
	<-ctx.Done()
	return nil, ctx.Err()
}

// A question that the agent takes back is answered as cancelled, and not with an error.
func TestAQuestionThatIsTakenBack(t *testing.T) {
	h := undecided{newHears()}
	p, _, _ := agreed(t, h)
	p.says(`{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","title":"May I?","options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`)
	h.wait(t, 1)
	p.says(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`)
	if m := p.gets(""); string(m.ID) != "9" || string(m.Result) != `{"outcome":{"outcome":"cancelled"}}` {
		t.Errorf("%s %+v", m.Result, m.Error)
	}
}

// A batch is its messages, one after the other.
func TestBatches(t *testing.T) {
	h := newHears()
	p, _, _ := agreed(t, h)
	p.says(`[{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}}},` +
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}]`)
	h.wait(t, 2)
	if h.updates[0].Update.UpdateKind() != "agent_message_chunk" || h.updates[1].Update.UpdateKind() != "state_update" {
		t.Errorf("%v", h.updates)
	}
}

// An agent that tells of very many messages in one turn holds nothing up: this test does
// not end otherwise.
func TestATurnOfManyMessages(t *testing.T) {
	ended := false
	open := &turn{result: &acpclient.PromptResponse{}, done: func(error) { ended = true }, seen: map[acpclient.MessageID]int{}}
	c := &Client{turns: map[acpclient.SessionID]*turns{"s": {open: []*turn{open}}}}
	for i := range 500_000 {
		c.follow(&acpclient.SessionNotification{SessionID: "s", Update: &acpclient.MessageUpdate{
			Chunk: acpclient.UserMessageChunk, MessageID: acpclient.MessageID(fmt.Sprint(i)),
		}})
	}
	open.inserted = true
	if end := c.follow(&acpclient.SessionNotification{SessionID: "s", Update: &acpclient.StateUpdate{
		State: acpclient.WorkIdle, StopReason: acpclient.StopEndTurn,
	}}); end != nil {
		end()
	}
	if !ended {
		t.Error("the turn has not ended")
	}
}

// An agent that invents sessions does not fill the memory with their states.
func TestStatesOfInventedSessions(t *testing.T) {
	p, c, _ := agreed(t, newHears())
	for i := range 50 {
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"invented %d","update":{"sessionUpdate":"state_update","state":"running"}}}`, i))
	}
	done := result(t, c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/w"})
	p.answers(p.gets("session/new"), `{"sessionId":"s"}`)
	if err := within(t, done); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, own := c.turns["s"]; !own || len(c.turns) != 1 {
		t.Errorf("the states of %d sessions are kept", len(c.turns))
	}
}

// A prompt that is sent while another is worked on ends as well, and so does the other.
func TestTwoPromptsOfOneSession(t *testing.T) {
	p, c, _ := agreed(t, newHears())
	send := func() (chan error, message) {
		done := result(t, c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hi")}})
		return done, p.gets("session/prompt")
	}
	first, m := send()
	p.answers(m, `{"messageId":"1"}`)
	p.update(`{"sessionUpdate":"user_message","messageId":"1"}`)
	p.update(`{"sessionUpdate":"state_update","state":"running"}`)
	second, m := send()
	p.answers(m, `{"messageId":"2"}`)
	p.update(`{"sessionUpdate":"user_message","messageId":"2"}`)
	p.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
	for _, done := range []chan error{first, second} {
		if err := within(t, done); err != nil {
			t.Error(err)
		}
	}
}
