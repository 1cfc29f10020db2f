package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
)

const (
	// clickTime is the longest time between the clicks of a double click.
	clickTime = 400 * time.Millisecond
	// dragTime is the time per line of scrolling while the pointer is beyond the edge.
	dragTime = 60 * time.Millisecond
)

// drag is the state of the left mouse button over a list: dragging marks text, two clicks
// a word, three a line, and one selects an item.
type drag struct {
	down    bool // the button is held
	moved   bool // since it went down
	focused bool // the list had the focus before it went down
	x, y    int  // where the pointer is, in the list
	ticking bool

	clicks  int
	clicked time.Time
	// again means that the item was already selected: the click toggles it.
	again bool
}

// Mouse handles a mouse event at a position in the list. While the button is held,
// positions may be outside.
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

func (r *reader) Wheel(m tea.MouseWheelMsg) {
	switch m.Button {
	case tea.MouseWheelUp:
		r.list.Scroll(-wheelLines)
	case tea.MouseWheelDown:
		r.list.Scroll(wheelLines)
	}
}

// press handles the button going down.
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
			r.list.Toggle() // undo the toggle of the first click
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

// release handles the button going up: it copies marked text, or toggles an item that was
// already selected.
func (r *reader) release() tea.Cmd {
	d := &r.drag
	switch {
	case r.list.Spanning():
		if !d.focused {
			r.Unfocus() // marking text must not move the focus
		}
		return r.copySpan(false)
	case d.clicks == 1 && d.again && !d.moved:
		r.list.Toggle()
	}
	return nil
}

// autoScroll scrolls while the pointer is at or beyond the edge of the list.
func (r *reader) autoScroll() tea.Cmd {
	d := &r.drag
	if d.ticking || !d.down || d.y > 0 && d.y < r.rows {
		return nil
	}
	d.ticking = true
	return tea.Tick(dragTime, func(time.Time) tea.Msg { return then(r.autoScrollStep) })
}

// autoScrollStep scrolls one line and extends the marked text.
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
