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
	at := l.top
	if l.following {
		at = l.topWhenFollowing()
	}
	step := 1
	i := at.item + 1
	if by < 0 {
		step, i = -1, at.item
		if start := l.startOf(i); !before(start, at) {
			i-- // the view begins with this very item
		}
	}
	for ; i >= 0 && i < len(l.conv.Items); i += step {
		if isPrompt(l.conv.Items[i]) && l.at(i).sections() > 0 {
			l.following, l.top = false, l.startOf(i)
			l.followAtEnd()
			if l.focused {
				l.selected = i
			}
			return true
		}
	}
	return false
}

// startOf is the first line of an item, without the blank line above it.
func (l *List) startOf(item int) position {
	p := position{item: item}
	if l.lead(item) {
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
	n := len(l.conv.Items)
	if l.following || n == 0 {
		return 100
	}
	within := float64(l.top.section) / float64(max(1, l.at(l.top.item).sections()))
	return min(99, int(100*(float64(l.top.item)+within)/float64(n)))
}
