package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func TestATurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if h.conv.Phase != conversation.PhaseReady || h.conv.ID != "s1" || h.conv.Agent.Name() != "fake" {
			t.Fatalf("phase %v, id %q, agent %q", h.conv.Phase, h.conv.ID, h.conv.Agent.Name())
		}
		h.prompt("hi")
		h.agent().text("s1", "hel")
		h.agent().text("s1", "lo")
		h.settle()
		if !h.conv.Turn.Running {
			t.Error("the turn does not run")
		}
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		if h.conv.Turn.Running {
			t.Error("the turn still runs")
		}
		test.WantTranscript(t, h.conv, "user: hi", "agent: hello")
	})
}

// An answer stands in the stream where it stood on the wire.
func TestTheEndOfATurnComesAfterItsUpdates(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		for range 50 {
			Post(h, Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}})
			synctest.Wait()
			for range 20 {
				h.agent().text("s1", "x")
			}
			h.agent().reply(t, "session/prompt", json.RawMessage(`{}`))
			synctest.Wait()
			h.agent().update("s1", `{"sessionUpdate":"session_info_update","title":"after"}`)
			h.settle()
		}
		text := 0
		for _, e := range h.events {
			switch e := e.(type) {
			case conversation.PromptSent:
				text = 0
			case conversation.Text:
				text += len(e.Text)
			case conversation.TurnEnded:
				if text != 20 {
					t.Fatalf("the turn ended after %d of its 20 updates", text)
				}
			}
		}
		if n := len(eventsOf[conversation.TurnEnded](h)); n != 50 {
			t.Errorf("%d turns ended", n)
		}
	})
}

func TestPromptsWaitForTheirTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		h.prompt("three")
		if len(h.conv.Queue) != 2 {
			t.Fatalf("%d queued prompts", len(h.conv.Queue))
		}
		if q, err := Do(h.Context(), h, Unqueue{h.conv.Queue[0].ID}); err != nil || q.Prompt[0].Text != "two" {
			t.Errorf("took %v out of the queue", q)
		}
		if _, err := Do(h.Context(), h, Unqueue{12345}); !errors.Is(err, ErrNotQueued) {
			t.Error("took what was not there out of the queue")
		}
		h.reply("session/prompt", `null`) // success, too
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		test.WantTranscript(t, h.conv, "user: one", "user: three", "note: The agent ended the turn without an answer")
		if len(h.conv.Queue) != 0 || h.conv.Turn.Running {
			t.Error("the queue is not empty")
		}
	})
}

// Whoever looks between two events never finds that nothing is left to do while a prompt
// goes from the queue to the agent.
func TestAPromptThatHasWaitedIsAlwaysInSight(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		c, asked := conversation.New(), false
		for i, e := range h.events {
			c.Apply(e)
			asked = asked || c.Turn.Running
			if asked && !c.Turn.Running && len(c.Queue) == 0 {
				t.Errorf("after event %d, a %T, nothing runs and nothing waits", i, e)
			}
		}
		test.WantTranscript(t, c, "user: one", "note: The agent ended the turn without an answer", "user: two")
	})
}

func TestTheQueueIsOrderedAndSentNow(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		for _, text := range []string{"one", "two", "three", "four"} {
			h.prompt(text)
		}
		waits := func(want ...string) {
			t.Helper()
			h.settle()
			var got []string
			for _, q := range h.conv.Queue {
				got = append(got, q.Prompt[0].Text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("what waits (-want +got):\n%s", diff)
			}
		}
		Post(h, MoveQueued{h.conv.Queue[2].ID, -9})
		waits("four", "two", "three")
		q, _ := Do(h.Context(), h, Unqueue{h.conv.Queue[1].ID})
		waits("four", "three")
		Post(h, Prompt{q, 2})
		waits("four", "two", "three")
		if cancelled, err := Do(h.Context(), h, SendNow{h.conv.Queue[2]}); err != nil || !cancelled {
			t.Errorf("sent now: cancelled %v, %v", cancelled, err)
		}
		waits("three", "four", "two")
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		waits("four", "two")
		test.WantTranscript(t, h.conv, "user: one", "note: Cancelled", "user: three")
		if h.conv.QueuePaused {
			t.Error("what waits behind it was paused")
		}
		if n := len(resultOf(h, EmptyQueue{})); n != 2 {
			t.Errorf("%d were taken out", n)
		}
		waits()
	})
}

func TestPromptsBeforeTheSessionIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		h.prepare = func(a *fakeAgent) { delete(a.auto, "session/new") }
		h.prompt("early")
		Post(h, Start{})
		h.settle()
		h.prompt("second")
		if len(h.conv.Queue) != 2 || h.conv.Phase != conversation.PhaseOpening {
			t.Fatalf("%d prompts wait in phase %v", len(h.conv.Queue), h.conv.Phase)
		}
		h.reply("session/new", `{"sessionId":"s1"}`)
		test.WantTranscript(t, h.conv, "user: early")
		h.reply("session/prompt", `{}`)
		test.WantTranscript(t, h.conv, "user: early", "user: second")
	})
}

func TestAnErrorPausesTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		h.fail("session/prompt", 400, "credit balance too low")
		test.WantTranscript(t, h.conv, "user: one", "note: The agent answered with an error")
		if !h.conv.QueuePaused {
			t.Error("the queue goes on")
		}
		h.prompt("now") // what is typed now is meant now
		test.WantTranscript(t, h.conv, "user: one", "note: The agent answered with an error", "user: now")
		h.reply("session/prompt", `{}`)
		if len(h.conv.Queue) != 1 || !h.conv.QueuePaused {
			t.Error("what was paused went on unasked")
		}
		Post(h, ResumeQueue{})
		h.settle()
		if len(h.conv.Queue) != 0 || !h.conv.Turn.Running {
			t.Error("the queue does not go on")
		}
	})
}

func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if resultOf(h, Cancel{}) {
			t.Error("cancelled a turn that does not run")
		}
		h.prompt("one")
		h.prompt("two")
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read","status":"in_progress"}`)
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Done","status":"completed"}`)
		first := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		form := h.agent().ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`)
		h.settle()
		if len(test.Permissions(h.conv)) != 1 || len(test.Elicitations(h.conv)) != 1 {
			t.Fatal("the questions are not open")
		}
		for range 2 { // the second changes nothing
			if !resultOf(h, Cancel{}) {
				t.Error("there was a turn to cancel")
			}
		}
		h.settle()
		if n := h.agent().count("session/cancel"); n != 1 {
			t.Errorf("the agent got %d cancels", n)
		}
		wantAnswer(t, first, `{"outcome":{"outcome":"cancelled"}}`)
		wantAnswer(t, form, `{"action":"cancel"}`)
		// The turn still runs until the agent says so.
		if !h.conv.Turn.Running || h.conv.Turn.Cancelling.IsZero() || len(test.Permissions(h.conv))+len(test.Elicitations(h.conv)) != 0 {
			t.Error("the turn is not being cancelled")
		}
		test.WantTranscript(t, h.conv, "user: one", "tool t1: Read (in_progress) cancelled", "tool t2: Done (completed)")
		// Who asks now gets the same answer, and nobody is asked.
		late := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		lateForm := h.agent().ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`)
		h.settle()
		wantAnswer(t, late, `{"outcome":{"outcome":"cancelled"}}`)
		wantAnswer(t, lateForm, `{"action":"cancel"}`)
		// A call that was done before the cancel arrived was done.
		h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		test.WantTranscript(t, h.conv, "user: one", "tool t1: Read (completed)", "tool t2: Done (completed)", "note: Cancelled")
		if !h.conv.QueuePaused || len(h.conv.Queue) != 1 {
			t.Error("the queue was not paused")
		}
	})
}

// Agents ought to catch what a cancel aborts. Some do not.
func TestAnErrorAfterACancelIsTheCancel(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		resultOf(h, Cancel{})
		h.settle()
		h.fail("session/prompt", acpclient.CodeInternalError, "AbortError")
		test.WantTranscript(t, h.conv, "user: one", "note: Cancelled")
	})
}

