package transcript

import (
	"fmt"

	"parley/internal/conversation"
)

const (
	// edge stands left of what belongs to an item above, once for each such item.
	edge      = "│ "
	edgeWidth = 2
	// maxEdges bounds how far items are set off. There are fewer where there is
	// little room.
	maxEdges = 4
	// edgeRoom is how wide a view has to be before anything is set off, and
	// edgeShare how many more cells each edge asks for.
	edgeRoom, edgeShare = 20, 4
)

// edges is how far an item is set off from the left.
func (l *List) edges(n *conversation.Node) int {
	if l.page != nil {
		return 0
	}
	depth := n.Depth()
	if depth == 0 && n.ParentID() != "" {
		depth = 1 // to a call that is not known
	}
	return max(0, min(depth, maxEdges, (l.width-edgeRoom)/edgeShare))
}

// briefly reports whether a call is one of several steps: then it is shown in one
// line, without what it brought. A call that is the last so far may become one.
func briefly(n *conversation.Node) bool {
	call, ok := n.Item().(*conversation.ToolCall)
	if !ok || !call.Quiet() || n.Parent() == nil {
		return false
	}
	if _, ok := n.Parent().Item().(*conversation.Group); ok {
		return true
	}
	next := n.Next()
	if next == nil {
		return call.Live
	}
	_, ok = next.Item().(*conversation.ToolCall)
	return ok
}

// What tells whether something is folded away.
const folded, opened = "▸", "▾"

// sign stands before the number of calls that were made for one. A page shows none of
// them.
func (l *List) sign(n *conversation.Node) string {
	switch {
	case l.page != nil:
		return ""
	case l.open(n):
		return opened + " "
	}
	return folded + " "
}

// nested counts the calls that were made for the call; it is "" if there are none.
func (t *toolCall) nested() string {
	th, n := t.env.theme, t.item.Nested
	if n.Calls == 0 {
		return ""
	}
	line := "  " + th.Muted.Render(fmt.Sprintf("%s%d %s", t.sign, n.Calls, plural(n.Calls, "call")))
	if n.Running > 0 {
		line += th.Muted.Render(fmt.Sprintf(", %d running", n.Running))
	}
	if n.Failed > 0 {
		line += th.Muted.Render(", ") + th.Error.Render(fmt.Sprintf("%d failed", n.Failed))
	}
	return line
}
