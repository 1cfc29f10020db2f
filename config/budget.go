package config

// Budget caps what a session may use up; a zero field is no cap.
type Budget struct {
	// Cost is an amount of money, in the currency of the agent.
	Cost float64
	// Tokens are those that the agent reports at the ends of turns.
	Tokens uint64
}

// budgetRows are the keys of a [budget].
func budgetRows[T any](at func(*T) *Budget) []row[T] {
	return []row[T]{
		value("session", func(to *T) *float64 { return &at(to).Cost }, (*table).amount, "").standing(int64(0)).shown("5.00"),
		value("tokens", func(to *T) *uint64 { return &at(to).Tokens }, (*table).tokens, "").standing(int64(0)).shown("2000000"),
	}
}

// maxTokens limits a number of tokens, far above any session.
const maxTokens = 1 << 50

func (t *table) tokens(key string) uint64 {
	n, _ := t.number(key, 0, maxTokens)
	return uint64(n)
}

// amount reads an amount of money.
func (t *table) amount(key string) float64 {
	if n, whole := t.values[key].(int64); whole {
		t.values[key] = float64(n)
	}
	amount, ok := read[float64](t, key, "a number")
	if ok && !(amount >= 0 && amount < 1e9) {
		t.fail(key, "0 means no limit", "must be from 0 to 1000000000")
		return 0
	}
	return amount
}
