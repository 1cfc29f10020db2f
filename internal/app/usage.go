package app

import (
	"fmt"
	"math"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// UsageText returns context use and cost in words, "" if nothing is known.
func UsageText(u *acpclient.UsageUpdate) string {
	if u == nil {
		return ""
	}
	var words []string
	switch {
	case u.Used == 0:
	case u.Size == 0:
		words = append(words, TokensText(u.Used)+" tokens")
	default:
		words = append(words, PercentText(float64(u.Used)/float64(u.Size))+" of "+TokensText(u.Size)+" context")
	}
	if c := u.Cost; c != nil && c.Amount > 0 {
		words = append(words, conversation.Money(c))
	}
	return strings.Join(words, ", ")
}

// PercentText is the part of the context that is used, in percent.
func PercentText(share float64) string {
	if share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%d%%", int(math.Round(100*share)))
}

// TokensText is a number of tokens in a few characters.
func TokensText(n uint64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1e3), ".0k", "k", 1)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1e6), ".0M", "M", 1)
}
