package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

const signIn = "please sign in"

func (h *harness) refuse(method string) {
	h.Helper()
	h.fail(method, acpclient.CodeAuthRequired, signIn)
}

func TestSignInToOpenASession(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("waits")
		h.refuse("session/new")
		asked := eventsOf[conversation.AuthRequired](h)
		if len(asked) != 1 || asked[0].Message != signIn || h.conv.AuthError == nil || len(h.conv.Agent.AuthMethods) != 2 {
			t.Fatalf("asked %+v with methods %v", asked, h.conv.Agent.AuthMethods)
		}
		Post(h, Authenticate{"agent"})
		h.settle()
		h.fail("authenticate", acpclient.CodeInternalError, "wrong password")
		if h.conv.AuthError == nil || h.agent().open("session/new") != nil {
			t.Error("it goes on without having signed in")
		}
		Post(h, Authenticate{"agent"})
		h.settle()
		h.reply("authenticate", `{}`)
		if h.conv.AuthError != nil {
			t.Error(h.conv.AuthError)
		}
		h.reply("session/new", `{"sessionId":"s1"}`)
		test.WantTranscript(t, h.conv, "user: waits")
	}, capable(everything, "session/new"))
}

func TestTheSecondRefusalCounts(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.refuse("session/prompt")
		if !h.conv.Turn.Running {
			t.Error("the turn does not wait")
		}
		h.agent().set("authenticate", json.RawMessage(`{}`))
		Post(h, Authenticate{"agent"})
		h.settle()
		h.refuse("session/prompt")
		if h.conv.Turn.Running || h.agent().count("session/prompt") != 2 || len(eventsOf[conversation.AuthRequired](h)) != 1 {
			t.Errorf("running %v after %q", h.conv.Turn.Running, h.agent().got())
		}
		test.WantTranscript(t, h.conv, "user: one", "note: The agent answered with an error")
	})
}

func TestSeveralCallsWaitForOneSignIn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.setMode("plan")
		var page *acpclient.ListSessionsResponse
		var err error
		go func() { page, err = Do(context.Background(), h, ListSessions{""}) }()
		h.settle()
		h.refuse("session/set_mode")
		h.refuse("session/prompt")
		h.refuse("session/list")
		if n := len(eventsOf[conversation.AuthRequired](h)); n != 1 {
			t.Errorf("asked to sign in %d times", n)
		}
		h.agent().set("authenticate", json.RawMessage(`{}`))
		Post(h, Authenticate{"agent"})
		h.settle()
		h.reply("session/set_mode", `{}`)
		h.reply("session/list", `{"sessions":[]}`)
		h.reply("session/prompt", `{}`)
		if err != nil || page == nil || h.value(acpclient.CategoryMode) != "plan" || h.conv.Turn.Running {
			t.Errorf("list %v %v, mode %q, running %v", page, err, h.value(acpclient.CategoryMode), h.conv.Turn.Running)
		}
	})
}

func TestDismissedSignIn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		var err error
		go func() { err = Try(context.Background(), h, DeleteSession{"a"}) }()
		h.settle()
		h.refuse("session/prompt")
		h.refuse("session/delete")
		Post(h, DismissAuth{})
		h.settle()
		if h.conv.Turn.Running || h.conv.AuthError != nil || !h.conv.QueuePaused {
			t.Errorf("running %v, %v, paused %v", h.conv.Turn.Running, h.conv.AuthError, h.conv.QueuePaused)
		}
		if !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
			t.Errorf("deleting ended with %v", err)
		}
		Post(h, DismissAuth{}) // nothing waits
		h.settle()
		// The next call asks again.
		h.setMode("plan")
		h.settle()
		h.refuse("session/set_mode")
		if n := len(eventsOf[conversation.AuthRequired](h)); n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestSignInLater(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.refuse("session/new")
		Post(h, DismissAuth{})
		h.settle()
		if h.conv.Phase != conversation.PhaseFailed {
			t.Errorf("phase %v", h.conv.Phase)
		}
		h.agent().set("authenticate", json.RawMessage(`{}`))
		Post(h, Authenticate{"agent"})
		h.settle()
		h.reply("session/new", `{"sessionId":"s1"}`)
		if h.conv.Phase != conversation.PhaseReady {
			t.Errorf("phase %v", h.conv.Phase)
		}
	}, capable(everything, "session/new"))
}

