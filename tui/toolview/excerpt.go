package toolview

import (
	"encoding/json"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Excerpt is what a user can copy from an item of a conversation.
type Excerpt struct {
	// Text is for the clipboard: the original text. Sanitise it before drawing.
	Text string
	// Path is the file of the item, as the agent wrote it, and Line a line of it, from
	// 1. They are "" and 0 if there is none.
	Path string
	Line int
	// Media is what can be saved, or nil.
	Media *Media
}

// ExcerptOf returns the excerpt of a tool call: its title, its question, and its
// contents; the first file that it works on, and the last media in its result.
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
		if text := Printed(term); text != "" {
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

// excerpts returns the excerpt of one content.
type excerpts struct{}

var _ Visitor[Excerpt] = excerpts{}

func (excerpts) Block(b *acpclient.ContentBlock) Excerpt {
	return Excerpt{Text: b.Text, Media: Paths{}.Block(b).Media}
}

func (excerpts) Diff(path string, _ *string, after string) Excerpt {
	return Excerpt{Text: path + "\n" + after, Path: path}
}

// Terminal returns nothing: the terminals of the call are read separately.
func (excerpts) Terminal(acpclient.TerminalID) Excerpt { return Excerpt{} }

func (excerpts) Unknown(_ string, raw json.RawMessage) Excerpt { return Excerpt{Text: string(raw)} }
