package composer

import (
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Attachment is text that goes with a prompt as a block of its own, such as the output
// of a command. A chip represents it in the draft.
type Attachment struct {
	// Label represents it in the draft and in the text of the prompt.
	Label string
	// URI identifies it.
	URI  string
	Text string
}

// Attach inserts an attachment at the cursor, or removes it if the draft has it. It
// reports whether the draft has it now.
func (c *Composer) Attach(a Attachment) bool {
	defer c.settle()
	c.toDraft()
	for row := range c.buf.lines {
		text := c.buf.lines[row].text
		for i := 0; i < len(text); {
			n, _ := c.chips.next(text, i)
			if ch, ok := c.chips.at(text[i:]); ok && ch.attached != nil && ch.attached.URI == a.URI {
				end := i + n
				if strings.HasPrefix(text[end:], " ") {
					end++
				}
				c.buf.replace(pos{row, i}, pos{row, end}, "")
				return false
			}
			i += n
		}
	}
	mark := c.chips.attach(a)
	if mark == "" {
		return false
	}
	c.buf.replace(c.buf.cur, c.buf.cur, mark+" ")
	c.complete()
	return true
}

// attach keeps an attachment, and returns the chip for it; "" if there are too many.
func (c *chips) attach(a Attachment) (mark string) {
	if firstChip+rune(len(c.list)) > lastChip {
		return ""
	}
	label := "[" + oneLine(a.Label) + "]"
	c.list = append(c.list, chip{label: label, width: termtext.Width(label), text: func() string { return label }, attached: &a})
	return string(firstChip + rune(len(c.list)-1))
}

// attachments returns the blocks of the attachments, without duplicates: a resource for
// an agent that supports embedded context, else text.
func (p Prompt) attachments(caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	var blocks []acpclient.ContentBlock
	var seen []string
	for i, r := range p.raw {
		if !isChip(r) {
			continue
		}
		ch, ok := p.chips.at(p.raw[i:])
		if !ok || ch.attached == nil || slices.Contains(seen, ch.attached.URI) {
			continue
		}
		a := ch.attached
		seen = append(seen, a.URI)
		if caps.EmbeddedContext {
			blocks = append(blocks, acpclient.TextResourceBlock(a.URI, "text/plain", a.Text))
		} else {
			blocks = append(blocks, acpclient.TextBlock(ch.label+"\n"+a.Text))
		}
	}
	return blocks
}
