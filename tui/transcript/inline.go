package transcript

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// finished is the state of Finished: which items it has returned.
type finished struct {
	last *conversation.Node // nil without one
	// open are messages among them that may still change.
	open map[*conversation.Node]given
}

// given is the state of a message when Finished returned it.
type given struct {
	version          uint64
	length, replaced int
}

func givenNow(m *conversation.Message) given {
	return given{m.Version(), len(m.Parts.Plain()), m.Replaced()}
}

// mostFinished bounds how many lines Finished returns at once.
const mostFinished = 500

// Finished returns the lines of items that have become final, each item once; more says
// that there are others. An item is final once the next one has begun, or no turn runs.
// A message that changes afterwards is returned again when the turn has ended.
func (l *List) Finished() (lines []string, more bool) {
	for _, n := range l.grown() {
		lines = append(lines, l.whole(n)...)
	}
	for n := l.unfinished(); n != nil && l.settled(n); n = n.Next() {
		if len(lines) >= mostFinished {
			return lines, true
		}
		lines = append(lines, l.whole(n)...)
		l.finished.last = n
		if m, ok := n.Item().(*conversation.Message); ok && !m.Done {
			if l.finished.open == nil {
				l.finished.open = map[*conversation.Node]given{}
			}
			l.finished.open[n] = givenNow(m)
		}
	}
	return lines, false
}

// grown returns the messages that have grown or were replaced since Finished returned
// them, in order. It waits for the end of the turn: an agent that alternates thoughts
// and answers makes its thought grow with every frame.
func (l *List) grown() (nodes []*conversation.Node) {
	if l.conv.Turn.Running {
		return nil
	}
	for n, was := range l.finished.open {
		m, _ := n.Item().(*conversation.Message)
		if m == nil || !l.conv.Has(n) {
			delete(l.finished.open, n)
			continue
		}
		if m.Growing || m.Version() == was.version {
			continue
		}
		now := givenNow(m)
		if l.finished.open[n] = now; now.length > was.length || now.replaced != was.replaced {
			nodes = append(nodes, n)
		}
		if m.Done {
			delete(l.finished.open, n)
		}
	}
	slices.SortFunc(nodes, func(a, b *conversation.Node) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	return nodes
}

// unfinished returns the first item that Finished has not returned, nil without one.
func (l *List) unfinished() *conversation.Node {
	if last := l.finished.last; last != nil {
		if last = last.Current(); l.conv.Has(last) {
			return last.Next()
		}
		l.finished = finished{}
	}
	return l.conv.Outline().First()
}

// settled reports whether an item is final.
func (l *List) settled(n *conversation.Node) bool {
	if !l.conv.Turn.Running {
		return l.conv.Phase != conversation.PhaseOpening || n.Next() != nil
	}
	if m, ok := n.Item().(*conversation.Message); ok && m.Chunk == acpclient.UserMessageChunk {
		return m.Done
	}
	if n.Next() == nil {
		return false
	}
	switch i := n.Item().(type) {
	case *conversation.Message:
		return !i.Growing
	case *conversation.ToolCall:
		return !i.Running() && i.Nested.Running == 0
	case *conversation.Group:
		for call := range i.Calls() {
			if call.Running() {
				return false
			}
		}
	}
	return true
}

// writesOut reports whether an item is drawn expanded because nothing of it may be left out.
func (l *layout) writesOut(n *conversation.Node) bool {
	if !l.writing || isStep(n) {
		return false
	}
	switch n.Item().(type) {
	case *conversation.Message, *conversation.ToolCall, *conversation.ShellCommand:
		return true
	}
	return false
}

// whole returns all lines of an item and of the items shown below it.
func (l *List) whole(n *conversation.Node) []string {
	l.writing = true
	defer func() { l.writing = false }()
	within := func(below *conversation.Node) bool {
		for below != nil && below != n {
			below = below.Parent()
		}
		return below == n
	}
	height := 0
	for p, ok := (position{node: n}), l.at(n).sections() > 0; ok && within(p.node); p, ok = l.next(p) {
		height += len(l.lines(p.node, p.section))
	}
	if height == 0 {
		return nil
	}
	return l.from(position{node: n}, height)
}

// Rest returns the last lines of the unfinished items that fit in height.
func (l *List) Rest(height int) []string {
	n := l.unfinished()
	for n != nil && l.at(n).sections() == 0 {
		n = n.Next()
	}
	if n == nil || height <= 0 {
		return nil
	}
	was := l.height
	l.height = height
	start := l.topWhenFollowing()
	l.height = was
	if first := (position{node: n}); before(start, first) {
		start = first
	}
	lines := l.from(start, height)
	for len(lines) > 0 && l.shown[len(lines)-1] == nil {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// from draws lines from a position without moving the view.
func (l *List) from(p position, height int) []string {
	top, following, high := l.top, l.following, l.height
	l.top, l.following, l.height = p, false, height
	lines := l.Lines()
	l.top, l.following, l.height = top, following, high
	return lines
}
