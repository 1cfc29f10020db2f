package conversation

import (
	"iter"
	"slices"

	"parley/acpclient"
)

// Group is two or more consecutive quiet calls (see [ToolCall.Quiet]). It is derived from
// the items, and not one of them.
type Group struct {
	revision
	node   *Node
	counts map[acpclient.ToolKind]int
}

// Visit visits the calls: a group is not a kind of its own.
func (g *Group) Visit(v Visitor) {
	for t := range g.Calls() {
		t.Visit(v)
	}
}

func (g *Group) plain() (side string, paragraphs []Paragraph) { return "", nil }

// Count is how many calls of a kind there are.
func (g *Group) Count(k acpclient.ToolKind) int { return g.counts[k] }

// Calls are the calls, oldest first.
func (g *Group) Calls() iter.Seq[*ToolCall] {
	return func(yield func(*ToolCall) bool) {
		for n := g.node.first; n != nil && yield(n.tool()); n = n.next {
		}
	}
}

// Quiet reports whether the call only read, searched or fetched, succeeded, asked no question and
// produced nothing to show at once, such as a change or an image.
func (t *ToolCall) Quiet() bool {
	switch t.Kind {
	case acpclient.ToolRead, acpclient.ToolSearch, acpclient.ToolFetch:
	default:
		return false
	}
	if t.Status != acpclient.ToolCompleted || t.Cancelled || t.Rejected || t.Answer != nil || len(t.Asked) > 0 ||
		len(t.Terminals) > 0 || len(t.Tasks) > 0 || t.Nested.Calls > 0 {
		return false
	}
	for i := range t.Content {
		c := &t.Content[i]
		if c.Type != acpclient.ToolContentBlock || c.Content == nil {
			return false
		}
		switch c.Content.Type {
		case acpclient.ContentText, acpclient.ContentResource, acpclient.ContentResourceLink:
		default:
			return false
		}
	}
	return true
}

// settle finds the right place for a call that has changed. While its turn runs,
// the last call of all stays out of a group: the next one takes its line then, and
// nothing moves.
func (c *Conversation) settle(n *Node) {
	t := n.tool()
	if t == nil {
		return
	}
	n.recount(t)
	quiet := t.Quiet() && n.first == nil && !n.left && !c.asksAbout(t)
	g, in := n.parent.item.(*Group)
	switch {
	case in && quiet:
		g.counts[n.kind]--
		g.count(n)
	case !quiet:
		c.leave(n)
	case n.next != nil || !t.Live:
		c.join(n)
	}
}

// asksAbout reports whether a question about a call is open, including one that is being
// judged.
func (c *Conversation) asksAbout(t *ToolCall) bool {
	about := func(p *Permission) bool { return p.ToolCall == t }
	return slices.ContainsFunc(c.Permissions, about) || slices.ContainsFunc(c.Judging, about)
}

// count counts the call of a node.
func (g *Group) count(n *Node) {
	n.kind = n.tool().Kind
	g.counts[n.kind]++
	g.changed()
}

// join puts a call into a group with those beside it.
func (c *Conversation) join(n *Node) {
	n.ready = true
	if n.prev.joins() {
		n = merge(n.prev, n)
	}
	if n.next.joins() {
		merge(n, n.next)
	}
}

// joins reports whether the node is a group, or a call that may be in one.
func (n *Node) joins() bool {
	if n == nil {
		return false
	}
	_, group := n.item.(*Group)
	return group || n.ready
}

// merge makes one group of two neighbours. The fewer calls are moved, so that a call
// is moved only so often.
func merge(a, b *Node) *Node {
	ga, aIsGroup := a.item.(*Group)
	gb, bIsGroup := b.item.(*Group)
	switch {
	case !aIsGroup && !bIsGroup:
		group := newGroup(a)
		group.append(b)
		return group.node
	case !bIsGroup:
		ga.append(b)
		return a
	case !aIsGroup:
		gb.prepend(a)
		return b
	case ga.Len() >= gb.Len():
		for b.first != nil {
			ga.append(b.first)
		}
		b.replacedBy(a)
		return a
	}
	for a.last != nil {
		gb.prepend(a.last)
	}
	a.replacedBy(b)
	return b
}

// newGroup puts a group of a single call into the call's place.
func newGroup(n *Node) *Group {
	group := &Group{counts: map[acpclient.ToolKind]int{}}
	group.node = &Node{item: group, index: -1}
	n.parent.insert(group.node, n.prev)
	group.append(n)
	return group
}

// Len is how many calls there are.
func (g *Group) Len() int {
	all := 0
	for _, n := range g.counts {
		all += n
	}
	return all
}

func (g *Group) append(n *Node) { g.insert(n, g.node.last) }

func (g *Group) prepend(n *Node) { g.insert(n, nil) }

// insert puts a call into the group, from wherever it is.
func (g *Group) insert(n, behind *Node) {
	if was, ok := n.parent.item.(*Group); ok {
		was.counts[n.kind]--
	}
	n.remove()
	g.node.insert(n, behind)
	g.node.order = g.node.first.order
	g.count(n)
}

// replacedBy removes an empty group. [Node.Current] leads from it to another node.
func (n *Node) replacedBy(by *Node) {
	n.remove()
	n.moved = by
}

// leave takes a call out of its group, which splits in two. The call never joins one
// again, so that each call moves only so often, even if an agent keeps taking back what
// it said. It changes nothing for a call outside of groups.
func (c *Conversation) leave(n *Node) {
	n.ready = false
	g, in := n.parent.item.(*Group)
	if !in {
		return
	}
	n.left = true

	// The side with fewer calls moves to a group of its own.
	before, behind := n.prev, n.next
	for before != nil && behind != nil {
		before, behind = before.prev, behind.next
	}
	ahead := before == nil
	from, to := n.next, (*Node)(nil)
	if ahead {
		from, to = n.parent.first, n
	}
	var fewer []*Node
	for m := from; m != to; m = m.next {
		fewer = append(fewer, m)
	}

	group := g.node
	last := group // the sibling that the next one is put behind
	if ahead {
		last = group.prev
	}
	g.moveOut(n, last)
	if !ahead {
		last = n
	}
	if len(fewer) > 0 {
		g.moveOut(fewer[0], last)
	}
	if len(fewer) > 1 {
		own := newGroup(fewer[0])
		for _, m := range fewer[1:] {
			own.append(m)
		}
	}
	if group.first == group.last {
		only := group.first
		g.moveOut(only, group)
		group.replacedBy(only)
		return
	}
	group.order = group.first.order
	g.changed()
}

// moveOut puts a call of the group beside it, behind another node.
func (g *Group) moveOut(n, behind *Node) {
	g.counts[n.kind]--
	n.remove()
	g.node.parent.insert(n, behind)
}
