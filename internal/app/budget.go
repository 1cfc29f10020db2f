package app

import (
	"fmt"

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

// BudgetQuestion asks how to go on when the budget of a session is used up.
func BudgetQuestion(s Session, c *conversation.Conversation) *Question {
	all := func() []Session { return []Session{s} }
	return BudgetQuestionOf("The budget of this session is used up", func() *conversation.Conversation {
		if !c.BudgetReached {
			return nil
		}
		return c
	}, all, all)
}

// BudgetQuestionOf asks about the budget that sessions share: raising it raises it for all of them. reached
// returns the conversation of one for which it is used up, or nil: then there is nothing to ask. cut are
// those that it holds up.
func BudgetQuestionOf(title string, reached func() *conversation.Conversation, all, cut func() []Session) *Question {
	c := reached()
	if c == nil {
		return nil
	}
	more := conversation.Budget{Cost: 2 * c.Budget.Cost, Tokens: 2 * c.Budget.Tokens}
	cost := acpclient.Cost{Amount: more.Cost}
	if spent := c.Spent().Cost; spent != nil {
		cost.Currency = spent.Currency
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
		Title: title, Again: func() *Question { return BudgetQuestionOf(title, reached, all, cut) },
		Text: "Used up: " + c.BudgetWords() + ". Prompts wait until you decide.",
		Choices: []Choice{
			{Name: "Stop here", Key: "s"},
			{Name: "Raise it to " + to, Key: "r", Do: func() (Outcome, error) {
				for _, s := range all() {
					session.Post(s, session.SetBudget{Budget: more})
				}
				return Outcome{Say: "the budget is " + to}, nil
			}},
			{Name: "Go on for one turn", Key: "g", Here: func() {
				for _, s := range cut() {
					session.Post(s, session.ExceedBudget{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(goOn)}}})
				}
			}},
		},
	}
}
