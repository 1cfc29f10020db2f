package toolview

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// DrawsWhole reports whether Glamour draws the texts of a call that is shown by itself.
// They are complete, and few: each takes some milliseconds.
func DrawsWhole(t *conversation.ToolCall) bool {
	const few = 4
	return t.Status != acpclient.ToolInProgress && len(t.Content) <= few
}

// Verbatim reports whether text from a call of a kind should be shown line by line
// without formatting: program output, or the text of a file. Other text is Markdown:
// thoughts, fetched pages, and text that is a single fence.
func Verbatim(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolExecute, acpclient.ToolRead, acpclient.ToolSearch,
		acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove:
		return !fenced(text)
	}
	return false
}

// fenced reports whether a text is a single fenced code block.
func fenced(text string) bool {
	text = strings.TrimSpace(text)
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return false
	}
	first, rest, _ := strings.Cut(text, "\n")
	if strings.Contains(first[len(fence):], "`") {
		return false // inline code, not a fence
	}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, fence) && strings.Trim(line, "`") == "" {
			return rest == ""
		}
	}
	return false
}
