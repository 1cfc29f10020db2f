package session

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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
	go func() { _, err := Do(h.Context(), h, Steer{Prompt: text(words)}); result <- err }()
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

// A prompt that its sender keeps ends as what the sender is told: in the turn, or nowhere, also when the turn is
// cancelled at that moment.
func TestASteerThatIsItsSenders(t *testing.T) {
	const injected, required = `{"outcome":"injected"}`, `{"outcome":"promptRequired"}`
	for name, c := range map[string]struct {
		before, after bool // cancelled before it is asked, or answered
		answer        string
		own           bool
	}{
		"taken":                        {answer: injected},
		"taken in a cancelled turn":    {after: true, answer: injected},
		"the turn has ended":           {answer: required, own: true},
		"cancelled before the answer":  {after: true, answer: required, own: true},
		"cancelled before it is asked": {before: true, own: true},
		"refused":                      {answer: `{"outcome":"later"}`},
	} {
		bubble(t, func(t *testing.T, h *harness) {
			end := func() { h.reply("session/prompt", `{"stopReason":"cancelled"}`) }
			h.prompt("one")
			if c.before {
				Post(h, Cancel{})
				h.settle()
				end()
			}
			var done Steered
			var err error
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				done, err = Do(h.Context(), h, Steer{Prompt: text("look left"), Only: true})
			}()
			h.settle()
			if c.after {
				Post(h, Cancel{})
				h.settle()
			}
			if c.answer != "" {
				h.reply("_session/steering", c.answer)
				end()
			}
			<-answered
			h.settle()
			took := slices.Contains(h.spoken(), "> look left")
			if done.Own != c.own || took != (c.answer == injected) || (err == nil) != (took || c.own) {
				t.Errorf("%s: its sender is told %+v, %v, and the transcript is %q", name, done, err, h.spoken())
			}
			if sent := h.sent(); !slices.Equal(sent, []string{"one"}) || len(h.queued()) > 0 {
				t.Errorf("%s: sent are %q, and the queue has %q", name, sent, h.queued())
			}
		}, steerable)
	}
}

// Prompts that meet the turn's end go out in the order in which they were written.
func TestTwoSteersThatMeetTheTurnsEnd(t *testing.T) {
	for _, first := range []int{0, 1} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("one")
			h.prompt("queued")
			h.steer("two")
			h.steer("three")
			end := func() { h.reply("session/prompt", `{"stopReason":"end_turn"}`) }
			end()
			h.agent().mu.Lock()
			steers := slices.DeleteFunc(slices.Clone(h.agent().asked), func(q *asked) bool { return q.method != "_session/steering" })
			h.agent().mu.Unlock()
			for _, i := range []int{first, 1 - first} {
				steers[i].answer <- json.RawMessage(`{"outcome":"promptRequired"}`)
				h.settle()
			}
			end()
			end()
			end()
			if got := h.sent(); !slices.Equal(got, []string{"one", "two", "three", "queued"}) {
				t.Errorf("sent are %q", got)
			}
		}, steerable)
	}
}

// An agent that does not say whether it took the prompt holds nothing up for ever. What it
// says later still counts.
func TestASteerWithoutAnAnswer(t *testing.T) {
	for _, late := range []bool{false, true} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("one")
			h.prompt("queued")
			result := h.steer("look left")
			time.Sleep(answerTime + time.Second)
			h.settle()
			if got := h.notices(); !slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "has not answered _session/steering") }) {
				t.Errorf("the user is told %q", got)
			}
			h.reply("session/prompt", `{"stopReason":"end_turn"}`)
			time.Sleep(steerTime + time.Second)
			h.settle()
			if got := h.queued(); !slices.Equal(got, []string{"look left", "queued"}) || !h.conv.QueuePaused || h.conv.Queue[0].Steering || !h.conv.Queue[0].Unsure {
				t.Errorf("the queue is %q, paused %v", got, h.conv.QueuePaused)
			}
			if late {
				h.reply("_session/steering", `{"outcome":"injected"}`)
				if err := <-result; err != nil || !slices.Equal(h.queued(), []string{"queued"}) {
					t.Errorf("the queue is %q (%v)", h.queued(), err)
				}
				return
			}
			resultOf(h, ResumeQueue{})
			h.settle()
			if got := h.sent(); !slices.Equal(got, []string{"one", "look left"}) {
				t.Errorf("sent are %q", got)
			}
		}, steerable)
	}
}

