package dialog

import (
	"fmt"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// aboutFile is content for parley's question about a file: its path, the reason, and what
// would be written.
func aboutFile(q *conversation.FileQuestion, t *conversation.ToolCall, show callContent) column {
	parts := column{vital{fileHead(q, t)}, gap{}, vital{fileReasons(q, t)}}
	show.kind = t.Kind
	for i := range t.Content {
		if part := toolview.Visit(&t.Content[i], show); part != nil {
			parts = append(parts, gap{}, part)
		}
	}
	return parts
}

// fileHead is what the agent wants, and the whole path of the file: where it leads, and
// what the agent calls it if that is another path.
func fileHead(q *conversation.FileQuestion, t *conversation.ToolCall) content {
	return newBlock(func(p renderContext) []string {
		verb := "read"
		if q.Write {
			verb = "write"
		}
		look := p.th.Strong
		if q.Outside {
			look = p.th.Error
		}
		icon := toolview.KindOf(t.Kind).Icon
		lines := styled(exact(fmt.Sprintf("%s The agent wants to %s this file:", icon, verb), p.width), p.th.Text)
		lines = append(lines, styled(exact(termtext.VisibleLine(q.Target), p.width), look)...)
		if q.Path != q.Target {
			lines = append(lines, styled(exact("by the path "+termtext.VisibleLine(q.Path), p.width), p.th.Muted)...)
		}
		return lines
	})
}

// fileReasons are why parley asks.
func fileReasons(q *conversation.FileQuestion, t *conversation.ToolCall) content {
	return newBlock(func(p renderContext) []string {
		var out []string
		for _, reason := range toolview.FileReasons(q, t) {
			for i, line := range exact(reason, max(1, p.width-2)) {
				lead := "  "
				if i == 0 {
					lead = "• "
				}
				out = append(out, p.th.Warning.Render(lead)+p.th.Text.Render(line))
			}
		}
		return out
	})
}
