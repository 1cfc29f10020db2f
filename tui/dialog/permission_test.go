package dialog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/test"
	"parley/tui/toolview"
)

// shownBy is the text that a dialog draws, without its frame.
func shownBy(d Dialog, width, height int) string {
	var b strings.Builder
	for _, l := range d.View(width, height).Lines {
		b.WriteString(strings.TrimSpace(strings.Trim(ansi.Strip(l), "│┃╭╮╰╯─ ")) + "\n")
	}
	return b.String()
}

// presses gives a dialog keys and returns what the last one did.
func presses(t *testing.T, d Dialog, keys ...string) Action {
	t.Helper()
	var last Action
	for i, k := range keys {
		last = strike(d, k)
		if last != nil && i < len(keys)-1 {
			t.Fatalf("key %d, %q, did %#v already", i, k, last)
		}
	}
	return last
}

func armed(p *conversation.Permission) (*Permission, *clock) {
	env, c := newEnv()
	d := NewPermission(env, p, 1)
	c.pass(LookTime)
	draw(d)
	return d, c
}

// A mark that the user has left to look closer stays, and its key is no text for the prompt.
func TestALookLeavesTheMark(t *testing.T) {
	for _, look := range []string{"ctrl+e", "ctrl+g"} {
		d, _ := armed(editPermission())
		d.Key(press("2"))
		d.Key(press(look))
		if keys := d.Release(); len(keys) > 0 || !d.Marked() {
			t.Errorf("after %s it types %v, and has a mark: %v", look, keys, d.Marked())
		}
	}
}

func TestPermissionKeys(t *testing.T) {
	answer := func(id acpclient.PermissionOptionID) Action { return giving(seen(7), id) }
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"1", answer("once")},
		{"alt+1", NotTaken{}}, // it goes to a tab
		{"2", nil},            // it reaches further than this one question
		{"2 2", nil},
		{"2 enter", answer("always")},
		{"2 3", NotTaken{}}, // a number is being typed
		{"3", answer("no")},
		{"4", NotTaken{}},
		{"9", NotTaken{}},
		{"0", NotTaken{}},
		{"y", answer("once")},
		{"a", nil},
		{"a a", nil},
		{"a a enter", answer("always")},
		{"a enter", answer("always")},
		{"a x", NotTaken{}},
		{"n", answer("no")},
		{"d", NotTaken{}}, // no option rejects always
		{"enter", nil},
		{"space", nil},        // it marks
		{"alt+t", NotTaken{}}, // to read what stands above, and come back
		{"shift+tab", NotTaken{}},
		{"f2", NotTaken{}},
		{"f1", NotTaken{}},
		{"ctrl+p", NotTaken{}},
		{"tab", nil}, // words are written now: nothing there answers but enter, and that rejects
		{"tab y", nil},
		{"tab 1 enter", RejectWith{seen(7), "no", "1"}},
		{"tab enter enter", nil}, // nothing was said
		{"tab n o space 2 enter", RejectWith{seen(7), "no", "no 2"}},
		{"x", NotTaken{}}, // it begins a prompt
		{"esc", CancelTurn{}},
		{"down enter", answer("once")},
		{"down down enter", answer("always")},
		{"up enter", answer("no")},
		{"down down down down down enter", answer("no")},
		{"up up up up enter", answer("once")},
		{"enter enter", answer("once")},
		{"enter down enter", answer("always")},
		{"down y", answer("once")},
		{"alt+down alt+down", nil},
		{"pgdown pgup home end enter", nil},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			d, _ := armed(editPermission())
			rows := 40
			if strings.HasPrefix(tt.keys, "pgdown") {
				rows = 24
			}
			d.View(80, rows)
			if got := presses(t, d, strings.Fields(tt.keys)...); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

