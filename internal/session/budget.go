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

func (a SetBudget) Do(_ context.Context, s *Session) (None, error) {
	s.post(conversation.BudgetSet{Budget: a.Budget, Raised: true})
	s.checkBudget(false)
	s.goOn()
	return None{}, nil
}

// ShareBudget counts what other sessions have spent as spent of the budget: that of this session
// is for all of them. With Aside it adds what a question that was asked aside has spent.
type ShareBudget struct {
	Spent conversation.Spent
	Aside bool
}

func (a ShareBudget) Do(_ context.Context, s *Session) (None, error) {
	s.post(conversation.BudgetShared(a))
	s.checkBudget(false)
	return None{}, nil
}

// ExceedBudget lets the next turn go beyond the budget, and goes on with the queue, or with
// a prompt if that is empty: the turn that reached the budget was cancelled.
type ExceedBudget struct{ Prompt conversation.QueuedPrompt }

func (a ExceedBudget) Do(_ context.Context, s *Session) (None, error) {
	s.post(conversation.BudgetSet{Budget: s.state.Budget, Raised: s.state.BudgetRaised, Unbounded: true})
	if len(s.state.Queue) == 0 {
		s.prompt(a.Prompt)
		return None{}, nil
	}
	s.goOn()
	return None{}, nil
}

// askBudgetAgain has the user decide about a budget that is used up when a prompt waits for
// that. s.mu must be held.
func (s *Session) askBudgetAgain() {
	if s.state.BudgetReached {
		s.post(conversation.BudgetReached{})
	}
}

// goOn sends the queue, if it waited only for the budget. s.mu must be held.
func (s *Session) goOn() {
	s.setQueue(s.state.Queue, false)
}

// checkBudget warns the user when most of the budget is used up, and ends the turn when all
// of it is. stopped means that the user has decided about that already. s.mu must be held.
func (s *Session) checkBudget(stopped bool) {
	used := s.state.Used()
	switch {
	case used >= 1 && !s.state.BudgetReached && !s.state.Unbounded:
		s.post(conversation.BudgetReached{Stopped: stopped})
		s.cancelTurn()
	case used >= nearBudget && used < 1:
		s.warnOnce(fmt.Sprint("budget ", s.state.Budget), fmt.Sprintf("%d %% of the budget is used up", int(used*100)), s.state.BudgetWords())
	}
}