func TestAnAgentThatIgnoresACancelCanBeKilled(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		resultOf(h, Cancel{})
		h.agent().text("s1", "I do not care")
		time.Sleep(time.Hour) // of the bubble's clock
		h.settle()
		if !h.conv.Turn.Running {
			t.Fatal("the turn ended by itself")
		}
		Post(h, Kill{})
		h.settle()
		if h.conv.Turn.Running || h.conv.Phase != conversation.PhaseLost {
			t.Errorf("running %v, phase %v", h.conv.Turn.Running, h.conv.Phase)
		}
		Post(h, Kill{}) // nobody is there
	})
}

func permissionFor(tool string) string {
	return `{"sessionId":"s1","toolCall":{"toolCallId":"` + tool + `"},"options":[
		{"optionId":"always","name":"Always","kind":"allow_always"},
		{"optionId":"yes","name":"Yes","kind":"allow_once"},
		{"optionId":"no","name":"No","kind":"reject_once"}]}`
}

func wantAnswer(t testing.TB, ch chan answered, want string) {
	t.Helper()
	select {
	case got := <-ch:
		if string(got.raw) != want {
			t.Errorf("answered %s %v, want %s", got.raw, got.err, want)
		}
	default:
		t.Errorf("not answered, want %s", want)
	}
}

func TestPermission(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Write a file"}`)
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		p := test.Permissions(h.conv)[0]
		if p.ToolCall.Title != "Write a file" || len(p.Options) != 3 {
			t.Errorf("asked about %q with %d options", p.ToolCall.Title, len(p.Options))
		}
		if err := Try(h.Context(), h, Answer{Question: p.Seen, Option: "maybe"}); err == nil {
			t.Error("an option was taken that was not offered")
		}
		if err := Try(h.Context(), h, Answer{Question: conversation.Seen{ID: p.ID + 1, Revision: 1}, Option: "yes"}); err == nil {
			t.Error("an answer was taken to no question")
		}
		if err := Try(h.Context(), h, Answer{Question: p.Seen, Option: "no"}); err != nil {
			t.Error(err)
		}
		if err := Try(h.Context(), h, Answer{Question: p.Seen, Option: "yes"}); err == nil {
			t.Error("a second answer was taken")
		}
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
		if a := p.ToolCall.Answer; a == nil || a.Option.Name != "No" || a.Cancelled || len(test.Permissions(h.conv)) != 0 {
			t.Errorf("the call knows of the answer %+v", a)
		}
		if n := len(eventsOf[conversation.QuestionClosed](h)); n != 1 {
			t.Errorf("closed %d times", n)
		}
	})
}

func TestAPermissionThatTheAgentTakesBack(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		ctx, cancel := context.WithCancel(t.Context())
		ch := h.agent().ask(ctx, "session/request_permission", permissionFor("t1"))
		h.settle()
		id := test.Permissions(h.conv)[0].Seen
		cancel()
		h.settle()
		if got := <-ch; !errors.Is(got.err, context.Canceled) {
			t.Errorf("the agent's call ended with %v", got.err)
		}
		if len(test.Permissions(h.conv)) != 0 {
			t.Error("the question is still open")
		}
		if err := Try(h.Context(), h, Answer{Question: id, Option: "yes"}); err == nil {
			t.Error("an answer was taken that nobody waits for")
		}
	})
}

