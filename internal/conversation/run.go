package conversation

import (
	"iter"
	"slices"

	"parley/acpclient"
)

// Run is calls that follow each other and went by quietly: they looked at something,
// were done without failure or question, and changed nothing. It is derived from the
// items, and not one of them. A run has at least two calls.
type Run struct {
	revision
	node   *Node
	counts map[acpclient.ToolKind]int
}

// Visit visits the calls: a run is not a kind of its own.
func (r *Run) Visit(v Visitor) {
	for t := range r.Calls() {
		t.Visit(v)
	}
}

func (r *Run) plain() (side string, paragraphs []Paragraph) { return "", nil }

// Count is how many calls of a kind there are.
func (r *Run) Count(k acpclient.ToolKind) int { return r.counts[k] }

// Calls are the calls, oldest first.
func (r *Run) Calls() iter.Seq[*ToolCall] {
	return func(yield func(*ToolCall) bool) {
		for n := r.node.first; n != nil && yield(n.tool()); n = n.next {
		}
	}
}

// Quiet reports whether the call looked at something and was done without failure,
// without a question to the person, and without anything that is to be seen at
// once, such as a change or a picture.
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
		if !plain(&t.Content[i]) {
			return false
		}
	}
	return true
}

// plain reports whether content is text, or names something that can be read.
func plain(c *acpclient.ToolCallContent) bool {
	if c.Type != acpclient.ToolContentBlock || c.Content == nil {
		return false
	}
	switch c.Content.Type {
	case acpclient.ContentText, acpclient.ContentResource, acpclient.ContentResourceLink:
		return true
	}
	return false
}

// settle finds the right place for a call that has changed. While its turn runs,
// the last call of all stays out of a run: the next one takes its line then, and
// nothing moves.
func (c *Conversation) settle(n *Node) {
	t := n.tool()
	if t == nil {
		return
	}
	n.recount(t)
	quiet := t.Quiet() && n.first == nil && !n.left && !c.asksAbout(t)
	r, in := n.parent.item.(*Run)
	switch {
	case in && quiet:
		r.counts[n.kind]--
		r.take(n)
	case !quiet:
		c.leave(n)
	case n.next != nil || !t.Live:
		c.join(n)
	}
}

// asksAbout reports whether a question about a call is open, also one that is being
// judged.
func (c *Conversation) asksAbout(t *ToolCall) bool {
	about := func(p *Permission) bool { return p.ToolCall == t }
	return slices.ContainsFunc(c.Permissions, about) || slices.ContainsFunc(c.Judging, about)
}

// take counts the call of a node.
func (r *Run) take(n *Node) {
	n.kind = n.tool().Kind
	r.counts[n.kind]++
	r.changed()
}

// join puts a call into a run with those beside it.
func (c *Conversation) join(n *Node) {
	n.ready = true
	if n.prev.joins() {
		n = merge(n.prev, n)
	}
	if n.next.joins() {
		merge(n, n.next)
	}
}

// joins reports whether the node is a run, or a call that may be in one.
func (n *Node) joins() bool {
	if n == nil {
		return false
	}
	_, run := n.item.(*Run)
	return run || n.ready
}

// merge makes one run of two neighbours. The fewer calls are moved, so that a call
// is moved only so often.
func merge(a, b *Node) *Node {
	ra, aIsRun := a.item.(*Run)
	rb, bIsRun := b.item.(*Run)
	switch {
	case !aIsRun && !bIsRun:
		run := newRun(a)
		run.append(b)
		return run.node
	case !bIsRun:
		ra.append(b)
		return a
	case !aIsRun:
		rb.prepend(a)
		return b
	case ra.Len() >= rb.Len():
		for b.first != nil {
			ra.append(b.first)
		}
		b.replacedBy(a)
		return a
	}
	for a.last != nil {
		rb.prepend(a.last)
	}
	a.replacedBy(b)
	return b
}

// newRun puts a run of a single call into the call's place.
func newRun(n *Node) *Run {
	run := &Run{counts: map[acpclient.ToolKind]int{}}
	run.node = &Node{item: run, index: -1}
	n.parent.insert(run.node, n.prev)
	run.append(n)
	return run
}

// Len is how many calls there are.
func (r *Run) Len() int {
	all := 0
	for _, n := range r.counts {
		all += n
	}
	return all
}

func (r *Run) append(n *Node) { r.insert(n, r.node.last) }

func (r *Run) prepend(n *Node) { r.insert(n, nil) }

// insert puts a call into the run, from wherever it is.
func (r *Run) insert(n, behind *Node) {
	if was, ok := n.parent.item.(*Run); ok {
		was.counts[n.kind]--
	}
	n.remove()
	r.node.insert(n, behind)
	r.node.order = r.node.first.order
	r.take(n)
}

// replacedBy takes a run that is empty away. Those who look at it look at another
// node from now on.
func (n *Node) replacedBy(by *Node) {
	n.remove()
	n.moved = by
}

// leave takes a call out of its run, which it parts in two. It never goes back: so
// all the calls of a run are moved only so often, also if an agent keeps taking back
// what it said. It changes nothing for a call that is in no run.
func (c *Conversation) leave(n *Node) {
	n.ready = false
	r, in := n.parent.item.(*Run)
	if !in {
		return
	}
	n.left = true
	fewer, ahead := n.shorterSide()
	run := r.node
	place := run
	if ahead {
		place = run.prev
	}
	r.give(n, place)
	if !ahead {
		place = n
	}
	r.part(fewer, place)
	if run.first == run.last {
		only := run.first
		r.give(only, run)
		run.replacedBy(only)
		return
	}
	run.order = run.first.order
	r.changed()
}

// shorterSide are the siblings before the node or behind it, whichever are fewer,
// and whether they are those before it.
func (n *Node) shorterSide() (side []*Node, ahead bool) {
	before, behind := n.prev, n.next
	for before != nil && behind != nil {
		before, behind = before.prev, behind.next
	}
	from, to := n.next, (*Node)(nil)
	if before == nil {
		from, to = n.parent.first, n
	}
	for m := from; m != to; m = m.next {
		side = append(side, m)
	}
	return side, before == nil
}

// give puts a call of the run beside it, behind another node.
func (r *Run) give(n, behind *Node) {
	r.counts[n.kind]--
	n.remove()
	r.node.parent.insert(n, behind)
}

// part makes a run of its own of some of the calls, or leaves a single one alone. It
// stands behind another node.
func (r *Run) part(calls []*Node, behind *Node) {
	if len(calls) == 0 {
		return
	}
	r.give(calls[0], behind)
	if len(calls) == 1 {
		return
	}
	own := newRun(calls[0])
	for _, n := range calls[1:] {
		own.append(n)
	}
}
