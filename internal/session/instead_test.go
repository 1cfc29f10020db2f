package session

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// What is said with a rejection goes before all that waits, also when the turn is
// cancelled and the queue with it.
func TestWordsWithARejectionGoFirst(t *testing.T) {
	for option, end := range map[acpclient.PermissionOptionID]string{"no": "end_turn", "": "cancelled"} {
		t.Run(end, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("one")
				h.prompt("waits")
				asked := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
				h.settle()
				id, words := test.Permissions(h.conv)[0].Seen, conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("instead")}}
				if err := Try(h.Context(), h, Answer{Question: id, Option: "maybe", Instead: &words}); err == nil {
					t.Error("an option that was not offered is an answer")
				}
				if err := Try(h.Context(), h, Answer{Question: id, Option: option, Instead: &words}); err != nil {
					t.Fatal(err)
				}
				if err := Try(h.Context(), h, Answer{Question: id, Option: option, Instead: &words}); err == nil {
					t.Error("a question is answered twice")
				}
				h.settle()
				if option == "" {
					wantAnswer(t, asked, `{"outcome":{"outcome":"cancelled"}}`)
				} else {
					wantAnswer(t, asked, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
				}
				if q := h.conv.Queue; len(q) != 2 || q[0].Prompt[0].Text != "instead" {
					t.Fatalf("the queue is %+v", q)
				}
				h.reply("session/prompt", `{"stopReason":"`+end+`"}`)
				if q := h.conv.Queue; len(q) != 1 || q[0].Prompt[0].Text != "waits" || !h.conv.Turn.Running {
					t.Fatalf("the words were not sent next: %+v", q)
				}
				h.reply("session/prompt", `{"stopReason":"end_turn"}`)
				if paused := end == "cancelled"; paused == h.conv.Turn.Running || paused != h.conv.QueuePaused {
					t.Errorf("what waits: running %v, paused %v", h.conv.Turn.Running, h.conv.QueuePaused)
				}
			})
		})
	}
}

// Without a turn there is nothing to cancel, and words with a rejection are sent at
// once.
func TestWordsWithARejectionOutsideOfATurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		id, words := test.Permissions(h.conv)[0].Seen, conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("instead")}}
		if err := Try(h.Context(), h, Answer{Question: id, Option: "", Instead: &words}); err == nil {
			t.Error("a turn was cancelled")
		}
		if err := Try(h.Context(), h, Answer{Question: id, Option: "no", Instead: &words}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		if !h.conv.Turn.Running || len(h.conv.Queue) != 0 {
			t.Error("the words were not sent")
		}
	})
}
