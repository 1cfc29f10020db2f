package app

import (
	"slices"
	"strings"

	"parley/internal/conversation"
	"parley/internal/export"
)

// earlierBytes limits the text of an earlier session, in bytes.
const earlierBytes = 64 << 10

// EarlierText returns the end of a conversation, as text for a new session.
func EarlierText(c *conversation.Conversation) string {
	text, _ := earlier(c, 0)
	return text
}

// earlier is EarlierText from an item on, and returns the prompts that it leaves out. The last prompt is not
// left out, however long the turn is.
func earlier(c *conversation.Conversation, from int) (text string, left []conversation.Prompt) {
	var parts []string
	add := func(part string, most int) {
		if cut := len(part) - most; cut > 0 {
			part = "(the beginning is left out)\n\n" + strings.ToValidUTF8(part[cut:], "")
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	prompts, first := c.Prompts(), len(c.Items)
	for size := 0; first > from; first-- {
		part := export.Brief(c.Items[first-1])
		if size += len(part) + 1; size > earlierBytes && parts != nil {
			break
		}
		add(part, earlierBytes)
	}
	if n := len(prompts); n > 0 && prompts[n-1].Item < first {
		add(export.Brief(c.Items[prompts[n-1].Item]), earlierBytes/4)
		prompts = prompts[:n-1]
	}
	slices.Reverse(parts)
	text = strings.Join(parts, "\n")
	if first > 0 {
		text = "(earlier parts left out)\n\n" + text
	}
	for _, p := range prompts {
		if p.Item < first {
			left = append(left, p)
		}
	}
	return text, left
}
