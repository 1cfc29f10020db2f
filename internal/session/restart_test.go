package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func TestTheAgentCannotBeStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		missing := errors.New("not installed")
		h.spawnOf = func() error { return missing }
		Post(h, Start{})
		h.settle()
		if h.conv.Phase != conversation.PhaseFailed || !errors.Is(h.conv.Agent.Err, missing) {
			t.Fatalf("phase %v, error %v", h.conv.Phase, h.conv.Agent.Err)
		}
		if _, err := Do(t.Context(), h, ListSessions{""}); err == nil {
			t.Error("asked nobody")
		}
		h.spawnOf = nil
		Post(h, Start{})
		h.settle()
		if h.conv.Phase != conversation.PhaseReady {
			t.Errorf("phase %v", h.conv.Phase)
		}
	})
}

func TestAnotherProtocolVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		h.prepare = func(a *fakeAgent) { delete(a.auto, "initialize") }
		Post(h, Start{})
		h.settle()
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		h.reply("initialize", `{"protocolVersion":2}`)
		wantAnswer(t, ch, `{"outcome":{"outcome":"cancelled"}}`)
		if n := len(eventsOf[conversation.PermissionOpened](h)); n != 0 {
			t.Error("the user was asked")
		}
		var version *acpclient.VersionError
		if !errors.As(h.conv.Agent.Err, &version) || version.Agent != 2 || h.conv.Phase != conversation.PhaseFailed {
			t.Errorf("phase %v, error %v", h.conv.Phase, h.conv.Agent.Err)
		}
		select {
		case <-h.agent().done:
		default:
			t.Error("the agent was not stopped")
		}
		if resultOf(h, Stderr{}) != "" {
			t.Error("there is no agent any more to have written something")
		}
	})
}

// Nothing is done for an agent that has not answered initialize.
func TestRequestsBeforeInitializeWasAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		h.prepare = func(a *fakeAgent) { delete(a.auto, "initialize") }
		Post(h, Start{})
		h.settle()
		for method, params := range map[string]string{
			"terminal/create":    `{"sessionId":"s1","command":"touch"}`,
			"fs/read_text_file":  `{"sessionId":"s1","path":"/work/a"}`,
			"fs/write_text_file": `{"sessionId":"s1","path":"/work/a","content":""}`,
			"elicitation/create": `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`,
		} {
			if got := <-h.agent().ask(t.Context(), method, params); !acpclient.IsCode(got.err, acpclient.CodeInvalidRequest) {
				t.Errorf("%s: answered %s, %v", method, got.raw, got.err)
			}
		}
		h.settle()
		h.reply("initialize", `{"protocolVersion":1}`)
		if got := <-h.agent().ask(t.Context(), "terminal/create", `{"sessionId":"s1","command":"touch"}`); got.err != nil {
			t.Error(got.err)
		}
		h.settle()
	})
}

// An agent may die anywhere. Each time the stream says so once, nothing stays
// open, and Start begins again.
func TestDeath(t *testing.T) {
	crash := errors.New("exit status 1")
	for name, c := range map[string]struct {
		unset  string
		before func(t *testing.T, h *harness)
		phase  conversation.Phase
	}{
		"initializing": {unset: "initialize", phase: conversation.PhaseFailed},
		"opening":      {unset: "session/new", phase: conversation.PhaseFailed},
		"idle":         {phase: conversation.PhaseLost},
		"in a turn":    {phase: conversation.PhaseLost, before: func(_ *testing.T, h *harness) { h.prompt("go"); h.prompt("next") }},
		"with a question": {phase: conversation.PhaseLost, before: func(t *testing.T, h *harness) {
			h.prompt("go")
			h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
			h.settle()
		}},
		"while a switch is pending": {phase: conversation.PhaseLost, before: func(_ *testing.T, h *harness) { h.setMode("x"); h.settle() }},
		"cancelled":                 {phase: conversation.PhaseLost, before: func(_ *testing.T, h *harness) { h.prompt("go"); resultOf(h, Cancel{}); h.settle() }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				if c.before != nil {
					c.before(t, h)
				}
				first := h.agent()
				waiting := len(h.conv.Queue)
				first.text("s1", "last words")
				synctest.Wait()
				first.exit(crash)
				h.settle()
				lost := eventsOf[conversation.AgentLost](h)
				if len(lost) != 1 || !errors.Is(lost[0].Err, crash) || lost[0].Stderr == "" {
					t.Fatalf("lost: %+v", lost)
				}
				if h.machine.ended == 0 {
					t.Error("the agent's terminals run on")
				}
				if h.conv.Phase != c.phase || h.conv.Turn.Running || len(test.Permissions(h.conv)) != 0 {
					t.Errorf("phase %v, running %v, %d permissions", h.conv.Phase, h.conv.Turn.Running, len(test.Permissions(h.conv)))
				}
				if c.phase == conversation.PhaseLost && !strings.Contains(strings.Join(test.Transcript(h.conv), "\n"), "last words") {
					t.Errorf("the last words were lost: %q", test.Transcript(h.conv))
				}
				if n := len(eventsOf[conversation.PermissionOpened](h)); n != len(eventsOf[conversation.QuestionClosed](h)) {
					t.Error("a question was left open")
				}
				h.prepare = nil
				Post(h, Start{})
				h.settle()
				if h.conv.Phase != conversation.PhaseReady && h.agent().open("session/resume") == nil {
					t.Fatalf("phase %v, agent got %q", h.conv.Phase, h.agent().got())
				}
				if h.conv.Phase != conversation.PhaseReady {
					h.reply("session/resume", `{}`)
				}
				if len(h.conv.Queue) != waiting || waiting > 0 && !h.conv.QueuePaused {
					t.Errorf("%d prompts wait, paused %v", len(h.conv.Queue), h.conv.QueuePaused)
				}
			}, func(h *harness, _ *Options) {
				h.prepare = func(a *fakeAgent) { delete(a.auto, c.unset) }
			})
		})
	}
}

