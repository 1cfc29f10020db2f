package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// TestModel lets a user, an agent and fate do anything in any order, and
// checks after each step what must always hold.
func TestModel(t *testing.T) {
	test.Checks(t, 15) // of many steps each
	rapid.Check(t, func(rt *rapid.T) {
		capabilities := rapid.SampledFrom([]string{everything, `{"loadSession":true}`, `{}`}).Draw(rt, "capabilities")
		second := rapid.Bool().Draw(rt, "second version")
		var failed any
		synctest.Test(t, func(t *testing.T) {
			m := &model{T: rt, second: second, h: newHarness(t, func(h *harness, o *Options) {
				o.Taps = nil // the schema is for other tests, this one is to be quick
				if second {
					o.OfferV2 = true
				}
				h.prepare = func(a *fakeAgent) {
					a.auto["initialize"] = hello(capabilities)
					if second {
						a.auto["initialize"] = json.RawMessage(helloV2)
					}
					delete(a.auto, "session/new")
					a.auto["session/close"] = struct{}{}
				}
			})}
			defer func() {
				failed = recover() // it belongs to rapid, outside of the bubble
				m.h.Session.Close(context.Background())
				synctest.Wait()
			}()
			m.run()
		})
		switch {
		case failed == nil:
		case fmt.Sprintf("%T", failed) == "rapid.invalidData":
			panic(failed) // there were no more bits to draw from
		default:
			rt.Fatal(failed)
		}
	})
}

// model is what the test itself knows of a session.
type model struct {
	*rapid.T
	h      *harness
	second bool // the second version of the protocol is spoken

	prompts   int             // that the user has sent
	unqueued  int             // that they have taken back
	questions []modelQuestion // that agents have asked
	texts     int             // that agents have streamed
	ctx       context.Context
	cancel    context.CancelFunc
}

type modelQuestion struct {
	tool   string
	answer chan answered
	agent  *fakeAgent
}

func (m *model) run() {
	m.ctx, m.cancel = context.WithCancel(context.Background())
	defer m.cancel()
	Post(m.h, Start{})
	m.h.settle()
	m.Repeat(map[string]func(*rapid.T){
		"": func(*rapid.T) { m.check() },

		// The user.
		"prompt": func(*rapid.T) {
			m.prompts++
			Post(m.h, Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprintf("prompt %d", m.prompts))}}})
		},
		"cancel": func(*rapid.T) { resultOf(m.h, Cancel{}) },
		"resume": func(*rapid.T) { Post(m.h, ResumeQueue{}) },
		"unqueue": func(t *rapid.T) {
			if len(m.h.conv.Queue) > 0 {
				if _, err := Do(m.h.Context(), m.h, Unqueue{rapid.SampledFrom(m.h.conv.Queue).Draw(t, "prompt").ID}); err == nil {
					m.unqueued++
				}
			}
		},
		"move": func(t *rapid.T) {
			if len(m.h.conv.Queue) > 0 {
				Post(m.h, MoveQueued{rapid.SampledFrom(m.h.conv.Queue).Draw(t, "prompt").ID, rapid.IntRange(-2, 2).Draw(t, "by")})
			}
		},
		"send now": func(*rapid.T) {
			m.prompts++
			Post(m.h, SendNow{conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprintf("prompt %d", m.prompts))}}})
		},
		"send queued now": func(t *rapid.T) {
			if len(m.h.conv.Queue) > 0 {
				Post(m.h, SendNow{rapid.SampledFrom(m.h.conv.Queue).Draw(t, "prompt")})
			}
		},
		"put back": func(t *rapid.T) {
			m.prompts++
			Post(m.h, Prompt{conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprintf("prompt %d", m.prompts))}}, rapid.IntRange(1, 6).Draw(t, "at")})
		},
		"empty": func(*rapid.T) { m.unqueued += len(resultOf(m.h, EmptyQueue{})) },
		"answer": func(t *rapid.T) {
			if len(test.Permissions(m.h.conv)) > 0 {
				p := rapid.SampledFrom(test.Permissions(m.h.conv)).Draw(t, "permission")
				_ = Try(m.h.Context(), m.h, Answer{Question: p.Seen, Option: rapid.SampledFrom([]acpclient.PermissionOptionID{"yes", "no", "bogus"}).Draw(t, "option")})
			}
		},
		"mode": func(t *rapid.T) {
			m.h.setMode(rapid.SampledFrom([]acpclient.ConfigValueID{"a", "b"}).Draw(t, "mode"))
		},
		"option":    func(t *rapid.T) { Post(m.h, SetOption{"o", acpclient.BoolValue(rapid.Bool().Draw(t, "on"))}) },
		"start":     func(*rapid.T) { Post(m.h, Start{}) },
		"reconnect": func(*rapid.T) { Post(m.h, Reconnect{}) },
		"open anew": func(*rapid.T) { _ = Try(m.h.Context(), m.h, OpenAnew{}) },
		"load": func(t *rapid.T) {
			_ = Try(m.h.Context(), m.h, OpenSession{acpclient.SessionInfo{SessionID: rapid.SampledFrom([]acpclient.SessionID{"x", "y"}).Draw(t, "id")}})
		},
		"fork":         func(*rapid.T) { _ = Try(m.h.Context(), m.h, Fork{}) },
		"authenticate": func(*rapid.T) { Post(m.h, Authenticate{"agent"}) },
		"dismiss":      func(*rapid.T) { Post(m.h, DismissAuth{}) },

		// The agent.
		"text": func(*rapid.T) {
			m.texts++
			m.h.agent().text(string(m.session()), fmt.Sprintf("<%d>", m.texts))
		},
		"tool": func(t *rapid.T) {
			kind := "tool_call"
			if m.second {
				kind = "tool_call_update"
			}
			m.h.agent().update(string(m.session()), fmt.Sprintf(`{"sessionUpdate":%q,"toolCallId":"t%d","title":"T","status":"in_progress"}`, kind, rapid.IntRange(0, 5).Draw(t, "id")))
		},
		"stranger": func(*rapid.T) { m.h.agent().text("stranger", "not ours") },
		"ask": func(*rapid.T) {
			if len(m.questions) < 20 {
				tool := fmt.Sprintf("q%d", len(m.questions))
				params := fmt.Sprintf(`{"sessionId":%q,"toolCall":{"toolCallId":%q},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`, m.session(), tool)
				if m.second {
					params = fmt.Sprintf(`{"sessionId":%q,"title":"May I?","subject":{"type":"tool_call","toolCall":{"toolCallId":%q}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`, m.session(), tool)
				}
				a := m.h.agent()
				m.questions = append(m.questions, modelQuestion{tool, a.ask(m.ctx, "session/request_permission", params), a})
			}
		},
		"reply": func(t *rapid.T) { m.reply(t) },
		"burst": func(t *rapid.T) { // updates and the answer behind them, at once
			for range 5 {
				m.texts++
				m.h.agent().text(string(m.session()), fmt.Sprintf("<%d>", m.texts))
			}
			m.reply(t)
		},

		// What only an agent of the second version does.
		"state": func(t *rapid.T) {
			if m.second {
				m.h.agent().update(string(m.session()), rapid.SampledFrom(statesV2).Draw(t, "state"))
			}
		},

		// Fate.
		"die": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
				m.h.agent().exit(errors.New("crash"))
			}
		},
	})
	m.finish()
}

