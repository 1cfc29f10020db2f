package theme

import (
	"charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"
)

// Bar draws a progress bar for a share from 0 to 1, in so many cells. The filled part
// has the colour of the style and heavier symbols, for terminals without colours.
func (t *Theme) Bar(share float64, cells int, full lipgloss.Style) string {
	bar := progress.New(progress.WithWidth(cells), progress.WithoutPercentage(), progress.WithFillCharacters('━', '─'),
		progress.WithColors(full.GetForeground()))
	bar.EmptyColor = t.Border
	return bar.ViewAs(share)
}