// Of two options of a kind the first has its letter.
func TestPermissionShortcutsOfOptionsOfAKind(t *testing.T) {
	p := editPermission()
	p.Options = []acpclient.PermissionOption{
		{OptionID: "a1", Name: "Allow for this file", Kind: acpclient.AllowAlways},
		{OptionID: "a2", Name: "Allow for all files", Kind: acpclient.AllowAlways},
		{OptionID: "odd", Name: "Ask my lawyer", Kind: "ask_lawyer"},
		{OptionID: "no", Name: "No", Kind: acpclient.RejectAlways},
	}
	d, c := armed(p)
	for _, key := range []string{"y", "n"} {
		if got := strike(d, key); got != (NotTaken{}) {
			t.Errorf("%q did %#v", key, got)
		}
		if got := strike(d, "d"); got != (NotTaken{}) {
			t.Errorf("d right behind %q did %#v", key, got) // somebody types
		}
		c.pass(QuietTime)
	}
	if got := presses(t, d, "d", "enter"); got != giving(seen(7), "no") {
		t.Errorf("d and enter did %#v", got)
	}
	d, _ = armed(p)
	if got := presses(t, d, "a", "enter"); got != giving(seen(7), "a1") {
		t.Errorf("a and enter did %#v", got)
	}
	d, _ = armed(p)
	if got := presses(t, d, "enter", "enter"); got != giving(seen(7), "odd") {
		t.Errorf("enter, twice, did %#v", got) // none allows once
	}
	text := shownBy(d, 80, 24)
	for _, want := range []string{"a  ✓ Allow for this file", "Allow for all files", "• Ask my lawyer", "4  d  ✗ No"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
}

func TestPermissionIsInertAtFirst(t *testing.T) {
	env, c := newEnv()
	d := NewPermission(env, editPermission(), 1)
	if in := d.env.Guard.ArmsIn(c.now()); in != LookTime {
		t.Errorf("arms in %v", in)
	}
	if text := shownBy(d, 80, 24); strings.Contains(text, inertWords) {
		t.Errorf("nobody types, and it says so:\n%s", text)
	}
	for _, key := range []string{"1", "y", "enter", "esc", "down", "i"} {
		if got := strike(d, key); got != (NotTaken{}) {
			t.Errorf("%q did %#v", key, got)
		}
	}
	if got := d.Paste("y"); got != (NotTaken{}) {
		t.Errorf("pasting did %#v", got)
	}
	if text := shownBy(d, 80, 24); !strings.Contains(text, inertWords) {
		t.Errorf("it does not say that it takes no keys:\n%s", text)
	}
	c.pass(QuietTime - 1)
	if got := strike(d, "y"); got != (NotTaken{}) {
		t.Errorf("while typing goes on, y did %#v", got)
	}
	c.pass(QuietTime)
	if text := shownBy(d, 80, 40); strings.Contains(text, inertWords) {
		t.Errorf("it still says that it takes no keys:\n%s", text)
	}
	if got := strike(d, "y"); got != giving(seen(7), "once") {
		t.Errorf("after a pause, y did %#v", got)
	}
}

func TestPermissionWaitsForTypingThatBeganBefore(t *testing.T) {
	env, c := newEnv()
	env.Guard.Typed()
	c.pass(10 * time.Millisecond)
	d := NewPermission(env, editPermission(), 1)
	c.pass(LookTime) // 460 ms after the last key
	if got := strike(d, "y"); got != (NotTaken{}) {
		t.Errorf("y did %#v", got)
	}
}

// A double press answers one question, and reaches neither the next nor the
// prompt.
func TestDoublePressAnswersOnce(t *testing.T) {
	env, c := newEnv()
	first := NewPermission(env, editPermission(), 2)
	c.pass(LookTime)
	if got := strike(first, "y"); got != giving(seen(7), "once") {
		t.Fatalf("y did %#v", got)
	}
	second := NewPermission(env, runPermission(), 1)
	c.pass(80 * time.Millisecond)
	if !env.Guard.Repeats("enter") {
		t.Error("the second press counts as a key of its own")
	}
	if got := strike(second, "y"); got != (NotTaken{}) {
		t.Errorf("the second press did %#v to the next question", got)
	}
	c.pass(QuietTime)
	if got := strike(second, "y"); got != giving(seen(8), "once") {
		t.Errorf("a later press did %#v", got)
	}
}

func TestPermissionIgnoresKeysHeldDown(t *testing.T) {
	d, _ := armed(editPermission())
	for _, k := range []string{"y", "1"} {
		held := press(k)
		held.IsRepeat = true
		if got := d.Key(held); got != nil {
			t.Errorf("%q held down did %#v", k, got)
		}
	}
}

func TestPermissionPasteIsNoAnswer(t *testing.T) {
	env, c := newEnv()
	inert := NewPermission(env, editPermission(), 1)
	c.pass(LookTime - 1)
	inert.Paste("some text")
	if in := inert.env.Guard.ArmsIn(c.now()); in != QuietTime {
		t.Errorf("after a paste it arms in %v: pasting is writing", in)
	}
	d, _ := armed(editPermission())
	if got := d.Paste("y"); got != (NotTaken{}) {
		t.Errorf("pasting did %#v", got)
	}
}

func TestPermissionShowsTheWholeCommand(t *testing.T) {
	long := strings.Repeat("echo harmless && ", 40) + "rm -rf ~"
	for _, tt := range []struct{ name, raw, want string }{
		{"a string", `{"command":"go test ./..."}`, "$ go test ./..."},
		{"another name", `{"cmd":"ls"}`, "$ ls"},
		{"an array", `{"command":["bash","-lc","cd x && it's"]}`, `$ bash -lc 'cd x && it'\''s'`},
		{"arguments", `{"command":"npm","args":["run","my test"]}`, `$ npm run 'my test'`},
		{"control characters", `{"command":"a\u001b[2K\rb\u0007\u009b"}`, "$ a␛[2K␍b␇⟨U+009B⟩"},
		{"hidden text", `{"command":"a\u001b]0;rm -rf ~\u0007b"}`, "$ a␛]0;rm -rf ~␇b"},
		{"reordered text", `{"command":"a\u202eb\u200bc"}`, "$ a⟨U+202E⟩b⟨U+200B⟩c"},
		{"two lines", `{"command":"a\nb"}`, "$ a\nb"},
		{"elsewhere", `{"command":"a","cwd":"/etc"}`, "$ a\nin  /etc"},
		{"inside", `{"command":"a","cwd":"/home/ada/greet/sub"}`, "$ a\nin  sub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := runPermission()
			p.Asked.RawInput = []byte(tt.raw)
			d, _ := armed(p)
			if text := shownBy(d, 100, 40); !strings.Contains(text, tt.want) {
				t.Errorf("%q is not shown in\n%s", tt.want, text)
			}
		})
	}
	t.Run("long", func(t *testing.T) {
		p := runPermission()
		p.Asked.RawInput = []byte(`{"command":"` + long + `"}`)
		d, _ := armed(p)
		text := strings.ReplaceAll(scrolled(d, 60, 14), " ", "")
		if !strings.Contains(text, strings.ReplaceAll(long, " ", "")) {
			t.Errorf("the command is not shown whole:\n%s", text)
		}
		if top := shownBy(d, 60, 14); !strings.Contains(top, "more lines") {
			t.Errorf("it does not say that there is more:\n%s", top)
		}
	})
}

