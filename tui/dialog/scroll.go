package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// scroller is how far a body is scrolled. It learns heights when it is drawn.
type scroller struct {
	offset, total, height int
	// end asks for the end of the body, once its height is known.
	end bool
	// due is a line that is to be the first in view as soon as the body is drawn, 0 if
	// none is.
	due int
}

func (s *scroller) fit(total, height int) {
	s.total, s.height = total, max(height, 0)
	if s.end {
		s.offset, s.end = total, false
	}
	if s.due > 0 {
		s.offset, s.due = s.due, 0
	}
	s.by(0)
}

func (s *scroller) by(n int) { s.offset = max(0, min(s.offset+n, s.total-s.height)) }

// page goes so many pages on. A line of the page before stays in sight, if there are some.
func (s *scroller) page(n int) {
	lines := s.height
	if lines > 3 {
		lines--
	}
	s.by(n * max(1, lines))
}

// wheelLines is how far one notch of the mouse wheel scrolls.
const wheelLines = 3

// key scrolls if it is a key for that, and there is anything to scroll.
func (s *scroller) key(keys config.Keys, key string) bool {
	switch {
	case !s.scrolls():
		return false
	case keys.Match(config.ActionDialogPageUp, key):
		s.page(-1)
	case keys.Match(config.ActionDialogPageDown, key):
		s.page(1)
	case key == "shift+up":
		s.by(-1)
	case key == "shift+down":
		s.by(1)
	case key == "home":
		s.by(-s.total)
	case key == "end":
		s.by(s.total)
	default:
		return false
	}
	return true
}

func (s *scroller) wheel(m tea.MouseWheelMsg) {
	switch m.Button {
	case tea.MouseWheelUp:
		s.by(-wheelLines)
	case tea.MouseWheelDown:
		s.by(wheelLines)
	}
}

// show scrolls as little as it takes to have the lines from to to in view.
func (s *scroller) show(from, to int) {
	s.offset = max(s.offset, to-s.height)
	s.offset = min(s.offset, from)
	s.by(0)
}

// scrolls reports whether there is anything to scroll.
func (s *scroller) scrolls() bool { return s.total > s.height }

func (s *scroller) hidden() (above, below int) {
	return s.offset, max(0, s.total-s.height-s.offset)
}

// thumb is the part of the scroll bar that is filled; none if all is in view.
func (s *scroller) thumb() (from, to int) {
	if !s.scrolls() || s.height == 0 {
		return 0, 0
	}
	size := max(1, s.height*s.height/s.total)
	from = (s.height - size) * s.offset / max(1, s.total-s.height)
	return from, from + size
}

// paper is what content is drawn on.
type paper struct {
	width int
	th    *theme.Theme
}

// content is a part of a panel that may be taller than the panel: it is drawn
// in pieces.
type content interface {
	// height is the number of lines it takes.
	height(paper) int
	// lines draws the lines from (inclusive) to (exclusive), which are there.
	lines(p paper, from, to int) []string
}

// column is content made of other contents, one below the other.
type column []content

func (c column) height(p paper) int {
	n := 0
	for _, part := range c {
		n += part.height(p)
	}
	return n
}

func (c column) lines(p paper, from, to int) []string {
	var out []string
	for _, part := range c {
		if to <= 0 {
			break
		}
		n := part.height(p)
		if from < n {
			out = append(out, part.lines(p, max(from, 0), min(to, n))...)
		}
		from, to = from-n, to-n
	}
	return out
}

// block is content that is laid out whole, once for each paper and layout.
type block struct {
	draw func(paper) []string

	on     paper
	layout termtext.Layout
	done   []string
}

func newBlock(draw func(paper) []string) *block { return &block{draw: draw} }

func (b *block) height(p paper) int {
	if layout := termtext.NewLayout(p.width); b.on != p || b.layout != layout {
		b.on, b.layout, b.done = p, layout, b.draw(p)
	}
	return len(b.done)
}

func (b *block) lines(p paper, from, to int) []string {
	b.height(p)
	return b.done[from:to]
}

// fixed is content that is drawn already.
type fixed []string

func (f fixed) height(paper) int { return len(f) }

func (f fixed) lines(_ paper, from, to int) []string { return f[from:to] }
