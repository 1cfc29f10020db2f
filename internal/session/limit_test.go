package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// atLimit says what the session does at a limit.
func atLimit(p LimitPolicy) func(*harness, *Options) {
	return func(_ *harness, o *Options) { o.AtLimit = p }
}

// limited lets the running turn end at a limit that resets in some time, 0 if the agent does not
// say.
func (h *harness) limited(in time.Duration) {
	h.Helper()
	h.reportLimit(in)
	h.agent().reply(h, "session/prompt", &acpclient.Error{Code: -32603, Message: "You've hit your limit", Data: json.RawMessage(`{"errorKind":"rate_limit"}`)})
	h.settle()
}

// reportLimit has the agent report the limit alone.
func (h *harness) reportLimit(in time.Duration) {
	h.Helper()
	info := `{"status":"rejected"}`
	if in != 0 {
		info = fmt.Sprintf(`{"status":"rejected","resetsAt":%v}`, float64(time.Now().Add(in).UnixMilli())/1000)
	}
	h.agent().update("s1", `{"sessionUpdate":"usage_update","used":1,"size":2,"_meta":{"_claude/rateLimit":`+info+`}}`)
	h.settle()
}

func (h *harness) pass(d time.Duration) {
	time.Sleep(d) // in a bubble
	h.settle()
}

func (h *harness) wantSent(texts ...string) {
	h.Helper()
	if got := h.sent(); !slices.Equal(got, texts) {
		h.Errorf("%q was sent, want %q", got, texts)
	}
}

// At a limit, the prompt is kept, first in the queue, and nothing is sent until the user has
// decided.
func TestNothingIsSentAfterALimitUnasked(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		h.limited(time.Minute)
		if got := h.queued(); !slices.Equal(got, []string{"one", "two"}) || h.conv.Limit == nil || h.conv.Limit.Waits {
			t.Errorf("queued: %q, limit %v", got, h.conv.Limit)
		}
		h.pass(time.Hour)
		h.wantSent("one")
		Post(h, WaitForLimit{}) // it has reset long ago
		h.pass(time.Second)
		h.wantSent("one", "one")
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		h.wantSent("one", "one", "two")
	})
}

// The user's yes holds until the prompt gets through, also if it ends at a limit again.
func TestWaitsForALimitTwice(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(time.Minute)
		Post(h, WaitForLimit{})
		h.pass(59 * time.Second)
		h.wantSent("one")
		h.pass(2 * time.Second)
		h.wantSent("one", "one")
		h.limited(time.Hour)
		if !h.conv.WaitsForLimit() || !h.conv.Limit.Waits {
			t.Error("it does not wait again")
		}
		h.pass(time.Hour + time.Second)
		h.wantSent("one", "one", "one")
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		h.prompt("two")
		h.limited(time.Minute)
		if h.conv.WaitsForLimit() {
			t.Error("it waits with another prompt, unasked")
		}
	})
}

func TestStopWaitingForALimit(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(time.Minute)
		Post(h, WaitForLimit{})
		Post(h, StopWaiting{})
		h.pass(time.Hour)
		h.wantSent("one")
		if got := h.queued(); !slices.Equal(got, []string{"one"}) || !h.conv.QueuePaused {
			t.Errorf("queued: %q", got)
		}
		Post(h, WaitForLimit{})
		h.pass(time.Second)
		h.wantSent("one", "one")
	})
}

// Once the user has sent the prompt, the time of the wait sends nothing more.
func TestAPromptOfTheUsersEndsTheWait(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(time.Minute)
		Post(h, WaitForLimit{})
		h.prompt("now")
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		h.pass(time.Hour)
		h.wantSent("one", "now")
	})
}

// What a turn has begun is gone on with, instead of being begun again.
func TestAfterALimitAStartedTurnGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Run","status":"completed"}`)
		h.settle()
		h.limited(time.Minute)
		h.pass(2 * time.Minute)
		h.wantSent("one", GoOn)
		h.limited(time.Minute)
		h.pass(2 * time.Minute)
		h.wantSent("one", GoOn, GoOn)
	}, atLimit(WaitAtLimit))
}

// An agent that says nothing of the time, or a time that is over, is not asked without end.
func TestWaitsForALimitThatDoesNotSayWhenItResets(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(0)
		h.pass(14 * time.Minute)
		h.wantSent("one")
		h.pass(2 * time.Minute)
		h.wantSent("one", "one")
	}, atLimit(WaitAtLimit))
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		began := time.Now()
		for range 12 {
			h.limited(time.Millisecond)
			h.pass(20 * time.Minute)
		}
		if tries := len(h.sent()); tries != 13 {
			t.Errorf("%d tries", tries)
		}
		h.limited(time.Millisecond)
		if least := time.Until(h.conv.LimitWait); least < time.Minute {
			t.Errorf("after %v it tries again in %v", time.Since(began), least)
		}
	}, atLimit(WaitAtLimit))
}

