package compare_test

import (
	"reflect"
	"testing"

	"parley/acpclient"
	"parley/internal/compare"
	"parley/internal/conversation"
)

// money is an amount spent, with tokens.
func money(amount float64, currency string, tokens uint64) conversation.Spent {
	return conversation.Spent{Cost: &acpclient.Cost{Amount: amount, Currency: currency}, Tokens: tokens}
}

// Each side is charged with what the others have spent in its currency, and with their tokens.
func TestSharedBudget(t *testing.T) {
	none := conversation.Spent{}
	for name, tt := range map[string]struct{ spent, want []conversation.Spent }{
		"nothing yet":    {[]conversation.Spent{none, none}, []conversation.Spent{none, none}},
		"one":            {[]conversation.Spent{money(1, "USD", 5), none}, []conversation.Spent{none, money(1, "USD", 5)}},
		"all":            {[]conversation.Spent{money(1, "USD", 1), money(2, "USD", 2), money(4, "USD", 4)}, []conversation.Spent{money(6, "USD", 6), money(5, "USD", 5), money(3, "USD", 3)}},
		"two currencies": {[]conversation.Spent{money(1, "USD", 0), money(2, "EUR", 0), money(4, "USD", 0)}, []conversation.Spent{money(4, "USD", 0), none, money(1, "USD", 0)}},
		"one that says nothing, the largest sum": {
			[]conversation.Spent{money(1, "USD", 0), money(3, "EUR", 0), money(4, "USD", 0), none},
			[]conversation.Spent{money(4, "USD", 0), none, money(1, "USD", 0), money(5, "USD", 0)},
		},
		"only tokens": {[]conversation.Spent{{Tokens: 3}, {Tokens: 4}}, []conversation.Spent{{Tokens: 4}, {Tokens: 3}}},
	} {
		if got := compare.Shared(tt.spent); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
