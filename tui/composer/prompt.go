package composer

import (
	"slices"
	"strings"

	"parley/acpclient"
)

const (
	embeddedFile  = 64 << 10  // the longest file that goes into a prompt whole
	embeddedTotal = 512 << 10 // and all files of one prompt together
	mentionsTaken = 100       // mentions of one prompt that are looked up
)

// Prompt is a draft that was sent. It is immutable and may be used from any
// goroutine.
type Prompt struct {
	raw, root string
	chips     *chips
}

// NewPrompt is a prompt of a text that was written elsewhere, for a project.
func NewPrompt(text, root string) Prompt { return Prompt{raw: text, root: root, chips: &chips{}} }

// With is the prompt with something attached behind its text.
func (p Prompt) With(a Attachment) Prompt {
	p.chips = &chips{list: slices.Clone(p.chips.list)}
	p.raw += "\n\n" + p.chips.attach(a)
	return p
}

// Text is the whole text, with everything that was pasted.
func (p Prompt) Text() string { return p.chips.expand(p.raw, false) }

// Blocks is the content of the prompt for an agent: the text, then a block for
// each attachment, and for each file that the text mentions. That is the file itself, or
// those lines of it that are named, where the agent takes it and the file is a text of
// the project that is not long; an image, wherever it is, where the agent takes images;
// else a link. Mentions inside of folded pastes are not looked up.
//
// It reads files: call it in a command, right before sending.
func (p Prompt) Blocks(caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	blocks := append([]acpclient.ContentBlock{acpclient.TextBlock(p.Text())}, p.attachments(caps)...)
	f := newFiles(p.root, caps)
	defer f.close()
	blocks = append(blocks, p.images(f)...)
	taken := 0
	for line := range strings.Lines(p.raw) {
		for _, m := range mentions(strings.TrimSuffix(line, "\n")) {
			if taken++; taken > mentionsTaken {
				return blocks
			}
			if b, ok := f.block(m); ok {
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}
