package toolview

import (
	"testing"

	"parley/acpclient"
)

// What a program printed is not Markdown, but what an agent has fenced is.
func TestVerbatim(t *testing.T) {
	const output = "def __init__(self):\n    `x`\n"
	for _, kind := range []acpclient.ToolKind{"execute", "read", "search"} {
		if !Verbatim(kind, output) {
			t.Errorf("what a call of kind %s printed is taken for Markdown", kind)
		}
		if !VerbatimWhenAsked(kind, output) || !VerbatimWhenAsked("edit", output) || VerbatimWhenAsked("other", output) {
			t.Errorf("in a question, a call of kind %s or edit is taken for Markdown", kind)
		}
	}
	for _, kind := range []acpclient.ToolKind{"think", "fetch", "other", "edit", "delete", "move", "switch_mode", "", "summon_daemon"} {
		if Verbatim(kind, output) {
			t.Errorf("the text of a call of kind %q is not taken for Markdown", kind)
		}
	}
	for text, fence := range map[string]bool{
		"```console\n$ ls\n```":            true,
		"\n```\na\nb\n```\n\n":             true,
		"````md\n```\nx\n```\n````":        true,
		"```\n```":                         true,
		"```go\nx\n```\ntext\n```\ny\n```": false, // a file that has fences in it
		"text\n```\nx\n```":                false,
		"```\nnever closed":                false,
		"```x``` is code":                  false,
		"``":                               false,
		"":                                 false,
	} {
		if Verbatim("read", text) == fence {
			t.Errorf("%q is fenced: %v, want %v", text, !fence, fence)
		}
	}
}
