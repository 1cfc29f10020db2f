package session

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// questionsOf is a permission request of qwen-code that asks questions.
func questionsOf(call string) string {
	return `{"sessionId":"s1","toolCall":{"toolCallId":"q1","title":"Ask user 2 questions","kind":"think",` + call + `},"options":[
		{"optionId":"proceed_once","name":"Submit","kind":"allow_once"},{"optionId":"cancel","name":"Cancel","kind":"reject_once"}]}`
}

const (
	twoQuestions = `[
		{"header":"Colour","question":"Which colour?","options":[{"label":"Red","description":"Warm"},{"label":"Blue","description":"Cold"}],"multiSelect":false},
		{"header":"Parts","question":"Which parts?","options":[{"label":"Cache","description":"c"},{"label":"Metrics","description":"m"}],"multiSelect":true}]`
	inMeta  = `"_meta":{"toolName":"ask_user_question","qwenInteractionKind":"user_question","qwenQuestions":` + twoQuestions + `}`
	inInput = `"_meta":{"qwenInteractionKind":"user_question"},"rawInput":{"questions":` + twoQuestions + `}`
)

func TestQuestionsInAPermissionRequest(t *testing.T) {
	accept := func(content map[string]any) acpclient.CreateElicitationResponse {
		return acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: content}
	}
	for name, tt := range map[string]struct {
		call   string
		answer acpclient.CreateElicitationResponse
		want   string
	}{
		"answered": {
			inMeta, accept(map[string]any{"0": "Blue", "1": []string{"Cache", "Metrics"}}),
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Blue","1":"Cache, Metrics"}}`,
		},
		"in the input": {
			inInput, accept(map[string]any{"0": "Red", "1": []string{"Cache"}}),
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Red","1":"Cache"}}`,
		},
		"in part": {
			inMeta, accept(map[string]any{"1": []string{}, "0": "Red"}),
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Red"}}`,
		},
		"in the user's own words": {
			inMeta, accept(map[string]any{"0_other": "Green", "1": []string{"Cache"}, "1_other": "Logs"}),
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Green","1":"Cache, Logs"}}`,
		},
		"not at all": {inMeta, accept(nil), `{"outcome":{"outcome":"selected","optionId":"proceed_once"}}`},
		"declined":   {inMeta, acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}, `{"outcome":{"outcome":"selected","optionId":"cancel"}}`},
		// The turn goes on, so this is a rejection, too.
		"left": {inMeta, acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel}, `{"outcome":{"outcome":"selected","optionId":"cancel"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("go")
				ch := h.agent().ask(t.Context(), "session/request_permission", questionsOf(tt.call))
				h.settle()
				if len(test.Permissions(h.conv)) != 0 || len(test.Elicitations(h.conv)) != 1 {
					t.Fatalf("%d permissions and %d forms are open", len(test.Permissions(h.conv)), len(test.Elicitations(h.conv)))
				}
				Try(h.Context(), h, Answer{Question: test.Elicitations(h.conv)[0].Seen, Form: &tt.answer})
				h.settle()
				wantAnswer(t, ch, tt.want)
			}, func(h *harness, _ *Options) { h.agentCalled("qwen-code") })
		})
	}
}

// Cancelling the turn answers as the protocol wants it.
func TestQuestionsInAPermissionRequestOfACancelledTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		ch := h.agent().ask(t.Context(), "session/request_permission", questionsOf(inMeta))
		h.settle()
		resultOf(h, Cancel{})
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"cancelled"}}`)
	}, func(h *harness, _ *Options) { h.agentCalled("qwen-code") })
}

// Without a user, the questions are declined, and no rule allows them.
func TestQuestionsInAPermissionRequestUnattended(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		ch := h.agent().ask(t.Context(), "session/request_permission", questionsOf(inMeta))
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"cancel"}}`)
		if n, ok := h.conv.Items[len(h.conv.Items)-1].(*conversation.Note); !ok || n.Title != FormRefused {
			t.Errorf("it is not said: %#v", h.conv.Items)
		}
	}, func(h *harness, o *Options) { h.agentCalled("qwen-code"); o.Unattended = true })
}

// What is no such question stays a permission, as does every request of other agents.
func TestPermissionsThatAreNoQuestions(t *testing.T) {
	for _, tt := range []struct{ agent, call string }{
		{"somebody", inMeta},
		{"qwen-code", `"rawInput":{"questions":` + twoQuestions + `}`},
		{"qwen-code", `"_meta":{"qwenInteractionKind":"user_question","qwenQuestions":[7]}`},
	} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("go")
			ch := h.agent().ask(t.Context(), "session/request_permission", questionsOf(tt.call))
			h.settle()
			if len(test.Permissions(h.conv)) != 1 {
				t.Fatalf("%s: no permission is asked for", tt.agent)
			}
			_ = Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: "cancel"})
			h.settle()
			wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"cancel"}}`)
		}, func(h *harness, _ *Options) { h.agentCalled(tt.agent) })
	}
}
