package toolview

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What a question asks about is the same in plain lines: the command before the title, which is quoted
// as the agent's words unless it is the command.
func TestAskedText(t *testing.T) {
	run := func(title, raw string) *conversation.ToolCall {
		return &conversation.ToolCall{Title: title, Kind: acpclient.ToolExecute, RawInput: []byte(raw)}
	}
	line, was := 3, "a\n"
	edit := &conversation.ToolCall{
		Title: "Greet", Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: "/p/a.go", Line: &line}},
		Content: []acpclient.ToolCallContent{acpclient.DiffContent("/p/b.go", &was, "b\n")},
	}
	for name, tt := range map[string]struct {
		asked conversation.Permission
		want  string
	}{
		"a command":          {conversation.Permission{Asked: run("ls\u202e", `{"command":"rm -rf ~","cwd":"/etc"}`)}, "# command\nrm -rf ~\n# in\n/etc  outside the project\n\n# title\nls⟨U+202E⟩"},
		"its variables":      {conversation.Permission{Asked: run("git log", `{"command":"git log","env":{"PAGER":"sh x\nA=y","B":"z"}}`)}, "# command\ngit log\n# with\nPAGER=sh x␤A=y\nB=z"},
		"a title repeats it": {conversation.Permission{Asked: run("`make`", `{"command":"make","timeout":5}`)}, "# command\nmake\n\n# timeout\n5"},
		"a list repeats it":  {conversation.Permission{Asked: run("make", `{"command":"make","commands":["make"]}`)}, "# command\nmake"},
		"a list of another":  {conversation.Permission{Asked: run("make", `{"command":"make","commands":["rm"]}`)}, "# command\nmake\n\n# commands\n[\n  \"rm\"\n]"},
		"in the title only":  {conversation.Permission{Asked: run("make", ``), Options: []acpclient.PermissionOption{{OptionID: "y"}}}, "# run\nmake\n\nno rule can describe it: the agent names the command only in the title"},
		"a change":           {conversation.Permission{Asked: edit, Why: "none matches"}, "# edit\nGreet\na.go:3\n\n# content\nb.go\n--- a/b.go\n+++ b/b.go\n@@ -1 +1 @@\n-a\n+b\n\nno rule applies: none matches"},
		"a file": {
			conversation.Permission{Asked: &conversation.ToolCall{Kind: acpclient.ToolRead}, File: &conversation.FileQuestion{Path: "/p/link", Target: "/etc/x", Outside: true}},
			"◇ The agent wants to read this file:\n/etc/x  outside the project\nby the path /p/link\n\n- It is outside the session's directories.",
		},
	} {
		parts := Paths{Dir: "/p"}.Asked(&tt.asked, "", &Facts{Roots: []string{"/p"}})
		if got := AskedText(parts); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
