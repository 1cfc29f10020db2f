package app

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// earlierBytes bounds what a new session is told of an earlier one.
const earlierBytes = 64 << 10

// EarlierText is what was said and done in a conversation, as text for a new session: the
// end of it, if it is long.
func EarlierText(c *conversation.Conversation) string {
	var b strings.Builder
	_ = conversation.WritePlain(&b, c) // a strings.Builder takes everything
	text := termtext.Block(b.String())
	if cut := len(text) - earlierBytes; cut > 0 {
		_, text, _ = strings.Cut(text[cut:], "\n")
		text = "(what came before is left out)\n\n" + text
	}
	return text
}

// WithEarlier adds the text of an earlier session to a prompt: as a resource if the agent
// takes those, else as text.
func WithEarlier(blocks []acpclient.ContentBlock, text string, caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	if caps.EmbeddedContext {
		return append(blocks, acpclient.TextResourceBlock("parley:earlier-session.md", "text/markdown", text))
	}
	return append(blocks, acpclient.TextBlock("\n\nThis is what was said in an earlier session:\n\n"+text))
}

// OptionValues are the values of an agent's options.
type OptionValues map[acpclient.ConfigID]acpclient.ConfigValue

// OptionValuesOf are the values of a conversation's options.
func OptionValuesOf(c *conversation.Conversation) OptionValues {
	v := OptionValues{}
	for i := range c.Options {
		v[c.Options[i].ID], _ = c.OptionValue(&c.Options[i])
	}
	return v
}

// Restorable is the value that an option had, if the option has another one now and the
// agent still offers that.
func (v OptionValues) Restorable(c *conversation.Conversation, o *acpclient.SessionConfigOption) (was acpclient.ConfigValue, ok bool) {
	was, ok = v[o.ID]
	now, _ := c.OptionValue(o)
	return was, ok && was != now && offers(o, was)
}

// Restore sets every option that is restorable.
func (v OptionValues) Restore(c *conversation.Conversation, set func(acpclient.ConfigID, acpclient.ConfigValue)) {
	for i := range c.Options {
		if was, ok := v.Restorable(c, &c.Options[i]); ok {
			set(c.Options[i].ID, was)
		}
	}
}

// offers reports whether an option can have a value.
func offers(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) bool {
	if v.IsBool {
		return o.Type == acpclient.ConfigBoolean
	}
	for _, s := range o.Options.All() {
		if s.Value == v.ID {
			return o.Type == acpclient.ConfigSelect
		}
	}
	return false
}
