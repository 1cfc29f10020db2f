package toolview

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/conversation"
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

// DrawsWhole reports whether Glamour draws the texts of a call that is shown by itself.
// They are complete, and few: each takes some milliseconds.
func DrawsWhole(t *conversation.ToolCall) bool {
	const few = 4
	return t.Status != acpclient.ToolInProgress && len(t.Content) <= few
}

// Verbatim reports whether text from a call of a kind should be shown line by line
// without formatting: program output, or the text of a file. Other text is Markdown, as
// the protocol says, and so is text that is a single fence.
func Verbatim(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolExecute, acpclient.ToolRead, acpclient.ToolSearch:
		_, fenced := Fenced(text)
		return !fenced
	}
	return false
}

// VerbatimWhenAsked is Verbatim for a question: the text of a change to a file is shown
// character by character, because it may be what would be written.
func VerbatimWhenAsked(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove:
		kind = acpclient.ToolRead
	}
	return Verbatim(kind, text)
}

// Fenced returns the code of a text that is a single fenced code block.
func Fenced(text string) (code string, ok bool) {
	text = strings.TrimSpace(text)
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return "", false
	}
	first, inside, _ := strings.Cut(text, "\n")
	if strings.Contains(first[len(fence):], "`") {
		return "", false // inline code, not a fence
	}
	for rest := inside; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "" {
			return strings.TrimSuffix(inside, line), rest == ""
		}
	}
	return "", false
}
