package transcript

import (
	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// HalfPage moves the view by half screens, down if n is positive.
func (l *List) HalfPage(n int) { l.Scroll(n * max(1, l.height/2)) }

// NextPrompt scrolls to the next prompt, or to the previous one if by is negative. It
// reports false without one.
func (l *List) NextPrompt(by int) bool {
	if len(l.conv.Items) == 0 {
		return false
	}
	at := l.firstLine()
	if at.node == nil {
		return false
	}
	to := (*conversation.Node).Next
	n := at.node
	for n.Parent().Parent() != nil {
		n = n.Parent() // prompts are never nested
	}
	if by < 0 {
		to = (*conversation.Node).Previous
	}
	if start := l.startOf(n); by > 0 || !before(start, at) {
		n = to(n) // the view begins with this item
	}
	for ; n != nil; n = to(n) {
		m, ok := n.Item().(*conversation.Message)
		if ok && m.Chunk == acpclient.UserMessageChunk && m.Parent == "" && l.at(n).sections() > 0 {
			l.following, l.top = false, l.startOf(n)
			l.followAtEnd()
			if l.focused {
				l.selected = n
			}
			return true
		}
	}
	return false
}

// Percent returns how far down the view is, from 0 to 100. It counts items, not lines.
func (l *List) Percent() int {
	if l.following {
		return 100
	}
	top := l.firstLine()
	if top.node == nil {
		return 100
	}
	within := float64(top.section) / float64(max(1, l.at(top.node).sections()))
	return min(99, int(100*(float64(top.node.Index())+within)/float64(len(l.conv.Items))))
}

// Start returns the index of the item at the top of the view; following says that the view
// follows the end instead.
func (l *List) Start() (item int, following bool) {
	if l.following || l.top.node == nil {
		return 0, l.following
	}
	return max(0, l.top.node.Current().Index()), false
}

// StartAt scrolls to an item by its index. Without such an item the view follows the end.
func (l *List) StartAt(item int) {
	if item < 0 || item >= len(l.conv.Items) {
		l.following = true
		return
	}
	l.following, l.top = false, position{node: l.current(l.conv.Node(item))}
}

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
