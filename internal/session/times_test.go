package session

import (
	"testing"
	"time"

	"parley/internal/conversation"
	"parley/internal/test"
)

// The events of a turn have their times, so that the time of the agent can be told
// from that of the user.
func TestEventsOfATurnHaveTheirTimes(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		work := func(d time.Duration) {
			time.Sleep(d) // the bubble's time, which takes none
			h.settle()
		}
		h.prompt("go")
		work(time.Second)
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Work","status":"pending"}`)
		h.settle()
		work(2 * time.Second)
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		work(time.Hour)
		if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: "yes"}); err != nil {
			t.Fatal(err)
		}
		work(3 * time.Second)
		h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		work(10 * time.Second)
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)

		call, end := h.conv.Items[1].(*conversation.ToolCall), h.conv.Items[2].(*conversation.Note)
		if call.Took() != 5*time.Second || end.Worked != 16*time.Second {
			t.Errorf("the call took %v, the turn %v", call.Took(), end.Worked)
		}
	})
}

// Updates outside of a turn, such as those of a history that is replayed, do not tell how
// long anything took.
func TestReplayedHistoryHasNoTimes(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Work","status":"in_progress"}`)
		h.settle()
		time.Sleep(time.Minute)
		h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		h.settle()
		if took := h.conv.Items[0].(*conversation.ToolCall).Took(); took != 0 {
			t.Errorf("the call took %v", took)
		}
	})
}
