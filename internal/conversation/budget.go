package conversation

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Budget limits what a session may use up; a zero field is no limit.
type Budget struct {
	// Cost is an amount of money, in the agent's currency.
	Cost   float64 `json:"cost,omitempty"`
	Tokens uint64  `json:"tokens,omitempty"`
}

// Spent is what a session has used up, as reported by all agents that have worked on it,
// including its subagents.
type Spent struct {
	// Cost is nil if the agent reports none.
	Cost *acpclient.Cost `json:"cost,omitempty"`
	// Foreign is the sum of amounts in earlier currencies.
	Foreign float64 `json:"foreign,omitempty"`
	// Tokens is 0 if the agent reports none. Agents report them at the end of a turn.
	Tokens uint64 `json:"tokens,omitempty"`
}

// Add adds what was spent elsewhere. An amount in another currency is foreign.
func (s *Spent) Add(more Spent) {
	s.Tokens += more.Tokens
	s.Foreign += more.Foreign
	switch c := more.Cost; {
	case !counts(c):
	case s.Cost == nil:
		cost := *c
		s.Cost = &cost
	case s.Cost.Currency == c.Currency:
		s.Cost = &acpclient.Cost{Amount: s.Cost.Amount + c.Amount, Currency: c.Currency}
	default:
		s.Foreign += c.Amount
	}
}

// Since returns what was spent after an earlier time.
func (s Spent) Since(before Spent) Spent {
	more := Spent{Tokens: s.Tokens - before.Tokens, Foreign: s.Foreign - before.Foreign}
	switch was := before.Cost; {
	case s.Cost == nil:
	case was == nil:
		more.Cost = s.Cost
	case was.Currency != s.Cost.Currency: // it is foreign by now
		more.Foreign -= was.Amount
		more.Cost = s.Cost
	case was.Amount != s.Cost.Amount:
		more.Cost = &acpclient.Cost{Amount: s.Cost.Amount - was.Amount, Currency: was.Currency}
	}
	return more
}

// counting is the part of the State that says what the session has used up.
type counting struct {
	// BudgetReached means that the budget is used up: no prompt is sent until the user
	// decides.
	BudgetReached bool
	// Unbounded means that the user lets one turn exceed the budget: the running one, or else
	// the next.
	Unbounded bool
	// Stopped means that the user has decided to stop at the budget that is reached.
	Stopped bool

	costs  costs
	tokens tokenCount
	asides Spent // by questions that were asked aside
}

// tokenCount adds up the tokens that agents report at the end of turns. Some report the tokens
// of the turn, others the total of the session: a figure that has not grown is of a turn.
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

// again starts counting for another agent.
func (c *tokenCount) again() { *c = tokenCount{past: c.total()} }

// Spent returns what the session has used up.
func (s *State) Spent() Spent {
	spent := Spent{Tokens: s.tokens.total(), Foreign: s.costs.foreign}
	if c := s.ownCost(); c != nil {
		cost := *c
		spent.Cost = &cost
	}
	for _, t := range s.subagents {
		spent.Add(Spent{Cost: t.Subagent.Cost})
	}
	spent.Add(s.asides)
	return spent
}

// counts reports whether a cost is plausible.
func counts(c *acpclient.Cost) bool {
	const most = 1e9 // of any currency
	return c != nil && c.Amount >= 0 && c.Amount <= most
}

// ownCost returns the cost of the session without its subagents, nil if unknown.
func (s *opened) ownCost() *acpclient.Cost {
	if s.Usage != nil && s.Usage.Cost != nil {
		return s.Usage.Cost
	}
	return s.costs.before
}

func (e BudgetSet) fold(s *State) {
	s.Budget, s.BudgetRaised, s.Unbounded, s.BudgetReached = e.Budget, e.Raised, e.Unbounded, false
	if e.Spent != nil {
		s.Restore(*e.Spent)
	}
}

func (e BudgetReached) fold(s *State) { s.BudgetReached, s.Stopped = true, e.Stopped }

func (e BudgetShared) fold(s *State) {
	if e.Aside {
		s.asides.Add(e.Spent)
	} else {
		s.Shared = e.Spent
	}
}

// Restore sets what was spent before: in earlier runs, or in the session from which this one
// was forked.
func (s *State) Restore(spent Spent) {
	s.costs, s.tokens = costs{before: spent.Cost}, tokenCount{past: spent.Tokens - min(spent.Tokens, s.asides.Tokens)}
	if s.Usage != nil {
		usage := *s.Usage
		usage.Cost = nil
		s.Usage = &usage
	}
	// spent includes what the state counts itself, such as the subagents of a copied
	// transcript.
	now := s.Spent()
	s.costs.foreign = spent.Foreign - now.Foreign
	if spent.Cost != nil {
		before := *spent.Cost
		before.Amount -= now.Cost.Amount - before.Amount
		s.costs.before = &before
	}
}

// counted returns the cost that counts for the budget, with that of other sessions in the same
// currency; nil if neither this one nor any of them reports one. Amounts in other currencies
// count one to one.
func (s *State) counted() (cost *acpclient.Cost, foreign float64) {
	spent := s.Spent()
	spent.Add(s.Shared)
	return spent.Cost, spent.Foreign
}

// Used returns the fraction of the budget that is used up, by the limit that is closer; 0
// without a budget.
func (s *State) Used() float64 {
	part := 0.0
	if cost, foreign := s.counted(); s.Budget.Cost > 0 && cost != nil {
		part = (cost.Amount + foreign) / s.Budget.Cost
	}
	if s.Budget.Tokens > 0 {
		part = max(part, float64(s.Spent().Tokens+s.Shared.Tokens)/float64(s.Budget.Tokens))
	}
	return part
}

// Unreported says which limited figures the agent does not report, "" if it reports all.
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

// BudgetWords describes how much of the budget is used up.
func (s *State) BudgetWords() string {
	words := ""
	if cost, foreign := s.counted(); s.Budget.Cost > 0 && cost != nil {
		words = Money(cost)
		if foreign > 0 {
			words += fmt.Sprintf(" and %.2f in another currency", foreign)
		}
		words += " of " + Money(&acpclient.Cost{Amount: s.Budget.Cost, Currency: cost.Currency})
	}
	if tokens := s.Spent().Tokens + s.Shared.Tokens; s.Budget.Tokens > 0 && tokens > 0 {
		if words != "" {
			words += ", "
		}
		words += fmt.Sprintf("%d of %d tokens", tokens, s.Budget.Tokens)
	}
	if words != "" && s.Shared != (Spent{}) {
		words += " by all sessions that share it"
	}
	return words
}

// Money formats an amount for display. The currency is untrusted text.
func Money(c *acpclient.Cost) string {
	amount, less := fmt.Sprintf("%.2f", c.Amount), ""
	if c.Amount < 0.005 {
		less, amount = "<", "0.01"
	}
	if sign, ok := map[string]string{"USD": "$", "EUR": "€", "GBP": "£"}[c.Currency]; ok {
		return less + sign + amount
	}
	return strings.TrimSpace(less + amount + " " + termtext.Line(c.Currency))
}
