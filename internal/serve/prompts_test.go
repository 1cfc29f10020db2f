package serve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
)

// A prompt goes into the running turn where the agent takes it; where it does not, the client is told, and
// nothing of it stays in the queue.
func TestSteering(t *testing.T) {
	const steers, begins = `{"protocolVersion":1,"_meta":{"steering":{"supported":true}}}`, "expect session/prompt as p\nsay working\n"
	end := "\nsay Done.\n" + `reply p {"stopReason":"end_turn"}` + "\nserve\n"
	for name, test := range map[string]struct{ info, script, want string }{
		"it is taken":        {steers, begins + "expect _session/steering as s contains \"left\"\n" + `reply s {"outcome":"injected"}` + end, `"injected"`},
		"it is refused":      {steers, begins + "expect _session/steering as s\nreply-error s -32603 not now\nexpect session/set_mode\nreply" + end, "not now"},
		"the turn has ended": {steers, begins + "expect _session/steering as s\n" + `reply p {"stopReason":"end_turn"}` + "\n" + `reply s {"outcome":"promptRequired"}` + "\nsay Done.\nserve\n", `"promptRequired","reason":"noRunningTurn"`},
		"no turn runs":       {steers, "serve\n", `"promptRequired","reason":"noRunningTurn"`},
		"the agent cannot":   {`{"protocolVersion":1}`, begins + "expect session/set_mode\nreply" + end, "_session/steering"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "expect initialize\nreply "+test.info+"\nexpect session/new\n"+
				`reply {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}`+"\n"+test.script)
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
			var turn <-chan string
			if strings.Contains(test.script, "working") {
				turn = c.prompt("go")
				c.said("working")
			}
			r, err := acpclient.Call(t.Context(), c, acpclient.SessionSteering, &acpclient.SteeringRequest{SessionID: c.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("left")}})
			got := encode(r)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s", got)
			}
			if strings.Contains(test.script, "set_mode") {
				c.reports(func(st Status) bool { return len(st.Queue) == 0 }) // until it is taken out
				if err := c.call(acpclient.SessionSetMode.Name, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"}); err != nil {
					t.Fatal(err)
				}
			}
			if turn != nil {
				c.ends(turn, "end_turn")
				c.said("Done.")
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if told := c.conv.Told(); len(told) > 0 {
				t.Errorf("it was sent %q", told)
			}
		})
	}
}

// The answer to a prompt says what became of it: what the turn has used, and why a budget or a limit of the plan
// has ended it. One that waits until a limit resets has no answer until then. None that is answered stays queued.
func TestHowAPromptEnds(t *testing.T) {
	const turn, spends = "expect session/prompt\n", `update {"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":2,"currency":"USD"}}` + "\n"
	const limit = turn + "reply-error -32603 You've hit your usage limit\n"
	for name, test := range map[string]struct {
		script string
		opt    session.Options
		ends   []string // of prompts, each sent when the one before has ended
		thinks string
		waits  string // the session's state, until the client cancels
	}{
		"with what it used":             {script: turn + `reply {"stopReason":"max_tokens","usage":{"totalTokens":7,"inputTokens":5,"outputTokens":2}}` + "\n", ends: []string{`{"stopReason":"max_tokens","usage":{"totalTokens":7,"inputTokens":5,"outputTokens":2}}`}},
		"in the turn that reaches it":   {script: turn + spends + "wait-cancel\nend-turn cancelled\n", opt: session.Options{Budget: conversation.Budget{Cost: 1}}, ends: []string{`{"stopReason":"cancelled"}`, "The budget is used up: $2.00 of $1.00. 'parley attach host' raises it"}, thinks: "The budget is used up: $2.00 of $1.00. 'parley attach host' raises it"},
		"at a limit":                    {script: limit, ends: []string{"You've hit your usage limit"}},
		"at a limit that has reset":     {script: turn + "reply-error -32603 You've hit your usage limit. Try again in 0.00001 seconds.\n" + turn + "say ok\nend-turn\n", opt: session.Options{AtLimit: session.WaitAtLimit}, ends: []string{`{"stopReason":"end_turn"}`}},
		"at a limit for which it waits": {script: limit, opt: session.Options{AtLimit: session.WaitAtLimit}, ends: []string{`{"stopReason":"cancelled"}`}, waits: "waits for the plan's limit, next try "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "handshake\n"+test.script+"serve\n")
			s.opt.Budget, s.opt.AtLimit = test.opt.Budget, test.opt.AtLimit
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
			for _, want := range test.ends {
				done := make(chan string, 1)
				acpclient.Go(c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: c.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}},
					func(r *acpclient.PromptResponse, err error) { done <- encode(r) + fmt.Sprint(err) })
				if test.waits != "" {
					c.reports(func(st Status) bool { return strings.HasPrefix(st.State, test.waits) })
					if err := c.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: c.id}); err != nil {
						t.Fatal(err)
					}
				}
				c.ends(done, want)
			}
			c.reports(func(st Status) bool { return len(st.Queue) == 0 })
			if test.thinks != "" {
				c.said("agent_thought_chunk: parley: " + test.thinks + "\n")
			}
		})
	}
}

