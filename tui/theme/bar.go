package theme

import (
	"charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"
)

// Bar draws how much of a whole there is, a share from 0 to 1, in so many cells.
// What there is has the colour of the style, and is drawn heavier than the rest, for
// where there are no colours.
func (t *Theme) Bar(share float64, cells int, full lipgloss.Style) string {
	bar := progress.New(progress.WithWidth(cells), progress.WithoutPercentage(), progress.WithFillCharacters('━', '─'),
		progress.WithColors(full.GetForeground()))
	bar.EmptyColor = t.Border
	return bar.ViewAs(share)
}
