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
	text, _ := earlier(c)
	return text
}

// earlier is EarlierText, and returns the prompts that it leaves out.
func earlier(c *conversation.Conversation) (text string, left []conversation.Prompt) {
	var parts []string
	first := len(c.Items)
	for size := 0; first > 0; first-- {
		part := export.Brief(c.Items[first-1])
		if size += len(part) + 1; size > earlierBytes && parts != nil {
			break
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	slices.Reverse(parts)
	text = strings.Join(parts, "\n")
	if cut := len(text) - earlierBytes; cut > 0 {
		_, text, _ = strings.Cut(text[cut:], "\n")
	}
	if first > 0 {
		text = "(earlier parts left out)\n\n" + text
	}
	for _, p := range c.Prompts() {
		if p.Item < first {
			left = append(left, p)
		}
	}
	return text, left
}
