package transcript

import (
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// Focus selects the last item in sight, or gives the selection up.
func (l *List) Focus(on bool) {
	if l.page != nil {
		return // there is nothing to choose from
	}
	l.focused = on
	if !on {
		l.selected = nil
		return
	}
	l.Lines() // so that it is known what is in sight
	for i := len(l.shown) - 1; i >= 0; i-- {
		if l.shown[i] != nil {
			l.selected = l.shown[i]
			return
		}
	}
}

// Focused reports whether an item can be selected.
func (l *List) Focused() bool { return l.focused }

// Select moves the selection by items, down if n is positive, and brings the
// item into sight.
func (l *List) Select(n int) {
	if at := l.chosen(); at != nil {
		l.selected = l.step(at, n)
		l.reveal(l.selected)
	}
}

// SelectAt selects the item on a line of the view, and reports whether there is
// one.
func (l *List) SelectAt(y int) bool {
	if l.page != nil || y < 0 || y >= len(l.shown) {
		return false
	}
	n := l.current(l.shown[y])
	if n == nil {
		return false
	}
	l.focused, l.selected = true, n
	return true
}

// SelectInSight selects the item nearest to the selected one that is in sight, if
// the list has the focus.
func (l *List) SelectInSight() {
	if !l.focused || l.chosen() == nil {
		return
	}
	top := l.firstLine()
	bottom := l.down(top, l.height-1)
	switch {
	case top.node == nil:
	case l.selected.Before(top.node):
		l.selected = top.node
	case bottom.node.Before(l.selected):
		l.selected = bottom.node
	}
}

// chosen is the node of the selected item, or of what that is folded into now; nil
// if there is none.
func (l *List) chosen() *conversation.Node {
	l.selected = l.current(l.selected)
	return l.selected
}

// Selected is the selected item, nil if there is none. It is a *conversation.Group for
// a group.
func (l *List) Selected() conversation.Item {
	if n := l.chosen(); n != nil {
		return n.Item()
	}
	return nil
}

// Excerpt is what can be taken out of the selected item; it is empty if none is
// selected.
func (l *List) Excerpt() toolview.Excerpt {
	if l.chosen() == nil {
		return toolview.Excerpt{}
	}
	return l.at(l.selected).excerpt()
}

// Toggle expands or collapses the selected item.
func (l *List) Toggle() {
	if l.chosen() == nil {
		return
	}
	l.top, l.following = l.firstLine(), false
	l.expanded[l.selected] = !l.expanded[l.selected]
	l.reveal(l.selected)
	l.followAtEnd()
}

// Expanded reports whether the selected item is expanded.
func (l *List) Expanded() bool { return l.expanded[l.chosen()] }

// reveal scrolls as little as brings the beginning of an item into sight.
func (l *List) reveal(n *conversation.Node) {
	if n == nil || l.page != nil {
		return
	}
	start := position{node: n}
	top := l.firstLine()
	if before(start, top) {
		l.following, l.top = false, start
		return
	}
	// Walk down from the top of the view: if the item is whole in sight, or as
	// much of it as there is room for, nothing has to move.
	p, y := top, -top.line
	for y < l.height {
		if p.node == n {
			if y+l.heightOf(n) <= l.height {
				return
			}
			break
		}
		y += len(l.lines(p.node, p.section))
		next, ok := l.next(p)
		if !ok {
			return
		}
		p = next
	}
	l.following = false
	l.top = l.up(start, max(0, l.height-min(l.height, l.heightOf(n))))
	l.followAtEnd()
}

// heightOf is the height of an item in lines. It counts no further than the
// height of the view.
func (l *List) heightOf(n *conversation.Node) int {
	high := 0
	for s := range l.at(n).sections() {
		if high += len(l.lines(n, s)); high >= l.height {
			return l.height
		}
	}
	return high
}
