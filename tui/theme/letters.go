package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Letters draws a text with the letters at hits, byte offsets in any order, in another
// style.
func Letters(s string, hits []int, plain, hit lipgloss.Style) string {
	if len(hits) == 0 {
		return plain.Render(s)
	}
	at := make(map[int]bool, len(hits))
	for _, h := range hits {
		at[h] = true
	}
	var b strings.Builder
	from, on := 0, false
	flush := func(to int) {
		switch {
		case to == from:
		case on:
			b.WriteString(hit.Render(s[from:to]))
		default:
			b.WriteString(plain.Render(s[from:to]))
		}
		from = to
	}
	for i := range s {
		if at[i] != on {
			flush(i)
			on = at[i]
		}
	}
	flush(len(s))
	return b.String()
}
