package conversation

import (
	"iter"
	"slices"

	"parley/acpclient"
)

// maxNesting limits how deep calls nest. Deeper ones become siblings of their parent, since
// the cost of a change grows with the depth.
const maxNesting = 8

// Node is the place of an item in the outline: a subagent's work is below the subagent's call,
// and consecutive quiet calls are below a [Group]. An item keeps its node when it moves.
// Groups come and go, see [Node.Current].
type Node struct { // small: a long session has very many
	item Item
	// order sorts siblings by when they were inserted. A group has the order of its first
	// call.
	order                           uint64
	parent, first, last, prev, next *Node

	moved *Node              // replaces a removed group
	kind  acpclient.ToolKind // the kind that the group has counted
	own   Tally              // what the parents have counted for the item itself
	index int32
	below int8 // the most levels of nodes there have ever been below
	ready bool // the item may be in a group
	left  bool // it has left a group, and joins no other
}

// Tally counts the calls of a subagent.
type Tally struct{ Calls, Failed, Running int32 }

func (t *Tally) add(d Tally, times int32) {
	t.Calls += d.Calls * times
	t.Failed += d.Failed * times
	t.Running += d.Running * times
}

// outline is the reading order of the items, which differs from their order of arrival. Every
// change takes constant time, except when a call leaves a group: the calls behind it move.
type outline struct {
	root    *Node
	nodes   []*Node // of the items, in the order of Items
	order   uint64
	orphans map[acpclient.ToolCallID][]*Node // nodes waiting for their parent call, by its id
}

// Showing returns a conversation with only these items of another one, for display. The items
// keep changing with the original.
func Showing(cwd string, items ...Item) *Conversation {
	c := New()
	c.Cwd, c.Items = cwd, items
	for i, item := range items {
		n := &Node{item: item, index: int32(i), order: uint64(i)}
		c.nodes = append(c.nodes, n)
		c.root.insert(n, c.root.last)
	}
	return c
}

// Outline returns the root node, which has no item.
func (c *Conversation) Outline() *Node { return c.root }

// Node returns the node of Items[i].
func (c *Conversation) Node(i int) *Node { return c.nodes[i] }

// Has reports whether a node is currently part of the conversation.
func (c *Conversation) Has(n *Node) bool {
	for n != nil && n.parent != nil {
		n = n.parent
	}
	return n == c.root
}

// Item returns the item of the node: a *Group, or one of Items. It is nil at the root.
func (n *Node) Item() Item { return n.item }

// Index returns the item's index in Items; for a group that of its first call, and -1 for the
// root.
func (n *Node) Index() int {
	if _, ok := n.item.(*Group); ok && n.first != nil {
		return int(n.first.index)
	}
	return int(n.index)
}

// Parent returns the node above this one, nil for the root.
func (n *Node) Parent() *Node { return n.parent }

// First returns the first node below, or nil.
func (n *Node) First() *Node { return n.first }

// Next returns the next sibling, or nil.
func (n *Node) Next() *Node { return n.next }

// Previous returns the previous sibling, or nil.
func (n *Node) Previous() *Node { return n.prev }

// Current returns the node itself or, if it is a removed group, its replacement.
func (n *Node) Current() *Node {
	for n.moved != nil {
		n = n.moved
	}
	return n
}

// Depth returns the number of the node's ancestors, not counting the root.
func (n *Node) Depth() int { return max(0, n.level()-1) }

func (n *Node) level() int {
	level := 0
	for ; n.parent != nil; n = n.parent {
		level++
	}
	return level
}

// Following returns the next node in reading order, nil at the end. It descends below the
// nodes for which open returns true.
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

// Preceding returns the previous node in reading order, nil at the start.
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

// Deepest returns the last node in reading order at or below this one; from the root, the last
// of all.
func (n *Node) Deepest(open func(*Node) bool) *Node {
	for n.last != nil && (n.parent == nil || open(n)) {
		n = n.last
	}
	return n
}

// Before reports whether the node precedes another in reading order, in which parents precede
// their children.
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

// insert inserts a child after another one; nil inserts it first.
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

// tool returns the call at the node, nil if it is another item.
func (n *Node) tool() *ToolCall {
	t, _ := n.item.(*ToolCall)
	return t
}

// within reports whether the node is m or below it.
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

// Below returns the items nested below a call, in order of arrival. It takes time linear in
// the length of the conversation.
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

// addNested adds an item at the end; parent is the call that it belongs to, or "".
func (c *Conversation) addNested(i Item, parent acpclient.ToolCallID) {
	n := &Node{item: i, index: int32(len(c.Items))}
	c.Items, c.nodes = append(c.Items, i), append(c.nodes, n)
	t := n.tool()
	if t != nil {
		t.index = n.index
	} else if content, is := i.(reducible); is {
		c.heldItems.add(content)
	}
	c.nest(n, parent)
	if t != nil && t.ID != "" {
		c.nestWaiting(t)
	}
}

// nestWaiting nests the items that arrived before their call.
func (c *Conversation) nestWaiting(t *ToolCall) {
	waiting := c.orphans[t.ID]
	delete(c.orphans, t.ID)
	for _, n := range waiting {
		if n.ParentID() == t.ID { // its parent has not changed meanwhile
			c.move(n, t.ID)
		}
	}
}

// nest puts a node below the call that it belongs to, if that call is known.
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
		for at = p; at.parent != nil && at.Depth()+1+int(n.below) >= maxNesting; {
			at = at.parent
		}
		if _, group := at.item.(*Group); group {
			at = at.parent
		}
	}
	// A node settles once it is no longer its parent's last.
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

