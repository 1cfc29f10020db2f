package session

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// steerable makes the agent one that takes prompts into a running turn.
func steerable(h *harness, _ *Options) {
	h.prepare = func(a *fakeAgent) {
		a.auto["initialize"] = json.RawMessage(strings.Replace(string(hello(everything)), `{`, `{"_meta":{"steering":{"supported":true}},`, 1))
	}
}

func text(words string) conversation.QueuedPrompt {
	return conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}}
}

// steer puts a prompt into the turn; the channel gets the result.
func (h *harness) steer(words string) <-chan error {
	result := make(chan error, 1)
	go func() { result <- Try(h.Context(), h, Steer{text(words)}) }()
	h.settle()
	return result
}

// spoken lists the user's prompts and the agent's text in their order; a steered prompt has
// a mark.
func (h *harness) spoken() (all []string) {
	for _, item := range h.conv.Items {
		m, ok := item.(*conversation.Message)
		if !ok {
			continue
		}
		words := m.Parts[0].Text()
		if m.Steered {
			words = "> " + words
		}
		all = append(all, words)
	}
	return all
}

// A steered prompt stands where the agent took it, and the one turn goes on to its end.
func TestAPromptIsPutIntoTheRunningTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.agent().text("s1", "before")
		h.settle()
		result := h.steer("look left")
		if got := h.queued(); !slices.Equal(got, []string{"look left"}) || !h.conv.Queue[0].Steering {
			t.Errorf("meanwhile the queue is %q", got)
		}
		q := h.agent().open("_session/steering")
		if want := `{"sessionId":"s1","prompt":[{"type":"text","text":"look left"}],"_meta":{"steering":{"idleBehavior":"promptRequired"}}}`; string(q.params) != want {
			t.Errorf("the agent got %s", q.params)
		}
		h.reply("_session/steering", `{"outcome":"injected"}`)
		if err := <-result; err != nil {
			t.Error(err)
		}
		h.agent().text("s1", "after")
		h.settle()
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		if got := h.spoken(); !slices.Equal(got, []string{"one", "before", "> look left", "after"}) {
			t.Errorf("the transcript is %q", got)
		}
		if n := h.agent().count("session/prompt"); n != 1 || h.agent().count("session/cancel") != 0 || len(h.conv.Queue) > 0 {
			t.Errorf("the agent got %q", h.agent().got())
		}
	}, steerable)
}

// The turn may end before the agent has the prompt: then it is the next one, before those
// that were queued, and it is sent once.
func TestASteerThatMeetsTheTurnsEnd(t *testing.T) {
	for _, endsFirst := range []bool{true, false} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("one")
			h.prompt("queued")
			result := h.steer("look left")
			end := func() { h.reply("session/prompt", `{"stopReason":"end_turn"}`) }
			if endsFirst {
				end()
				if got := h.sent(); !slices.Equal(got, []string{"one"}) {
					t.Errorf("before the agent has answered, %q are sent", got)
				}
			}
			h.reply("_session/steering", `{"outcome":"promptRequired","reason":"noRunningTurn"}`)
			if !endsFirst {
				end()
			}
			if err := <-result; err != nil {
				t.Error(err)
			}
			end()
			end()
			if got := h.sent(); !slices.Equal(got, []string{"one", "look left", "queued"}) {
				t.Errorf("sent are %q", got)
			}
		}, steerable)
	}
}

// A prompt that the agent refuses is not lost: what was written now goes back to whoever
// wrote it, what was queued stays at its place.
func TestARefusedSteerLosesNothing(t *testing.T) {
	refusals := map[string]func(h *harness){
		"Invalid params": func(h *harness) { h.fail("_session/steering", acpclient.CodeInvalidParams, "Invalid params") },
		`"later"`:        func(h *harness) { h.reply("_session/steering", `{"outcome":"later"}`) },
	}
	for reason, refuse := range refusals {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("one")
			h.prompt("first")
			h.prompt("second")
			result := h.steer("look left")
			refuse(h)
			if err := <-result; err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("the error is %v", err)
			}
			h.settle()
			if got := h.queued(); !slices.Equal(got, []string{"first", "second"}) {
				t.Errorf("the queue is %q", got)
			}
			queued := make(chan error, 1)
			go func() { queued <- Try(t.Context(), h, SteerQueued{h.conv.Queue[1].ID}) }()
			h.settle()
			refuse(h)
			if err := <-queued; err == nil {
				t.Error("no error")
			}
			if got := h.queued(); !slices.Equal(got, []string{"first", "second"}) || h.conv.Queue[1].Steering {
				t.Errorf("the queue is %q", got)
			}
			h.reply("session/prompt", `{"stopReason":"end_turn"}`)
			if got := h.sent(); !slices.Equal(got, []string{"one", "first"}) {
				t.Errorf("sent are %q", got)
			}
		}, steerable)
	}
}

// If the agent exits meanwhile, whoever wrote the prompt has it back.
func TestTheAgentExitsDuringASteer(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("queued")
		result := h.steer("look left")
		h.agent().exit(errors.New("killed"))
		h.settle()
		if err := <-result; err == nil {
			t.Error("no error")
		}
		h.settle()
		if got := h.queued(); !slices.Equal(got, []string{"queued"}) || !h.conv.QueuePaused {
			t.Errorf("the queue is %q", got)
		}
	}, steerable)
}

// An agent without the extension is never asked, nor one whose turn is being cancelled.
func TestOnlyWhatCanBeSteeredIsSteered(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		if err := <-h.steer("look left"); !errors.Is(err, ErrUnsupported) {
			t.Errorf("the error is %v", err)
		}
	})
	bubble(t, func(t *testing.T, h *harness) {
		if err := <-h.steer("idle"); !errors.Is(err, ErrUnsupported) {
			t.Errorf("the error is %v", err)
		}
		h.prompt("one")
		resultOf(h, Cancel{})
		if err := <-h.steer("look left"); !errors.Is(err, ErrUnsupported) {
			t.Errorf("the error is %v", err)
		}
		if n := h.agent().count("_session/steering"); n != 0 {
			t.Errorf("the agent got %q", h.agent().got())
		}
	}, steerable)
}

// The files of a steered prompt are read first.
func TestTheFilesOfASteeredPrompt(t *testing.T) {
	var files resolver
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		result := make(chan error, 1)
		go func() { result <- Try(t.Context(), h, Steer{mentions("look at")}) }()
		h.settle()
		files <- "content"
		h.settle()
		h.reply("_session/steering", `{"outcome":"injected"}`)
		if err := <-result; err != nil {
			t.Error(err)
		}
		if e := eventsOf[conversation.PromptSteered](h); len(e) != 1 || len(e[0].Prompt) != 2 || e[0].Prompt[1].Text != "content" {
			t.Errorf("steered are %v", e)
		}
	}, steerable, files.use)
}