const helloV2 = `{"protocolVersion":2,"info":{"name":"fake","version":"1"},"capabilities":{"session":{"fork":{},"delete":{},"mcp":{"stdio":{}}}},"authMethods":[{"type":"agent","methodId":"agent","name":"Agent"}]}`

// statesV2 are what an agent of the second version may say at any time.
var statesV2 = []string{
	`{"sessionUpdate":"state_update","state":"running"}`,
	`{"sessionUpdate":"state_update","state":"requires_action"}`,
	`{"sessionUpdate":"state_update","state":"idle"}`,
	`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`,
	`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled","background":[{"type":"tool_call","toolCallId":"t1"}]}`,
	`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"no"}}`,
	`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"prompt 1"}]}`,
	`{"sessionUpdate":"user_message","messageId":"u2"}`,
	`{"sessionUpdate":"agent_message","messageId":"a1","content":[{"type":"text","text":"whole"}]}`,
	`{"sessionUpdate":"agent_message","messageId":"a1","content":null}`,
	`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t1","content":{"type":"terminal","terminalId":"x"}}`,
	`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"YQ=="}`,
	`{"sessionUpdate":"terminal_update","terminalId":"x","output":null,"exitStatus":{"exitCode":0}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":null,"content":null}`,
}

// session is the one that the agent believes to be open.
func (m *model) session() acpclient.SessionID {
	if m.h.conv.ID != "" {
		return m.h.conv.ID
	}
	return "s1"
}

