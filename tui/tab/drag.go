package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
)

const (
	// clickTime is how soon a click has to follow another at the same place to be
	// one with it.
	clickTime = 400 * time.Millisecond
	// dragTime is the time between two lines that the view scrolls while the
	// pointer is dragged beyond its edge.
	dragTime = 60 * time.Millisecond
)

// drag is what the left button of the mouse does in a list: marks what it is
// dragged over, a word by two clicks, a line by three; one click selects an item.
type drag struct {
	down    bool // the button is held
	moved   bool // since it went down
	focused bool // the list had the focus before it went down
	x, y    int  // where the pointer is, in the list
	ticking bool

	clicks  int
	clicked time.Time
	// again says that the item was selected before the click: then the click
	// expands or collapses it.
	again bool
}

// Mouse takes an event of the mouse. x and y count from the first cell of the list.
// While the button is held, events from outside of it count.
func (r *reader) Mouse(msg tea.MouseMsg, x, y int) tea.Cmd {
	d := &r.drag
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		r.Wheel(m)
		if d.down && d.moved {
			r.list.ExtendSpan(d.x, d.y)
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			r.press(x, y)
		}
	case tea.MouseMotionMsg:
		if d.down && (x != d.x || y != d.y) {
			d.moved, d.x, d.y = true, x, y
			r.list.ExtendSpan(x, y)
			return r.autoScroll()
		}
	case tea.MouseReleaseMsg:
		if d.down {
			d.down = false
			return r.release()
		}
	}
	return nil
}

// Wheel scrolls.
func (r *reader) Wheel(m tea.MouseWheelMsg) {
	switch m.Button {
	case tea.MouseWheelUp:
		r.list.Scroll(-wheelLines)
	case tea.MouseWheelDown:
		r.list.Scroll(wheelLines)
	}
}

// press is the button going down.
func (r *reader) press(x, y int) {
	d, now := &r.drag, r.tab.program.Now()
	if x == d.x && y == d.y && now.Sub(d.clicked) < clickTime {
		d.clicks++
	} else {
		d.clicks = 1
	}
	d.down, d.moved, d.x, d.y, d.clicked = true, false, x, y, now
	r.list.StartSpan(x, y)
	switch d.clicks {
	case 1:
		d.focused = r.list.Focused()
		d.again = r.selects(y)
	case 2:
		if d.again {
			r.list.Toggle() // the first click was not meant for the item
		}
		r.list.SpanWord(x, y)
	case 3:
		r.list.SpanLine(y)
	}
}

// selects selects the item on a line, and reports whether it was selected before.
func (r *reader) selects(y int) (again bool) {
	var was conversation.Item
	if r.list.Focused() {
		was = r.list.Selected()
	}
	return r.list.SelectAt(y) && was != nil && was == r.list.Selected()
}

// release is the button going up: what is marked is copied. A click without a mark
// on an item that was selected expands or collapses it.
func (r *reader) release() tea.Cmd {
	d := &r.drag
	switch {
	case r.list.Spanning():
		if !d.focused {
			r.Unfocus() // marking takes no keys from where they went
		}
		return r.copySpan(false)
	case d.clicks == 1 && d.again && !d.moved:
		r.list.Toggle()
	}
	return nil
}

// autoScroll scrolls as long as the pointer is at the edge of a list or beyond it.
func (r *reader) autoScroll() tea.Cmd {
	d := &r.drag
	if d.ticking || !d.down || d.y > 0 && d.y < r.rows {
		return nil
	}
	d.ticking = true
	return tea.Tick(dragTime, func(time.Time) tea.Msg { return then(r.autoScrollStep) })
}

// autoScrollStep scrolls a line, and marks on.
func (r *reader) autoScrollStep() tea.Cmd {
	d := &r.drag
	d.ticking = false
	if !d.down || d.y > 0 && d.y < r.rows {
		return nil
	}
	r.list.Scroll(direction(d.y > 0))
	r.list.ExtendSpan(d.x, d.y)
	return r.autoScroll()
}
