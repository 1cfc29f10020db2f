package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

// child announces a subagent with a session of its own.
const child = `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","capabilities":{"cancel":{}},"state":{"state":"running"}}`

// Agents that speak version 1 are told that parley shows subagents and plans by id.
func TestSubagentsAndPlansAreOffered(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if c := h.opt.capabilities(); c.Subagents == nil || c.Plan == nil {
			t.Errorf("offered are %+v", c)
		}
	})
}

// What comes for the session of a subagent is taken once that was announced, and only for the
// session that is open.
func TestUpdatesOfSubagents(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		h.agent().text("k", "too early")
		h.agent().update("s1", child)
		h.agent().text("k", "hello")
		h.agent().update("k", strings.Replace(child, `"k"`, `"kk"`, 1))
		h.agent().text("kk", "from below")
		h.settle()
		var all []string
		for _, item := range h.conv.Items {
			if m, ok := item.(*conversation.Message); ok && m.Chunk == acpclient.AgentMessageChunk {
				all = append(all, string(m.Parent)+": "+m.Parts.Plain())
			}
		}
		if want := []string{"subagent k: hello", "subagent kk: from below"}; !slices.Equal(all, want) {
			t.Errorf("the transcript is %q, want %q", all, want)
		}
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		if err := Try(h.Context(), h, Fork{}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.reply("session/fork", `{"sessionId":"s2"}`)
		n := len(h.conv.Items)
		h.agent().text("k", "from before")
		h.settle()
		if len(h.conv.Items) != n {
			t.Errorf("the fork has %v", h.conv.Items[n:])
		}
	})
}

// Rules allow what a subagent asks for only if it works in the directory of its parent.
func TestRulesForSubagents(t *testing.T) {
	for cwd, judged := range map[string]int{"": 1, `,"cwd":"/work"`: 1, `,"cwd":"/elsewhere"`: 0} {
		judgedBy(t, func(context.Context, Case) Ruling { return Ruling{Verdict: policy.Allow, Rule: "r"} }, func(t *testing.T, h *harness, j *fakeJudge) {
			h.prompt("go")
			h.agent().update("s1", strings.TrimSuffix(child, "}")+cwd+"}")
			ch := h.agent().ask(t.Context(), "session/request_permission", strings.Replace(permissionFor("t"), `"s1"`, `"k"`, 1))
			h.settle()
			if len(j.cases) != 1 || j.cases[0].Unasked == (judged == 1) {
				t.Errorf("%q: judged %+v", cwd, j.cases)
			}
			if notes := eventsOf[conversation.NoticeAdded](h); len(notes) != 1-judged {
				t.Errorf("%q: %v", cwd, notes)
			}
			if judged == 1 {
				wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"yes"}}`)
			}
		})
	}
}

// One subagent can be cancelled alone: the turn goes on.
func TestASubagentIsCancelledAlone(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		h.agent().update("s1", child)
		h.settle()
		if err := Try(t.Context(), h, CancelOf(h.conv.Operations()[0])); err != nil {
			t.Fatal(err)
		}
		h.settle()
		if got := h.agent().got(); !slices.Contains(got, "session/cancel k") || slices.Contains(got, "session/cancel s1") {
			t.Errorf("the agent got %q", got)
		}
		if !h.conv.Turn.Running || !h.conv.Turn.Cancelling.IsZero() {
			t.Error("the turn was cancelled")
		}
	})
}
