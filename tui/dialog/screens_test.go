package dialog

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// newEnv is what dialogs are made with that get into sight now.
func newEnv() (Env, *clock) {
	c := &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	env := Env{Theme: theme.New(true), Keys: config.Default(TestActions).Keys, Guard: NewGuard(c.now), Cwd: "/home/ada/greet", Now: c.now}
	env.Facts = new(toolview.Facts)
	greet := editPermission().Asked.Content
	env.Facts.Add(toolview.Found{Positions: map[toolview.Fragment]toolview.DiffPosition{toolview.Fragments(greet)[0]: {Line: 1}}})
	env.Guard.open()
	return env, c
}

// press makes a key press of its name.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"home": tea.KeyHome, "end": tea.KeyEnd, "tab": tea.KeyTab, "f2": tea.KeyF2, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
	var k tea.Key
	for {
		switch {
		case strings.HasPrefix(name, "ctrl+"):
			k.Mod |= tea.ModCtrl
			name = name[len("ctrl+"):]
			continue
		case strings.HasPrefix(name, "alt+"):
			k.Mod |= tea.ModAlt
			name = name[len("alt+"):]
			continue
		case strings.HasPrefix(name, "shift+"):
			k.Mod |= tea.ModShift
			name = name[len("shift+"):]
			continue
		}
		break
	}
	switch code, ok := special[name]; {
	case ok:
		k.Code = code
	case name == "space":
		k.Code, k.Text = ' ', " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}

func editPermission() *conversation.Permission {
	old := "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n"
	now := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tname := \"world\"\n\tif len(os.Args) > 1 {\n\t\tname = os.Args[1]\n\t}\n\tfmt.Printf(\"hello, %s\\n\", name)\n}\n"
	line := 6
	return &conversation.Permission{
		Asking: conversation.Asking{Seen: seen(7)},
		Asked: &conversation.ToolCall{
			ID: "t1", Title: "Greet by name", Kind: acpclient.ToolEdit,
			Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/main.go", Line: &line}},
			Content:   []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, now)},
			RawInput:  []byte(`{"file_path":"/home/ada/greet/main.go"}`),
		},
		Options: usualOptions(),
	}
}

// giving is the action that answers a permission with an option.
func giving(q conversation.Seen, o acpclient.PermissionOptionID) Action {
	return Answer{session.Answer{Question: q, Option: o}}
}

// newAuth asks how to sign in.
func newAuth(env Env, message string, methods []acpclient.AuthMethod) *Confirm {
	q := app.Question{Title: "Sign in", Text: message, Choices: app.SignInChoices(methods)}
	for i := range q.Choices {
		q.Choices[i].Here = pick(string(methods[i].ID))
	}
	return newConfirm(env, q)
}

// seen names a question in its first revision.
func seen(id int) conversation.Seen { return conversation.Seen{ID: id, Revision: 1} }

func usualOptions() []acpclient.PermissionOption {
	return []acpclient.PermissionOption{
		{OptionID: "once", Name: "Yes", Kind: acpclient.AllowOnce},
		{OptionID: "always", Name: "Yes, and don't ask again for edits in this session", Kind: acpclient.AllowAlways},
		{OptionID: "no", Name: "No, and tell the agent what to do differently", Kind: acpclient.RejectOnce},
	}
}

func runPermission() *conversation.Permission {
	return &conversation.Permission{
		Asking: conversation.Asking{Seen: seen(8)},
		Asked: &conversation.ToolCall{
			ID: "t2", Title: "Run the tests and clean up", Kind: acpclient.ToolExecute,
			RawInput: []byte(`{"command":"go test ./... -count=1 -run 'TestGreet|TestName' && \\\n  rm -rf ./build/cache && echo done \u001b[2K","cwd":"/home/ada/greet/sub"}`),
		},
		Options: usualOptions(),
	}
}