// An agent may close its output and live on, or stop listening and talk on.
func TestHalfADeath(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().die() // the pipes, not the process
		synctest.Wait()
		h.prompt("into the void") // it is not known yet that nobody listens
		if h.conv.Turn.Running {
			t.Error("sent to nobody")
		}
		time.Sleep(2 * endGrace)
		h.settle()
		if h.conv.Phase != conversation.PhaseLost || len(h.conv.Queue) != 1 {
			t.Errorf("phase %v, %d prompts wait", h.conv.Phase, len(h.conv.Queue))
		}
	})
	bubble(t, func(t *testing.T, h *harness) {
		_ = h.agent().hears.CloseWithError(errors.New("broken pipe"))
		h.prompt("hello?")
		time.Sleep(2 * endGrace)
		h.settle()
		if h.conv.Phase != conversation.PhaseLost || h.conv.Turn.Running {
			t.Errorf("phase %v, running %v", h.conv.Phase, h.conv.Turn.Running)
		}
	})
}

// After a restart the session goes on in the best way that the agent has.
func TestRestart(t *testing.T) {
	for name, c := range map[string]struct {
		capabilities, method, result string
		want                         []string
		id                           acpclient.SessionID
	}{
		"resume": {`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`, "session/resume", `{}`, []string{"user: one", "note: The agent exited during this turn"}, "s1"},
		"load":   {`{"loadSession":true}`, "session/load", `{}`, []string{"user: one", "note: The agent exited during this turn"}, "s1"},
		"new":    {`{}`, "session/new", `{"sessionId":"s2"}`, []string{"user: one", "note: The agent exited during this turn", "note: The agent cannot resume the earlier session", "agent: replayed"}, "s2"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.agent().update("s1", `{"sessionUpdate":"usage_update","used":10,"size":100}`)
				h.prompt("one")
				h.agent().exit(errors.New("crash"))
				h.settle()
				capable(c.capabilities, c.method)(h, nil)
				Post(h, Start{})
				h.settle()
				if name != "resume" {
					h.agent().text(string(c.id), "replayed")
					h.settle()
				}
				h.reply(c.method, c.result)
				test.WantTranscript(t, h.conv, c.want...)
				if h.conv.ID != c.id || h.conv.Phase != conversation.PhaseReady {
					t.Errorf("id %q, phase %v", h.conv.ID, h.conv.Phase)
				}
				if known := h.conv.Usage != nil; known != (name != "new") {
					t.Errorf("usage known: %v", known)
				}
			})
		})
	}
}

