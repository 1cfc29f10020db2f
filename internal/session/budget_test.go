package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// budgeted gives the session a budget.
func budgeted(b conversation.Budget) func(*harness, *Options) {
	return func(_ *harness, o *Options) { o.Budget = b }
}

// costs lets the agent report a cost of a session.
func (h *harness) costs(session string, amount float64) {
	h.agent().update(session, fmt.Sprintf(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":%v,"currency":"USD"}}`, amount))
	h.settle()
}

// notices lists the titles of the notices.
func (h *harness) notices() (all []string) {
	for _, n := range eventsOf[conversation.NoticeAdded](h) {
		all = append(all, n.Title)
	}
	return all
}

// At 80 % the user is warned, once. At the cap the turn is cancelled, and no prompt is sent
// until the user has decided.
func TestTheBudgetEndsTheTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		h.costs("s1", 3.9)
		h.costs("s1", 4.1)
		h.costs("s1", 4.5)
		if got := h.notices(); !slices.Equal(got, []string{"82 % of the budget is used up"}) {
			t.Errorf("the notices are %q", got)
		}
		h.costs("s1", 5.0)
		if !slices.Contains(h.agent().got(), "session/cancel s1") || !h.conv.BudgetReached {
			t.Fatalf("the agent got %q", h.agent().got())
		}
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		for i := range 3 { // the user is asked again whenever something waits for the answer
			if n := len(eventsOf[conversation.BudgetReached](h)); n != i+1 {
				t.Errorf("the user was asked %d times, want %d", n, i+1)
			}
			switch i {
			case 0:
				h.prompt("three")
			case 1:
				Post(h, ResumeQueue{})
				h.settle()
			}
		}
		if got := h.sent(); !slices.Equal(got, []string{"one"}) {
			t.Errorf("beyond the budget, %q are sent", got)
		}
		Post(h, SetBudget{conversation.Budget{Cost: 10}})
		h.settle()
		if got := h.sent(); !slices.Equal(got, []string{"one", "three"}) {
			t.Errorf("after it was raised, %q are sent", got)
		}
		h.costs("s1", 10.5)
		if !h.conv.BudgetReached {
			t.Error("the higher budget is no cap")
		}
	}, budgeted(conversation.Budget{Cost: 5}))
}

// The user can let one turn go on, to its end.
func TestOneTurnGoesBeyondTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.costs("s1", 6)
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		Post(h, ExceedBudget{text("Continue.")})
		h.settle()
		h.costs("s1", 7)
		if got := h.sent(); !slices.Equal(got, []string{"one", "Continue."}) || h.agent().count("session/cancel") != 1 {
			t.Errorf("sent are %q", got)
		}
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		if !h.conv.BudgetReached {
			t.Error("the next turn goes beyond it too")
		}
		h.prompt("more")
		if got := h.sent(); len(got) != 2 {
			t.Errorf("sent are %q", got)
		}
	}, budgeted(conversation.Budget{Cost: 5}))
}

// The user can stop there: nothing asks any more until a prompt waits for the budget.
func TestTheUserStopsAtTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.costs("s1", 6)
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		if !h.conv.Stuck() {
			t.Error("it does not ask")
		}
		Post(h, StopWaiting{})
		h.settle()
		if now, _ := h.conv.Standing(); now != conversation.StandingIdle || h.conv.Stuck() {
			t.Errorf("after the answer it is %v", now)
		}
		h.prompt("more")
		if got := h.sent(); len(got) != 1 || !h.conv.Stuck() {
			t.Errorf("sent are %q, and it asks: %v", got, h.conv.Stuck())
		}
	}, budgeted(conversation.Budget{Cost: 5}))
}

