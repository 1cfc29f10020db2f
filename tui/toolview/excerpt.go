package toolview

import (
	"encoding/json"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Excerpt is what a person can take out of an item of a conversation.
type Excerpt struct {
	// Text is for the clipboard: what was sent, unchanged. It is not fit to be
	// drawn.
	Text string
	// Path is the file that the item is about, as the agent wrote it, and Line a
	// line of it, from 1. They are "" and 0 if none is named.
	Path string
	Line int
	// Media is what can be saved, nil if there is nothing.
	Media *Media
}

// ExcerptOf is what can be taken out of a tool call: its title, what was asked about
// it, and its contents; the file that it works on first, and the last media that it
// gave.
func ExcerptOf(t *conversation.ToolCall) Excerpt {
	var e Excerpt
	var texts []string
	if strings.TrimSpace(t.Title) != "" {
		texts = append(texts, t.Title)
	}
	contents := append(Replaced(t), t.Content...)
	for i := range contents {
		part := Visit(&contents[i], excerpts{})
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
		if part.Media != nil {
			e.Media = part.Media
		}
		if e.Path == "" {
			e.Path = part.Path
		}
	}
	for _, term := range t.Terminals {
		if text := printed(term); text != "" {
			texts = append(texts, text)
		}
	}
	if len(t.Locations) > 0 {
		l := t.Locations[0]
		e.Path = l.Path
		if l.Line != nil {
			e.Line = *l.Line
		}
	}
	e.Text = strings.Join(texts, "\n\n")
	return e
}

// excerpts makes the excerpt of one content.
type excerpts struct{}

var _ Visitor[Excerpt] = excerpts{}

func (excerpts) Block(b *acpclient.ContentBlock) Excerpt {
	return Excerpt{Text: b.Text, Media: Places{}.Block(b).Media}
}

func (excerpts) Diff(path string, _ *string, after string) Excerpt {
	return Excerpt{Text: path + "\n" + after, Path: path}
}

// Terminal gives nothing: the terminals of the call are read by themselves.
func (excerpts) Terminal(acpclient.TerminalID) Excerpt { return Excerpt{} }

func (excerpts) Unknown(_ string, raw json.RawMessage) Excerpt { return Excerpt{Text: string(raw)} }
