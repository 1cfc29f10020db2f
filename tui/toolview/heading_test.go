package toolview

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestHeading(t *testing.T) {
	at := Paths{Dir: "/work/my project", Home: "/home/ada"}
	for _, c := range []struct {
		name, title string
		kind        acpclient.ToolKind
		want        string
		whole       bool
	}{
		{"words", "Read the notes", "read", "Read the notes", true},
		{"a file of the project", "/work/my project/src/a.go", "edit", "src/a.go", true},
		{"a file in words", "Read `/work/my project/src/a.go` (1 - 20)", "read", "Read `src/a.go` (1 - 20)", true},
		{"two files", "Move /work/my project/a to /work/my project/b", "move", "Move a to b", true},
		{"a file as seen from the root of the file system", "work/my project/src/a.go", "edit", "src/a.go", true},
		{"the project itself", "List /work/my project", "search", "List /work/my project", true},
		{"a file of another project", "/work/my project 2/a.go", "edit", "/work/my project 2/a.go", true},
		{"a path that goes on before it", "/mnt/work/my project/a.go", "edit", "/mnt/work/my project/a.go", true},
		{"a command stays as it runs", "cat /work/my project/a.go", "execute", "cat /work/my project/a.go", true},
		{"several lines of a command", "cd src &&\nmake", "execute", "cd src && …", false},
		{"a command that is marked as code", "`ls -la`", "execute", "ls -la", true},
		{"two that are", "`ls` and `pwd`", "execute", "`ls` and `pwd`", true},
		{"no title", "", "read", "a tool without a name", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, whole := at.Heading(&conversation.ToolCall{Title: c.title, Kind: c.kind})
			if got != c.want || whole != c.whole {
				t.Errorf("%q, whole %v; want %q, whole %v", got, whole, c.want, c.whole)
			}
		})
	}
	for _, dir := range []string{"", "/", "relative"} {
		if got, _ := (Paths{Dir: dir}).Heading(&conversation.ToolCall{Title: "Read /a/b"}); got != "Read /a/b" {
			t.Errorf("in %q: %q", dir, got)
		}
	}
}

// A working directory says nothing about a call.
func TestWorks(t *testing.T) {
	line := 3
	at := Paths{Dir: "/work"}
	got := at.ShownLocations([]acpclient.ToolCallLocation{{Path: "/work"}, {Path: "/work/"}, {Path: "/work/a"}, {Path: "/work", Line: &line}})
	if len(got) != 2 || got[0].Path != "/work/a" || got[1].Line == nil {
		t.Errorf("%+v", got)
	}
	if got := (Paths{}).ShownLocations([]acpclient.ToolCallLocation{{Path: "."}}); len(got) != 1 {
		t.Errorf("without a directory: %+v", got)
	}
}
