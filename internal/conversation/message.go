package conversation

import (
	"strings"

	"parley/acpclient"
)

// text adds text to the message that it belongs to.
func (c *Conversation) text(e Text) {
	if e.Chunk == acpclient.UserMessageChunk && c.echo.drops(e.Text) {
		return
	}
	if m := c.message(messageKey{e.Chunk, e.MessageID, ""}, e.Text != ""); m != nil {
		m.Parts.addText(e.Text)
		m.changed()
	}
}

// chunk adds content that is not plain text, or that has more to it.
func (c *Conversation) chunk(u *acpclient.ContentChunk) {
	if u.Chunk == acpclient.UserMessageChunk {
		if u.Content.Type == acpclient.ContentText && c.echo.drops(u.Content.Text) || u.Content.Type != acpclient.ContentText && c.echo.dropsBlock() {
			return
		}
	}
	key := messageKey{u.Chunk, u.MessageID, parentOf(u.Meta)}
	if m := c.message(key, u.Content.Type != acpclient.ContentText || u.Content.Text != ""); m != nil {
		m.Parts.add(u.Content)
		m.changed()
	}
}

// message finds the message that a chunk belongs to, or begins one; for a chunk
// that says nothing it returns nil instead. A changed id begins a new message;
// without ids, a change of role or something done in between does. With an id, a
// message goes on where it stands, for instance when thoughts and text are
// streamed side by side.
func (c *Conversation) message(key messageKey, says bool) *Message {
	if l := c.last; l != nil && l.Chunk == key.chunk && l.Parent == key.parent && (key.id == l.ID || key.id == "") {
		return l
	}
	if key.id != "" {
		if m := c.messages[key]; m != nil {
			c.last = m
			return m
		}
	}
	if !says {
		return nil
	}
	if key.chunk == acpclient.UserMessageChunk {
		if !c.Turn.Running {
			c.newTurn() // of a history that is replayed
		}
	} else {
		c.echo = echo{} // a repetition would have come first
	}
	c.closeMessage()
	m := &Message{Chunk: key.chunk, ID: key.id, Parent: key.parent}
	if key.id != "" {
		c.messages[key] = m
	}
	c.add(m)
	c.last = m
	return m
}

// closeMessage says that what follows without an id is another message.
func (c *Conversation) closeMessage() {
	if l := c.last; l != nil && l.ID == "" {
		l.Done = true
		l.changed()
	}
	c.last = nil
}

// closeMessages says that nothing more comes of any message.
func (c *Conversation) closeMessages() {
	c.closeMessage()
	for _, m := range c.messages {
		m.Done = true
		m.changed()
	}
	clear(c.messages)
}

// echo is what an agent that repeats the prompt to us would say. It is shown
// already, so the repetition is dropped.
type echo struct {
	text   string
	blocks int
}

func newEcho(prompt []acpclient.ContentBlock) echo {
	var e echo
	for _, b := range prompt {
		if b.Type == acpclient.ContentText {
			e.text += b.Text
		} else {
			e.blocks++
		}
	}
	return e
}

// drops reports whether text is the repetition, or a piece of it. Space around
// the prompt may be lost or added on the way.
func (e *echo) drops(text string) bool {
	switch {
	case text == "" || e.text == "":
		return false
	case strings.HasPrefix(e.text, text):
		e.text = e.text[len(text):]
		return true
	case strings.TrimSpace(e.text) == strings.TrimSpace(text):
		e.text = ""
		return true
	}
	return false
}

func (e *echo) dropsBlock() bool {
	if e.blocks == 0 {
		return false
	}
	e.blocks--
	return true
}