// scrolled is all that can be scrolled to, joined.
func scrolled(d *Permission, width, height int) string {
	d.View(width, height)
	strike(d, "home")
	var b strings.Builder
	seen := -1
	for range 1000 {
		v := d.View(width, height)
		for i := range d.placement.shown {
			if line := d.scroll.Top + i; line > seen {
				seen = line
				b.WriteString(strings.Trim(ansi.Strip(v.Lines[d.placement.body+i]), "│┃ "))
			}
		}
		if _, below := d.scroll.Hidden(); below == 0 {
			break
		}
		strike(d, "pgdown")
	}
	return b.String()
}

func TestPermissionShows(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	line := 3
	p := editPermission()
	p.Asked.Kind = "summon_daemon"
	p.Asked.Locations = []acpclient.ToolCallLocation{{Path: "/home/ada/greet/a.go", Line: &line}, {Path: "/home/ada/other/b.go"}, {Path: "c.go"}}
	p.Options = []acpclient.PermissionOption{
		{OptionID: "one", Name: "Yes", Kind: acpclient.AllowOnce},
		{OptionID: "two", Name: "Yes", Kind: acpclient.AllowAlways},
		{OptionID: "three", Name: " ", Kind: acpclient.RejectOnce},
	}
	env, c := newEnv()
	d := NewPermission(env, p, 3)
	c.pass(LookTime)
	text := shownBy(d, 80, 40)
	for _, want := range []string{
		"1 of 3", "• summon daemon  a.go:3\n", "\n~/other/b.go", "\nc.go\nGreet by name\n",
		"main.go  +9 −2", "✓ Yes  allows this once  one", "✓ Yes  allows always  two", "✗ unnamed option  rejects this once  three",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	if strings.Contains(text, "file_path") {
		t.Error("the raw input is shown without being asked for")
	}
	strike(d, "ctrl+r")
	if text := shownBy(d, 80, 50); !strings.Contains(text, `"file_path": "/home/ada/greet/main.go"`) {
		t.Errorf("the raw input is not shown:\n%s", text)
	}
}

// What each kind of content of a call shows.
func TestPermissionShowsContent(t *testing.T) {
	image := acpclient.ImageBlock("image/png", "QUJD")
	link := acpclient.ResourceLinkBlock("notes", "https://example.com/a\u202eb")
	resource := acpclient.TextResourceBlock("file:///home/ada/notes.md", "text/markdown", "**mind** the gap")
	block := func(b acpclient.ContentBlock) acpclient.ToolCallContent {
		return acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b}
	}
	for _, tt := range []struct {
		name    string
		content acpclient.ToolCallContent
		want    string
	}{
		{"text", acpclient.TextContent("some *words*"), "\nsome *words*\n"},
		{"text in a fence", acpclient.TextContent("```\nsome *words*\n```"), "some *words*\n\n1"},
		{"a new file", acpclient.DiffContent("/home/ada/other/new.go", nil, "package x\n"), "\n~/other/new.go  +1 −0  new file\n1 + package x\n"},
		{"a terminal", acpclient.TerminalContent("t"), "✎ edit  │ Greet by name\n\n1  y"},
		{"an image", block(image), "\n▣ image image/png  3 bytes\n"},
		{"a link", block(link), "\n▣ link notes  https://example.com/a⟨U+202E⟩b\n"},
		{"a resource", block(resource), "\n▣ file ~/notes.md  text/markdown, 16 bytes\nmind the gap\n"},
		{
			"an unknown kind",
			acpclient.ToolCallContent{Type: "hologram", Raw: []byte(`{"type":"hologram","depth":3}`)},
			"\ncontent of a kind that parley does not know: hologram\n{\n\"type\": \"hologram\",\n\"depth\": 3\n}\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HOME", "/home/ada")
			p := editPermission()
			p.Asked.Content, p.Asked.Locations = []acpclient.ToolCallContent{tt.content}, nil
			p.Asked.RawInput, p.Asked.Files = nil, []conversation.FileSeen{{Path: "/home/ada/other/new.go"}}
			d, _ := armed(p)
			text := shownBy(d, 80, 40)
			if want := "✎ edit  │ Greet by name\n"; !strings.Contains(text, want) {
				t.Errorf("%q is not shown in\n%s", want, text)
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("%q is not shown in\n%s", tt.want, text)
			}
		})
	}
}

