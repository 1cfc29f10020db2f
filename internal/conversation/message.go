package conversation

import (
	"reflect"
	"strings"

	"parley/acpclient"
)

// messageKey identifies a message with an id: agents use the same id for a message and its
// thought.
type messageKey struct {
	chunk  acpclient.ChunkKind
	id     acpclient.MessageID
	parent acpclient.ToolCallID
}

// applyText adds text to the message that it belongs to.
func (c *Conversation) applyText(e Text) {
	key := messageKey{e.Chunk, e.MessageID, ""}
	if rest, is := strings.CutPrefix(e.Text, c.banner); is && c.banner != "" && e.Chunk == acpclient.AgentMessageChunk {
		banner := acpclient.TextBlock(c.banner)
		c.banner, e.Text = "", rest
		c.closeMessage()
		if m := c.addChunk(key, e.MessageID, &banner); m != nil {
			m.Banner, m.Done = true, true
		}
		c.closeMessage()
		delete(c.messages, key)
		if rest == "" {
			return
		}
	}
	text := acpclient.TextBlock(e.Text)
	c.addChunk(key, e.MessageID, &text)
}

// applyChunk adds content other than plain text.
func (c *Conversation) applyChunk(u *acpclient.ContentChunk) {
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
	if m := c.addChunk(messageKey{u.Chunk, id, c.parentOf(u.Meta)}, u.MessageID, &u.Content); m != nil && phase != "" {
		m.phase = phase
	}
	if discrete {
		c.closeMessage()
	}
}

// addChunk adds content to a message, unless it repeats a prompt, which has the id. It returns
// the message, nil if there is none.
func (c *Conversation) addChunk(key messageKey, id acpclient.MessageID, b *acpclient.ContentBlock) *Message {
	isText := b.Type == acpclient.ContentText
	if key.chunk == acpclient.UserMessageChunk {
		if isText && c.echo.Drops(b.Text) || !isText && c.echo.dropsBlock() {
			c.adopt(id)
			return nil
		}
		if c.isOwn(id) {
			return nil
		}
	}
	m := c.messageFor(key, isText && b.Text == "")
	if m != nil {
		m.Parts.add(b)
		m.changed()
	}
	return m
}

// marksOf returns what separates the messages of chunks: the id, and the phase of the work.
// Agents may have either in _meta instead of the protocol's field.
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

// firstOf returns the first string in meta at one of some paths, or "".
func firstOf[T ~string](meta acpclient.Meta, paths [][]string) T {
	if len(meta) == 0 {
		return ""
	}
	for _, path := range paths {
		if value, _ := acpclient.MetaValue[T](meta, path...); value != "" {
			return value
		}
	}
	return ""
}

// messageIDPaths are where agents put the id of a message: goose, and others at the top level.
var messageIDPaths = [][]string{{"goose", "messageId"}, {"messageId"}}

