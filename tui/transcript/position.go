package transcript

import "parley/internal/conversation"

// position names a line by its item's node in the outline, the section of the item,
// and the line of the section. Both count from 0.
type position struct {
	node          *conversation.Node
	section, line int
}

// every takes all nodes as open.
func every(*conversation.Node) bool { return true }

// open reports whether what stands below a node is shown: that of a call while it
// runs, unless the person has said otherwise.
func (l *List) open(n *conversation.Node) bool {
	if open, said := l.expanded[n]; said {
		return open
	}
	call, ok := n.Item().(*conversation.ToolCall)
	return ok && call.Running()
}

// current is the node that shows another one: itself, or the one that it is folded
// into. It is nil if the conversation has it no more.
func (l *List) current(n *conversation.Node) *conversation.Node {
	if n == nil {
		return nil
	}
	n = n.Current()
	if !l.conv.Has(n) {
		return nil
	}
	shown := n
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Parent() != nil && !l.open(p) {
			shown = p
		}
	}
	return shown
}

// above is the node drawn above another, nil if there is none.
func (l *List) above(n *conversation.Node) *conversation.Node {
	for n = n.Preceding(l.opens); n != nil && l.at(n).sections() == 0; n = n.Preceding(l.opens) {
	}
	return n
}

// below is the node drawn below another, nil if there is none. Below the root it is
// the first of all.
func (l *List) below(n *conversation.Node) *conversation.Node {
	for n = n.Following(l.opens); n != nil && l.at(n).sections() == 0; n = n.Following(l.opens) {
	}
	return n
}

// end is the last node that is drawn, nil if there is none.
func (l *List) end() *conversation.Node {
	n := l.conv.Outline().Deepest(l.opens)
	if n.Parent() == nil {
		return nil
	}
	if l.at(n).sections() == 0 {
		return l.above(n)
	}
	return n
}

// step is the node so many drawn nodes below another, or above it if by is
// negative: the last one if there are fewer.
func (l *List) step(n *conversation.Node, by int) *conversation.Node {
	to := l.below
	if by < 0 {
		to, by = l.above, -by
	}
	for ; by > 0; by-- {
		next := to(n)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// lines are the lines of a section, with the blank line that parts an item from
// the one above it.
func (l *List) lines(n *conversation.Node, section int) []string {
	lines := l.at(n).lines(section, l.textWidth(n))
	if section == 0 && l.lead(n) {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// lead reports whether a blank line stands above an item. Tool calls without
// visible content stand close together, unless what belongs to one ends between
// them.
func (l *List) lead(n *conversation.Node) bool {
	above := l.above(n)
	if above == nil {
		return false
	}
	return n.Depth() == 0 && above.Depth() > 0 || !l.at(n).compact() || !l.at(above).compact()
}

// next is the beginning of the section below that of p. It reports false if there
// is none.
func (l *List) next(p position) (position, bool) {
	if p.section+1 < l.at(p.node).sections() {
		return position{node: p.node, section: p.section + 1}, true
	}
	if n := l.below(p.node); n != nil {
		return position{node: n}, true
	}
	return p, false
}

// previous is the beginning of the section above that of p. It reports false if
// there is none.
func (l *List) previous(p position) (position, bool) {
	if p.section > 0 {
		return position{node: p.node, section: p.section - 1}, true
	}
	if n := l.above(p.node); n != nil {
		return position{node: n, section: l.at(n).sections() - 1}, true
	}
	return p, false
}

// first is the first section, false if there is nothing.
func (l *List) first() (position, bool) {
	n := l.below(l.conv.Outline())
	return position{node: n}, n != nil
}

// last is the last section, false if there is nothing.
func (l *List) last() (position, bool) {
	n := l.end()
	if n == nil {
		return position{}, false
	}
	return position{node: n, section: l.at(n).sections() - 1}, true
}

// up returns the line n lines above p, or the first there is.
func (l *List) up(p position, n int) position {
	for p.node != nil && n > p.line {
		n -= p.line
		prev, ok := l.previous(p)
		if !ok {
			p.line = 0
			return p
		}
		p = prev
		p.line = len(l.lines(p.node, p.section))
	}
	p.line = max(0, p.line-n)
	return p
}

// down returns the line n lines below p, or the last there is.
func (l *List) down(p position, n int) position {
	for p.node != nil {
		have := len(l.lines(p.node, p.section))
		if p.line+n < have {
			p.line += n
			return p
		}
		next, ok := l.next(p)
		if !ok {
			p.line = max(0, have-1)
			return p
		}
		n -= have - p.line
		p = next
	}
	return p
}

// topWhenFollowing is the first line on the screen if the last line of all is
// the last on it. It is the zero position if there is no line.
func (l *List) topWhenFollowing() position {
	p, ok := l.last()
	if !ok {
		return position{}
	}
	p.line = len(l.lines(p.node, p.section))
	return l.up(p, l.height)
}

// firstLine is the first line on the screen.
func (l *List) firstLine() position {
	if l.following {
		return l.topWhenFollowing()
	}
	l.top = l.valid(l.top)
	return l.top
}

// before reports whether a stands above b. A place that is none stands above all.
func before(a, b position) bool {
	if a.node == nil || b.node == nil {
		return a.node == nil && b.node != nil
	}
	if a.node != b.node {
		return a.node.Before(b.node)
	}
	if a.section != b.section {
		return a.section < b.section
	}
	return a.line < b.line
}

// valid brings a place that may be gone, or folded away, back to one that is
// drawn. It is the zero position only if nothing is.
func (l *List) valid(p position) position {
	n := l.current(p.node)
	if n == nil {
		p, _ = l.first()
		return p
	}
	if n != p.node {
		p = position{node: n}
	}
	if l.at(n).sections() == 0 {
		prev, ok := l.previous(position{node: n})
		if !ok {
			prev, _ = l.first()
		}
		p = prev
	}
	if p.node != nil {
		p.section = min(p.section, l.at(p.node).sections()-1)
		p.line = min(p.line, max(0, len(l.lines(p.node, p.section))-1))
	}
	return p
}