func TestCancelWhileAPromptWaitsForSignIn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.refuse("session/prompt")
		resultOf(h, Cancel{})
		h.settle()
		if h.conv.Turn.Running || h.conv.AuthError != nil {
			t.Errorf("running %v, %v", h.conv.Turn.Running, h.conv.AuthError)
		}
		test.WantTranscript(t, h.conv, "user: one", "note: Cancelled")
	})
}

func TestNobodyWaitsForALostAgent(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		ended := make(chan error, 1)
		go func() { _, err := Do(context.Background(), h, ListSessions{""}); ended <- err }()
		h.settle()
		h.refuse("session/list")
		h.agent().exit(errors.New("crash"))
		h.settle()
		if err := <-ended; err == nil {
			t.Error("there is a list")
		}
		if h.conv.AuthError != nil {
			t.Error("it is still asked to sign in")
		}
	})
	bubble(t, func(t *testing.T, h *harness) { // nor for ever
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { _, err := Do(ctx, h, ListSessions{""}); ended <- err }()
		h.settle()
		h.refuse("session/list")
		cancel()
		if err := <-ended; err == nil {
			t.Error("there is a list")
		}
	})
}

func TestTerminalAuth(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		c, err := Do(h.Context(), h, TerminalAuth{"tty"})
		want := acpclient.Command{
			Path: "fake", Args: []string{"acp", "--login"}, Env: []string{"A=0", "A=1", "B=2"},
			Runs: &acpclient.Command{Path: "fake", Args: []string{"acp", "--login"}, Env: []string{"A=1", "B=2"}},
		}
		if d := cmp.Diff(want, c); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
		if o := h.Options().Command; len(o.Args) != 1 || len(o.Env) != 1 {
			t.Errorf("the agent's own command has changed: %v", o)
		}
		if _, err := Do(h.Context(), h, TerminalAuth{"agent"}); err == nil {
			t.Error("a method of the agent's own needs a terminal")
		}
		if _, err := Do(h.Context(), h, TerminalAuth{"unheard-of"}); err == nil {
			t.Error("there is a method that the agent did not name")
		}
	})
}

// A program that only the metadata of a method names is run as the agent is: in its
// environment, and in its sandbox.
func TestTerminalAuthByMetadata(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method string
		runs   *acpclient.Command
		want   *acpclient.Command // nil if it is refused
	}{
		"alone":          {`"_meta":{"terminal-auth":{"command":"PROGRAM","args":["login"],"env":{"B":"2","A":"1"},"label":"L"}}`, nil, &acpclient.Command{Path: program, Args: []string{"login"}, Env: []string{"A=0", "A=1", "B=2"}}},
		"of an agent":    {`"type":"agent","_meta":{"terminal-auth":{"command":"PROGRAM"}}`, nil, &acpclient.Command{Path: program, Env: []string{"A=0"}}},
		"bounded":        {`"_meta":{"terminal-auth":{"command":"PROGRAM","args":["login"]}}`, &acpclient.Command{Path: "agent"}, &acpclient.Command{Path: "fake", Args: []string{program, "login"}, Env: []string{"A=0"}}},
		"out of bounds":  {`"_meta":{"terminal-auth":{"command":"PROGRAM","env":{"LD_PRELOAD":"x"}}}`, &acpclient.Command{Path: "agent"}, nil},
		"by its type":    {`"type":"terminal","args":["--login"],"_meta":{"terminal-auth":{"command":"PROGRAM"}}`, nil, &acpclient.Command{Path: "fake", Args: []string{"acp", "--login"}, Env: []string{"A=0"}}},
		"of the project": {`"_meta":{"terminal-auth":{"command":"./login"}}`, nil, nil},
		"unknown":        {`"_meta":{"terminal-auth":{"command":"no-such-program-anywhere"}}`, nil, nil},
		"without one":    {`"_meta":{"terminal-auth":{"args":["login"]}}`, nil, nil},
		"in no form":     {`"_meta":{"terminal-auth":true}`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				got, err := Do(h.Context(), h, TerminalAuth{"in"})
				if c.want == nil {
					if err == nil {
						t.Errorf("it runs %+v", got)
					}
					return
				}
				got.Runs = nil
				if d := cmp.Diff(*c.want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
					t.Errorf("%v %s", err, d)
				}
			}, func(h *harness, o *Options) {
				o.Command.Runs = c.runs
				h.prepare = func(a *fakeAgent) {
					method := strings.ReplaceAll(c.method, "PROGRAM", strings.ReplaceAll(program, `\`, `\\`))
					a.auto["initialize"] = json.RawMessage(`{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"in","name":"In",` + method + `}]}`)
				}
			})
		})
	}
}

// The program that bounds an agent gets the variables of its way to sign in too: none of
// them may have the agent's code run there.
func TestTerminalAuthBehindBounds(t *testing.T) {
	for _, c := range []struct {
		variable string
		refused  bool
	}{{"LD_PRELOAD", true}, {"LOGIN_WITH", false}} {
		bubble(t, func(t *testing.T, h *harness) {
			if _, err := Do(h.Context(), h, TerminalAuth{"tty"}); (err != nil) != c.refused {
				t.Errorf("%s: %v", c.variable, err)
			}
		}, func(h *harness, o *Options) {
			o.Command.Runs = &acpclient.Command{Path: "fake"}
			h.prepare = func(a *fakeAgent) {
				a.auto["initialize"] = json.RawMessage(`{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tty","name":"Terminal","type":"terminal","env":{"` + c.variable + `":"x"}}]}`)
			}
		})
	}
}

