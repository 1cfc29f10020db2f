package dialog

import (
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// asker is who asks for a permission.
type asker struct {
	subagent bool
	// name is the title of the subagent's call, or "".
	name string
}

// askerOf returns who asks about a tool call.
func askerOf(c *conversation.Conversation, call *conversation.ToolCall) asker {
	if call == nil || call.Parent == "" {
		return asker{}
	}
	by := asker{subagent: true}
	if parent := c.Tool(call.Parent); parent != nil {
		by.name = toolview.Title(parent, termtext.VisibleLine)
	}
	return by
}

// about names the subagent, as content of a panel.
func (a asker) about() content {
	return vital{newBlock(func(p paper) []string {
		words := "asked by a subagent"
		if a.name != "" {
			words += ": " + a.name
		}
		return []string{p.th.Info.Render(cut(words, p.width))}
	})}
}