// TestScreens holds the screens against those that were looked at. With
// DIALOG_SCREENS set to a directory they are written there in colour.
func TestScreens(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for name, d := range screens() {
		t.Run(name, func(t *testing.T) {
			v := d.View(80, 20)
			golden.RequireEqual(t, []byte(ansi.Strip(strings.Join(v.Lines, "\n"))+"\n"))
		})
		if dir := os.Getenv("DIALOG_SCREENS"); dir != "" {
			for _, width := range []int{80, 120} {
				lines := d.View(width, width/4).Lines
				file := filepath.Join(dir, fmt.Sprintf("%s-%d.ansi", name, width))
				if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func screens() map[string]Dialog {
	all := map[string]Dialog{}
	env, _ := newEnv()
	env.Guard.Typed()
	all["permission-inert"] = NewPermission(env, editPermission(), 3)
	env, c := newEnv()
	edit := NewPermission(env, editPermission(), 3)
	run := NewPermission(env, runPermission(), 1)
	c.pass(time.Second)
	edit.Key(press("down"))
	all["permission-edit"] = edit
	all["permission-run"] = run
	var items []command.Item
	for i := range 40 {
		items = append(items, command.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("model-%d", i), Detail: strings.Repeat("A model of its time. ", i%9), Group: []string{"Anthropic", "OpenAI", "Local"}[i/15], Current: i == 3, Why: map[bool]string{true: "not here"}[i == 5]})
	}
	all["selector"] = NewSelector(env, command.Choice{Title: "Model", Items: items})
	s := NewSelector(env, command.Choice{Title: "Model", Items: items})
	s.Key(press("m"))
	s.Key(press("3"))
	all["selector-filter"] = s
	all["selector-small"] = NewSelector(env, command.Choice{Title: "Mode", Items: []command.Item{{ID: "ask", Title: "Ask", Detail: "Asks before every change", Current: true}, {ID: "code", Title: "Code", Detail: "Edits files without asking"}}})
	f := NewElicitation(env, formElicitation(), "Claude Code")
	form2 := NewElicitation(env, formElicitation(), "Claude Code")
	l := NewElicitation(env, linkElicitation("https://ada@xn--80ak6aa92e.com/authorize?client_id=parley&redirect_uri=http%3A%2F%2Flocalhost%3A8721%2Fcallback&state=8f2b1c9d7e6a5b4c3d2e1f"), "Claude Code")
	auth := newAuth(env, "Authentication required: no credentials were found.", []acpclient.AuthMethod{
		{ID: "oauth", Name: "Log in with Google", Description: "Opens your browser"},
		{ID: "key", Name: "Use an API key", Description: "Reads GEMINI_API_KEY from the environment of the agent"},
		{ID: "tty", Name: "Sign in on the command line", Type: acpclient.AuthMethodTerminal, Args: []string{"login", "--no browser"}},
		{ID: "odd", Name: "Something new", Type: "smartcard"},
	})
	confirm := newConfirm(env, app.Question{
		Title: "The agent has stopped", Text: "claude-agent-acp ended with exit status 1. The conversation is kept.",
		Detail:  strings.Repeat("node:internal/modules/cjs/loader:1146\n  throw err;\n\x1b[31mError: Cannot find module 'zod'\x1b[0m\n", 4),
		Choices: []app.Choice{{Name: "Restart it", Key: "r"}, {Name: "Quit", Key: "q", Risky: true}},
	})
	c.pass(time.Second)
	all["form"] = f
	done := NewElicitation(env, formElicitation(), "Claude Code")
	c.pass(time.Second)
	done.SetTheme(theme.New(false))
	for range 6 {
		done.Key(press("tab"))
	}
	all["form-end-light"] = done
	form2.View(80, 20)
	for _, k := range []string{"A", "enter", "enter", "down", "enter", "space", "tab", "tab", "tab", "tab", "enter"} {
		form2.Key(press(k))
	}
	all["form-errors"] = form2
	all["link"] = l
	all["auth"] = auth
	all["confirm"] = confirm
	all["options"] = NewSelector(env, command.Choice{Title: "Options", Space: true, Items: optionItems()})
	all["options-values"] = NewSelector(env, command.Choice{Title: "Model", About: "The model that answers", Items: valueItems()})
	all["sessions"] = NewSelector(env, command.Choice{Title: "Sessions", Items: sessionItems()})
	all["agents"] = NewSelector(env, command.Choice{Title: "Agent", Items: []command.Item{
		{ID: "mine", Title: "My agent", Detail: "node agent.js --acp", Group: "Configured", Current: true},
		{ID: "claude", Title: "Claude Code", Detail: "claude-agent-acp", Group: "Found on this machine"},
		{ID: "codex", Title: "Codex CLI", Detail: "codex-acp", Group: "Found on this machine"},
	}})
	env, c = newEnv()
	plan := NewPermission(env, planPermission(), 1)
	c.pass(time.Second)
	all["permission-plan"] = plan
	return all
}

func planPermission() *conversation.Permission {
	return &conversation.Permission{Asking: conversation.Asking{Seen: seen(9)}, Asked: &conversation.ToolCall{
		Title: "Ready to code?", Kind: acpclient.ToolSwitchMode,
		Content: []acpclient.ToolCallContent{acpclient.TextContent("## Plan\n\n1. Read **main.go**\n2. Add a `name` argument\n3. Run the tests\n\nThe greeting stays the same for everybody who gives no name.")},
	}, Options: []acpclient.PermissionOption{
		{OptionID: "code", Name: "Yes, and auto-accept all actions", Kind: acpclient.AllowAlways},
		{OptionID: "ask", Name: "Yes, and manually accept actions", Kind: acpclient.AllowOnce},
		{OptionID: "reject", Name: "No, stay in architect mode", Kind: acpclient.RejectOnce},
	}}
}

func formElicitation() *conversation.Elicitation {
	raw := `{"mode":"form","message":"A few things before I make the project.","requestedSchema":{"type":"object","title":"New project","properties":{
		"name":{"type":"string","title":"Project name","description":"What the folder is called","minLength":3,"maxLength":20,"pattern":"^[a-z-]+$"},
		"mail":{"type":"string","title":"Your email","format":"email"},
		"license":{"type":"string","title":"License","oneOf":[{"const":"mit","title":"MIT","description":"short and permissive"},{"const":"gpl","title":"GPL 3","description":"changes stay free"}]},
		"parts":{"type":"array","title":"Parts","minItems":1,"items":{"anyOf":[{"const":"ci","title":"CI"},{"const":"docs","title":"Docs"},{"const":"lint","title":"Linter"}]},"default":["ci"]},
		"port":{"type":"integer","title":"Port","minimum":1024,"maximum":65535,"default":8080},
		"git":{"type":"boolean","title":"Git repository","default":true},
		"shape":{"type":"polygon","title":"Shape"}
	},"required":["name","license"]}}`
	return elicitation(raw)
}

func elicitation(raw string) *conversation.Elicitation {
	e := &conversation.Elicitation{Asking: conversation.Asking{Seen: seen(4)}, Request: &acpclient.CreateElicitationRequest{}}
	if err := acpclient.Unmarshal([]byte(raw), e.Request); err != nil {
		panic(err)
	}
	return e
}

func linkElicitation(url string) *conversation.Elicitation {
	return &conversation.Elicitation{Asking: conversation.Asking{Seen: seen(5)}, Request: &acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitURL, ElicitationID: "e1", URL: url, Message: "Connect your account so that I can read the issues.",
	}}
}

// optionItems are options of an agent as the list of them shows them, valueItems the values of one.
func optionItems() []command.Item {
	stay := func() {}
	return []command.Item{
		{ID: "mode", Title: "Mode", Detail: "Ask", About: "How much it asks before it acts", Stays: true, Do: stay},
		{ID: "model", Title: "Model", Detail: "Opus", About: "The model that answers", Stays: true, Do: stay},
		{ID: "brave", Title: "Brave mode", Detail: "off → on", About: "Uses experimental tools", Pending: true, Stays: true, Do: stay},
	}
}

func valueItems() []command.Item {
	return []command.Item{
		{ID: "opus", Title: "Opus", Detail: "Most capable", Group: "Anthropic", Current: true},
		{ID: "haiku", Title: "Haiku", Detail: "Fastest", Group: "Anthropic"},
		{ID: "qwen", Title: "Qwen", Detail: "Runs here", Group: "Local"},
	}
}

// sessionItems are sessions as the list of them shows them, the first one the session on
// the screen.
func sessionItems() []command.Item {
	return []command.Item{
		{ID: "s1", Title: "Greet by name", Used: time.Date(2026, 11, 21, 11, 57, 0, 0, time.UTC), Detail: "~/greet", Current: true},
		{ID: "s2", Title: "Why is the build slow?", Used: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Detail: "~/parley"},
		{ID: "s3", Title: "s3", Used: time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC), Detail: "/srv/data"},
	}
}

var (
	colours = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	links   = regexp.MustCompile("\x1b\\]8;[^\x1b\x07]*(\x1b\\\\|\x07)")
)

// badRune finds a character that must never reach the terminal.
func badRune(line string) (rune, bool) {
	line = links.ReplaceAllString(colours.ReplaceAllString(line, ""), "")
	for _, r := range line {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f {
			return r, true
		}
	}
	return 0, !utf8.ValidString(line)
}

// hostile is text as an agent could send it to do harm.
func hostile(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "word ", "日本語", "👩‍👩‍👧", "e\u0301", "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1b[2J", "\x1bP+q\x1b\\",
		"\x00", "\x07", "\b", "\r", "\r\n", "\n", "\t", "\x7f", "\u0085", "\u009b31m", "\u202e", "\u2066", "\u200b", "\u200f", "\ufeff", "\xff\xfe",
		"https://user@xn--80ak6aa92e.com/", "**bold**", "```\n", "|a|b|\n|-|-|\n", "…", "x.y/z", strings.Repeat("long", 30),
	}), 0, 8).Draw(t, name), "")
}

