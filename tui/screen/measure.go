package screen

import "parley/internal/cells"

// next measures the first piece of a text that is not empty: how many bytes
// belong together, and how many columns they take. Escape sequences, control
// characters and what cannot be seen take none.
type next func(s string) (n, width int)

// measure is how text is measured: as everything is that is laid out for the
// screen.
func (a abilities) measure(graphemes bool) next {
	switch {
	case a.next != nil:
		return a.next
	case graphemes:
		return cells.Graphemes.Next
	}
	return cells.Safe.Next
}
