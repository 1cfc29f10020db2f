package transcript

import (
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// Focus selects the last item in sight, or clears the selection.
func (l *List) Focus(on bool) {
	if l.page != nil {
		return // there is only one item
	}
	l.focused = on
	if !on {
		l.selected = nil
		return
	}
	l.Lines() // sets l.shown
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

// SelectAt selects the item on a line of the view. It reports false without one.
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

// SelectVisible selects the item nearest to the selected one that is in sight, if
// the list has the focus.
func (l *List) SelectVisible() {
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

// chosen returns the node of the selected item, or the one that it is now folded into; nil
// without one.
func (l *List) chosen() *conversation.Node {
	l.selected = l.current(l.selected)
	return l.selected
}

// Selected returns the selected item, a *conversation.Group for a group; nil without one.
func (l *List) Selected() conversation.Item {
	if n := l.chosen(); n != nil {
		return n.Item()
	}
	return nil
}

// Excerpt returns what can be copied, saved or opened of the selected item.
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

// reveal scrolls just far enough to show the start of an item.
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
	// Walk down from the top of the view: if the whole item is in sight, or as much of it
	// as fits, do not scroll.
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

// heightOf returns the height of an item in lines, at most that of the view.
func (l *List) heightOf(n *conversation.Node) int {
	high := 0
	for s := range l.at(n).sections() {
		if high += len(l.lines(n, s)); high >= l.height {
			return l.height
		}
	}
	return high
}
