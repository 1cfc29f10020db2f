package session

import (
	"context"
	"fmt"

	"parley/internal/conversation"
)

// nearBudget is the part of the budget from which on the user is warned.
const nearBudget = 0.8

// SetBudget replaces the budget, and goes on with the queue if it is not used up then.
type SetBudget struct{ Budget conversation.Budget }

var setBudgetKind = KindOf[SetBudget]("SetBudget", Posts)

func (SetBudget) Kind() *Kind { return setBudgetKind }

func (a SetBudget) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	s.stream.post(conversation.BudgetSet{Budget: a.Budget, Raised: true})
	s.checkBudget()
	s.goOn()
	return None{}, nil
}

// ShareBudget counts what other sessions have spent as spent of the budget: that of this session
// is for all of them.
type ShareBudget struct{ Spent conversation.Spent }

var shareBudgetKind = KindOf[ShareBudget]("ShareBudget", Posts)

func (ShareBudget) Kind() *Kind { return shareBudgetKind }

func (a ShareBudget) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	s.stream.post(conversation.BudgetShared{Spent: a.Spent})
	s.checkBudget()
	return None{}, nil
}

// ExceedBudget lets the next turn go beyond the budget, and goes on with the queue, or with
// a prompt if that is empty: the turn that reached the budget was cancelled.
type ExceedBudget struct{ Prompt conversation.QueuedPrompt }

var exceedBudgetKind = KindOf[ExceedBudget]("ExceedBudget", Posts)

func (ExceedBudget) Kind() *Kind { return exceedBudgetKind }

func (a ExceedBudget) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	var b conversation.BudgetSet
	s.stream.read(func(st *conversation.State) {
		b = conversation.BudgetSet{Budget: st.Budget, Raised: st.BudgetRaised, Unbounded: true}
	})
	s.stream.post(b)
	if queue, _ := s.stream.queue(); len(queue) == 0 {
		s.prompt(a.Prompt)
		return None{}, nil
	}
	s.goOn()
	return None{}, nil
}

// askBudgetAgain has the user decide about a budget that is used up when a prompt waits for
// that. s.mu must be held.
func (s *Session) askBudgetAgain() {
	if s.stream.budgetReached() {
		s.stream.post(conversation.BudgetReached{})
	}
}

// goOn sends the queue, if it waited only for the budget. s.mu must be held.
func (s *Session) goOn() {
	queue, _ := s.stream.queue()
	s.setQueue(queue, false)
}

// spent checks the budget after a report of the agent.
func (s *Session) spent() {
	s.mu.Lock()
	defer s.unlock()
	s.checkBudget()
}

// checkBudget warns the user when most of the budget is used up, and ends the turn when all
// of it is. s.mu must be held.
func (s *Session) checkBudget() {
	var used float64
	var reached, unbounded bool
	var words, budget string
	s.stream.read(func(st *conversation.State) {
		used, reached, unbounded, words = st.Used(), st.BudgetReached, st.Unbounded, st.BudgetWords()
		budget = fmt.Sprint("budget ", st.Budget)
	})
	switch {
	case used >= 1 && !reached && !unbounded:
		s.stream.post(conversation.BudgetReached{})
		s.cancelTurn()
	case used >= nearBudget && used < 1:
		s.stream.warnOnce(budget, fmt.Sprintf("%d %% of the budget of this session is used up", int(used*100)), words)
	}
}

// checkReports says once if the agent does not report what the budget caps. s.mu must be
// held.
func (s *Session) checkReports() {
	var missing string
	s.stream.read(func(st *conversation.State) { missing = st.Unreported() })
	if missing != "" {
		s.stream.warnOnce("budget reports", "The budget cannot be kept", "The agent reports "+missing+".")
	}
}