// A client signs in with a method of the agent's that needs no terminal, when a session or a prompt needs it; what
// it wanted goes on then.
func TestSignIn(t *testing.T) {
	const methods = `expect initialize
reply {"protocolVersion":1,"authMethods":[{"id":"key","name":"Key"},{"id":"tty","name":"Terminal","type":"terminal"}]}
`
	const signs = "expect authenticate\nreply-error -32603 wrong key\nexpect authenticate contains \"key\"\nreply\n"
	for name, test := range map[string]struct {
		script string
		prompt bool
	}{
		"for a session": {script: "expect session/new\nreply-error -32000 sign in\n" + signs + "expect session/new\nreply {\"sessionId\":\"s\"}\n"},
		"for a prompt":  {script: "expect session/new\nreply {\"sessionId\":\"s\"}\nexpect session/prompt\nreply-error -32000 sign in\n" + signs, prompt: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, methods+test.script+"expect session/prompt\nsay Hello\nend-turn\nserve\n")
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
			if test.prompt {
				c.open(s.opt.Cwd)
				c.ends(c.prompt("one"), "code -32000")
			} else if err := c.call(acpclient.SessionNew.Name, &acpclient.NewSessionRequest{Cwd: s.opt.Cwd}); err == nil || !strings.Contains(err.Error(), "code -32000") {
				t.Fatal(err)
			}
			for _, try := range []struct{ method, want string }{
				{"carrier pigeon", "no sign-in method"}, {"tty", "no sign-in method"}, {"key", "wrong key"}, {"key", ""},
			} {
				err := c.call(acpclient.Authenticate.Name, &acpclient.AuthenticateRequest{MethodID: acpclient.AuthMethodID(try.method)})
				if (err == nil) != (try.want == "") || err != nil && !strings.Contains(err.Error(), try.want) {
					t.Errorf("%s: %v", try.method, err)
				}
			}
			if !test.prompt {
				c.open(s.opt.Cwd)
			}
			c.ends(c.prompt("one"), "end_turn")
			if len(s.made) != 1 {
				t.Errorf("made %+v", s.made)
			}
		})
	}
}

// A client gets the options of a kind that it shows, and no other.
func TestBooleanOptions(t *testing.T) {
	const script = `handshake {} {"configOptions":[{"id":"m","name":"M","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]},{"id":"fast","name":"Fast","type":"boolean","currentValue":false}]}
serve
`
	yes := acpclient.Supported{}
	shows := acpclient.ClientCapabilities{Session: &acpclient.ClientSessionCapabilities{ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: &yes}}}
	for name, test := range map[string]struct {
		caps acpclient.ClientCapabilities
		v2   bool
		want []acpclient.ConfigID
	}{
		"not shown": {want: []acpclient.ConfigID{"m"}}, "shown": {caps: shows, want: []acpclient.ConfigID{"m", "fast"}}, "in version 2": {v2: true, want: []acpclient.ConfigID{"m", "fast"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, script)
			c := s.client(Options{}, test.caps, test.v2).open(s.opt.Cwd)
			set := &acpclient.SetSessionConfigOptionRequest{SessionID: c.id, ConfigID: "m", Value: acpclient.SelectValue("b")}
			if len(test.want) > 1 {
				set.ConfigID, set.Value = "fast", acpclient.ConfigValue{IsBool: true, Bool: true}
			}
			r, err := acpclient.Call(t.Context(), c, acpclient.SessionSetConfigOption, set)
			if err != nil {
				t.Fatal(err)
			}
			var got []acpclient.ConfigID
			for _, o := range r.ConfigOptions {
				if got = append(got, o.ID); (o.ID == set.ConfigID) != (o.CurrentValue == set.Value) {
					t.Errorf("%+v", o)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A turn may end before the client is told that its session is open. It gets the updates first.
func TestNoPromptIsAnsweredBeforeItsUpdates(t *testing.T) {
	p := &prompt{ref: "r", ended: &conversation.TurnEnded{}, answer: make(chan answer, 1), over: make(chan struct{})}
	s := &served{prompts: map[string]*prompt{"r": p}}
	for range 2 {
		s.lookAtPrompts(conversation.New())
		if got := len(p.answer) == 1; got != s.view.open {
			t.Errorf("open: %t, answered: %t", s.view.open, got)
		}
		s.view.open = true
	}
}
