package conversation

import (
	"reflect"
	"strings"

	"parley/acpclient"
)

// messageKey tells messages with an id apart: agents use the same id for a
// message and its thought.
type messageKey struct {
	chunk  acpclient.ChunkKind
	id     acpclient.MessageID
	parent acpclient.ToolCallID
}

// applyText adds text to the message that it belongs to.
func (c *Conversation) applyText(e Text) {
	if e.Chunk == acpclient.UserMessageChunk && (c.echo.Drops(e.Text) && c.adopted(e.MessageID) || c.isOwn(e.MessageID)) {
		return
	}
	if rest, is := strings.CutPrefix(e.Text, c.banner); is && c.banner != "" && e.Chunk == acpclient.AgentMessageChunk {
		e.Text = c.banner
		c.banner = ""
		c.closeMessage()
		c.applyText(e)
		if m := c.last; m != nil {
			m.Banner, m.Done = true, true
		}
		c.closeMessage()
		delete(c.messages, messageKey{e.Chunk, e.MessageID, ""})
		if e.Text = rest; rest == "" {
			return
		}
	}
	if m := c.messageFor(messageKey{e.Chunk, e.MessageID, ""}, e.Text == ""); m != nil {
		m.Parts.addText(e.Text)
		m.changed()
		c.heldItems.grows(m, len(e.Text))
	}
}

// applyChunk adds content that is more than plain text.
func (c *Conversation) applyChunk(u *acpclient.ContentChunk) {
	isText := u.Content.Type == acpclient.ContentText
	if u.Chunk == acpclient.UserMessageChunk {
		if isText && c.echo.Drops(u.Content.Text) || !isText && c.echo.dropsBlock() {
			c.adopted(u.MessageID)
			return
		}
		if c.isOwn(u.MessageID) {
			return
		}
	}
	if c.effect.announced {
		c.showOptionChanges()
		return
	}
	id, phase := marksOf(u)
	if l := c.last; l != nil && id == "" && phase != "" && l.phase != "" && phase != l.phase {
		c.closeMessage()
	}
	// qwen-code marks a chunk that is a whole message.
	discrete, _ := acpclient.MetaValue[bool](u.Meta, "qwenDiscreteMessage")
	if discrete {
		c.closeMessage()
	}
	key := messageKey{u.Chunk, id, c.parentOf(u.Meta)}
	if m := c.messageFor(key, isText && u.Content.Text == ""); m != nil {
		m.Parts.add(u.Content)
		if phase != "" {
			m.phase = phase
		}
		m.changed()
		c.heldItems.grows(m, EventOverhead+blockSize(&u.Content))
	}
	if discrete {
		c.closeMessage()
	}
}

// marksOf are what tells the message of a chunk from the next one: its id, and
// the phase of the work that it belongs to. Agents that do not use the protocol's
// field for the id may have it, or only the phase, in _meta.
func marksOf(u *acpclient.ContentChunk) (id acpclient.MessageID, phase string) {
	id = u.MessageID
	if len(u.Meta) == 0 {
		return id, ""
	}
	if id == "" {
		id = firstOf[acpclient.MessageID](u.Meta, messageIDPaths)
	}
	phase, _ = acpclient.MetaValue[string](u.Meta, "codex", "phase")
	return id, phase
}

// firstOf returns the first string in meta that stands at one of some paths, or "".
func firstOf[T ~string](meta acpclient.Meta, paths [][]string) T {
	for _, path := range paths {
		if value, _ := acpclient.MetaValue[T](meta, path...); value != "" {
			return value
		}
	}
	return ""
}

// messageIDPaths are where agents in the field put the id of a message: goose,
// and those that have it at the top.
var messageIDPaths = [][]string{{"goose", "messageId"}, {"messageId"}}

// messageFor finds the message that a chunk belongs to, or begins one. It begins
// none for a chunk that is empty, and returns nil then. A changed id begins a new
// message. Without ids, a change of role begins one, and so does anything else
// that is added to the transcript in between. A message that has an id can go on
// after that, for instance when thoughts and text are streamed in turn.
func (c *Conversation) messageFor(key messageKey, empty bool) *Message {
	if l := c.last; l != nil && l.Chunk == key.chunk && l.Parent == key.parent && (key.id == l.ID || key.id == "") {
		return l
	}
	if key.id != "" {
		if m := c.messages[key]; m != nil {
			c.closeMessage()
			c.last = m
			return m
		}
	}
	if empty {
		return nil
	}
	if key.chunk == acpclient.UserMessageChunk {
		if !c.Turn.Running {
			c.beginTurn() // of a history that is replayed
		}
	} else {
		c.echo = Echo{} // an agent that repeats the prompt does so first
	}
	c.closeMessage()
	m := &Message{Chunk: key.chunk, ID: key.id, Parent: key.parent, Growing: c.Turn.Running}
	if key.id != "" {
		c.messages[key], c.whole[key] = m, m
	}
	c.addNested(m, key.parent)
	c.last = m
	return m
}