// A session that the agent cannot reopen is replaced. One that it would load, it may load later: if
// something was said in it, the user decides.
func TestAReopeningThatFailsAfterARestart(t *testing.T) {
	const crashed, instead = "note: The agent exited during this turn", "note: The agent cannot resume the earlier session"
	for name, c := range map[string]struct {
		capabilities, method string
		said                 []string
		id                   acpclient.SessionID
		want                 []string
	}{
		"resume":             {everything, "session/resume", []string{"one"}, "s2", []string{"user: one", crashed, instead}},
		"load":               {`{"loadSession":true}`, "session/load", []string{"one"}, "s1", []string{"user: one", crashed, "note: The agent could not open the session"}},
		"resume, but unsaid": {everything, "session/resume", nil, "s2", []string{instead}},
		"load, but unsaid":   {`{"loadSession":true}`, "session/load", nil, "s2", []string{instead}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				for _, text := range c.said {
					h.prompt(text)
				}
				h.agent().exit(errors.New("crash"))
				h.settle()
				capable(c.capabilities, c.method)(h, nil)
				Post(h, Start{})
				h.settle()
				h.fail(c.method, acpclient.CodeResourceNotFound, "no such session")
				test.WantTranscript(t, h.conv, c.want...)
				if c.id != "s1" { // which nobody has open
					asked := h.agent().ask(t.Context(), "fs/read_text_file", `{"sessionId":"s1","path":"/x"}`)
					if got := <-asked; got.err == nil || !strings.Contains(got.err.Error(), "is no longer open") {
						t.Errorf("a request for the earlier session got %s, %v", got.raw, got.err)
					}
				}
				if opened := h.conv.Phase == conversation.PhaseReady; h.conv.ID != c.id || opened != (c.id == "s2") {
					t.Errorf("id %q, phase %v", h.conv.ID, h.conv.Phase)
				}
			})
		})
	}
}

