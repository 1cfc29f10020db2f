package toolview

import (
	"encoding/json"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Visitor makes something of each kind of content that a tool call can have. It
// is what has to grow when the protocol gains a kind.
type Visitor[T any] interface {
	// Block takes text, pictures and the like; see [BlockOf].
	Block(b *acpclient.ContentBlock) T
	// Diff takes a change of one file; before is nil if the file is new. Neither
	// the path nor the texts are fit to be drawn.
	Diff(path string, before *string, after string) T
	// Terminal takes the terminal that is embedded in the call.
	Terminal(id acpclient.TerminalID) T
	// Unknown takes content of a kind that parley does not know: a label that
	// says so, and its JSON.
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

// unknownKind is said of whatever has a kind that is not in the protocol.
const unknownKind = "of a kind that parley does not know"

// What the raw sides of a tool call are called.
const (
	RawInput  = "raw input"
	RawOutput = "raw output"
)

// JSON sets out JSON for reading, every character of it visible. What is not
// JSON, or nested too deep for that, is given as it is. Of more than most bytes the
// beginning is given, and a line that says that there is more; if most is 0, it is given
// whole.
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
