package conversation

import (
	"fmt"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Budget caps what a session may use up; a zero field is no cap.
type Budget struct {
	// Cost is an amount of money, in the agent's currency.
	Cost   float64 `json:"cost,omitempty"`
	Tokens uint64  `json:"tokens,omitempty"`
}

// Spent is what a session has used up, as far as the agent reports it: over all agents that
// have worked on it, and with its subagents.
type Spent struct {
	// Cost is nil if the agent reports none.
	Cost *acpclient.Cost `json:"cost,omitempty"`
	// Foreign is what was reported in currencies before that of Cost.
	Foreign float64 `json:"foreign,omitempty"`
	// Tokens is 0 if the agent reports none. It reports them when a turn ends.
	Tokens uint64 `json:"tokens,omitempty"`
}

// budgeting is the part of the State about the budget.
type budgeting struct {
	// Budget caps the session. Raised means that the user has changed it here.
	Budget       Budget
	BudgetRaised bool
	// BudgetReached means that it is used up: no prompt is sent until the user has decided.
	BudgetReached bool
	// Unbounded means that the user lets the turn go on beyond the budget, the running one
	// or else the next.
	Unbounded bool

	tokens tokenCount
}

// tokenCount adds up what agents report at the ends of turns: some the tokens of the turn,
// others those of the session so far. A total that has not grown is one of a turn.
type tokenCount struct {
	perTurn         bool
	last, sum, past uint64
}

func (c *tokenCount) add(total uint64) {
	if total <= c.last {
		c.perTurn = true
	}
	c.last = total
	c.sum += total
}

// total returns the tokens of the session.
func (c *tokenCount) total() uint64 {
	if c.perTurn {
		return c.past + c.sum
	}
	return c.past + c.last
}

// again notes that another agent counts from here on.
func (c *tokenCount) again() { *c = tokenCount{past: c.total()} }

// Spent returns what the session has used up.
func (s *State) Spent() Spent {
	spent := Spent{Tokens: s.tokens.total(), Foreign: s.costs.foreign}
	if c := s.ownCost(); c != nil {
		cost := *c
		spent.Cost = &cost
	}
	for _, t := range s.subagents {
		switch c := t.Subagent.Cost; {
		case !counts(c):
		case spent.Cost == nil:
			cost := *c
			spent.Cost = &cost
		case spent.Cost.Currency == c.Currency:
			spent.Cost.Amount += c.Amount
		default:
			spent.Foreign += c.Amount
		}
	}
	return spent
}

// counts reports whether a cost can be one.
func counts(c *acpclient.Cost) bool {
	const most = 1e9 // of any currency
	return c != nil && c.Amount >= 0 && c.Amount <= most
}

// ownCost is the cost of the session without its subagents, nil if it is not known.
func (s *State) ownCost() *acpclient.Cost {
	if s.Usage != nil && s.Usage.Cost != nil {
		return s.Usage.Cost
	}
	return s.costs.before
}

// Restore begins with what was spent in earlier runs, and in the session from which this one
// goes on.
func (s *State) Restore(spent Spent) {
	s.costs, s.tokens = costs{before: spent.Cost}, tokenCount{past: spent.Tokens}
	if s.Usage != nil {
		usage := *s.Usage
		usage.Cost = nil
		s.Usage = &usage
	}
	// What the state counts of itself, such as the subagents of a copied transcript, is in it.
	now := s.Spent()
	s.costs.foreign = spent.Foreign - now.Foreign
	if spent.Cost != nil {
		before := *spent.Cost
		before.Amount -= now.Cost.Amount - before.Amount
		s.costs.before = &before
	}
}

// Used returns which part of the budget is used up, 1 for all of it, of the cap that is nearer.
// It is 0 without a budget.
func (s *State) Used() float64 {
	spent, part := s.Spent(), 0.0
	if s.Budget.Cost > 0 && spent.Cost != nil {
		part = (spent.Cost.Amount + spent.Foreign) / s.Budget.Cost // an amount is an amount
	}
	if s.Budget.Tokens > 0 {
		part = max(part, float64(spent.Tokens)/float64(s.Budget.Tokens))
	}
	return part
}

// Unreported names what the budget caps and the agent does not report, "" if nothing.
func (s *State) Unreported() string {
	spent := s.Spent()
	switch cost, tokens := s.Budget.Cost > 0 && spent.Cost == nil, s.Budget.Tokens > 0 && spent.Tokens == 0; {
	case cost && tokens:
		return "neither cost nor tokens"
	case cost:
		return "no cost"
	case tokens:
		return "no tokens"
	}
	return ""
}

// BudgetWords says what is used up of the budget.
func (s *State) BudgetWords() string {
	spent := s.Spent()
	words := ""
	if s.Budget.Cost > 0 && spent.Cost != nil {
		words = Money(spent.Cost)
		if spent.Foreign > 0 {
			words += fmt.Sprintf(" and %.2f in another currency", spent.Foreign)
		}
		words += " of " + Money(&acpclient.Cost{Amount: s.Budget.Cost, Currency: spent.Cost.Currency})
	}
	if s.Budget.Tokens > 0 && spent.Tokens > 0 {
		if words != "" {
			words += ", "
		}
		words += fmt.Sprintf("%d of %d tokens", spent.Tokens, s.Budget.Tokens)
	}
	return words
}

// Money says an amount of money, for display: the currency is the agent's word.
func Money(c *acpclient.Cost) string {
	amount, less := fmt.Sprintf("%.2f", c.Amount), ""
	if c.Amount < 0.005 {
		less, amount = "<", "0.01"
	}
	if sign, ok := map[string]string{"USD": "$", "EUR": "€", "GBP": "£"}[c.Currency]; ok {
		return less + sign + amount
	}
	return less + amount + " " + termtext.Line(c.Currency)
}
