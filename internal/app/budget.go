package app

import (
	"fmt"
	"slices"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
)

// goOn is the prompt that continues a turn cut off by the budget.
const goOn = "Continue."

// budget returns the budget of sessions with an agent: its own, or else the general one.
func (l *Launcher) budget(a config.Agent) conversation.Budget {
	b := l.Config.Budget
	if a.Budget != (config.Budget{}) {
		b = a.Budget
	}
	if l.MaxCost > 0 {
		b.Cost = l.MaxCost
	}
	return conversation.Budget(b)
}

// BudgetQuestion asks how to go on when the budget of the session is used up.
func (l *Live) BudgetQuestion() *Question {
	return BudgetQuestion("The budget of this session is used up", func() []*Live { return []*Live{l} })
}

// BudgetQuestion asks how to go on when the budget that sessions share is used up for one of them; nil if it
// is not. Raising it raises it for all.
func BudgetQuestion(title string, shared func() []*Live) *Question {
	all := shared()
	i := slices.IndexFunc(all, func(l *Live) bool { return l.Conversation.BudgetReached && !l.Conversation.Stopped })
	if i < 0 {
		return nil
	}
	c := all[i].Conversation
	more, spent := c.Budget, c.Spent()
	for range 64 { // at least twice as much, and more than is used up
		more.Cost, more.Tokens = 2*more.Cost, 2*more.Tokens
		if (more.Cost == 0 || spent.Cost == nil || spent.Cost.Amount < more.Cost) && (more.Tokens == 0 || spent.Tokens < more.Tokens) {
			break
		}
	}
	cost := acpclient.Cost{Amount: more.Cost}
	if spent.Cost != nil {
		cost.Currency = spent.Cost.Currency
	}
	to := ""
	if more.Cost > 0 {
		to = conversation.Money(&cost)
	}
	if more.Tokens > 0 {
		if to != "" {
			to += " and "
		}
		to += fmt.Sprintf("%d tokens", more.Tokens)
	}
	return &Question{
		Title: title, Again: func() *Question { return BudgetQuestion(title, shared) },
		Text: "Used up: " + c.BudgetWords() + ". Prompts wait until you decide.",
		Choices: []Choice{
			{Name: "Stop here", Key: "s", Here: func() {
				for _, l := range shared() {
					session.Post(l.Session, session.StopWaiting{})
				}
			}},
			{Name: "Raise it to " + to, Key: "r", Here: func() {
				for _, l := range shared() {
					session.Post(l.Session, session.SetBudget{Budget: more})
				}
			}},
			{Name: "Go on for one turn", Key: "g", Here: func() {
				for _, l := range shared() { // of several, those that it holds up
					if c := l.Conversation; len(all) == 1 || c.BudgetReached && (len(c.Queue) > 0 || c.Ending.How == conversation.EndedEarly) {
						session.Post(l.Session, session.ExceedBudget{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(goOn)}}})
					}
				}
			}},
		},
	}
}
