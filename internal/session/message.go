package session

import (
	"strings"

	"parley/acpclient"
)

// text adds text to the message that it belongs to.
func (c *Conversation) text(e Text) {
	if e.Chunk == acpclient.UserMessageChunk && c.echo.drops(e.Text) {
		return
	}
	m := c.message(e.Chunk, e.MessageID)
	m.Parts.addText(e.Text)
	m.changed()
}

// chunk adds content that is not plain text.
func (c *Conversation) chunk(u *acpclient.ContentChunk) {
	if u.Chunk == acpclient.UserMessageChunk && c.echo.dropsBlock() {
		return
	}
	m := c.message(u.Chunk, u.MessageID)
	m.Parts.add(u.Content)
	m.changed()
}

// message finds the message that a chunk belongs to. A changed id begins a new
// message; without ids, a change of role or anything in between does. With an
// id, a message goes on where it stands, for instance when thoughts and text
// are streamed side by side.
func (c *Conversation) message(chunk acpclient.ChunkKind, id acpclient.MessageID) *Message {
	if l := c.last; l != nil && l.Chunk == chunk && (id == l.ID || id == "" || l.ID == "") {
		if l.ID == "" && id != "" {
			l.ID = id
			c.messages[messageKey{chunk, id}] = l
		}
		return l
	}
	if id != "" {
		if m := c.messages[messageKey{chunk, id}]; m != nil {
			c.last = m
			return m
		}
	}
	if chunk == acpclient.UserMessageChunk && !c.Turn.Running {
		c.newTurn() // of a history that is replayed
	}
	c.closeMessage()
	m := &Message{Chunk: chunk, ID: id}
	if id != "" {
		c.messages[messageKey{chunk, id}] = m
	}
	c.add(m)
	c.last = m
	return m
}

// closeMessage says that what follows is another message.
func (c *Conversation) closeMessage() {
	if c.last != nil {
		c.last.Done = true
		c.last.changed()
		c.last = nil
	}
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

func (e *echo) drops(text string) bool {
	if text == "" || !strings.HasPrefix(e.text, text) {
		return false
	}
	e.text = e.text[len(text):]
	return true
}

func (e *echo) dropsBlock() bool {
	if e.blocks == 0 {
		return false
	}
	e.blocks--
	return true
}