// closeMessage ends the message that a chunk without an id would continue. A
// message that has an id stays open.
func (c *Conversation) closeMessage() {
	if l := c.last; l != nil && (l.ID == "" || l.Growing) {
		l.Growing = false
		l.Done = l.Done || l.ID == ""
		l.changed()
	}
	c.last = nil
}

// closeMessages ends every message.
func (c *Conversation) closeMessages() {
	c.closeMessage()
	for _, m := range c.messages {
		m.Done = true
		m.changed()
	}
	clear(c.messages)
}

// applyMessage creates a message, or puts other content into the place of what it had.
func (c *Conversation) applyMessage(u *acpclient.MessageUpdate) {
	key := messageKey{u.Chunk, u.MessageID, c.parentOf(u.Meta)}
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
		m = c.messageFor(key, len(content) == 0)
	}
	if m == nil || !u.Content.Set {
		return // there is nothing to show yet, or nothing new
	}
	m.replace(content)
	c.heldItems.weighs(m, m.weigh())
}

// replace puts other content into the place of what a message had.
func (m *Message) replace(content []acpclient.ContentBlock) {
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

// isOwn reports whether a message of the user's was written here.
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

// Parts are the content of a message as it grows: text, with other content
// blocks in between.
type Parts []Part

// Part is text, or a block.
type Part struct {
	text *strings.Builder // nil if the part is a block
	// Block is content that is not text, or text whose annotations say that it is
	// not for the user; nil if the part is text.
	Block *acpclient.ContentBlock
}

// Text returns the text of the part so far.
func (p *Part) Text() string {
	if p.text == nil {
		return ""
	}
	return p.text.String()
}

// Plain is all the text, without the other blocks.
func (ps Parts) Plain() string {
	if len(ps) == 1 {
		return ps[0].Text()
	}
	var all strings.Builder
	for i := range ps {
		all.WriteString(ps[i].Text())
	}
	return all.String()
}

// goOn reports whether these are parts that there were, and perhaps more behind them.
func (ps Parts) goOn(before Parts) bool {
	if len(ps) < len(before) {
		return false
	}
	for i := range before {
		was, is := &before[i], &ps[i]
		switch {
		case !reflect.DeepEqual(was.Block, is.Block), !strings.HasPrefix(is.Text(), was.Text()):
			return false
		case i < len(before)-1 && len(is.Text()) > len(was.Text()):
			return false
		}
	}
	return true
}

// add appends a block: to the text, if it is text for the user.
func (ps *Parts) add(b acpclient.ContentBlock) {
	if b.Type == acpclient.ContentText && b.Annotations.ForUser() {
		ps.addText(b.Text)
		return
	}
	b = shownAs(b)
	*ps = append(*ps, Part{Block: &b})
}

// shownAs returns a block for display: an image that is embedded as a resource is an
// image like others.
func shownAs(b acpclient.ContentBlock) acpclient.ContentBlock {
	if r := b.Resource; b.Type == acpclient.ContentResource && r != nil && r.Blob != nil && strings.HasPrefix(r.MimeType, "image/") {
		return acpclient.ContentBlock{
			Type: acpclient.ContentImage, Data: *r.Blob, MimeType: r.MimeType, URI: r.URI, Annotations: b.Annotations, Meta: b.Meta,
		}
	}
	return b
}

// addText appends text in amortised constant time.
func (ps *Parts) addText(text string) {
	if n := len(*ps); n == 0 || (*ps)[n-1].Block != nil {
		*ps = append(*ps, Part{text: new(strings.Builder)})
	}
	(*ps)[len(*ps)-1].text.WriteString(text)
}

// Echo is what is still to come when an agent repeats the prompt to the client.
// The prompt is known already, so the repetition is dropped.
type Echo struct {
	text   string
	blocks int // how many blocks are not text
}

// NewEcho is the repetition of a prompt, all of it.
func NewEcho(prompt []acpclient.ContentBlock) Echo {
	var e Echo
	for _, b := range prompt {
		if b.Type == acpclient.ContentText {
			e.text += b.Text
		} else {
			e.blocks++
		}
	}
	return e
}

// Drops reports whether text is the repetition, or a piece of it. Agents may add
// or lose space around the prompt.
func (e *Echo) Drops(text string) bool {
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

// dropsBlock reports whether a block that is not text is one of the repetition.
func (e *Echo) dropsBlock() bool {
	if e.blocks == 0 {
		return false
	}
	e.blocks--
	return true
}
