package transcript

import (
	"parley/acpclient"
	"parley/internal/conversation"
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

// startOf returns the first line of an item, without the blank line above it.
func (l *List) startOf(n *conversation.Node) position {
	p := position{node: n}
	if l.lead(n) {
		p.line = 1
	}
	return p
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
