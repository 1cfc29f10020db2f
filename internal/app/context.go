package app

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// earlierBytes limits the text of an earlier session, in bytes.
const earlierBytes = 64 << 10

// EarlierText returns the end of a conversation, as text for a new session.
func EarlierText(c *conversation.Conversation) string {
	var b strings.Builder
	_ = conversation.WritePlain(&b, c) // a strings.Builder never fails
	text := termtext.Block(b.String())
	if cut := len(text) - earlierBytes; cut > 0 {
		_, text, _ = strings.Cut(text[cut:], "\n")
		text = "(earlier parts left out)\n\n" + text
	}
	return text
}

// WithEarlier adds the text of an earlier session to a prompt: as a resource if the agent
// accepts those, else as text.
func WithEarlier(blocks []acpclient.ContentBlock, text string, caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	if caps.EmbeddedContext {
		return append(blocks, acpclient.TextResourceBlock("parley:earlier-session.md", "text/markdown", text))
	}
	return append(blocks, acpclient.TextBlock("\n\nThis was said in an earlier session:\n\n"+text))
}
