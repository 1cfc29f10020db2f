package theme

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/progress"
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

// Grouped formats a count with thousands separators: 10,412.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bar draws a progress bar for a share from 0 to 1, in so many cells. The filled part
// has the colour of the style and heavier symbols, for terminals without colours.
func (t *Theme) Bar(share float64, cells int, full lipgloss.Style) string {
	bar := progress.New(progress.WithWidth(cells), progress.WithoutPercentage(), progress.WithFillCharacters('━', '─'),
		progress.WithColors(full.GetForeground()))
	bar.EmptyColor = t.Border
	return bar.ViewAs(share)
}
