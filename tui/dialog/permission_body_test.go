package dialog

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// What calls of other kinds than an edit or a command show.
func TestPermissionShowsWhatIsAsked(t *testing.T) {
	gone := "a\nb\n"
	for _, tt := range []struct {
		name string
		call conversation.ToolCall
		want []string
		not  string
	}{
		{
			"questions",
			conversation.ToolCall{Title: "ask_user", Kind: acpclient.ToolOther, RawInput: []byte(`{"questions":[{"header":"Colour","question":"Which?","multiSelect":true,"options":[{"label":"Red\u202e","description":"Warm"},{"label":"Blue"}]}]}`)},
			[]string{"\nColour: Which?\n• Red⟨U+202E⟩: Warm\n• Blue\nchoose any\n"},
			"multiSelect",
		},
		{
			"questions that say more",
			conversation.ToolCall{Title: "ask_user", Kind: acpclient.ToolOther, RawInput: []byte(`{"questions":[{"question":"Which?","then":"rm -rf ~"}]}`)},
			[]string{"\nWhich?\n", "rm -rf ~"},
			"",
		},
		{
			"a task list",
			conversation.ToolCall{
				Title: "tasks", Kind: acpclient.ToolOther, Tasks: []acpclient.PlanEntry{{Content: "Look", Status: acpclient.PlanCompleted}, {Content: "Build"}},
				RawInput: []byte(`{"todos":[{"content":"Look","status":"completed"},{"content":"Build"}]}`),
			},
			[]string{"\n✓ Look\n○ Build\n"},
			"todos",
		},
		{
			"what a program is said to have printed",
			conversation.ToolCall{Title: "cat", Kind: acpclient.ToolRead, Content: []acpclient.ToolCallContent{acpclient.TextContent("def __init__(self):\n\t`x`\x1b[2J\n")}},
			[]string{"\ndef __init__(self):\n`x`␛[2J\n"},
			"",
		},
		{
			"Markdown",
			conversation.ToolCall{Title: "Think", Kind: acpclient.ToolThink, Content: []acpclient.ToolCallContent{acpclient.TextContent("some **words**")}},
			[]string{"\nsome words\n"},
			"",
		},
		{
			"a file that goes",
			conversation.ToolCall{Title: "Remove", Kind: acpclient.ToolDelete, Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/a", &gone, "")}},
			[]string{"\na  +0 −2  deleted\n"},
			"",
		},
		{
			"a command in the working directory",
			conversation.ToolCall{Title: "ls", Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"ls"}`), Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet"}}},
			[]string{"Permission\n\n$ ls\n\n1"},
			"greet",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := armed(&conversation.Permission{ID: 1, Asked: &tt.call, Options: usualOptions()})
			text := shownBy(d, 80, 40)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not shown in\n%s", want, text)
				}
			}
			if tt.not != "" && strings.Contains(text, tt.not) {
				t.Errorf("%q is shown in\n%s", tt.not, text)
			}
		})
	}
}

// The numbers of lines may come while the question is open. They change nothing
// about what is asked: whoever reads it may answer.
func TestPermissionNumbersLinesWhenTheyAreKnown(t *testing.T) {
	before := "two\n"
	env, c := newEnv()
	env.DiffPositions = new(toolview.DiffPositions)
	d := NewPermission(env, &conversation.Permission{ID: 1, Options: usualOptions(), Asked: &conversation.ToolCall{
		Title: "Edit", Kind: acpclient.ToolEdit, Content: []acpclient.ToolCallContent{acpclient.DiffContent("a", &before, "2\n")},
	}}, 1)
	c.pass(LookTime)
	if text := shownBy(d, 80, 40); !strings.Contains(text, "\n- two\n+ 2\n") {
		t.Errorf("not known:\n%s", text)
	}
	env.DiffPositions.Add(map[toolview.Fragment]toolview.DiffPosition{{Path: "a", Old: "two\n", New: "2\n"}: {Line: 12}})
	if text := shownBy(d, 80, 40); !strings.Contains(text, "\n12    - two\n12 + 2\n") {
		t.Errorf("known:\n%s", text)
	}
	if got := d.Key(press("1")); got != (Answer{1, "once"}) {
		t.Errorf("1 did %#v", got)
	}
}