// ParentID returns the id of the call that the item belongs to, or "". That call may not exist
// yet.
func (n *Node) ParentID() acpclient.ToolCallID {
	switch i := n.item.(type) {
	case *ToolCall:
		return i.Parent
	case *Message:
		return i.Parent
	}
	return ""
}

// move nests a node elsewhere once its parent is known.
func (c *Conversation) move(n *Node, parent acpclient.ToolCallID) {
	if c.tools[parent] == nil {
		c.orphans[parent] = append(c.orphans[parent], n)
		return
	}
	c.leave(n)
	n.left = false // it may join a group in its new place
	n.count(n.whole(), -1)
	n.remove()
	c.nest(n, parent)
	c.settle(n)
}

// whole returns what the node and all nodes below add to its parents' counts.
func (n *Node) whole() Tally {
	all := n.own
	if t := n.tool(); t != nil {
		all.add(t.Nested, 1)
	}
	return all
}

// count adds d, times times, to the counts of the calls above the node.
func (n *Node) count(d Tally, times int32) {
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

// recount updates the counts after a call has changed.
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

// Group is two or more consecutive quiet calls (see [ToolCall.Quiet]). It is derived from the
// items and is not one of them.
type Group struct {
	revision
	node   *Node
	counts map[acpclient.ToolKind]int
}

// Visit visits the calls, since a group is not a kind of item.
func (g *Group) Visit(v Visitor) {
	for t := range g.Calls() {
		t.Visit(v)
	}
}

// Count returns the number of calls of a kind.
func (g *Group) Count(k acpclient.ToolKind) int { return g.counts[k] }

// Calls returns the calls, oldest first.
func (g *Group) Calls() iter.Seq[*ToolCall] {
	return func(yield func(*ToolCall) bool) {
		for n := g.node.first; n != nil && yield(n.tool()); n = n.next {
		}
	}
}

// Quiet reports whether the call only read, searched or fetched, succeeded, asked no question
// and produced nothing to show at once, such as a change or an image.
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

// settle moves a changed call to the right place. While its turn runs, the last call stays out
// of a group until the next one arrives and takes its line, so that nothing on the screen
// moves.
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

// asksAbout reports whether a question about a call is open or being judged.
func (c *Conversation) asksAbout(t *ToolCall) bool {
	return slices.ContainsFunc(c.questions, func(q Question) bool {
		p, is := q.(*Permission)
		return is && p.ToolCall == t
	})
}

func (g *Group) count(n *Node) {
	n.kind = n.tool().Kind
	g.counts[n.kind]++
	g.changed()
}

// join groups a call with its neighbours, if they are quiet.
func (c *Conversation) join(n *Node) {
	n.ready = true
	first := n
	if n.prev.joins() {
		first = n.prev
	}
	if first == n && !n.next.joins() {
		return
	}
	g, is := first.item.(*Group)
	if !is {
		g = newGroup(first)
	}
	for next := g.node.next; next.joins(); next = g.node.next {
		other, is := next.item.(*Group)
		if !is {
			g.append(next)
			continue
		}
		for other.node.first != nil {
			g.append(other.node.first)
		}
		next.replacedBy(g.node)
	}
}

// joins reports whether the node is a group, or a call that may join one.
func (n *Node) joins() bool {
	if n == nil {
		return false
	}
	_, group := n.item.(*Group)
	return group || n.ready
}

// newGroup replaces a call with a group of that call.
func newGroup(n *Node) *Group {
	group := &Group{counts: map[acpclient.ToolKind]int{}}
	group.node = &Node{item: group, index: -1}
	n.parent.insert(group.node, n.prev)
	group.append(n)
	return group
}

// Len returns the number of calls.
func (g *Group) Len() int {
	all := 0
	for _, n := range g.counts {
		all += n
	}
	return all
}

// append moves a call into the group, from wherever it is.
func (g *Group) append(n *Node) {
	if was, ok := n.parent.item.(*Group); ok {
		was.counts[n.kind]--
	}
	n.remove()
	g.node.insert(n, g.node.last)
	g.node.order = g.node.first.order
	g.count(n)
}

// replacedBy removes an empty group. [Node.Current] then leads to its replacement.
func (n *Node) replacedBy(by *Node) {
	n.remove()
	n.moved = by
}

// leave takes a call out of its group, which splits in two. The call never joins a group
// again, which bounds how often it moves even if the agent keeps changing it. Calls outside
// groups are unaffected.
func (c *Conversation) leave(n *Node) {
	n.ready = false
	g, in := n.parent.item.(*Group)
	if !in {
		return
	}
	n.left = true
	at := g.node
	for m := n; m != nil; { // those behind it form another group
		next := m.next
		g.moveOut(m, at)
		if at = m; m != n {
			c.join(m)
			if _, grouped := m.parent.item.(*Group); grouped {
				at = m.parent
			}
		}
		m = next
	}
	switch only := g.node.first; {
	case only == nil:
		g.node.replacedBy(n)
	case only == g.node.last:
		g.moveOut(only, g.node)
		g.node.replacedBy(only)
	default:
		g.changed()
	}
}

// moveOut moves a call out of the group, after another node.
func (g *Group) moveOut(n, behind *Node) {
	g.counts[n.kind]--
	n.remove()
	g.node.parent.insert(n, behind)
}
