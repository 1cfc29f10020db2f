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

// What follows is for the clipboard: it is what was sent, not fit to be drawn.

// CommandText is the command that a tool call runs, "" if it names none.
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

// Output is what a tool call gave: its texts, and what its terminals printed, as
// a person would have read it. It is "" if it gave nothing of the kind.
func Output(t *conversation.ToolCall) string {
	var texts []string
	for i := range t.Content {
		if text := Visit(&t.Content[i], outputs{}); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	for _, term := range t.Terminals {
		if text := printed(term); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// outputs makes the text that a content gives.
type outputs struct{}

var _ Visitor[string] = outputs{}

func (outputs) Block(b *acpclient.ContentBlock) string {
	if b.Resource != nil && b.Resource.Text != nil {
		return *b.Resource.Text
	}
	return b.Text
}

// Diff gives nothing: a change is no output. See [Patch].
func (outputs) Diff(string, *string, string) string { return "" }

// Terminal gives nothing: the terminals of the call are read by themselves.
func (outputs) Terminal(acpclient.TerminalID) string { return "" }

func (outputs) Unknown(_ string, raw json.RawMessage) string { return string(raw) }

const (
	// printedColumns and printedRows are the size of the terminal in which output
	// is read again. Lines that were only wrapped are joined whatever it is.
	printedColumns, printedRows = 120, 24
	// mostPrinted bounds what is read of an output, in bytes.
	mostPrinted = 16 << 20
)

// printed is what a terminal printed, as text.
func printed(t *conversation.Terminal) string {
	data, _ := t.Since(0)
	if t.Own { // its output has bare line feeds
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	text, _ := screen.PlainText(data, printedColumns, printedRows, mostPrinted)
	return strings.TrimRight(text, "\n")
}

// Patch is the changes of a tool call as a unified diff, "" if it has none. Paths
// are relative to dir where they are inside it.
func Patch(t *conversation.ToolCall, dir string) (string, error) {
	var all strings.Builder
	contents := append(Replaced(t), t.Content...)
	for i := range contents {
		p := Visit(&contents[i], patches{dir})
		if p.err != nil {
			return "", p.err
		}
		all.WriteString(p.text)
	}
	return all.String(), nil
}

type patch struct {
	text string
	err  error
}

// patches makes the patch of a content; it is empty for all but diffs.
type patches struct{ dir string }

var _ Visitor[patch] = patches{}

func (p patches) Diff(path string, before *string, after string) patch {
	if rel, ok := within(p.dir, path); ok {
		path = rel
	}
	text, err := diffview.New(filepath.ToSlash(path), before, after).Patch()
	return patch{text, err}
}

func (patches) Block(*acpclient.ContentBlock) patch { return patch{} }

func (patches) Terminal(acpclient.TerminalID) patch { return patch{} }

func (patches) Unknown(string, json.RawMessage) patch { return patch{} }
