package conversation

import (
	"strings"

	"parley/acpclient"
)

// named remembers a message by its id, if it has one.
func (c *Conversation) named(key messageKey, m *Message) {
	if key.id != "" {
		c.messages[key], c.whole[key] = m, m
	}
}

// applyMessage creates a message, or puts other content into the place of what it had.
func (c *Conversation) applyMessage(u *acpclient.MessageUpdate) {
	key := messageKey{u.Chunk, u.MessageID, parentOf(u.Meta)}
	var content []acpclient.ContentBlock
	if u.Content.Value != nil {
		content = *u.Content.Value
	}
	if u.Chunk == acpclient.UserMessageChunk && (c.isOwn(u.MessageID) || c.repeatsPrompt(content) && c.adopted(u.MessageID)) {
		c.echo = Echo{}
		return
	}
	m := c.whole[key]
	if m == nil {
		if m = c.messageFor(key, len(content) == 0); m == nil {
			return // there is nothing to show yet
		}
	}
	if !u.Content.Set {
		return
	}
	var now Parts
	for _, b := range content {
		now.add(b)
	}
	if !now.goOn(m.Parts) {
		m.replaced++
	}
	m.Parts = now
	m.changed()
}

// Replaced counts how often the agent has put other content into the place of all that
// the message had. Content that only goes on behind that is no other.
func (m *Message) Replaced() int { return m.replaced }

// applyPromptAccepted notes under which id the agent keeps the prompt of the turn.
func (c *Conversation) applyPromptAccepted(id acpclient.MessageID) {
	if m := c.whole[messageKey{acpclient.UserMessageChunk, id, ""}]; m == nil {
		c.adopted(id)
	}
}

// adopted gives the prompt of the turn the id under which the agent keeps it, unless it
// has one. It is true.
func (c *Conversation) adopted(id acpclient.MessageID) bool {
	if m := c.prompt; m != nil && m.ID == "" && id != "" {
		m.ID = id
		c.whole[messageKey{acpclient.UserMessageChunk, id, ""}] = m
		m.changed()
	}
	return true
}

// isOwn reports whether a message of the person's was written here.
func (c *Conversation) isOwn(id acpclient.MessageID) bool {
	if id == "" {
		return false
	}
	m := c.whole[messageKey{acpclient.UserMessageChunk, id, ""}]
	return m != nil && m.own
}

// repeatsPrompt reports whether a message is the prompt of the turn, which the agent
// has not told of yet.
func (c *Conversation) repeatsPrompt(content []acpclient.ContentBlock) bool {
	if c.prompt == nil || c.prompt.ID != "" || len(content) == 0 {
		return false
	}
	var said Parts
	for _, b := range content {
		said.add(b)
	}
	return strings.TrimSpace(said.Plain()) == strings.TrimSpace(c.prompt.Parts.Plain())
}