func TestPermissionFollowsItsToolCall(t *testing.T) {
	conv := conversation.New()
	title := "Write a file"
	ask := &acpclient.RequestPermissionRequest{Options: usualOptions()}
	ask.ToolCall.ToolCallID, ask.ToolCall.Title = "t1", &title
	conv.Apply(conversation.PermissionOpened{ID: 1, Request: ask})
	d, c := armed(test.Permissions(conv)[0])
	if text := shownBy(d, 80, 24); !strings.Contains(text, title) {
		t.Fatalf("no title:\n%s", text)
	}
	better := "Write secrets.txt"
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t1", Title: &better}})
	if text := shownBy(d, 80, 24); !strings.Contains(text, better) {
		t.Errorf("the new title is not shown:\n%s", text)
	}
	// The user has not read what it is now.
	if got := strike(d, "y"); got != (NotTaken{}) {
		t.Errorf("y did %#v to a call that has just changed", got)
	}
	c.pass(QuietTime)
	status := acpclient.ToolInProgress
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t1", Status: &status}})
	if got := strike(d, "y"); got != giving(test.Permissions(conv)[0].Seen, "once") || d.asked.Revision != 2 {
		t.Errorf("y did %#v after a change of status alone", got)
	}
}

func TestPermissionWithoutOptions(t *testing.T) {
	p := editPermission()
	p.Options = nil
	d, _ := armed(p)
	if got := presses(t, d, "down", "enter", "esc"); got != (CancelTurn{}) {
		t.Errorf("esc did %#v", got)
	}
	if text := strings.Join(strings.Fields(shownBy(d, 80, 40)), " "); !strings.Contains(text, "offers no answers") {
		t.Errorf("it does not say so:\n%s", text)
	}
}

// However many options there are, what they are about stays in view, and each
// can be targetsVersion.
func TestPermissionWithManyOptions(t *testing.T) {
	p := editPermission()
	p.Options = nil
	for i := range 20 {
		p.Options = append(p.Options, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: fmt.Sprintf("option %d.", i), Kind: "odd"})
	}
	d, _ := armed(p)
	text := shownBy(d, 80, 16)
	if !strings.Contains(text, "✎ edit  main.go:6\nGreet by name") || !strings.Contains(text, "↕ ") {
		t.Errorf("what is asked, or that there are more options, is not shown:\n%s", text)
	}
	for i := range 20 {
		strike(d, "down")
		if text := shownBy(d, 80, 16); !strings.Contains(text, fmt.Sprintf("option %d.", i)) {
			t.Fatalf("option %d is marked and not shown:\n%s", i, text)
		}
	}
	if got := strike(d, "enter"); got != nil {
		t.Errorf("enter did %#v before the end of the change was seen", got)
	}
	strike(d, "end")
	d.View(80, 16)
	if got := strike(d, "enter"); got != giving(seen(7), "19") {
		t.Errorf("enter did %#v", got)
	}
}

