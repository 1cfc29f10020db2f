package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/test"
)

// rmRule denies every call whose input, title or changes have "rm" in them, and says to
// ask about "make".
func rmRule(_ context.Context, c Case) Ruling {
	about := string(c.Call.RawInput)
	if about == "" {
		about = c.Call.Title
	}
	for _, content := range c.Call.Content {
		about += content.Path
	}
	for _, l := range c.Call.Locations {
		about += l.Path
	}
	switch {
	case strings.Contains(about, "rm"):
		return Ruling{Verdict: policy.Deny, Rule: "deny rm", Source: "here", Subject: about}
	case strings.Contains(about, "make"):
		return Ruling{Verdict: policy.Ask, Rule: "ask make", Source: "here", Why: "the rule says ask", Subject: about}
	}
	return Ruling{Subject: about}
}

// told counts the notices about what rules deny.
func (h *harness) told() (n int) {
	for _, item := range h.conv.Items {
		if note, ok := item.(*conversation.Note); ok && note.Title == DeniedDone {
			n++
		}
	}
	return n
}

func aboutT1(rest string) string {
	return `{"sessionUpdate":"tool_call_update","toolCallId":"t1",` + rest + `}`
}

// What a rule denies is told when the agent says that it did it, however it says so, and
// nothing else is.
func TestWhatWasDeniedAndDoneIsTold(t *testing.T) {
	const ls, rm = `"rawInput":{"command":"ls"}`, `"rawInput":{"command":"rm x"}`
	update := func(rest string) func(*harness) {
		return func(h *harness) { h.agent().update("s1", aboutT1(rest)) }
	}
	ask := func(input string) func(*harness) {
		return func(h *harness) {
			h.agent().ask(context.Background(), "session/request_permission", strings.Replace(permissionFor("t1"), `"toolCallId":"t1"`, `"toolCallId":"t1","kind":"execute",`+input, 1))
		}
	}
	answer := func(option acpclient.PermissionOptionID) func(*harness) {
		return func(h *harness) {
			for _, p := range slices.Clone(test.Permissions(h.conv)) {
				_ = Try(h.Context(), h, Answer{Question: p.Seen, Option: option})
			}
		}
	}
	end := func(reason string) func(*harness) {
		return func(h *harness) { h.reply("session/prompt", `{"stopReason":"`+reason+`"}`) }
	}
	prompt := func(h *harness) {
		time.Sleep(time.Second) // of the bubble's clock
		h.prompt("on")
	}
	served := func(h *harness) {
		call := &acpclient.ToolCallUpdate{Title: new("rm x"), RawInput: []byte(`{"command":"rm x"}`)}
		_ = h.machine.asker.Deny(context.Background(), call, h.machine.asker.Judge(context.Background(), call))
	}
	for name, c := range map[string]struct {
		steps []func(*harness)
		want  int
	}{
		"without asking":         {[]func(*harness){update(rm), update(`"status":"completed"`)}, 1},
		"in one update":          {[]func(*harness){update(rm + `,"status":"completed"`)}, 1},
		"and it failed":          {[]func(*harness){update(rm + `,"status":"failed"`)}, 1},
		"something harmless":     {[]func(*harness){update(ls + `,"status":"completed"`)}, 0},
		"something to ask about": {[]func(*harness){update(`"rawInput":{"command":"make"},"status":"completed"`)}, 0},
		"not done":               {[]func(*harness){update(rm), end("end_turn")}, 0},
		"begun and never ended":  {[]func(*harness){update(rm + `,"status":"in_progress"`), end("end_turn")}, 1},
		"begun, then asked to sign in": {[]func(*harness){update(rm + `,"status":"in_progress"`), func(h *harness) {
			h.fail("session/prompt", acpclient.CodeAuthRequired, "sign in")
		}}, 1},
		"begun and cancelled":    {[]func(*harness){update(rm + `,"status":"in_progress"`), end("cancelled")}, 0},
		"said after it was done": {[]func(*harness){update(`"status":"completed"`), update(rm)}, 1},
		"said after the turn":    {[]func(*harness){update(`"status":"completed"`), end("end_turn"), update(rm)}, 1},
		"begun after the turn":   {[]func(*harness){end("end_turn"), update(rm + `,"status":"completed"`)}, 1},
		"only in the title":      {[]func(*harness){update(`"title":"rm x","kind":"execute","status":"completed"`)}, 1},
		"only in a piece of content": {[]func(*harness){update(`"status":"completed"`), func(h *harness) {
			h.agent().update("s1", `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t1","content":{"type":"diff","path":"/work/rm","newText":""}}`)
		}}, 1},
		"asked and denied":          {[]func(*harness){update(ls), ask(rm), update(`"status":"failed"`)}, 0},
		"denied, nothing more said": {[]func(*harness){ask(rm), end("end_turn")}, 0},
		"denied and done":           {[]func(*harness){ask(rm), update(`"status":"completed"`)}, 1},
		"denied under another id": {[]func(*harness){ask(rm), func(h *harness) {
			h.agent().update("s1", strings.Replace(aboutT1(rm+`,"status":"failed"`), "t1", "t2", 1))
		}}, 0},
		"denied, done under another id": {[]func(*harness){ask(rm), func(h *harness) {
			h.agent().update("s1", strings.Replace(aboutT1(rm+`,"status":"completed"`), "t1", "t2", 1))
		}}, 1},
		"allowed":                        {[]func(*harness){ask(ls), answer("yes"), update(`"status":"completed"`)}, 0},
		"allowed under another command":  {[]func(*harness){ask(ls), answer("yes"), update(rm + `,"status":"completed"`)}, 1},
		"and changed later":              {[]func(*harness){ask(ls), answer("yes"), update(`"status":"completed"`), update(rm)}, 1},
		"denied under another command":   {[]func(*harness){ask(ls), answer("no"), update(rm + `,"status":"failed"`)}, 1},
		"shown, then another command":    {[]func(*harness){update(rm), update(ls + `,"status":"completed"`)}, 1},
		"shown at work, then another":    {[]func(*harness){update(rm + `,"status":"in_progress"`), update(ls), end("end_turn")}, 1},
		"asked and denied, then another": {[]func(*harness){ask(rm), update(rm), update(ls + `,"status":"completed"`)}, 0},
		"parley refused, then another":   {[]func(*harness){served, update(rm), update(ls + `,"status":"completed"`)}, 0},
		"denied, with output at the end": {[]func(*harness){ask(rm), update(`"rawOutput":{"out":"gone"}`), end("end_turn")}, 1},
		"failed, with output":            {[]func(*harness){ask(rm), update(`"rawOutput":{"out":"no"},"status":"failed"`), end("end_turn")}, 0},
		"cancelled, with output":         {[]func(*harness){update(rm + `,"rawOutput":{"out":"gone"}`), end("cancelled")}, 0},
		"in a session of nobody's": {[]func(*harness){func(h *harness) {
			h.agent().update("nobody", aboutT1(rm))
			h.agent().update("nobody", aboutT1(`"status":"completed"`))
		}}, 1},
		"harmless in a session of nobody's": {[]func(*harness){func(h *harness) { h.agent().update("nobody", aboutT1(ls+`,"status":"completed"`)) }}, 0},
		"told once":                         {[]func(*harness){update(rm + `,"status":"completed"`), update(`"rawOutput":{"a":1}`), update(rm)}, 1},
		"two commands in one call":          {[]func(*harness){update(rm + `,"status":"completed"`), update(`"rawInput":{"command":"rm y"}`)}, 2},
		"in the next turn": {[]func(*harness){update(rm + `,"status":"completed"`), end("end_turn"), prompt, func(h *harness) {
			h.agent().update("s1", strings.Replace(aboutT1(rm+`,"status":"completed"`), "tool_call_update", "tool_call", 1))
		}}, 2},
		"parley refused":                 {[]func(*harness){served, update(rm + `,"status":"failed"`)}, 0},
		"parley refused, the agent went": {[]func(*harness){served, update(rm + `,"status":"completed"`)}, 1},
		"by a subagent": {[]func(*harness){
			func(h *harness) { h.agent().update("s1", child) },
			func(h *harness) { h.agent().update("k", aboutT1(rm+`,"status":"completed"`)) },
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			judgedBy(t, rmRule, func(t *testing.T, h *harness, _ *fakeJudge) {
				h.prompt("go")
				for _, step := range c.steps {
					step(h)
					h.settle()
				}
				if got := h.told(); got != c.want {
					t.Errorf("told %d times, want %d", got, c.want)
				}
			})
		})
	}
}

