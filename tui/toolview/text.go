package toolview

import (
	"strings"

	"parley/acpclient"
)

// Verbatim reports whether text that a call of a kind has given is to be shown as
// it is, line by line: it is what a program printed, or the text of a file. Other
// text is Markdown: what was thought or fetched, and what is in a fence as a whole.
func Verbatim(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolExecute, acpclient.ToolRead, acpclient.ToolSearch,
		acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove:
		return !fenced(text)
	}
	return false
}

// fenced reports whether a text is one fenced block of code, and nothing else.
func fenced(text string) bool {
	text = strings.TrimSpace(text)
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return false
	}
	first, rest, _ := strings.Cut(text, "\n")
	if strings.Contains(first[len(fence):], "`") {
		return false // code in a line, not a fence
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