func TestPermissionSaysWhatEscDoes(t *testing.T) {
	d, _ := armed(editPermission())
	if !slices.Contains(d.Hints(), Hint{"esc", "cancel the turn"}) {
		t.Errorf("hints: %v", d.Hints())
	}
}

// A path that is found to lead out makes the question inert, also if it is laid out anew
// for another reason at the same time.
func TestAPathThatLeadsOutIsNewsBesideTheRawInput(t *testing.T) {
	env, c := newEnv()
	env.Facts = &toolview.Facts{Roots: []string{env.Cwd}}
	d := NewPermission(env, editPermission(), 1)
	c.pass(LookTime)
	d.View(80, 40)
	strike(d, "ctrl+r")
	env.Facts.Add(toolview.Found{Targets: map[string]toolview.Target{"/home/ada/greet/main.go": {Outside: true, Real: "/etc/hosts"}}})
	d.View(80, 40)
	if d.env.Guard.ArmsIn(c.now()) == 0 {
		t.Error("the question takes keys")
	}
}

// The hints name the letters of the answers that have no number.
func TestHintsNameTheLettersOfAnswers(t *testing.T) {
	p := &conversation.Permission{Asking: conversation.Asking{Seen: seen(7)}, Asked: &conversation.ToolCall{ID: "t", Title: "Pick"}}
	for i := range 12 {
		p.Options = append(p.Options, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(fmt.Sprint(i)), Name: fmt.Sprint("Option ", i)})
	}
	d, _ := armed(p)
	for _, want := range []Hint{{"enter:", "select unknown kind: Option 0"}, {"1-9 b c e ↑↓", "select"}} {
		if !slices.Contains(d.Hints(), want) {
			t.Errorf("the hints are %v, want %v", d.Hints(), want)
		}
	}
}

// What agents send as title, input and content is shown once.
func TestEachIsShownOnce(t *testing.T) {
	text := acpclient.TextContent
	run := func(title, content string) conversation.ToolCall {
		return conversation.ToolCall{Title: title, Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"make all"}`), Content: []acpclient.ToolCallContent{text(content)}}
	}
	for name, tt := range map[string]struct {
		call conversation.ToolCall
		once string
	}{
		"a command, its title and its content": {run("`make all`", "```console\n$ make all\n```"), "make all"},
		"a command in a line of code":          {run("make all", "`make all`"), "make all"},
		"the prompt of a subagent": {conversation.ToolCall{
			Title: "Look around", Kind: acpclient.ToolThink, RawInput: []byte(`{"prompt":"Look at\nall files."}`), Content: []acpclient.ToolCallContent{text("Look at\nall files.")},
		}, "all files."},
		"a patch beside its change": {conversation.ToolCall{
			Title: "write", Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/x.txt"}},
			RawInput: []byte(`{"filepath":"/home/ada/greet/x.txt","diff":"Index: /home/ada/greet/x.txt\n=====\n--- /home/ada/greet/x.txt\n+++ /home/ada/greet/x.txt\n@@ -0,0 +1,1 @@\n+hello file\n"}`),
			Content:  []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/x.txt", nil, "hello file\n")},
		}, "hello file"},
		"the path of a change": {conversation.ToolCall{
			Title: "write", Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/x.txt"}},
			Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/x.txt", nil, "hello\n")},
		}, "x.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := armed(&conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Asked: &tt.call, Options: usualOptions()})
			if text := shownBy(d, 80, 40); strings.Count(text, tt.once) != 1 {
				t.Errorf("%q is shown %d times:\n%s", tt.once, strings.Count(text, tt.once), text)
			}
		})
	}
}

// Every option has a key, as long as there are any, and no key has two.
func TestEveryOptionHasAKey(t *testing.T) {
	p := runPermission()
	p.Options = nil
	for range 60 {
		p.Options = append(p.Options, acpclient.PermissionOption{OptionID: "x", Name: "X", Kind: acpclient.AllowOnce})
	}
	d, _ := armed(p)
	taken := map[string]bool{}
	for i, r := range d.replies.list {
		for _, key := range r.keys {
			if taken[key] || key == "ctrl+r" || key == "alt+i" || key == "y" && i > 0 || key == "n" {
				t.Errorf("option %d has the key %q, which means something else", i, key)
			}
			taken[key] = true
		}
		if i >= 9 && i < 50 && len(r.keys) == 0 {
			t.Errorf("option %d has no key", i)
		}
	}
}

// A question that changes while words are written to it is not rejected by the enter
// that was meant for what it was.
func TestWordsToAQuestionThatChanges(t *testing.T) {
	d, c := armed(runPermission())
	presses(t, d, "tab", "n", "o")
	d.View(80, 24)
	other := *d.asked.Asked
	changed := conversation.New()
	changed.Apply(conversation.PermissionOpened{ID: 8, Request: &acpclient.RequestPermissionRequest{ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm -rf ~"}`)}}})
	other = *test.Permissions(changed)[0].Asked
	d.asked.Asked = &other
	d.asked.Revision++
	if got := strike(d, "enter"); got != nil {
		t.Errorf("enter did %#v", got)
	}
	c.pass(QuietTime)
	if got := strike(d, "enter"); got != (RejectWith{d.asked.Seen, "no", "no"}) {
		t.Errorf("after a look, enter did %#v", got)
	}
}

