package transcript

import "parley/internal/conversation"

// position names a line by its item's node in the outline, the section of the item,
// and the line of the section. Both count from 0.
type position struct {
	node          *conversation.Node
	section, line int
}

// every treats all nodes as open.
func every(*conversation.Node) bool { return true }

// open reports whether a node's children are shown: by default those of a running call.
func (l *List) open(n *conversation.Node) bool {
	if open, said := l.expanded[n]; said {
		return open
	}
	call, ok := n.Item().(*conversation.ToolCall)
	return ok && call.Running()
}

// current returns the node that shows another one: itself, or the one that it is folded
// into. It is nil if the conversation no longer has the node.
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

// above returns the node drawn above another, nil without one.
func (l *List) above(n *conversation.Node) *conversation.Node {
	for n = n.Preceding(l.opens); n != nil && l.at(n).sections() == 0; n = n.Preceding(l.opens) {
	}
	return n
}

// below returns the node drawn below another, nil without one. Below the root is the
// first node.
func (l *List) below(n *conversation.Node) *conversation.Node {
	for n = n.Following(l.opens); n != nil && l.at(n).sections() == 0; n = n.Following(l.opens) {
	}
	return n
}

// end returns the last node that is drawn, nil without one.
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

// step returns the node by drawn nodes below another, or above it if by is negative; the
// last one if there are fewer.
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

// lines returns the lines of a section, with the blank line above an item.
func (l *List) lines(n *conversation.Node, section int) []string {
	lines := l.at(n).lines(section, l.textWidth(n))
	if section == 0 && l.lead(n) {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// lead reports whether an item has a blank line above it. Compact items have none between
// them, except after nested items.
func (l *List) lead(n *conversation.Node) bool {
	above := l.above(n)
	if above == nil {
		return false
	}
	return n.Depth() == 0 && above.Depth() > 0 || !l.at(n).compact() || !l.at(above).compact()
}

// next returns the start of the section below p's. It reports false without one.
func (l *List) next(p position) (position, bool) {
	if p.section+1 < l.at(p.node).sections() {
		return position{node: p.node, section: p.section + 1}, true
	}
	if n := l.below(p.node); n != nil {
		return position{node: n}, true
	}
	return p, false
}

// previous returns the start of the section above p's. It reports false without one.
func (l *List) previous(p position) (position, bool) {
	if p.section > 0 {
		return position{node: p.node, section: p.section - 1}, true
	}
	if n := l.above(p.node); n != nil {
		return position{node: n, section: l.at(n).sections() - 1}, true
	}
	return p, false
}

// first returns the first section, false without one.
func (l *List) first() (position, bool) {
	n := l.below(l.conv.Outline())
	return position{node: n}, n != nil
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

// topWhenFollowing returns the first line on the screen when the view follows the end. It
// is the zero position without lines.
func (l *List) topWhenFollowing() position {
	n := l.end()
	if n == nil {
		return position{}
	}
	p := position{node: n, section: l.at(n).sections() - 1}
	p.line = len(l.lines(p.node, p.section))
	return l.up(p, l.height)
}

// firstLine returns the first line on the screen.
func (l *List) firstLine() position {
	if l.following {
		return l.topWhenFollowing()
	}
	l.top = l.valid(l.top)
	return l.top
}

// before reports whether a is above b. The zero position is above all others.
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

// valid moves a position that may be gone or folded away to one that is drawn. It is the
// zero position only if nothing is drawn.
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
