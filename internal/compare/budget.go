package compare

import (
	"parley/acpclient"
	"parley/internal/conversation"
)

// Shared returns for each side what the others have spent of the budget that all of them share,
// for [session.ShareBudget]: a side's own cost is not in it.
//
// Only costs in one currency add up, because parley knows no rates. A side is charged with those
// in its own currency, and a side that has reported no cost yet with the largest sum in one.
// What the others have spent in other currencies is not charged to it: of such agents, each
// currency has the budget for itself. Tokens add up.
func Shared(spent []conversation.Spent) []conversation.Spent {
	shared := make([]conversation.Spent, len(spent))
	for i := range spent {
		sums := map[string]float64{}
		for k, s := range spent {
			if k == i {
				continue
			}
			shared[i].Tokens += s.Tokens
			if s.Cost != nil {
				sums[s.Cost.Currency] += s.Cost.Amount
			}
		}
		currency := ""
		if own := spent[i].Cost; own != nil {
			currency = own.Currency
		} else {
			for c, sum := range sums {
				if best := sums[currency]; sum > best || sum == best && c < currency {
					currency = c
				}
			}
		}
		if sums[currency] > 0 {
			shared[i].Cost = &acpclient.Cost{Amount: sums[currency], Currency: currency}
		}
	}
	return shared
}
