package toolview

import (
	"encoding/json"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Visitor produces a T for each kind of content of a tool call. A new kind in the
// protocol becomes a new method.
type Visitor[T any] interface {
	// Block takes text, pictures and the like; see [Paths.Block].
	Block(b *acpclient.ContentBlock) T
	// Diff takes a change of one file; before is nil if the file is new. Sanitise the
	// path and the texts before drawing.
	Diff(path string, before *string, after string) T
	// Terminal takes the terminal embedded in the call.
	Terminal(id acpclient.TerminalID) T
	// Unknown takes content of an unknown kind: a label that says so, and its JSON.
	Unknown(label string, raw json.RawMessage) T
}

// Visit calls the method of v for the kind of a content.
func Visit[T any](c *acpclient.ToolCallContent, v Visitor[T]) T {
	switch c.Type {
	case acpclient.ToolContentBlock:
		if c.Content != nil {
			return v.Block(c.Content)
		}
	case acpclient.ToolContentDiff:
		if c.Change != nil {
			b := acpclient.TextBlock(Change(c))
			return v.Block(&b)
		}
		return v.Diff(c.Path, c.OldText, c.NewText)
	case acpclient.ToolContentTerminal:
		return v.Terminal(c.TerminalID)
	}
	return v.Unknown("content "+unknownKind+": "+termtext.Line(string(c.Type)), c.Raw)
}

// unknownKind describes a kind that is not in the protocol.
const unknownKind = "of a kind that parley does not know"

// Labels for the raw input and output of a tool call.
const (
	RawInput  = "raw input"
	RawOutput = "raw output"
)

// JSON indents JSON for reading, with every character visible. Invalid or too deeply
// nested JSON stays as it is. If it is longer than most bytes, JSON returns the
// beginning and a line that says so; with most 0, everything.
func JSON(raw []byte, most int) string {
	text, more := raw, ""
	if set, ok := termtext.Indented(raw); ok {
		text = set
	}
	if most > 0 && len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text, more = text[:most], "\n…"
	}
	return termtext.Visible(string(text)) + more
}