func TestElicitation(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		ch := h.agent().ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"url","message":"Sign in","elicitationId":"e1","url":"https://example.com"}`)
		h.settle()
		q := test.Elicitations(h.conv)[0]
		_ = h.agent().conn.Notify("elicitation/complete", json.RawMessage(`{"elicitationId":"e1"}`))
		h.settle()
		if !q.Completed {
			t.Error("it is not known to be done")
		}
		Try(h.Context(), h, Answer{Question: q.Seen, Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}})
		Try(h.Context(), h, Answer{Question: q.Seen, Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}})
		h.settle()
		wantAnswer(t, ch, `{"action":"accept"}`)
	})
}

// Before a session is open an agent may ask on behalf of the request that opens it.
func TestElicitationWithoutASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		h.prepare = func(a *fakeAgent) { delete(a.auto, "session/new") }
		Post(h, Start{})
		h.settle()
		ch := h.agent().ask(t.Context(), "elicitation/create", `{"requestId":2,"mode":"form","message":"Region?","requestedSchema":{"type":"object","properties":{"region":{"type":"string"}}}}`)
		h.settle()
		Try(h.Context(), h, Answer{Question: test.Elicitations(h.conv)[0].Seen, Form: &acpclient.CreateElicitationResponse{
			Action: acpclient.ElicitAccept, Content: map[string]any{"region": "eu"},
		}})

		h.settle()
		wantAnswer(t, ch, `{"action":"accept","content":{"region":"eu"}}`)
		h.reply("session/new", `{"sessionId":"s1"}`)
		if h.conv.Phase != conversation.PhaseReady {
			t.Error("the session is not open")
		}
	})
}

func TestUnattendedOffersNoDialogs(t *testing.T) {
	var sent string
	bubble(t, func(t *testing.T, h *harness) {
		for _, never := range []string{"elicitation", `"auth"`} {
			if strings.Contains(sent, never) {
				t.Errorf("%s is offered: %s", never, sent)
			}
		}
	}, func(_ *harness, o *Options) {
		o.Unattended = true
		o.Taps = []Tap{lineTap(func(out bool, line []byte) {
			if out && strings.Contains(string(line), "initialize") {
				sent = string(line)
			}
		})}
	})
}

func TestMachineAndObserver(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.machine.readErr = acpclient.NotFoundError("/work/x")
		read := h.agent().ask(t.Context(), "fs/read_text_file", `{"sessionId":"s1","path":"/work/x"}`)
		h.settle()
		if got := <-read; !acpclient.IsCode(got.err, acpclient.CodeResourceNotFound) {
			t.Errorf("a missing file is answered %s %v", got.raw, got.err)
		}
		h.machine.readErr = nil
		wait := h.agent().ask(t.Context(), "terminal/wait_for_exit", `{"sessionId":"s1","terminalId":"term"}`)
		for method, params := range map[string]string{
			"fs/read_text_file":  `{"sessionId":"s1","path":"/work/x"}`,
			"fs/write_text_file": `{"sessionId":"s1","path":"/work/x","content":"new"}`,
			"terminal/create":    `{"sessionId":"s1","command":"ls"}`,
			"terminal/output":    `{"sessionId":"s1","terminalId":"term"}`,
			"terminal/kill":      `{"sessionId":"s1","terminalId":"term"}`,
			"terminal/release":   `{"sessionId":"unheard-of","terminalId":"term"}`, // a subagent's: the only session is meant
		} {
			ch := h.agent().ask(t.Context(), method, params)
			h.settle()
			if got := <-ch; got.err != nil {
				t.Errorf("%s: %v", method, got.err)
			}
		}
		if f := h.conv.Files; len(f) != 1 {
			t.Errorf("files %+v", f)
		}
		term := h.conv.Terminals["term"]
		if out, whole := term.Since(0); string(out) != "out" || !whole || term.Command != "ls" || term.Exit == nil {
			t.Errorf("terminal %+v", term)
		}
		select {
		case got := <-wait:
			t.Errorf("waiting ended with %v", got)
		default: // it goes on beside everything else
		}
	})
}

// Certain agents cannot create a file if the error of a missing one is an error.
func TestAMissingFileIsEmptyForThoseWhoNeedIt(t *testing.T) {
	for _, name := range []string{"gemini-cli", "qwen-code", "iflow-cli"} {
		bubble(t, func(t *testing.T, h *harness) {
			h.machine.readErr = acpclient.NotFoundError("/work/x")
			ch := h.agent().ask(t.Context(), "fs/read_text_file", `{"sessionId":"s1","path":"/work/x"}`)
			h.settle()
			wantAnswer(t, ch, `{"content":""}`)
			h.machine.readErr = &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: "outside"}
			ch = h.agent().ask(t.Context(), "fs/read_text_file", `{"sessionId":"s1","path":"/x"}`)
			h.settle()
			if got := <-ch; got.err == nil {
				t.Errorf("%s: another error was swallowed", name)
			}
		}, func(h *harness, _ *Options) { h.agentCalled(name) })
	}
}

// agentCalled has the agent give itself a name.
func (h *harness) agentCalled(name string) {
	h.prepare = func(a *fakeAgent) {
		a.auto["initialize"] = json.RawMessage(strings.Replace(string(hello(`{}`)), `"fake"`, `"`+name+`"`, 1))
	}
}