// History is not judged; what an agent does before the first prompt is.
func TestHistoryIsNotTold(t *testing.T) {
	done := aboutT1(`"rawInput":{"command":"rm x"},"status":"completed"`)
	judgedBy(t, rmRule, func(t *testing.T, h *harness, _ *fakeJudge) {
		h.agent().update("s1", done)
		h.settle()
		if h.told() != 1 {
			t.Error("nothing is said before the first prompt")
		}
	})
	judgedBy(t, rmRule, func(t *testing.T, h *harness, _ *fakeJudge) {
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.agent().update("other", done)
		h.settle()
		h.agent().reply(t, "session/load", struct{}{})
		h.settle()
		h.agent().update("other", strings.Replace(done, "t1", "t2", 1))
		h.settle()
		if h.told() != 0 {
			t.Error("history is judged")
		}
		h.prompt("go")
		h.agent().update("other", strings.Replace(done, "t1", "t3", 1))
		h.settle()
		if h.told() != 1 {
			t.Error("nothing is said after the first prompt")
		}
	})
}

// What the rules deny the Machine is in the transcript with the rule, and what they say to
// ask about is asked with the reason.
func TestTheMachinesRequestsAreJudged(t *testing.T) {
	judgedBy(t, rmRule, func(t *testing.T, h *harness, j *fakeJudge) {
		h.prompt("go")
		rule := func(command string) (string, error) {
			ctx := context.WithValue(t.Context(), originKey{}, origin{h.Session.agent, "s1"})
			call := &acpclient.ToolCallUpdate{Title: &command, Kind: new(acpclient.ToolExecute), RawInput: fmt.Appendf(nil, `{"command":%q}`, command)}
			r := h.machine.asker.Judge(ctx, call)
			if r.Verdict == policy.Deny {
				return "", h.machine.asker.Deny(ctx, call, r)
			}
			return r.Why, nil
		}
		if why, err := rule("ls"); why != "" || err != nil {
			t.Errorf("ls: %q, %v", why, err)
		}
		if why, err := rule("make"); why != "the rule says ask" || err != nil {
			t.Errorf("make: %q, %v", why, err)
		}
		if why, err := rule("rm x"); why != "" || err == nil || !strings.Contains(err.Error(), "deny rm") || !strings.Contains(err.Error(), "here") {
			t.Errorf("rm: %q, %v", why, err)
		}
		h.settle()
		call, _ := h.conv.Items[len(h.conv.Items)-1].(*conversation.ToolCall)
		if call == nil || call.Title != "rm x" || call.State() != "rejected" || call.Answer == nil || call.Answer.Rule != "deny rm" || call.Answer.Source != "here" {
			t.Errorf("the transcript ends with %+v", call)
		}
		if c := j.cases[len(j.cases)-1]; !c.Unasked || c.Mode != "ask" || len(test.Permissions(h.conv))+len(test.Judging(&h.conv.State)) > 0 {
			t.Errorf("judged %+v", c)
		}
		runs := conversation.PermissionOpened{Request: conversation.CommandRequest(&acpclient.ToolCallUpdate{Title: new("make")}), Judging: true}
		for option, want := range map[acpclient.PermissionOptionID]bool{conversation.FileOnce: true, conversation.FileNo: false} {
			got := make(chan bool)
			go func() {
				answer, err := h.machine.asker.Ask(t.Context(), runs, "because")
				got <- answer == conversation.FileOnce && err == nil
			}()
			h.settle()
			if len(test.Permissions(h.conv)) != 1 || test.Permissions(h.conv)[0].Why != "because" {
				t.Fatalf("open: %+v", test.Permissions(h.conv))
			}
			if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: option}); err != nil {
				t.Fatal(err)
			}
			if <-got != want {
				t.Errorf("%s is answered %v", option, !want)
			}
			h.settle()
		}
		failed := make(chan error)
		go func() {
			_, err := h.machine.asker.Ask(t.Context(), runs, "because")
			failed <- err
		}()
		h.settle()
		resultOf(h, Cancel{})
		if err := <-failed; err != ErrCancelled {
			t.Errorf("a cancelled turn answers %v", err)
		}
		if answer, err := h.machine.asker.Ask(t.Context(), runs, "because"); answer != "" || err != ErrCancelled {
			t.Errorf("after the cancel: %v, %v", answer, err)
		}
	})
}

