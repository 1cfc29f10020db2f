package toolview

import (
	"strings"

	"parley/acpclient"
)

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
