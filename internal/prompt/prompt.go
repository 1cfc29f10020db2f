// Package prompt makes the content of prompts: text, the files that it mentions, images,
// and the output of commands.
//
// A prompt is queued with its mentions, and [Resolve] reads the files when it is sent: only
// then are the agent's capabilities known, and what the files contain.
package prompt

import (
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

const (
	embeddedFile  = 64 << 10  // the longest file that is embedded whole
	embeddedTotal = 512 << 10 // and all files of one prompt together
	mentionsTaken = 100       // mentions of one prompt that are looked up
)

// In a text, a character of the last private use plane stands for folded text, an image or
// an attachment.
const (
	FirstChip = '\U00100000'
	LastChip  = '\U0010FFFD'
)

// IsChip reports whether a character stands for folded content.
func IsChip(r rune) bool { return r >= FirstChip && r <= LastChip }

// Attachment is text that goes with a prompt as a block of its own, such as the output
// of a command.
type Attachment struct {
	// Label represents it in the text of the prompt.
	Label string
	// URI identifies it.
	URI  string
	Text string
}

// Block returns the attachment as content.
func (a Attachment) Block() acpclient.ContentBlock {
	return acpclient.TextResourceBlock(a.URI, "text/plain", a.Text)
}

// Mark returns the label as it appears in the text.
func (a Attachment) Mark() string { return "[" + a.Label + "]" }

// New returns the prompt of a text with the files that it mentions, and with attachments.
func New(text string, attached ...Attachment) conversation.QueuedPrompt {
	q := conversation.QueuedPrompt{Files: Mentioned(text)}
	for i, a := range attached {
		text += "\n\n"
		q.Folds = append(q.Folds, conversation.Fold{From: len(text), To: len(text) + len(a.Mark()), Block: i + 1})
		text += a.Mark()
	}
	q.Prompt = []acpclient.ContentBlock{acpclient.TextBlock(text)}
	for _, a := range attached {
		q.Prompt = append(q.Prompt, a.Block())
	}
	return q
}

// Mentioned returns the mentions of a text, as written.
func Mentioned(text string) (files []string) {
	for line := range strings.Lines(text) {
		for _, m := range Mentions(strings.TrimSuffix(line, "\n")) {
			if len(files) == mentionsTaken {
				return files
			}
			files = append(files, line[m.From:m.To])
		}
	}
	return files
}

// Resolve returns the function that completes a prompt for an agent, in a project: it adds
// a block for each mentioned file, and replaces what the agent does not accept. A file is
// embedded, whole or the named lines, if the agent supports that and the file is a short
// text file of the project; an image file anywhere is embedded if the agent supports
// images; otherwise the block is a link. Without mentions it reads nothing.
func Resolve(root string) func(q conversation.QueuedPrompt, caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	return func(q conversation.QueuedPrompt, caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
		blocks := accepted(q.Prompt, caps)
		if len(q.Files) == 0 {
			return blocks
		}
		f := NewFiles(root, caps)
		defer f.Close()
		for _, file := range q.Files {
			for _, m := range Mentions(file) {
				if b, ok := f.block(m); ok {
					blocks = append(blocks, b)
				}
			}
		}
		return blocks
	}
}

// accepted returns the blocks for an agent: an attachment as text if it takes no embedded
// context, and no images if it takes none.
func accepted(blocks []acpclient.ContentBlock, caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	blocks = slices.Clone(blocks)
	if !caps.Image {
		blocks = slices.DeleteFunc(blocks, func(b acpclient.ContentBlock) bool { return b.Type == acpclient.ContentImage })
	}
	for i, b := range blocks {
		if b.Resource != nil && b.Resource.Text != nil && !caps.EmbeddedContext {
			blocks[i] = acpclient.TextBlock(*b.Resource.Text)
		}
	}
	return blocks
}
