package conversation

import (
	"iter"
	"slices"

	"parley/acpclient"
)

// maxNesting is how deep subagents' calls nest. What is nested deeper stands
// beside its parent: the cost of a change grows with the depth.
const maxNesting = 8

// Node is the place of an item in the outline: what a subagent did stands below
// the call that it works for, and quiet calls that follow each other stand below a
// [Group]. An item keeps its node, wherever that is moved. Runs come and go, see
// [Node.Current].
type Node struct {
	item  Item
	index int
	// order sorts siblings: it is when they were put in. A group has that of its first
	// call.
	order                           uint64
	parent, first, last, prev, next *Node

	below int                // how many levels of nodes there have been below, at most
	own   Tally              // what the parents have counted of the item itself
	kind  acpclient.ToolKind // as which the group has counted the item
	ready bool               // the item may be in a group
	left  bool               // it has been in one, and is in none ever again
	moved *Node              // replaces a removed group
}

// Tally counts the calls of a subagent.
type Tally struct{ Calls, Failed, Running int }

func (t *Tally) add(d Tally, times int) {
	t.Calls += d.Calls * times
	t.Failed += d.Failed * times
	t.Running += d.Running * times
}

// outline is the order in which items are read, which differs from that in which
// they came. Every change of it takes the same time however long the session is,
// but for a call that leaves a group (see leave).
type outline struct {
	root    *Node
	nodes   []*Node // of the items, in the order of Items
	order   uint64
	orphans map[acpclient.ToolCallID][]*Node // by the call that they wait for
}

// Showing returns a conversation that has only these items, of another one. It is
// for looking at: the items go on to change with the other one.
func Showing(cwd string, items ...Item) *Conversation {
	c := New()
	c.Cwd, c.Items = cwd, items
	for i, item := range items {
		n := &Node{item: item, index: i, order: uint64(i)}
		c.nodes = append(c.nodes, n)
		c.root.insert(n, c.root.last)
	}
	return c
}

// Outline returns the root node. It has no item.
func (c *Conversation) Outline() *Node { return c.root }

// Node is the node of the i-th of the Items.
func (c *Conversation) Node(i int) *Node { return c.nodes[i] }

// Has reports whether a node is part of the conversation now.
func (c *Conversation) Has(n *Node) bool {
	for n != nil && n.parent != nil {
		n = n.parent
	}
	return n == c.root
}

// Item is the item of the node; nil at the root. It is a *Group, or one of the
// Items.
func (n *Node) Item() Item { return n.item }

// Index is where the item is in Items; for a group it is that of its first call, and
// -1 for the root.
func (n *Node) Index() int {
	if _, ok := n.item.(*Group); ok && n.first != nil {
		return n.first.index
	}
	return n.index
}

// Parent is the node that this one stands below, nil for the root. First, Next and
// Previous are its neighbours, nil if there are none.
func (n *Node) Parent() *Node { return n.parent }

// First is the first node below.
func (n *Node) First() *Node { return n.first }

// Next is the node behind this one, below the same parent.
func (n *Node) Next() *Node { return n.next }

// Previous is the node before this one, below the same parent.
func (n *Node) Previous() *Node { return n.prev }

// Current returns the node itself or, if it is a removed group, what has taken its
// place.
func (n *Node) Current() *Node {
	for n.moved != nil {
		n = n.moved
	}
	return n
}

// Depth is below how many others the node stands, not counting the root.
func (n *Node) Depth() int { return max(0, n.level()-1) }

// level returns the number of the node's ancestors, 0 for the root alone.
func (n *Node) level() int {
	level := 0
	for ; n.parent != nil; n = n.parent {
		level++
	}
	return level
}

// Following is the next node in the order of reading, nil behind the last. It goes
// below those nodes that open reports true for.
func (n *Node) Following(open func(*Node) bool) *Node {
	if n.first != nil && (n.parent == nil || open(n)) {
		return n.first
	}
	for ; n.parent != nil; n = n.parent {
		if n.next != nil {
			return n.next
		}
	}
	return nil
}

// Preceding is the node before in the order of reading, nil before the first.
func (n *Node) Preceding(open func(*Node) bool) *Node {
	switch {
	case n.parent == nil:
		return nil
	case n.prev != nil:
		return n.prev.Deepest(open)
	case n.parent.parent == nil:
		return nil
	}
	return n.parent
}

// Deepest is the last node in the order of reading that is below this one, or the
// node itself. Below the root it is the last of all.
func (n *Node) Deepest(open func(*Node) bool) *Node {
	for n.last != nil && (n.parent == nil || open(n)) {
		n = n.last
	}
	return n
}

// Before reports whether the node precedes another in reading order:
// parents stand before what is below them.
func (n *Node) Before(m *Node) bool {
	if n == m {
		return false
	}
	dn, dm := n.level(), m.level()
	a, b := n, m
	for i := dn; i > dm; i-- {
		a = a.parent
	}
	for i := dm; i > dn; i-- {
		b = b.parent
	}
	if a == b {
		return dn < dm
	}
	for a.parent != b.parent {
		a, b = a.parent, b.parent
	}
	return a.order < b.order
}

