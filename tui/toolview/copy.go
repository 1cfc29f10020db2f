package toolview

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/terminal/screen"
	"parley/tui/diffview"
)

// CommandText returns the command of a tool call, "" if it names none. Like all texts
// for the clipboard it is the original; sanitise it before drawing.
func CommandText(t *conversation.ToolCall) string {
	for _, call := range append([]*conversation.ToolCall{t}, t.Asked...) {
		if line := commandLine(call.RawInput); line != "" {
			return line
		}
	}
	for _, term := range t.Terminals {
		if term.Command != "" {
			return term.Command
		}
	}
	return ""
}

// Output returns the result of a tool call for the clipboard: its texts, and the output
// of its terminals as a user would have read it; "" if there is none. A change is not output:
// see [Patch].
func Output(t *conversation.ToolCall) string {
	var texts []string
	for i := range t.Content {
		if part := Visit(&t.Content[i], excerpts{}); part.Path == "" && strings.TrimSpace(part.Text) != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(append(texts, printedBy(t)...), "\n\n")
}

// printedBy returns the output of a call's terminals that is not empty.
func printedBy(t *conversation.ToolCall) (texts []string) {
	for _, term := range t.Terminals {
		if text := printed(term); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

const (
	// printedColumns and printedRows are the size of the terminal for reading output
	// again. Wrapped lines are joined whatever the size.
	printedColumns, printedRows = 120, 24
	// mostPrinted bounds what is read of an output, in bytes.
	mostPrinted = 16 << 20
)

// printed returns the output of a command as a user would have read it: text without
// control sequences, progress bars in their last state.
func printed(t *conversation.Terminal) string {
	data, _ := t.Since(0)
	if t.Own { // its output has bare line feeds
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	text, _ := screen.PlainText(data, printedColumns, printedRows, mostPrinted)
	return strings.TrimRight(text, "\n")
}

// Patch returns the changes of a tool call as a unified diff, "" if there are none.
// Paths inside dir are relative to it.
func Patch(t *conversation.ToolCall, dir string) (string, error) {
	var all strings.Builder
	for _, c := range append(Replaced(t), t.Content...) {
		if c.Type != acpclient.ToolContentDiff || c.Change != nil {
			continue
		}
		path := c.Path
		if rel, ok := within(dir, path); ok {
			path = rel
		}
		text, err := diffview.New(filepath.ToSlash(path), c.OldText, c.NewText).Patch()
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

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
	texts = append(texts, printedBy(t)...)
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
	e := Excerpt{Text: b.Text, Media: Paths{}.Block(b).Media}
	if b.Resource != nil && b.Resource.Text != nil {
		e.Text = *b.Resource.Text
	}
	return e
}

func (excerpts) Diff(path string, _ *string, after string) Excerpt {
	return Excerpt{Text: path + "\n" + after, Path: path}
}

// Terminal returns nothing: the terminals of the call are read separately.
func (excerpts) Terminal(acpclient.TerminalID) Excerpt { return Excerpt{} }

func (excerpts) Unknown(_ string, raw json.RawMessage) Excerpt { return Excerpt{Text: string(raw)} }
