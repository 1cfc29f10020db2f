package transcript

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// finished is how far a list was given away for good, item by item, to be put where it
// never changes.
type finished struct {
	last *conversation.Node // the last item that was, nil if none was
	// open are messages among them that may still change, though mostly none does.
	open map[*conversation.Node]given
}

// given is how a message was when it was given away.
type given struct {
	version          uint64
	length, replaced int
}

func givenNow(m *conversation.Message) given {
	return given{m.Version(), len(m.Parts.Plain()), m.Replaced()}
}

// mostFinished bounds how many lines are given away at once.
const mostFinished = 500

// Finished are the lines of items that will not change any more, each once; more says
// that there are others. An item counts once the next one has begun, or no turn runs. A
// message that changes after that is given away once more, when the turn has ended.
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

// grown are the messages that have grown since they were given away, or were replaced, in
// their order. An agent that thinks and speaks in turn lets its thought grow with every
// frame, so none counts while a turn runs.
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

// unfinished is the first item that was not given away, nil if all were.
func (l *List) unfinished() *conversation.Node {
	if last := l.finished.last; last != nil {
		if last = last.Current(); l.conv.Has(last) {
			return last.Next()
		}
		l.finished = finished{}
	}
	return l.conv.Outline().First()
}

// settled reports whether an item will not change any more.
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

// whole are all the lines of an item, and of what is shown below it.
func (l *List) whole(n *conversation.Node) []string {
	height := 0
	for p, ok := (position{node: n}), l.at(n).sections() > 0; ok && standsIn(p.node, n); p, ok = l.next(p) {
		height += len(l.lines(p.node, p.section))
	}
	if height == 0 {
		return nil
	}
	return l.from(position{node: n}, height)
}

// standsIn reports whether a node is another one, or stands below it.
func standsIn(n, top *conversation.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n == top {
			return true
		}
	}
	return false
}

// Rest are the last lines, as many as there is room for, of what was not given away.
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

// from draws so many lines from a place on. The view stays where it is.
func (l *List) from(p position, height int) []string {
	top, following, high := l.top, l.following, l.height
	l.top, l.following, l.height = p, false, height
	lines := l.Lines()
	l.top, l.following, l.height = top, following, high
	return lines
}