// proposed is a permission for which rules are proposed.
func proposed(proposals ...[]string) (*conversation.Conversation, *conversation.Permission) {
	title := "Run"
	c := conversation.New()
	c.Apply(conversation.PermissionOpened{ID: 7, Judging: true, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title, RawInput: []byte(`{"command":"go test"}`)}, Options: usualOptions(),
	}})
	c.Apply(conversation.PermissionReferred{ID: 7, Proposals: proposals})
	return c, test.Permissions(c)[0]
}

func TestARuleIsOfferedApartFromTheAgentsOptions(t *testing.T) {
	_, p := proposed([]string{"allow execute(go test)"})
	d, _ := armed(p)
	if s := shownBy(d, 100, 30); !strings.Contains(s, "§ Always allow (saved by parley)…") {
		t.Errorf("not offered:\n%s", s)
	}
	if a := presses(t, d, "r"); a != (ProposeRules{7}) {
		t.Errorf("r did %#v", a)
	}
	if a := presses(t, d, "4"); a != (ProposeRules{7}) {
		t.Errorf("4 did %#v", a)
	}
	_, p = proposed()
	d, _ = armed(p)
	if s := shownBy(d, 100, 30); strings.Contains(s, "§") {
		t.Errorf("offered without a rule to propose:\n%s", s)
	}
}

// When the agent changes what it asks, the rules that were proposed are about
// something else.
func TestAStaleRuleIsNotOffered(t *testing.T) {
	conv, p := proposed([]string{"allow execute(go test)"})
	d, c := armed(p)
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm"}`)}})
	shownBy(d, 100, 30)
	c.pass(ReplaceTime)
	if s := shownBy(d, 100, 30); strings.Contains(s, "§") {
		t.Errorf("still offered:\n%s", s)
	}
	if a := presses(t, d, "4"); a != (NotTaken{}) {
		t.Errorf("4 did %#v", a)
	}
}

// Lines of a question of parley's own are text from outside: shown whole, and seen
// before anything is answered.
func TestLinesOfAQuestion(t *testing.T) {
	env, c := newEnv()
	lines := []string{"allow read(\u202ex)", strings.Repeat("x", 300), "two\nlines"}
	for range 40 {
		lines = append(lines, "deny edit")
	}
	d := newConfirm(env, app.Question{Title: "T", Text: "Text", Lines: lines, Choices: []app.Choice{{Name: "Yes", Here: pick("yes")}}})
	d.View(80, 20)
	c.pass(LookTime)
	if s := shownBy(d, 80, 20); strings.Contains(s, "\u202e") || !strings.Contains(s, "⟨U+202E⟩") {
		t.Errorf("drawn as\n%s", s)
	}
	if a := presses(t, d, "1"); a != nil {
		t.Errorf("answered before all was seen: %#v", a)
	}
	for range 10 {
		presses(t, d, "pgdown")
		d.View(80, 20)
	}
	if a := did(presses(t, d, "1")); a != (picked{"yes"}) {
		t.Errorf("not answered though all was seen: %#v", a)
	}
}