// messageFor finds the message that a chunk belongs to, or begins one; it returns nil instead
// of beginning one for an empty chunk. A changed id begins a new message. Without ids, so does
// a change of role, or any item added in between. A message with an id can continue after
// other items, for instance when thoughts and text alternate.
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
			c.beginTurn() // in replayed history
		}
	} else {
		c.echo = Echo{} // agents repeat the prompt only at the start
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

// closeMessage ends the message that a chunk without an id would continue. A message with an
// id stays open.
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

// applyMessage creates a message, or replaces its content.
func (c *Conversation) applyMessage(u *acpclient.MessageUpdate) {
	key := messageKey{u.Chunk, u.MessageID, c.parentOf(u.Meta)}
	var content []acpclient.ContentBlock
	if u.Content.Value != nil {
		content = *u.Content.Value
	}
	if u.Chunk == acpclient.UserMessageChunk {
		repeats := c.repeatsPrompt(content)
		if repeats {
			c.adopt(u.MessageID)
		}
		if repeats || c.isOwn(u.MessageID) {
			c.echo = Echo{}
			return
		}
	}
	m := c.whole[key]
	if m == nil {
		m = c.messageFor(key, len(content) == 0)
	}
	if m == nil || !u.Content.Set {
		return // nothing to show yet, or nothing new
	}
	m.replace(content)
}

// replace replaces the content of a message.
func (m *Message) replace(content []acpclient.ContentBlock) {
	now := partsOf(content)
	if !now.goOn(m.Parts) {
		m.replaced++
	}
	m.Parts = now
	m.changed()
}

// Replaced counts how often the agent has replaced the whole content of the message. Content
// that only grows does not count.
func (m *Message) Replaced() int { return int(m.replaced) }

// adopt gives the prompt of the turn the agent's id for it, unless it has one.
func (c *Conversation) adopt(id acpclient.MessageID) {
	if m := c.prompt; m != nil && m.ID == "" && id != "" {
		m.ID = id
		c.whole[messageKey{acpclient.UserMessageChunk, id, ""}] = m
		m.changed()
	}
}

// isOwn reports whether the user wrote the message here.
func (c *Conversation) isOwn(id acpclient.MessageID) bool {
	if id == "" {
		return false
	}
	m := c.whole[messageKey{acpclient.UserMessageChunk, id, ""}]
	return m != nil && m.own
}

// repeatsPrompt reports whether a message repeats the prompt of the turn, which the agent has
// not sent back so far.
func (c *Conversation) repeatsPrompt(content []acpclient.ContentBlock) bool {
	return c.prompt != nil && c.prompt.ID == "" && len(content) > 0 &&
		strings.TrimSpace(partsOf(content).Plain()) == strings.TrimSpace(c.prompt.Parts.Plain())
}

// Parts is the content of a growing message: text, and other content blocks.
type Parts []Part

// Part is text, or a block.
type Part struct {
	text *strings.Builder // nil if the part is a block
	// Block is content other than text for the user, nil if the part is text. Text annotated
	// for others is a block too.
	Block *acpclient.ContentBlock
}

// Text returns the text of the part so far.
func (p *Part) Text() string {
	if p.text == nil {
		return ""
	}
	return p.text.String()
}

// Plain returns all text, without other blocks.
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

// goOn reports whether the parts begin with the earlier ones.
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

func partsOf(content []acpclient.ContentBlock) (ps Parts) {
	for i := range content {
		ps.add(&content[i])
	}
	return ps
}

// add appends a block. Text for the user extends the text, in amortised constant time.
func (ps *Parts) add(b *acpclient.ContentBlock) {
	if b.Type != acpclient.ContentText || !b.Annotations.ForUser() {
		shown := shownAs(*b)
		*ps = append(*ps, Part{Block: &shown})
		return
	}
	if n := len(*ps); n == 0 || (*ps)[n-1].Block != nil {
		*ps = append(*ps, Part{text: new(strings.Builder)})
	}
	(*ps)[len(*ps)-1].text.WriteString(b.Text)
}

// shownAs returns a block for display: an image embedded as a resource becomes an ordinary
// image.
func shownAs(b acpclient.ContentBlock) acpclient.ContentBlock {
	if r := b.Resource; b.Type == acpclient.ContentResource && r != nil && r.Blob != nil && strings.HasPrefix(r.MimeType, "image/") {
		return acpclient.ContentBlock{
			Type: acpclient.ContentImage, Data: *r.Blob, MimeType: r.MimeType, URI: r.URI, Annotations: b.Annotations, Meta: b.Meta,
		}
	}
	return b
}

// Echo is the rest of the prompt that an agent may still repeat to the client. The repetition
// is dropped, since the prompt is already shown.
type Echo struct {
	text   string
	blocks int // number of blocks other than text
}

// NewEcho returns the full repetition of a prompt.
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

// Drops reports whether text is the repetition or a piece of it. Agents may add or lose space
// around the prompt.
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

// dropsBlock reports whether a block other than text belongs to the repetition.
func (e *Echo) dropsBlock() bool {
	if e.blocks == 0 {
		return false
	}
	e.blocks--
	return true
}

// AnswerOf returns the agent's messages among some items, as Markdown, without thoughts,
// banners and what subagents say.
func AnswerOf(items []Item) string {
	var messages []string
	for _, item := range items {
		m, ok := item.(*Message)
		if !ok || m.Chunk != acpclient.AgentMessageChunk || m.Parent != "" || m.Banner {
			continue
		}
		if text := strings.Trim(m.Parts.Markdown(), "\n"); strings.TrimSpace(text) != "" {
			messages = append(messages, text)
		}
	}
	return strings.Join(messages, "\n\n")
}

// Markdown returns the message as Markdown. It names content that is not text.
func (ps Parts) Markdown() string {
	var b strings.Builder
	for i := range ps {
		block := ps[i].Block
		switch {
		case block == nil:
			b.WriteString(ps[i].Text())
		case block.Type == acpclient.ContentResourceLink && block.URI == "": // such as what was left out
			b.WriteString("\n\n(" + block.Name + ")\n\n")
		case block.Type == acpclient.ContentResourceLink:
			b.WriteString("\n\n[" + block.Name + "](" + block.URI + ")\n\n")
		case block.Type == acpclient.ContentText: // not for the user
		default:
			b.WriteString("\n\n(" + string(block.Type) + ")\n\n")
		}
	}
	return b.String()
}