// A prompt that is for the running turn only is the caller's again when the agent has not answered by its end, and
// the queue goes on.
func TestASteerForTheTurnOnlyEndsWithIt(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("queued")
		result := make(chan error, 1)
		go func() {
			_, err := Do(h.Context(), h, Steer{Prompt: text("look left"), Only: true})
			result <- err
		}()
		h.settle()
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		time.Sleep(steerTime + time.Second)
		h.settle()
		select {
		case err := <-result:
			if !errors.Is(err, errSilentSteer) {
				t.Error(err)
			}
		default:
			t.Error("it is still open")
		}
		if got := h.sent(); len(h.queued()) > 0 || !slices.Equal(got, []string{"one", "queued"}) {
			t.Errorf("sent are %q, queued %q", got, h.queued())
		}
		h.reply("_session/steering", `{"outcome":"promptRequired"}`) // too late
		h.settle()
		if got := h.sent(); len(got) > 2 || len(h.queued()) > 0 {
			t.Errorf("sent are %q, queued %q", got, h.queued())
		}
	}, steerable)
}

// Nobody answers the request of an earlier process.
func TestASteerOfAnEarlierProcess(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		resultOf(h, ResumeQueue{})
		h.settle()
		if got := h.sent(); !slices.Equal(got, []string{"look left"}) {
			t.Errorf("sent are %q", got)
		}
	}, steerable, func(_ *harness, o *Options) {
		p := text("look left")
		p.ID, p.Steering = 1, true
		o.Past = conversation.NewState()
		o.Past.Queue, o.Past.LastNumber = []conversation.QueuedPrompt{p}, 1
	})
}

// A prompt that the agent refuses is not lost, even if whoever wrote it has left: it stays
// in the queue.
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
			if got := h.queued(); !slices.Equal(got, []string{"look left", "first", "second"}) || h.conv.Queue[0].Steering || h.conv.Queue[0].Unsure == (reason == "Invalid params") {
				t.Errorf("the queue is %q", got)
			}
			resultOf(h, Unqueue{h.conv.Queue[0].ID})
			queued := make(chan error, 1)
			go func() { _, err := Do(t.Context(), h, Steer{Prompt: h.conv.Queue[1]}); queued <- err }()
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

// If the agent exits meanwhile, the prompt waits for the user.
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
		if got := h.queued(); !slices.Equal(got, []string{"look left", "queued"}) || !h.conv.QueuePaused || h.conv.Queue[0].Steering || !h.conv.Queue[0].Unsure || h.conv.Queue[1].Unsure {
			t.Errorf("the queue is %q", got)
		}
	}, steerable)
}

// An agent without the extension is never asked, nor one whose turn is being cancelled:
// the prompt is sent or queued.
func TestOnlyWhatCanBeSteeredIsSteered(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		if err := <-h.steer("look left"); err != nil || !slices.Equal(h.queued(), []string{"look left"}) {
			t.Errorf("the queue is %q (%v)", h.queued(), err)
		}
	})
	bubble(t, func(t *testing.T, h *harness) {
		if err := <-h.steer("idle"); err != nil || !slices.Equal(h.sent(), []string{"idle"}) {
			t.Errorf("sent are %q (%v)", h.sent(), err)
		}
		resultOf(h, Cancel{})
		if err := <-h.steer("look left"); err != nil || !slices.Equal(h.queued(), []string{"look left"}) {
			t.Errorf("the queue is %q (%v)", h.queued(), err)
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
		go func() { _, err := Do(t.Context(), h, Steer{Prompt: mentions("look at")}); result <- err }()
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