// Signing in on a terminal starts the agent again. What waited is done then.
func TestReconnect(t *testing.T) {
	for _, c := range []struct {
		name, capabilities, method string
		want                       []string
	}{
		{"resume", everything, "session/resume", []string{"user: one"}},
		{"load", `{"loadSession":true}`, "session/load", []string{"user: one"}},
		{"new", `{}`, "session/new", []string{"user: one", "note: The agent cannot resume the earlier session"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				old := h.agent()
				h.prompt("one")
				h.setMode("plan")
				h.settle()
				h.refuse("session/prompt")
				h.refuse("session/set_mode")
				capable(c.capabilities, c.method, "initialize")(h, nil)
				prepare := h.prepare
				h.prepare = func(a *fakeAgent) {
					prepare(a)
					Post(h, Reconnect{}) // its process is being started: once is enough
				}
				Post(h, Reconnect{})
				h.settle()
				h.agent().reply(h, "initialize", hello(c.capabilities))
				h.settle()
				if len(h.agents) != 2 || len(eventsOf[conversation.AgentLost](h)) != 0 {
					t.Fatalf("%d agents, %d lost", len(h.agents), len(eventsOf[conversation.AgentLost](h)))
				}
				select {
				case <-old.done:
				default:
					t.Error("the old agent still runs")
				}
				h.reply(c.method, `{"sessionId":"s2",`+older+`}`)
				test.WantTranscript(t, h.conv, c.want...)
				if !h.conv.Turn.Running || h.conv.AuthError != nil {
					t.Errorf("running %v, %v", h.conv.Turn.Running, h.conv.AuthError)
				}
				id := "s1"
				if c.name == "new" {
					id = "s2"
				}
				if q := h.agent().open("session/prompt"); q == nil || sessionOf(q.params) != id {
					t.Fatalf("the agent got %q", h.agent().got())
				}
				h.reply("session/set_mode", `{}`)
				h.reply("session/prompt", `{}`)
				if h.conv.Turn.Running || h.value(acpclient.CategoryMode) != "plan" {
					t.Errorf("running %v, mode %q", h.conv.Turn.Running, h.value(acpclient.CategoryMode))
				}
			})
		})
	}
}

func TestReconnectInATurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		Post(h, Reconnect{})
		h.settle()
		if h.conv.Turn.Running || len(test.Permissions(h.conv)) != 0 {
			t.Error("the turn of the old agent still runs")
		}
		h.reply("session/resume", `{}`)
		test.WantTranscript(t, h.conv, "user: one", "tool t1:  cancelled", "note: Cancelled")
		h.prompt("two")
		if !h.conv.Turn.Running {
			t.Error("the session is not open")
		}
	})
}

func TestReconnectAndStillNotSignedIn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.refuse("session/prompt")
		Post(h, Reconnect{})
		h.settle()
		h.refuse("session/resume")
		if n := len(eventsOf[conversation.AuthRequired](h)); n != 2 || h.conv.AuthError == nil {
			t.Errorf("asked %d times", n)
		}
		Post(h, DismissAuth{})
		h.settle()
		if h.conv.Turn.Running || h.conv.Phase != conversation.PhaseFailed {
			t.Errorf("running %v, phase %v", h.conv.Turn.Running, h.conv.Phase)
		}
	})
}

func TestLogout(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().set("logout", json.RawMessage(`null`))
		if err := Try(t.Context(), h, Logout{}); err != nil {
			t.Error(err)
		}
		if !slices.Contains(h.agent().got(), "logout") {
			t.Error("the agent was not told")
		}
	})
}
