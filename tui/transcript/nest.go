package transcript

import "parley/internal/conversation"

const (
	// edge is drawn left of an item once for each item that it is nested in.
	edge      = "│ "
	edgeWidth = 2
	// maxEdges bounds the edges; a narrow view has fewer.
	maxEdges = 4
	// edgeRoom is the width of a view without room for edges, and edgeShare how much
	// wider it is for each edge.
	edgeRoom, edgeShare = 20, 4
)

// edges returns how many edges an item has.
func (l *List) edges(n *conversation.Node) int {
	if l.page != nil {
		return 0
	}
	depth := n.Depth()
	if depth == 0 && n.ParentID() != "" {
		depth = 1 // below an unknown call
	}
	return max(0, min(depth, maxEdges, (l.width-edgeRoom)/edgeShare))
}

// isStep reports whether a call is one of several quiet calls, which are one line each.
// The last call so far may become one.
func isStep(n *conversation.Node) bool {
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

const folded, opened = "▸", "▾"

// sign is shown before the number of nested calls. A page shows no nested calls.
func (l *List) sign(n *conversation.Node) string {
	switch {
	case l.page != nil:
		return ""
	case l.open(n):
		return opened + " "
	}
	return folded + " "
}