// The clock on the wall counts, also when it is set.
func TestALimitResetsByTheClockOnTheWall(t *testing.T) {
	var ahead atomic.Int64
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(5 * time.Hour)
		ahead.Store(int64(6 * time.Hour)) // the machine has slept
		h.pass(wallCheck + time.Second)
		h.wantSent("one", "one")
		h.limited(6*time.Hour + time.Minute)
		ahead.Store(int64(5 * time.Hour)) // the clock is set back
		h.pass(time.Hour)
		h.wantSent("one", "one")
		h.pass(2 * time.Minute)
		h.wantSent("one", "one", "one")
	}, func(_ *harness, o *Options) {
		o.AtLimit, o.Now = WaitAtLimit, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
}

// Nothing is sent to an agent that was started since.
func TestALimitDoesNotOutliveItsAgent(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(time.Minute)
		h.agent().exit(nil)
		h.pass(time.Hour)
		h.wantSent("one")
		if got := h.queued(); !slices.Equal(got, []string{"one"}) || !h.conv.QueuePaused {
			t.Errorf("queued: %q", got)
		}
	}, atLimit(WaitAtLimit))
}

func TestALimitMayBeAnError(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.limited(time.Minute)
		h.pass(time.Hour)
		h.wantSent("one")
		if len(h.conv.Queue) != 0 || h.conv.Limit != nil {
			t.Error("the prompt waits")
		}
	}, atLimit(FailAtLimit))
}

// A session that is reopened after a limit asks again, and its prompt is still there.
func TestALimitOfAnEarlierRun(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if h.conv.Limit == nil || h.conv.Limit.Waits || h.conv.WaitsForLimit() {
			t.Errorf("the limit is %v", h.conv.Limit)
		}
		h.pass(time.Hour)
		h.wantSent()
		Post(h, WaitForLimit{})
		h.pass(time.Second)
		h.wantSent("one")
	}, func(_ *harness, o *Options) {
		o.Past = conversation.NewState()
		o.AtLimit, o.Past.Limit = WaitAtLimit, &conversation.LimitReached{Kind: "five_hour", Resets: time.Now().Add(time.Minute), Waits: true}
		o.Past.Queue = []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("one")}}}
		o.Past.LastNumber = 1
	})
}

// Who has stopped at a limit or the budget has decided: nothing asks again before the next prompt is held
// back, also not where the session is opened again.
func TestWhoHasStoppedIsNotAskedAgain(t *testing.T) {
	var past *conversation.State
	asks := func(h *harness) (asks bool) {
		h.Read(func(s *conversation.State) { asks = s.Stuck() })
		return asks
	}
	continued := func(_ *harness, o *Options) { o.Budget, o.Past = conversation.Budget{Cost: 5}, past }
	for name, end := range map[string]func(*harness){
		"limit": func(h *harness) { h.limited(time.Hour) },
		"budget": func(h *harness) {
			h.costs("s1", 6)
			h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		},
		"budget, with a queue": func(h *harness) {
			h.prompt("two")
			h.costs("s1", 6)
			h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("one")
				if end(h); !asks(h) {
					t.Error("it does not ask")
				}
				Post(h, StopWaiting{})
				if h.settle(); asks(h) {
					t.Error("it asks after the answer")
				}
				past = &h.conv.State
			}, budgeted(conversation.Budget{Cost: 5}))
			bubble(t, func(t *testing.T, h *harness) {
				if asks(h) {
					t.Error("it asks again where it is opened again")
				}
				h.prompt("three")
				if name != "limit" && !asks(h) {
					t.Error("a prompt beyond the budget asks nothing")
				}
			}, continued)
		})
	}
}

// An error in a turn in which the agent has reported a limit is that limit, whatever it says.
func TestAnErrorAfterAReportedLimit(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.reportLimit(time.Minute)
		h.fail("session/prompt", acpclient.CodeInternalError, "the server is gone")
		h.settle()
		if got := h.queued(); !slices.Equal(got, []string{"one"}) || h.conv.Limit == nil {
			t.Errorf("queued: %q, limit %v", got, h.conv.Limit)
		}
		h.prompt("two")
		h.fail("session/prompt", acpclient.CodeInternalError, "the server is gone")
		h.settle()
		if got := h.queued(); !slices.Equal(got, []string{"one"}) || h.conv.Limit != nil {
			t.Errorf("in the next turn, queued: %q, limit %v", got, h.conv.Limit)
		}
	})
}