// Without rules nothing is judged, and when they take too long the user is asked.
func TestTheMachinesRequestsWithoutRules(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if r := h.machine.asker.Judge(t.Context(), &acpclient.ToolCallUpdate{Title: new("rm x")}); r.Verdict != 0 || r.Why != "" {
			t.Errorf("%+v", r)
		}
	})
	judgedBy(t, func(ctx context.Context, _ Case) Ruling { <-ctx.Done(); return Ruling{} }, func(t *testing.T, h *harness, _ *fakeJudge) {
		if r := h.machine.asker.Judge(t.Context(), &acpclient.ToolCallUpdate{Title: new("rm x")}); !strings.Contains(r.Why, "too long") || r.Verdict == policy.Deny {
			t.Errorf("%+v", r)
		}
	})
}

// Options with the same ID are refused: the agent would get the same answer for both.
func TestPermissionWithTwoOptionsOfOneIDIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		got := h.agent().ask(t.Context(), "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"t1"},"options":[
			{"optionId":"x","name":"Reject","kind":"reject_once"},{"optionId":"x","name":"Allow","kind":"allow_once"}]}`)
		h.settle()
		if len(test.Permissions(h.conv)) != 0 {
			t.Fatal("it is asked")
		}
		if a := <-got; a.err == nil {
			t.Error("it is not refused")
		}
	})
}