func hostileDialog(t *rapid.T, env Env) Dialog {
	text := func(name string) string { return hostile(t, name) }
	items := func() []command.Item {
		list := make([]command.Item, rapid.IntRange(0, 30).Draw(t, "items"))
		for i := range list {
			list[i] = command.Item{
				ID: text("id"), Title: text("title"), Detail: text("detail"), Group: text("group"),
				Why: text("why"), Current: rapid.Bool().Draw(t, "current"),
			}
		}
		return list
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		old, line := text("old"), 3
		p := &conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Asked: &conversation.ToolCall{
			Title: text("title"), Name: text("name"), Kind: acpclient.ToolKind(text("tool kind")),
			Locations: []acpclient.ToolCallLocation{{Path: text("path"), Line: &line}, {Path: "/" + text("path")}},
			Content: []acpclient.ToolCallContent{
				acpclient.TextContent(text("text")), acpclient.DiffContent(text("path"), &old, text("new")),
				{Type: acpclient.ToolContentType(text("content type"))},
			},
			RawInput: []byte(`{"command":` + quote(text("command")) + `,"cwd":` + quote(text("dir")) + `}`),
		}}
		for range rapid.IntRange(0, 12).Draw(t, "options") {
			p.Options = append(p.Options, acpclient.PermissionOption{
				OptionID: acpclient.PermissionOptionID(text("id")), Name: text("name"),
				Kind: rapid.SampledFrom([]acpclient.PermissionOptionKind{acpclient.AllowOnce, acpclient.RejectOnce, acpclient.AllowAlways, "odd"}).Draw(t, "kind"),
			})
		}
		return NewPermission(env, p, rapid.IntRange(0, 12).Draw(t, "waiting"))
	case 1:
		return NewSelector(env, command.Choice{Title: text("title"), Items: items(), Filter: rapid.Bool().Draw(t, "filter"), Empty: text("empty")})
	case 2:
		return NewElicitation(env, linkElicitation(rapid.SampledFrom([]string{"https://", "http://", ""}).Draw(t, "scheme")+text("url")), text("agent"))
	case 3:
		e := formElicitation()
		e.Request.Message, e.Request.RequestedSchema.Title = text("message"), text("title")
		for i := range e.Request.RequestedSchema.Properties {
			s := &e.Request.RequestedSchema.Properties[i].Schema
			s.Title, s.Description, s.Pattern, s.Format = text("title"), text("description"), text("pattern"), text("format")
			s.Default = []byte(quote(text("default")))
			for j := range s.OneOf {
				s.OneOf[j].Title, s.OneOf[j].Description = text("choice"), text("about")
			}
		}
		return NewElicitation(env, e, text("agent"))
	case 4:
		return newAuth(env, text("message"), []acpclient.AuthMethod{
			{ID: "1", Name: text("name"), Description: text("description")},
			{ID: "2", Name: text("name"), Type: acpclient.AuthMethodTerminal, Args: []string{text("arg")}},
			{ID: acpclient.AuthMethodID(text("id")), Type: acpclient.AuthMethodType(text("type"))},
		})
	case 5:
		return newConfirm(env, app.Question{Title: text("title"), Text: text("text"), Detail: text("detail"), Choices: []app.Choice{{Name: text("name"), Key: "x"}, {Name: "b"}}})
	}
	return newEntry(env, app.Question{Title: text("title"), Entered: text("text"), Hint: text("hint")})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Whatever the agent sends and the user presses, a dialog stays within its
