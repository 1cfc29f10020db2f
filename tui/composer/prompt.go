package composer

import (
	"slices"
	"strings"

	"parley/acpclient"
)

const (
	embeddedFile  = 64 << 10  // the longest file that is embedded whole
	embeddedTotal = 512 << 10 // and all files of one prompt together
	mentionsTaken = 100       // mentions of one prompt that are looked up
)

// Prompt is a draft that was sent. It is immutable and safe for concurrent use.
type Prompt struct {
	raw, root string
	chips     *chips
}

// NewPrompt returns a prompt for a text that was written elsewhere, for a project.
func NewPrompt(text, root string) Prompt { return Prompt{raw: text, root: root, chips: &chips{}} }

// With returns the prompt with an attachment after its text.
func (p Prompt) With(a Attachment) Prompt {
	p.chips = &chips{list: slices.Clone(p.chips.list)}
	p.raw += "\n\n" + p.chips.attach(a)
	return p
}

// Text returns the whole text, with everything that was pasted.
func (p Prompt) Text() string { return p.chips.expand(p.raw, false) }

// Blocks returns the content of the prompt for an agent: the text, then a block for
// each attachment and each file that the text mentions. A file is embedded, whole or
// the named lines, if the agent supports that and the file is a short text file of the
// project; an image file anywhere is embedded if the agent supports images; otherwise
// the block is a link. Mentions inside folded pastes are ignored.
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
