package conversation_test

import (
	"math"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// costs folds reports of an agent, in dollars unless they name a currency.
func costs(st *conversation.State, reports ...acpclient.Cost) conversation.Spent {
	for _, r := range reports {
		if r.Currency == "" {
			r.Currency = "USD"
		}
		st.Apply(conversation.Update{Update: &acpclient.UsageUpdate{Used: 1, Size: 2, Cost: &r}})
	}
	return st.Spent()
}

// What a session has cost never falls, whatever the agent reports.
func TestCostsThatMakeNoSense(t *testing.T) {
	for name, tt := range map[string]struct {
		reports []float64
		want    float64
	}{
		"grows":             {[]float64{1, 2}, 2},
		"is corrected":      {[]float64{2, 1.9}, 2},
		"begins at zero":    {[]float64{2, 0.5, 0.75}, 2.75},
		"is negative":       {[]float64{2, -5}, 2},
		"is beyond reason":  {[]float64{2, 1e300}, 2},
		"is infinite":       {[]float64{2, math.Inf(1)}, 2},
		"is not a number":   {[]float64{2, math.NaN()}, 2},
		"is negative first": {[]float64{-5, 1}, 1},
	} {
		st := conversation.NewState()
		var reports []acpclient.Cost
		for _, amount := range tt.reports {
			reports = append(reports, acpclient.Cost{Amount: amount})
		}
		if got := costs(st, reports...); got.Cost == nil || got.Cost.Amount != tt.want {
			t.Errorf("what %s: %+v, want %v", name, got.Cost, tt.want)
		}
	}
}

// An amount in another currency counts too.
func TestCostsInTwoCurrencies(t *testing.T) {
	st := conversation.NewState()
	st.Apply(conversation.BudgetSet{Budget: conversation.Budget{Cost: 4}})
	costs(st, acpclient.Cost{Amount: 1}, acpclient.Cost{Amount: 2, Currency: "EUR"}, acpclient.Cost{Amount: 3, Currency: "EUR"})
	if got, words := st.Used(), st.BudgetWords(); got != 1 || words != "€3.00 and 1.00 in another currency of €4.00" {
		t.Errorf("%v of the budget is used up: %s", got, words)
	}
}

// What was spent before adds to the reports of a new session, which does not know of it, however
// much that reports.
func TestSpentInASessionApart(t *testing.T) {
	for _, reports := range [][]acpclient.Cost{{{Amount: 3}}, {{Amount: 0}, {Amount: 3}}, {{Amount: 1}, {Amount: 3}}} {
		st := conversation.NewState()
		st.Apply(conversation.BudgetSet{Spent: &conversation.Spent{Cost: &acpclient.Cost{Amount: 2, Currency: "USD"}}})
		st.Apply(conversation.SessionOpening{How: conversation.OpenNew})
		if got := costs(st, reports...); got.Cost == nil || got.Cost.Amount != 5 {
			t.Errorf("after %v: %+v", reports, got.Cost)
		}
	}
}

// A session that goes on from another one has spent what that has.
func TestSpentInTheSessionBefore(t *testing.T) {
	st := conversation.NewState()
	costs(st, acpclient.Cost{Amount: 0.4}) // copied
	st.Apply(conversation.BudgetSet{Spent: &conversation.Spent{Cost: &acpclient.Cost{Amount: 0.9, Currency: "USD"}, Foreign: 1, Tokens: 7}})
	if got := st.Spent(); got.Cost.Amount != 0.9 || got.Foreign != 1 || got.Tokens != 7 {
		t.Errorf("%+v", got)
	}
	if got := costs(st, acpclient.Cost{Amount: 0.6}); got.Cost.Amount != 1.5 {
		t.Errorf("%+v", got.Cost)
	}
}
