package config

// Budget caps what a session may use up; a zero field is no cap.
type Budget struct {
	// Cost is an amount of money, in the currency of the agent.
	Cost float64
	// Tokens are those that the agent reports at the ends of turns.
	Tokens uint64
}

// budget reads [budget].
func (t *table) budget() Budget {
	in, ok := t.child("budget")
	if !ok {
		return Budget{}
	}
	defer in.done()
	tokens, _ := in.number("tokens", 1, maxTokens)
	return Budget{Cost: in.amount("session"), Tokens: uint64(tokens)}
}

// maxTokens limits a number of tokens, far above any session.
const maxTokens = 1 << 50

// amount reads an amount of money.
func (t *table) amount(key string) float64 {
	if n, whole := t.values[key].(int64); whole {
		t.values[key] = float64(n)
	}
	amount, ok := read[float64](t, key, "a number")
	if ok && !(amount > 0 && amount < 1e9) {
		t.fail(key, "leave the line out for no limit", "must be above 0")
		return 0
	}
	return amount
}