// bounds and draws no control character.
func TestViewBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env, c := newEnv()
		env.Keys = config.Default(TestActions).Keys
		d := hostileDialog(t, env)
		if rapid.Bool().Draw(t, "armed") {
			c.pass(time.Second)
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				d.Paste(hostile(t, "pasted"))
			case 1:
				d.SetTheme(theme.New(rapid.Bool().Draw(t, "dark")))
			default:
				d.Key(press(rapid.SampledFrom([]string{
					"down", "up", "enter", "pgdown", "pgup", "home", "end", "space", "tab", "shift+tab", "i", "a", "x", "1", "backspace", "left", "right", "ctrl+w", "c", "o",
				}).Draw(t, "key")))
			}
			width, height := rapid.IntRange(0, 140).Draw(t, "width"), rapid.IntRange(0, 45).Draw(t, "height")
			v := d.View(width, height)
			if len(v.Lines) > height {
				t.Fatalf("%d lines where there is room for %d", len(v.Lines), height)
			}
			for i, l := range v.Lines {
				if w := ansi.StringWidth(l); w > width {
					t.Fatalf("line %d is %d wide where there is room for %d: %q", i, w, width, l)
				}
				if r, bad := badRune(l); bad {
					t.Fatalf("line %d holds %U: %q", i, r, l)
				}
			}
			if cur := v.Cursor; cur != nil && (cur.X < 0 || cur.X >= width || cur.Y < 0 || cur.Y >= len(v.Lines)) {
				t.Fatalf("the cursor is at %d,%d of %dx%d", cur.X, cur.Y, width, len(v.Lines))
			}
			for _, h := range d.Hints() {
				if _, bad := badRune(h.Key + h.Text); bad {
					t.Fatalf("hint %q", h)
				}
			}
		}
	})
}

