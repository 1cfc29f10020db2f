package app

import (
	"math"
	"strings"

	"parley/internal/conversation"
	"parley/internal/termtext"
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
	var b strings.Builder
	first, _ := conversation.WritePlain(&b, c, earlierBytes) // a strings.Builder never fails
	if first == len(c.Items) && first > 0 {                  // the last item alone is too long
		b.Reset()
		_, _ = conversation.WritePlain(&b, c, math.MaxInt)
	}
	text = termtext.Block(b.String())
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
