package conversation

import (
	"slices"

	"parley/acpclient"
)

// quirks are those of the agent.
func (c *Conversation) quirks() Quirks { return QuirksOf(c.Agent.Info.Name) }

// applyAnnouncedMode takes a change of mode that the agent tells in a message, and
// reports whether the chunk is that. The text cannot be told from what a model
// says, so a mode that allows less is taken only while a tool is at work: models do
// not talk then. The mode that is shown never allows less than the one that is on.
func (c *Conversation) applyAnnouncedMode(u *acpclient.ContentChunk) bool {
	if u.Chunk != acpclient.AgentMessageChunk || u.Content.Type != acpclient.ContentText {
		return false
	}
	q := c.quirks()
	mode, ok := q.Announced(u.Content.Text)
	if !ok {
		return false
	}
	working := slices.ContainsFunc(c.liveTools, func(t *ToolCall) bool { return t.Running() && !t.Answer.Rejects() })
	o := c.OptionByCategory(acpclient.CategoryMode)
	if working || o == nil || !q.Safer(mode, string(o.CurrentValue.ID)) {
		c.applyMode(acpclient.SessionModeID(mode))
	}
	return true
}

// shown is what a tool call gave as it is to be shown. What was received stays as it
// was.
func (c *Conversation) shown(content acpclient.ToolCallContents) acpclient.ToolCallContents {
	q := c.quirks()
	if !q.TaggedOutput {
		return content
	}
	var clean acpclient.ToolCallContents
	for i := range content {
		b := content[i].Content
		if b == nil || b.Type != acpclient.ContentText {
			continue
		}
		text := q.Output(b.Text)
		if text == b.Text {
			continue
		}
		if clean == nil {
			clean = slices.Clone(content)
		}
		changed := *b
		changed.Text = text
		clean[i].Content = &changed
	}
	if clean == nil {
		return content
	}
	return clean
}