// reply lets the agent answer something that is open: well, badly, or wanting
// the user to sign in.
func (m *model) reply(t *rapid.T) {
	a := m.h.agent()
	a.mu.Lock()
	open := slices.Clone(a.asked)
	a.mu.Unlock()
	if len(open) == 0 {
		return
	}
	q := open[rapid.IntRange(0, len(open)-1).Draw(t, "request")]
	var result any = struct{}{}
	switch q.method {
	case "session/new", "session/fork":
		result = json.RawMessage(fmt.Sprintf(`{"sessionId":"n%d"}`, m.texts))
	case "session/prompt":
		result = json.RawMessage(rapid.SampledFrom([]string{`null`, `{"stopReason":"end_turn"}`, `{"stopReason":"cancelled"}`}).Draw(t, "stop"))
		if m.second {
			result = json.RawMessage(rapid.SampledFrom([]string{`{"messageId":"u1"}`, `{"messageId":"u2"}`, `{}`}).Draw(t, "message"))
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		result = &acpclient.Error{Code: acpclient.CodeInternalError, Message: "no"}
	case 1:
		result = &acpclient.Error{Code: acpclient.CodeAuthRequired, Message: signIn}
	}
	a.mu.Lock()
	a.asked = slices.DeleteFunc(a.asked, func(o *asked) bool { return o == q })
	a.mu.Unlock()
	q.answer <- result
}

// check is what holds whenever nothing moves.
func (m *model) check() {
	m.h.settle()
	c := m.h.conv

	// Nothing is lost of what the user wrote: it was sent, it waits, they took
	// it back, or they were told that it was dropped.
	sentOnce := map[string]bool{}
	dropped := 0
	for _, e := range m.h.events {
		switch e := e.(type) {
		case conversation.PromptSent:
			sentOnce[e.Prompt[0].Text] = true
		case conversation.NoticeAdded:
			n := 1
			if e.Title == "A queued prompt was dropped" {
				dropped++
			} else if _, err := fmt.Sscanf(e.Title, "%d queued prompts were dropped", &n); err == nil {
				dropped += n
			}
		}
	}
	if got := len(sentOnce) + len(c.Queue) + m.unqueued + dropped; got != m.prompts {
		m.Fatalf("of %d prompts %d were sent, %d wait, %d were undone, %d dropped", m.prompts, len(sentOnce), len(c.Queue), m.unqueued, dropped)
	}

	// Each question is opened and closed once, and open as long as its agent waits.
	open, closed := map[int]bool{}, map[int]bool{}
	for _, e := range m.h.events {
		switch e := e.(type) {
		case conversation.PermissionOpened:
			if open[e.ID] {
				m.Fatalf("question %d was opened twice", e.ID)
			}
			open[e.ID] = true
		case conversation.QuestionClosed:
			if !open[e.ID] || closed[e.ID] {
				m.Fatalf("question %d was closed, open %v, closed %v", e.ID, open[e.ID], closed[e.ID])
			}
			closed[e.ID] = true
		}
	}
	if got := len(open) - len(closed); got != len(test.Permissions(c)) {
		m.Fatalf("%d questions are open, %d are shown", got, len(test.Permissions(c)))
	}
	waiting := 0
	for _, q := range m.questions {
		if len(q.answer) == 0 {
			waiting++
		}
	}
	if waiting != len(test.Permissions(c)) {
		m.Fatalf("agents wait for %d answers, %d questions are shown", waiting, len(test.Permissions(c)))
	}
	if !c.Turn.Cancelling.IsZero() && len(test.Permissions(c)) > 0 {
		m.Fatalf("a cancelled turn has open questions")
	}

	m.checkOrder()

	// What is shown is the fold of the stream, and of nothing else.
	again := conversation.New()
	for _, e := range m.h.events {
		again.Apply(e)
	}
	if d := test.Diff(again, c); d != "" {
		m.Fatalf("the state is not the fold of the stream:\n%s", d)
	}
	if c.Turn.Running != m.h.isRunning() {
		m.Fatalf("the turn is shown running: %v", c.Turn.Running)
	}
}

// checkOrder: turns do not overlap, and the agent's text comes in its order.
func (m *model) checkOrder() {
	running, again := false, false
	last := 0
	for _, e := range m.h.events {
		switch e := e.(type) {
		case conversation.PromptSent:
			if running && !again {
				m.Fatalf("a turn began in another")
			}
			running, again = true, false
		case conversation.TurnEnded:
			if !running {
				m.Fatalf("a turn ended that did not run")
			}
			running = false
		case conversation.AgentLost:
			running = false
		case conversation.SessionOpening:
			if e.How == conversation.OpenLoad { // a prompt that waits for signing in is shown again
				again = running
			}
		case conversation.Text:
			var n int
			for text := e.Text; ; {
				if _, err := fmt.Sscanf(text, "<%d>", &n); err != nil {
					break
				}
				if n <= last {
					m.Fatalf("text %d came after %d", n, last)
				}
				last = n
				text = text[len(fmt.Sprintf("<%d>", n)):]
			}
		}
	}
}

func (h *harness) isRunning() bool {
	h.mu.Lock()
	defer h.unlock()
	return h.state.Turn.Running
}

// finish: when the session is closed nobody is left without an answer, and what
// was stored of it is the same conversation.
func (m *model) finish() {
	m.h.Session.Close(context.Background())
	m.h.settle()
	stored := conversation.New()
	for _, e := range m.h.events {
		line, err := conversation.Encode(e)
		if err != nil {
			m.Fatal(err)
		}
		if e, err = conversation.Decode(line); err != nil {
			m.Fatalf("%s: %v", line, err)
		}
		stored.Apply(e)
	}
	if d := test.Diff(m.h.conv, stored); d != "" {
		m.Fatalf("the stored stream is another conversation:\n%s", d)
	}
	for _, q := range m.questions {
		select {
		case got := <-q.answer:
			if len(q.answer) > 0 {
				m.Fatalf("%s was answered twice", q.tool)
			}
			_ = got
		default:
			m.Fatalf("%s was never answered", q.tool)
		}
	}
}
