package dialog

import (
	"fmt"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// aboutFile is what a question of parley's own is about: a file, why it is asked about,
// and what would be written to it.
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
	return newBlock(func(p paper) []string {
		verb := "read"
		if q.Write {
			verb = "write"
		}
		look := p.th.Strong
		if q.Outside {
			look = p.th.Error
		}
		icon := toolview.KindOf(t.Kind).Icon
		lines := styled(exact(fmt.Sprintf("%s The agent wants parley to %s this file:", icon, verb), p.width), p.th.Text)
		lines = append(lines, styled(exact(termtext.VisibleLine(q.Target), p.width), look)...)
		if q.Path != q.Target {
			lines = append(lines, styled(exact("by the path "+termtext.VisibleLine(q.Path), p.width), p.th.Muted)...)
		}
		return lines
	})
}

// fileReasons are why parley asks.
func fileReasons(q *conversation.FileQuestion, t *conversation.ToolCall) content {
	return newBlock(func(p paper) []string {
		var out []string
		for _, reason := range reasons(q, t) {
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

func reasons(q *conversation.FileQuestion, t *conversation.ToolCall) []string {
	var out []string
	if q.Outside {
		out = append(out, "It is outside of the session's directories.")
	}
	if q.Own {
		out = append(out, "It belongs to parley itself.")
	}
	if q.Secret != "" {
		out = append(out, "It may hold secrets: "+termtext.VisibleLine(q.Secret))
	}
	if q.Runs != "" {
		out = append(out, "What is written there is run, or decides what is run: "+termtext.VisibleLine(q.Runs))
	}
	switch removed := len(t.Content) == 1 && t.Content[0].OldText == nil; {
	case q.Changed && removed:
		out = append(out, "It was removed since the agent has read it.")
	case q.Changed:
		out = append(out, "It has changed on disk since the agent has read it. The change is shown against what is there now.")
	}
	switch {
	case q.Links > 1 && q.Write:
		out = append(out, fmt.Sprintf("It has %d names (hard links). Only this one gets the new content, the others keep the old.", q.Links))
	case q.Links > 1:
		out = append(out, fmt.Sprintf("It has %d names (hard links): what it holds may belong elsewhere.", q.Links))
	}
	if q.Hidden {
		out = append(out, "The change is too large to be shown.")
	}
	return out
}
