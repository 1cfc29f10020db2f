package tab

import (
	"parley/internal/termtext"
	"parley/tui/theme"
)

// keptLine is a line that is the same in nearly every frame, and is drawn again only
// when what it is made of has changed.
type keptLine struct {
	of    lineSource
	drawn string
}

// lineSource is all that a line is made of.
type lineSource struct {
	theme  *theme.Theme
	layout termtext.Layout
	words  string
}

// get returns the line for a source, which draw draws.
func (k *keptLine) get(of lineSource, draw func() string) string {
	if k.of != of {
		k.of, k.drawn = of, draw()
	}
	return k.drawn
}
