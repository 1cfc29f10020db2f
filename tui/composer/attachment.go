package composer

import (
	"strings"

	"parley/internal/prompt"
	"parley/internal/termtext"
)

// Attach inserts an attachment at the cursor, or removes it if the draft has it. It
// reports whether the draft has it now.
func (c *Composer) Attach(a prompt.Attachment) bool {
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
				c.buf.Replace(pos(row, i), pos(row, end), "")
				return false
			}
			i += n
		}
	}
	mark := c.chips.attach(a)
	if mark == "" {
		return false
	}
	c.buf.Replace(c.buf.cur, c.buf.cur, mark+" ")
	c.complete()
	return true
}

// attach keeps an attachment, and returns the chip for it; "" if there are too many.
func (c *chips) attach(a prompt.Attachment) (mark string) {
	if prompt.FirstChip+rune(len(c.list)) > prompt.LastChip {
		return ""
	}
	label := "[" + oneLine(a.Label) + "]"
	c.list = append(c.list, chip{label: label, width: termtext.Width(label), text: func() string { return label }, attached: &a})
	return string(prompt.FirstChip + rune(len(c.list)-1))
}
