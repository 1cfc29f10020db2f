package composer

import (
	"encoding/base64"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/prompt"
)

// Prompt is a draft that was sent. It is immutable and safe for concurrent use.
type Prompt struct {
	raw   string
	chips *chips
}

// NewPrompt returns a prompt for a text that was written elsewhere.
func NewPrompt(text string) Prompt { return Prompt{raw: text, chips: &chips{}} }

// Text returns the whole text, with everything that was pasted.
func (p Prompt) Text() string { return p.chips.expand(p.raw, false) }

// Queued returns the prompt as it waits to be sent: its text, its attachments and images,
// and the files that it mentions. Mentions inside folded pastes are ignored.
func (p Prompt) Queued() conversation.QueuedPrompt {
	var text strings.Builder
	q := conversation.QueuedPrompt{Prompt: make([]acpclient.ContentBlock, 1)}
	fold := func(label string, block int) {
		q.Folds = append(q.Folds, conversation.Fold{From: text.Len(), To: text.Len() + len(label), Block: block})
	}
	attached := map[string]int{} // the blocks, by URI
	for i, r := range p.raw {
		ch, ok := p.chips.at(p.raw[i:])
		if !ok {
			text.WriteRune(r)
			continue
		}
		part := ch.text()
		switch {
		case ch.attached != nil:
			if attached[ch.attached.URI] == 0 {
				attached[ch.attached.URI] = len(q.Prompt)
				q.Prompt = append(q.Prompt, ch.attached.Block())
			}
			fold(part, attached[ch.attached.URI])
		case ch.image == nil:
			fold(part, 0)
		case ch.image.Name == "":
			fold(part, len(q.Prompt))
			q.Prompt = append(q.Prompt, ch.image.Block())
		default:
			q.Files = append(q.Files, part)
		}
		text.WriteString(part)
	}
	q.Prompt[0] = acpclient.TextBlock(text.String())
	q.Files = append(q.Files, prompt.Mentioned(p.raw)...)
	return q
}

// Pastes reports whether the prompt has an image without a file, which can only be sent
// as an image.
func (p Prompt) Pastes() bool {
	for i := range p.raw {
		if ch, ok := p.chips.at(p.raw[i:]); ok && ch.image != nil && ch.image.Name == "" {
			return true
		}
	}
	return false
}

// Restore makes a prompt that was not sent the draft again.
func (c *Composer) Restore(p Prompt) {
	defer c.settle()
	c.reset()
	c.chips = &chips{list: p.chips.frozen().list}
	c.buf = newBuffer(c.chips)
	c.buf.Replace(pos(0, 0), pos(0, 0), p.raw)
}

// TakeBack puts prompts that were sent, in order, before the draft, folded as they were. Images
// of files come back by their mentions.
func (c *Composer) TakeBack(sent ...conversation.QueuedPrompt) tea.Cmd {
	if len(sent) == 0 {
		return nil
	}
	defer c.settle()
	c.toDraft()
	drafted := !c.Empty()
	if !drafted {
		c.reset()
	}
	var raw strings.Builder
	for i, q := range sent {
		if i > 0 {
			raw.WriteString("\n\n")
		}
		c.refold(&raw, q)
	}
	cursor := c.buf.cur
	if drafted {
		raw.WriteString("\n\n")
		cursor.Row += strings.Count(raw.String(), "\n")
	}
	c.buf.Replace(pos(0, 0), pos(0, 0), raw.String())
	if drafted {
		c.buf.Move(cursor)
	}
	return c.lookUp()
}

// refold writes a prompt as the draft holds it.
func (c *Composer) refold(raw *strings.Builder, q conversation.QueuedPrompt) {
	text, done := q.Text(), 0
	for _, f := range q.Folds {
		if f.From < done || f.To < f.From || f.To > len(text) {
			continue
		}
		if mark := c.chips.refold(q, text[f.From:f.To], f.Block); mark != "" {
			raw.WriteString(clean(text[done:f.From]) + mark)
			done = f.To
		}
	}
	raw.WriteString(clean(text[done:]))
}

// refold returns the chip for a folded part of a prompt, "" if there can be none.
func (c *chips) refold(q conversation.QueuedPrompt, part string, block int) (mark string) {
	switch {
	case block == 0:
		mark, _ = c.fold(part)
	case block < 0 || block >= len(q.Prompt):
	case q.Prompt[block].Type == acpclient.ContentImage:
		if data, err := base64.StdEncoding.DecodeString(q.Prompt[block].Data); err == nil {
			if img, err := prompt.NewImage(data); err == nil {
				mark = c.image(img)
			}
		}
	case q.Prompt[block].Resource != nil && q.Prompt[block].Resource.Text != nil:
		r := q.Prompt[block].Resource
		label := strings.TrimSuffix(strings.TrimPrefix(part, "["), "]")
		mark = c.attach(prompt.Attachment{Label: label, URI: r.URI, Text: *r.Text})
	}
	return mark
}