// In the narrowest window that parley works in, a question says whole why it takes no
// answer, and how much of it is hidden.
func TestTheFrameOfAQuestionIsNotCut(t *testing.T) {
	env, c := newEnv()
	env.Guard.Typed()
	d := NewPermission(env, editPermission(), 3)
	for _, step := range []struct {
		words string
		pass  time.Duration
	}{{inertBrief, 0}, {unseenBrief, time.Second}} {
		c.pass(step.pass)
		lines := strings.Split(strings.TrimSpace(shownBy(d, 40, 8)), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, step.words+" · ↕ ") || strings.Contains(last, "…") {
			t.Errorf("the frame ends with %q", last)
		}
	}
	if text := shownBy(d, 80, 8); !strings.Contains(text, unseenWords) {
		t.Errorf("where there is room, it is not said in full:\n%s", text)
	}
}

// The names of actions are what a list is looked through for: they have most of the room.
func TestNamesInANarrowListAreReadable(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Title: "Command palette", Items: []command.Item{
		{ID: "1", Title: "go to the next tab", Detail: "ctrl+pgdown, and others"}, {ID: "2", Title: "leave", Detail: "ctrl+d"},
	}})
	if text := shownBy(s, 40, 10); !strings.Contains(text, "go to the next tab") {
		t.Errorf("a name is cut:\n%s", text)
	}
}

