package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

func TestFilesOfChanges(t *testing.T) {
	call := func(title, fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"`+title+`","kind":"edit","status":"completed",`+fields+`}`)
	}
	diff := func(path, oldText, newText string) string {
		return fmt.Sprintf(`{"type":"diff","path":%q,"oldText":%s,"newText":%q}`, path, oldText, newText)
	}
	created := `"content":[` + diff("/project/a.go", `null`, "x\n") + `]`
	for _, c := range []struct {
		name  string
		event conversation.Event
		want  string
	}{
		{"one that nothing else names", call("Edit", created), "✓ ✎ Edit a.go +1 −0 new file\n  │ 1 + x"},
		{"one that the title names", call("Edit a.go", created), "✓ ✎ Edit a.go +1 −0 new file\n  │ 1 + x"},
		{"one whose title is its path", call("project/a.go", created), "✓ ✎ a.go +1 −0 new file\n  │ 1 + x"},
		{
			"several",
			call("Apply a patch", `"content":[`+diff("/project/a.go", `null`, "x\n")+`,`+diff("/project/b.go", `"one\n"`, "two\n")+
				`,{"type":"diff","path":"/project/c.go","oldText":"gone\n","newText":"","_meta":{"kind":"delete"}}]`),
			"✓ ✎ Apply a patch a.go and 2 more +2 −2\n  │ a.go +1 −0 new file\n  │ 1 + x\n  │ b.go +1 −1\n  │ - one\n  │ + two\n  │ c.go +0 −1 deleted\n  │ - gone",
		},
		{"a part that is taken out", call("Edit", `"content":[`+diff("/project/a.go", `"x\n"`, "")+`]`), "✓ ✎ Edit a.go +0 −1\n  │ - x"},
		{
			"one that goes",
			up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Remove it","kind":"delete","status":"completed","content":[`+diff("/project/a.go", `"x\n"`, "")+`]}`),
			"✓ × Remove it a.go +0 −1 deleted\n  │ - x",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn([]conversation.Event{c.event}, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Lines have the numbers of the file as soon as the place of a change is known.
func TestNumbersOfFragments(t *testing.T) {
	old := "two\n"
	l := newList(fold(tool("t", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", &old, "TWO\n"))), 80, 20)
	var positions toolview.DiffPositions
	l.SetDiffPositions(&positions)
	if got := view(l); !strings.HasSuffix(got, "\n  │ - two\n  │ + TWO") {
		t.Errorf("not known:\n%s", got)
	}
	positions.Add(map[toolview.Fragment]toolview.DiffPosition{{Path: "/project/a", Old: "two\n", New: "TWO\n"}: {Line: 41}})
	if got := view(l); !strings.HasSuffix(got, "\n  │ 41    - two\n  │    41 + TWO") {
		t.Errorf("known:\n%s", got)
	}
}
