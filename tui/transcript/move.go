package transcript

import (
	"parley/acpclient"
	"parley/internal/conversation"
)

// HalfPage moves the view by half screens, down if n is positive.
func (l *List) HalfPage(n int) { l.Scroll(n * max(1, l.height/2)) }

// NextPrompt puts the next prompt of the person at the top of the view, or the
// one before if by is negative. It reports false if there is none.
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
		n = n.Parent() // prompts belong to no other item
	}
	if by < 0 {
		to = (*conversation.Node).Previous
	}
	if start := l.startOf(n); by > 0 || !before(start, at) {
		n = to(n) // the view begins with this very item
	}
	for ; n != nil; n = to(n) {
		if isPrompt(n.Item()) && l.at(n).sections() > 0 {
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

// startOf is the first line of an item, without the blank line above it.
func (l *List) startOf(n *conversation.Node) position {
	p := position{node: n}
	if l.lead(n) {
		p.line = 1
	}
	return p
}

func isPrompt(item conversation.Item) bool {
	m, ok := item.(*conversation.Message)
	return ok && m.Chunk == acpclient.UserMessageChunk && m.Parent == ""
}

// Place is how far down the view is in the transcript, in percent: 0 at the
// beginning, 100 at the end. Every item counts as much as any other, so that it
// costs no counting of lines.
func (l *List) Place() int {
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
