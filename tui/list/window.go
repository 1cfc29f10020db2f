// Package list has the parts of lists and full-screen pages: a scrolling window on rows
// with a mark, a filter, a line input, a search in text, and the frame of a page.
//
// A window knows only the number of rows, so that hundreds of thousands cost as much as
// ten: its user draws the rows in sight.
package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
)

// wheelLines is how far one notch of the mouse wheel scrolls.
const wheelLines = 3

// Scroll is the part of a list or a text that is in sight.
type Scroll struct {
	// Top is the first line in sight. It may be set to any value: Fit bounds it.
	Top int
	// Len is the number of lines, Height how many there is room for.
	Len, Height int
}

// Fit takes the number of lines, and how many there is room for.
func (s *Scroll) Fit(lines, height int) {
	s.Len, s.Height = lines, max(height, 0)
	s.By(0)
}

// By scrolls down by n lines, or up if n is negative.
func (s *Scroll) By(n int) { s.Top = max(0, min(s.Top+n, s.Len-s.Height)) }

// Page scrolls by n pages. A line of the last page stays in sight if there is room.
func (s *Scroll) Page(n int) { s.By(n * s.PageLen()) }

// PageLen is the number of lines by which a page scrolls.
func (s *Scroll) PageLen() int {
	if s.Height > 3 {
		return s.Height - 1
	}
	return max(1, s.Height)
}

// Show scrolls as little as it takes to have the lines from (inclusive) to to
// (exclusive) in sight.
func (s *Scroll) Show(from, to int) {
	s.Top = min(max(s.Top, to-s.Height), from)
	s.By(0)
}

// Key scrolls by a key of dialogs and reports whether it is one. Where all is in sight
// no key scrolls.
func (s *Scroll) Key(keys config.Keys, key string) bool {
	switch {
	case !s.Scrolls():
		return false
	case keys.Match(command.DialogPageUp, key):
		s.Page(-1)
	case keys.Match(command.DialogPageDown, key):
		s.Page(1)
	case key == "shift+up":
		s.By(-1)
	case key == "shift+down":
		s.By(1)
	case key == "home":
		s.By(-s.Len)
	case key == "end":
		s.By(s.Len)
	default:
		return false
	}
	return true
}

// Wheel scrolls by a notch of the mouse wheel.
func (s *Scroll) Wheel(m tea.MouseWheelMsg) { s.By(Notch(m)) }

// Notch is how many lines a notch of the mouse wheel scrolls: negative is up.
func Notch(m tea.MouseWheelMsg) int {
	switch m.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}

// Scrolls reports whether there is more than there is room for.
func (s *Scroll) Scrolls() bool { return s.Len > s.Height }

// End is the line after the last one in sight.
func (s *Scroll) End() int { return min(s.Top+s.Height, s.Len) }

// Hidden is how many lines are above and below those in sight.
func (s *Scroll) Hidden() (above, below int) {
	return s.Top, max(0, s.Len-s.Height-s.Top)
}

// HiddenWords names the lines above and below those in sight, "" if there are none.
func HiddenWords(above, below int) string {
	var words []string
	if above > 0 {
		words = append(words, "↑ "+termtext.Count(above, "more line"))
	}
	if below > 0 {
		words = append(words, "↓ "+termtext.Count(below, "more line"))
	}
	return strings.Join(words, " · ")
}

// Thumb is the part of the scroll bar that is filled; empty if all is in sight.
func (s *Scroll) Thumb() (from, to int) {
	if !s.Scrolls() || s.Height == 0 {
		return 0, 0
	}
	size := max(1, s.Height*s.Height/s.Len)
	from = (s.Height - size) * s.Top / max(1, s.Len-s.Height)
	return from, from + size
}

// Window is a list of which one row is marked, and the part of it that is in sight. It
// knows only how many rows there are, so nothing that it does depends on their number.
type Window struct {
	Scroll
	// Mark is the marked row.
	Mark int
	// Follow keeps the mark on the last row while rows are added.
	Follow bool
}

// Fit takes the number of rows, and how many there is room for. The marked row stays in
// sight.
func (w *Window) Fit(rows, height int) {
	w.Scroll.Fit(rows, height)
	if w.Follow {
		w.Mark = rows - 1
	}
	w.Put(w.Mark)
}

// Put marks a row, or the nearest that there is, and brings it into sight.
func (w *Window) Put(row int) {
	w.Mark = max(0, min(row, w.Len-1))
	w.Show(w.Mark, w.Mark+1)
}

// Move marks the row that is n rows further down.
func (w *Window) Move(n int) { w.Put(w.Mark + n) }

// Step moves the mark down by n of so many rows, and wraps around.
func (w *Window) Step(n, rows int) { w.Mark = (w.Mark + n + rows) % rows }

// By scrolls by n lines. The mark moves with what is in sight.
func (w *Window) By(n int) {
	w.Scroll.By(n)
	w.Mark = max(w.Top, min(w.Mark, w.End()-1))
}

// AtLast reports whether the last row is marked.
func (w *Window) AtLast() bool { return w.Mark >= w.Len-1 }

// At returns the row on a line, counted from the first in sight.
func (w *Window) At(line int) (row int, ok bool) {
	row = w.Top + line
	return row, line >= 0 && row < w.End()
}

// Click marks the row on a line. It reports whether it was marked already: such a click
// opens it.
func (w *Window) Click(line int) (again bool) {
	row, ok := w.At(line)
	if !ok {
		return false
	}
	again = row == w.Mark
	w.Mark = row
	return again
}