// What an agent says after another has taken its place is heard by nobody.
func TestAStaleAgent(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		old := h.agent()
		old.slow, old.let = true, make(chan struct{})
		h.prompt("one")
		h.setMode("plan")
		h.settle()
		Post(h, Reconnect{})
		h.settle()
		before := len(h.events)
		old.text("s1", "stale")
		old.reply(t, "session/prompt", json.RawMessage(`{"stopReason":"refusal"}`))
		old.reply(t, "session/set_mode", json.RawMessage(`{}`))
		question := old.ask(t.Context(), "session/request_permission", permissionFor("t9"))
		form := old.ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`)
		_ = old.conn.Notify("elicitation/complete", json.RawMessage(`{"elicitationId":"e"}`))
		h.settle()
		wantAnswer(t, question, `{"outcome":{"outcome":"cancelled"}}`)
		if got := <-form; got.err == nil {
			t.Errorf("the form was answered %s", got.raw)
		}
		if n := len(h.events); n != before {
			t.Errorf("it was heard: %#v", h.events[before:])
		}
		close(old.let)
		h.settle()
		h.reply("session/resume", `{}`)
		h.prompt("two")
		if !h.conv.Turn.Running || h.value(acpclient.CategoryMode) == "plan" {
			t.Errorf("running %v, mode %q", h.conv.Turn.Running, h.value(acpclient.CategoryMode))
		}
		test.WantTranscript(t, h.conv, "user: one", "note: Cancelled", "user: two")
	})
}

// A prompt for an agent that has gone is kept, and sent to the next one only when the
// user says so.
func TestAPromptForNobody(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().exit(errors.New("crash"))
		h.settle()
		h.prompt("are you there?")
		if len(h.conv.Queue) != 1 || !h.conv.QueuePaused {
			t.Fatalf("%d prompts wait, paused %v", len(h.conv.Queue), h.conv.QueuePaused)
		}
		Post(h, Start{})
		h.settle()
		h.reply("session/resume", `{}`)
		if h.conv.Phase != conversation.PhaseReady || h.conv.Turn.Running || len(h.conv.Queue) != 1 {
			t.Fatalf("phase %v, running %v, %d prompts wait", h.conv.Phase, h.conv.Turn.Running, len(h.conv.Queue))
		}
		Post(h, ResumeQueue{})
		h.settle()
		if !h.conv.Turn.Running || h.agent().count("session/prompt") != 1 {
			t.Errorf("running %v, sent %d times", h.conv.Turn.Running, h.agent().count("session/prompt"))
		}
	})
}

// A prompt that was to be sent at once, in place of the turn that ran, is for the agent
// that ran it: when that has gone, the prompt waits as all others do.
func TestAPromptThatWasToBeSentNowWaitsWhenTheAgentHasGone(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		Post(h, SendNow{conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("now")}}})
		h.settle()
		h.agent().exit(errors.New("crash"))
		h.settle()
		if _, err := Do(h.Context(), h, SendNow{h.conv.Queue[0]}); !errors.Is(err, ErrNotQueued) {
			t.Error("a prompt was sent to an agent that has exited")
		}
		if len(h.conv.Queue) != 1 || !h.conv.QueuePaused {
			t.Fatalf("%d prompts wait, paused %v", len(h.conv.Queue), h.conv.QueuePaused)
		}
		Post(h, Start{})
		h.settle()
		h.reply("session/resume", `{}`)
		if h.conv.Turn.Running || len(h.conv.Queue) != 1 {
			t.Errorf("running %v, %d prompts wait", h.conv.Turn.Running, len(h.conv.Queue))
		}
	})
}

// A turn that an agent ends as cancelled though nobody cancelled it, and then exits, was
// cut: some agents do so when they are killed.
func TestATurnThatEndsInTheAgentsLastBreath(t *testing.T) {
	for name, c := range map[string]struct {
		then func(h *harness)
		want string
	}{
		"the agent exits":    {func(h *harness) { h.agent().exit(errors.New("killed")) }, "note: The agent exited during this turn"},
		"the agent lives on": {func(*harness) { time.Sleep(lastBreath) }, "note: Cancelled"},
		"it is cancelled":    {func(h *harness) { resultOf(h, Cancel{}); time.Sleep(lastBreath) }, "note: Cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("one")
				h.reply("session/prompt", `{"stopReason":"cancelled"}`)
				c.then(h)
				h.settle()
				test.WantTranscript(t, h.conv, "user: one", c.want)
				if h.conv.Turn.Running {
					t.Error("the turn still runs")
				}
				time.Sleep(2 * lastBreath)
				h.settle()
				if n := len(eventsOf[conversation.TurnEnded](h)); n > 1 {
					t.Errorf("the turn ended %d times", n)
				}
			})
		})
	}
}

// The second that such an agent has to exit may end in another session: its turn goes on.
func TestALastBreathEndsNoTurnOfTheNextSession(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other", Cwd: h.Options().Cwd}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.reply("session/load", `{}`)
		h.prompt("two")
		if !h.conv.Turn.Running {
			t.Fatal("the second prompt was not sent")
		}
		time.Sleep(2 * lastBreath)
		h.settle()
		if !h.conv.Turn.Running {
			t.Error("the answer to the first prompt ended the second turn")
		}
	}, capable(`{"loadSession":true}`))
}

// A turn that was cancelled is, also if the agent says that it ended well.
func TestACancelledTurnThatEndsWell(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		resultOf(h, Cancel{})
		h.settle()
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		test.WantTranscript(t, h.conv, "user: one", "note: Cancelled")
	})
}

// Whatever the agent has not answered, it can be restarted.
func TestRestartOfASilentAgent(t *testing.T) {
	for _, silent := range []string{"initialize", "session/new", "session/resume", "session/set_mode", "session/prompt"} {
		t.Run(silent, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				defer h.close()
				var starts int
				h.prepare = func(a *fakeAgent) {
					starts++
					a.auto["session/resume"] = json.RawMessage(`{}`)
					if starts == 1 && silent != "session/resume" || starts == 2 && silent == "session/resume" {
						delete(a.auto, silent)
					}
				}
				Post(h, Start{})
				h.settle()
				switch silent {
				case "session/resume":
					Post(h, Reconnect{})
				case "session/set_mode":
					h.setMode("x")
				case "session/prompt":
					h.prompt("go")
				}
				h.settle()
				before := starts
				Post(h, Reconnect{})
				h.settle()
				if starts != before+1 || h.conv.Phase != conversation.PhaseReady || h.conv.Turn.Running {
					t.Errorf("%d starts, phase %v, turn %v", starts, h.conv.Phase, h.conv.Turn.Running)
				}
			})
		})
	}
}

// Of each call of the user's that the agent does not answer, it is told after a time.
func TestSilentCallsAreTold(t *testing.T) {
	calls := map[string]func(h *harness) error{
		"session/list":             func(h *harness) error { _, err := Do(h.Context(), h, ListSessions{}); return err },
		"session/delete":           func(h *harness) error { return Try(h.Context(), h, DeleteSession{"old"}) },
		"logout":                   func(h *harness) error { return Try(h.Context(), h, Logout{}) },
		"_session/async_task/stop": func(h *harness) error { return Try(h.Context(), h, StopTask{"t"}) },
	}
	for method, call := range calls {
		t.Run(method, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				go func() { _ = call(h) }()
				time.Sleep(answerTime + time.Second)
				h.settle()
				said := eventsOf[conversation.NoticeAdded](h)
				if len(said) != 1 || !said[0].Unanswered || !strings.Contains(said[0].Title, "has not answered "+method) {
					t.Errorf("the user is told %+v", said)
				}
			})
		})
	}
}