// Where a filter fits nothing, there is nothing that enter could choose.
func TestAListWithoutAFitSaysNotThatEnterChooses(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Title: "Mode", Filter: true, Items: []command.Item{{ID: "ask", Title: "Ask"}, {ID: "code", Title: "Code"}}})
	chooses := func() bool {
		for _, h := range s.Hints() {
			if h.Text == "choose" {
				return true
			}
		}
		return false
	}
	if !chooses() {
		t.Error("nothing says that enter chooses")
	}
	s.Paste("zzz")
	if chooses() {
		t.Error("enter is said to choose, and nothing is there to be chosen")
	}
}

// A form says whole what each of its fields wants, and shows all of its buttons.
func TestAFormIsNotCutInANarrowWindow(t *testing.T) {
	env, c := newEnv()
	d := NewElicitation(env, formElicitation(), "Claude Code")
	c.pass(time.Second)
	text := shownBy(d, 40, 100)
	for _, whole := range []string{"Accept", "Decline", "Cancel"} {
		if !strings.Contains(text, whole) {
			t.Errorf("%q is cut:\n%s", whole, text)
		}
	}
	if strings.Contains(text, "…") {
		t.Errorf("something is cut:\n%s", text)
	}
}

// Where only a few lines of what is asked about have room, a page is all of them.
func TestASmallPageHasNoLineTwice(t *testing.T) {
	d, _ := armed(editPermission())
	shown := func() int { return d.placement.shown }
	d.View(40, 8)
	if shown() != 2 {
		t.Fatalf("%d lines are shown", shown())
	}
	top := d.scroll.Top
	d.Key(press("pgdown"))
	if by := d.scroll.Top - top; by != 2 {
		t.Errorf("a page of 2 lines goes %d on", by)
	}
}

// frameOf is how wide the frame of a dialog is.
func frameOf(d Dialog, width int) int { return termtext.Width(d.View(width, 30).Lines[0]) }

func TestDialogsAreNoWiderThanTheyNeed(t *testing.T) {
	short, _ := armed(runPermission())
	if got := frameOf(short, 200); got < 50 || got > 70 {
		t.Errorf("a short question is %d columns wide", got)
	}
	for name, d := range screens() {
		most := widest
		if strings.HasPrefix(name, "permission-") { // texts side by side
			most = 2 * widest
		}
		if got := frameOf(d, 300); got > most {
			t.Errorf("%s is %d columns wide", name, got)
		}
	}
}

func TestPermissionShowsChangesAsAsked(t *testing.T) {
	p := editPermission()
	d, _ := armed(p)
	d.env.Diffs = new(diffview.Preference)
	sideBySide := func(width int) bool {
		return strings.Contains(shownBy(d, width, 40), `import "fmt"`+strings.Repeat(" ", 4)) && frameOf(d, width) > widest
	}
	if !sideBySide(160) {
		t.Errorf("not side by side:\n%s", shownBy(d, 160, 40))
	}
	d.Key(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
	if sideBySide(160) {
		t.Errorf("still side by side:\n%s", shownBy(d, 160, 40))
	}
	if !d.env.Diffs.Unified {
		t.Error("what the user wants is not known to other views")
	}

	old, changed := strings.Repeat("same\n", 40)+"one\n", strings.Repeat("same\n", 40)+"two\n"
	p.Asked.Content[0].OldText, p.Asked.Content[0].NewText = &old, changed
	d, _ = armed(p)
	lines := func() int { return strings.Count(shownBy(d, 80, 100), "same") }
	for i, want := range []int{3, 12, 40, 3} {
		if got := lines(); got != want {
			t.Errorf("after %d keys %d lines of context are shown, want %d", i, got, want)
		}
		d.Key(tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl})
	}
}