// insert puts a node behind another one of those below n; nil is before the first.
func (n *Node) insert(child, behind *Node) {
	child.parent, child.prev = n, behind
	if behind == nil {
		child.next, n.first = n.first, child
	} else {
		child.next, behind.next = behind.next, child
	}
	if child.next == nil {
		n.last = child
	} else {
		child.next.prev = child
	}
	for p, below := n, child.below+1; p != nil && p.below < below; p, below = p.parent, below+1 {
		p.below = below
	}
}

// remove takes a node out of its place.
func (n *Node) remove() {
	if n.prev == nil {
		n.parent.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		n.parent.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.parent, n.prev, n.next = nil, nil, nil
}

// tool is the call at the node, nil if there is something else.
func (n *Node) tool() *ToolCall {
	t, _ := n.item.(*ToolCall)
	return t
}

// within reports whether the node is another node or below it.
func (n *Node) within(m *Node) bool {
	for ; n != nil; n = n.parent {
		if n == m {
			return true
		}
	}
	return false
}

// addItem adds an item at the end.
func (c *Conversation) addItem(i Item) { c.addNested(i, "") }

// Below returns what is nested below a call, in the order in which it came. It takes time
// with the length of the conversation.
func (c *Conversation) Below(t *ToolCall) (all []Item) {
	call := c.nodeOf(t)
	if call == nil {
		return nil
	}
	for _, n := range c.nodes {
		if n != call && n.within(call) {
			all = append(all, n.item)
		}
	}
	return all
}

// addNested adds an item at the end; parent is the call that it belongs to, "" if it
// belongs to none.
func (c *Conversation) addNested(i Item, parent acpclient.ToolCallID) {
	n := &Node{item: i, index: len(c.Items)}
	c.Items, c.nodes = append(c.Items, i), append(c.nodes, n)
	switch i := i.(type) {
	case *Note:
		c.heldItems.weighs(i, i.weigh())
	case *Unknown:
		c.heldItems.weighs(i, i.weigh())
	case *Elicitation:
		c.heldItems.weighs(i, i.weigh())
	}
	t := n.tool()
	if t != nil {
		t.index = n.index
	}
	c.nest(n, parent)
	if t != nil && t.ID != "" {
		c.nestWaiting(t)
	}
}

// nestWaiting nests what arrived before its call.
func (c *Conversation) nestWaiting(t *ToolCall) {
	waiting := c.orphans[t.ID]
	delete(c.orphans, t.ID)
	for _, n := range waiting {
		if n.ParentID() == t.ID { // no other one was named meanwhile
			c.move(n, t.ID)
		}
	}
}

// nest puts a node below the call that it belongs to, if that one is known.
func (c *Conversation) nest(n *Node, parent acpclient.ToolCallID) {
	at := c.root
	var p *Node
	if t := c.tools[parent]; t != nil {
		p = c.nodes[t.index]
	}
	switch {
	case parent == "" || p.within(n):
	case p == nil:
		c.orphans[parent] = append(c.orphans[parent], n)
	default:
		for at = p; at.parent != nil && at.Depth()+1+n.below >= maxNesting; {
			at = at.parent
		}
		if _, group := at.item.(*Group); group {
			at = at.parent
		}
	}
	// The new last node below at settles the one before it.
	c.order++
	n.order = c.order
	was := at.last
	at.insert(n, was)
	n.count(n.whole(), 1)
	c.settle(at)
	if was != nil {
		c.settle(was)
	}
}

// ParentID returns the id of the call that the item belongs to, or "". A call that is not
// known yet has no node.
func (n *Node) ParentID() acpclient.ToolCallID {
	switch i := n.item.(type) {
	case *ToolCall:
		return i.Parent
	case *Message:
		return i.Parent
	}
	return ""
}

// move nests a node that stands elsewhere, once its parent is known.
func (c *Conversation) move(n *Node, parent acpclient.ToolCallID) {
	if c.tools[parent] == nil {
		c.orphans[parent] = append(c.orphans[parent], n)
		return
	}
	c.leave(n)
	n.left = false // it may be in a group of its new place
	n.count(n.whole(), -1)
	n.remove()
	c.nest(n, parent)
	c.settle(n)
}

// whole is what the parents of a node count of it, and of all below it.
func (n *Node) whole() Tally {
	all := n.own
	if t := n.tool(); t != nil {
		all.add(t.Nested, 1)
	}
	return all
}

// count adds to what the calls count that the node stands below, or takes it away.
func (n *Node) count(d Tally, times int) {
	if d == (Tally{}) {
		return
	}
	for p := n.parent; p != nil; p = p.parent {
		if t := p.tool(); t != nil {
			t.Nested.add(d, times)
			t.changed()
		}
	}
}

// recount counts a call anew, after it has changed.
func (n *Node) recount(t *ToolCall) {
	now := Tally{Calls: 1}
	switch {
	case t.Failed():
		now.Failed = 1
	case t.Running():
		now.Running = 1
	}
	if now == n.own {
		return
	}
	d := now
	d.add(n.own, -1)
	n.own = now
	n.count(d, 1)
}

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