// Tokens are counted from the reports at the ends of turns, whether they are of the turn or
// of the session.
func TestTheBudgetOfTokens(t *testing.T) {
	for name, totals := range map[string][]int{"of turns": {60, 60}, "of the session": {60, 120}} {
		bubble(t, func(t *testing.T, h *harness) {
			for i, total := range totals {
				h.prompt(fmt.Sprint(i))
				h.reply("session/prompt", fmt.Sprintf(`{"stopReason":"end_turn","usage":{"totalTokens":%d,"inputTokens":0,"outputTokens":0}}`, total))
				if reached := i == 1; h.conv.BudgetReached != reached {
					t.Errorf("%s: after turn %d, reached is %v", name, i, !reached)
				}
			}
		}, budgeted(conversation.Budget{Tokens: 120}))
	}
}

// What earlier runs and subagents have used up counts.
func TestWhatElseCountsForTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.agent().update("s1", child)
		h.costs("s1", 1)
		h.costs("k", 1.5)
		if h.conv.BudgetReached {
			t.Error("reached with 4.50 of 5.00")
		}
		h.costs("k", 2.5)
		if !h.conv.BudgetReached || h.conv.Budget.Cost != 5 {
			t.Error("not reached with 5.50 of 5.00")
		}
	}, func(_ *harness, o *Options) {
		o.Budget = conversation.Budget{Cost: 5}
		o.Past = conversation.NewState()
		o.Past.Restore(conversation.Spent{Cost: &acpclient.Cost{Amount: 2, Currency: "USD"}})
	})
}

// An agent that does not report what the budget caps cannot be held to it, and that is said.
func TestABudgetThatCannotBeKept(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		for range 2 {
			h.prompt("go")
			h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		}
		all := eventsOf[conversation.NoticeAdded](h)
		if len(all) != 1 || !strings.Contains(all[0].Title+all[0].Detail, "cannot be kept"+"The agent reports no cost.") {
			t.Errorf("the notices are %+v", all)
		}
	}, budgeted(conversation.Budget{Cost: 5}))
}

// A budget that earlier runs have used up is asked about before a turn, not after it.
func TestTheBudgetOfEarlierRunsIsUsedUp(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		if got := h.sent(); len(got) > 0 || !h.conv.BudgetReached {
			t.Errorf("sent are %q", got)
		}
	}, func(_ *harness, o *Options) {
		o.Budget = conversation.Budget{Cost: 5}
		o.Past = conversation.NewState()
		o.Past.Restore(conversation.Spent{Cost: &acpclient.Cost{Amount: 6, Currency: "USD"}})
	})
}

// What other sessions have spent of a budget counts, also before this one has reported a cost.
// The warning comes once, however often they report.
func TestABudgetThatOthersShare(t *testing.T) {
	others := func(h *harness, amount float64) {
		Post(h, ShareBudget{Spent: conversation.Spent{Cost: &acpclient.Cost{Amount: amount, Currency: "USD"}}})
		h.settle()
	}
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.costs("s1", 1)
		for _, amount := range []float64{2, 3.2, 3.5, 3.9} {
			others(h, amount)
		}
		if got := h.notices(); !slices.Equal(got, []string{"84 % of the budget is used up"}) || h.conv.BudgetReached {
			t.Errorf("the notices are %q", got)
		}
		others(h, 4)
		if !slices.Contains(h.agent().got(), "session/cancel s1") || !h.conv.BudgetReached {
			t.Fatalf("the agent got %q", h.agent().got())
		}
		if got, want := h.conv.BudgetWords(), "$5.00 of $5.00 by all sessions that share it"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		others(h, 5) // asks no second time
		if n := len(eventsOf[conversation.BudgetReached](h)); n != 1 {
			t.Errorf("the user was asked %d times", n)
		}
		if spent := h.conv.Spent().Cost; spent == nil || spent.Amount != 1 {
			t.Errorf("the session itself has spent %+v", spent)
		}
	}, budgeted(conversation.Budget{Cost: 5}))
	bubble(t, func(t *testing.T, h *harness) {
		others(h, 5)
		h.prompt("one")
		if got := h.sent(); len(got) > 0 || !h.conv.BudgetReached {
			t.Errorf("sent are %q", got)
		}
	}, budgeted(conversation.Budget{Cost: 5}))
}