// questions ask about a text in each place where a user must see all of it.
var questions = map[string]func(Env, string) Dialog{
	"command": func(env Env, s string) Dialog {
		p := runPermission()
		p.Asked.RawInput = []byte(`{"command":` + quote(s) + `}`)
		return NewPermission(env, p, 1)
	},
	"title": func(env Env, s string) Dialog {
		return NewPermission(env, &conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Asked: &conversation.ToolCall{Title: s}}, 1)
	},
	"path": func(env Env, s string) Dialog {
		p := &conversation.Permission{Asking: conversation.Asking{Seen: seen(1)}, Asked: &conversation.ToolCall{
			Title: "Write", Locations: []acpclient.ToolCallLocation{{Path: s}},
		}}
		return NewPermission(env, p, 1)
	},
	"content": func(env Env, s string) Dialog {
		p := editPermission()
		p.Asked.Content = []acpclient.ToolCallContent{acpclient.DiffContent("a.txt", nil, s)}
		return NewPermission(env, p, 1)
	},
	"option": func(env Env, s string) Dialog {
		p := runPermission()
		p.Options[1].Name = s
		return NewPermission(env, p, 1)
	},
	"message": func(env Env, s string) Dialog {
		e := formElicitation()
		e.Request.Message = s
		return NewElicitation(env, e, "agent")
	},
	"address": func(env Env, s string) Dialog {
		return NewElicitation(env, linkElicitation("https://example.com/"+s), "agent")
	},
	"confirmation": func(env Env, s string) Dialog {
		return newConfirm(env, app.Question{Title: "t", Text: s, Choices: []app.Choice{{Name: "a"}}})
	},
}

// Every character of what a user decides on stands on the screen.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	names := slices.Sorted(maps.Keys(questions))
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				env, c := newEnv()
				env.Keys = config.Default(TestActions).Keys
				name := rapid.SampledFrom(names).Draw(t, "question")
				text := strings.ToValidUTF8(test.HardText(16).Draw(t, "text"), "\ufffd")
				d := questions[name](env, text)
				c.pass(time.Second)
				width := rapid.IntRange(10, 200).Draw(t, "width")
				if name == "option" { // a marked name is shown whole
					d.Key(press("down"))
					d.Key(press("down"))
				}
				screen := test.ShowOnTerminal(on.Kind, d.View(width, 2000).Lines, width)
				if name != "content" && name != "message" && name != "confirmation" {
					text = termtext.Visible(text) // what cannot be seen is shown by its number
				}
				if name == "address" {
					text = strings.ReplaceAll(text, " ", "")
				}
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, screen)
				}
			})
		})
	}
}

// What a command does cannot be hidden behind emoji that the terminal draws wider
// than was planned.
func TestEmojiHideNothing(t *testing.T) {
	thumbs := strings.Repeat("👍🏽", 30)
	command := "echo " + thumbs + " ; rm -rf ~/important ; echo ok"
	env, _ := newEnv()
	screen := test.ShowOnTerminal(test.Wcwidth, questions["command"](env, command).View(100, 40).Lines, 100)
	if lost := test.MissingText(screen, command); lost != "" {
		t.Errorf("the screen lacks %q\n%s", lost, screen)
	}
}

// No width of the terminal takes a dash away.
func TestDashesStay(t *testing.T) {
	const command = "npm -- --watch foo-bar --a --b-c"
	env, _ := newEnv()
	for width := 10; width <= 200; width++ {
		for _, name := range []string{"title", "confirmation"} {
			screen := test.ShowOnTerminal(test.Wcwidth, questions[name](env, command).View(width, 200).Lines, width)
			if lost := test.MissingText(screen, command); lost != "" {
				t.Errorf("%s at %d columns: the screen lacks %q\n%s", name, width, lost, screen)
			}
		}
	}
}

// When it turns out how the terminal measures text, questions are laid out anew.
func TestViewFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	thumbs := strings.Repeat("👍🏽", 10)
	for name, ask := range questions {
		termtext.UseMethod(termtext.Safe)
		env, _ := newEnv()
		d := ask(env, thumbs)
		if name == "address" { // in which thumbs are numbers
			continue
		}
		if got := shownBy(d, 40, 60); strings.Contains(got, thumbs) {
			t.Errorf("%s: 40 cells of thumbs stand on one line:\n%s", name, got)
		}
		termtext.UseMethod(termtext.Graphemes)
		if got := shownBy(d, 40, 60); !strings.Contains(got, thumbs) {
			t.Errorf("%s: 20 cells of thumbs stand on several lines:\n%s", name, got)
		}
	}
}
