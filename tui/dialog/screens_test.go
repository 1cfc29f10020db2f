package dialog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
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
	env := Env{Theme: theme.New(true), Keys: config.DefaultKeys(), Guard: NewGuard(c.now), Cwd: "/home/ada/greet", Now: c.now}
	env.DiffPositions = new(toolview.DiffPositions)
	greet := editPermission().Asked.Content
	env.DiffPositions.Add(map[toolview.Fragment]toolview.DiffPosition{toolview.Fragments(greet)[0]: {Line: 1}})
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
		ID: 7,
		Asked: &conversation.ToolCall{
			ID: "t1", Title: "Greet by name", Kind: acpclient.ToolEdit,
			Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/main.go", Line: &line}},
			Content:   []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, now)},
			RawInput:  []byte(`{"file_path":"/home/ada/greet/main.go"}`),
		},
		Options: usualOptions(),
	}
}

func usualOptions() []acpclient.PermissionOption {
	return []acpclient.PermissionOption{
		{OptionID: "once", Name: "Yes", Kind: acpclient.AllowOnce},
		{OptionID: "always", Name: "Yes, and don't ask again for edits in this session", Kind: acpclient.AllowAlways},
		{OptionID: "no", Name: "No, and tell the agent what to do differently", Kind: acpclient.RejectOnce},
	}
}

func runPermission() *conversation.Permission {
	return &conversation.Permission{
		ID: 8,
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
	all["permission-inert"] = NewPermission(env, editPermission(), 3)
	env, c := newEnv()
	edit := NewPermission(env, editPermission(), 3)
	run := NewPermission(env, runPermission(), 1)
	c.pass(time.Second)
	edit.Key(press("down"))
	all["permission-edit"] = edit
	all["permission-run"] = run
	var items []Item
	for i := range 40 {
		items = append(items, Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("model-%d", i), Detail: strings.Repeat("A model of its time. ", i%9), Group: []string{"Anthropic", "OpenAI", "Local"}[i/15], Current: i == 3, Disabled: i == 5})
	}
	all["selector"] = NewSelector(env, List{Title: "Model", Items: items})
	s := NewSelector(env, List{Title: "Model", Items: items})
	s.Key(press("m"))
	s.Key(press("3"))
	all["selector-filter"] = s
	all["selector-small"] = NewSelector(env, List{Title: "Mode", Items: []Item{{ID: "ask", Title: "Ask", Detail: "Asks before every change", Current: true}, {ID: "code", Title: "Code", Detail: "Edits files without asking"}}})
	f := NewElicitation(env, formElicitation(), "Claude Code")
	form2 := NewElicitation(env, formElicitation(), "Claude Code")
	l := NewElicitation(env, linkElicitation("https://ada@xn--80ak6aa92e.com/authorize?client_id=parley&redirect_uri=http%3A%2F%2Flocalhost%3A8721%2Fcallback&state=8f2b1c9d7e6a5b4c3d2e1f"), "Claude Code")
	auth := NewAuth(env, "Gemini CLI", "Authentication required: no credentials were found.", []acpclient.AuthMethod{
		{ID: "oauth", Name: "Log in with Google", Description: "Opens your browser"},
		{ID: "key", Name: "Use an API key", Description: "Reads GEMINI_API_KEY from the environment of the agent"},
		{ID: "tty", Name: "Sign in on the command line", Type: acpclient.AuthMethodTerminal, Args: []string{"login", "--no browser"}},
		{ID: "odd", Name: "Something new", Type: "smartcard"},
	})
	confirm := NewConfirm(env, Confirmation{
		Title: "The agent has stopped", Text: "claude-agent-acp ended with exit status 1. The conversation is kept.",
		Detail:  strings.Repeat("node:internal/modules/cjs/loader:1146\n  throw err;\n\x1b[31mError: Cannot find module 'zod'\x1b[0m\n", 4),
		Choices: []Choice{{Name: "Restart it", Key: "r", Do: Run{"restart"}}, {Name: "Quit", Key: "q", Risky: true, Do: Run{"quit"}}},
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
	all["options"] = NewOptions(env, optionConversation())
	all["options-values"] = NewOption(env, optionConversation(), "model")
	all["sessions"] = NewSelector(env, List{Title: "Sessions", Items: sessionItems(env.Now())})
	all["agents"] = NewSelector(env, List{Title: "Agent", Items: AgentItems([]config.Agent{
		{ID: "mine", Name: "My agent", Command: "node", Args: []string{"agent.js", "--acp"}, Source: config.SourceConfigured, Default: true},
		{ID: "claude", Name: "Claude Code", Command: "claude-agent-acp", Source: config.SourceFound},
		{ID: "codex", Name: "Codex CLI", Command: "codex-acp", Source: config.SourceFound},
	})})
	env, c = newEnv()
	plan := NewPermission(env, planPermission(), 1)
	c.pass(time.Second)
	all["permission-plan"] = plan
	return all
}

func planPermission() *conversation.Permission {
	return &conversation.Permission{ID: 9, Asked: &conversation.ToolCall{
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
	e := &conversation.Elicitation{ID: 4, Request: &acpclient.CreateElicitationRequest{}}
	if err := acpclient.Unmarshal([]byte(raw), e.Request); err != nil {
		panic(err)
	}
	return e
}

func linkElicitation(url string) *conversation.Elicitation {
	return &conversation.Elicitation{ID: 5, Request: &acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitURL, ElicitationID: "e1", URL: url, Message: "Connect your account so that I can read the issues.",
	}}
}

func optionConversation() *conversation.Conversation {
	c := conversation.New()
	c.Apply(conversation.SessionOpened{State: acpclient.SessionState{ConfigOptions: []acpclient.SessionConfigOption{
		{ID: "mode", Name: "Mode", Description: "How much it asks before it acts", Category: acpclient.CategoryMode, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("ask"), Options: acpclient.Ungrouped(
			acpclient.ConfigSelectOption{Value: "ask", Name: "Ask"}, acpclient.ConfigSelectOption{Value: "code", Name: "Code"})},
		{ID: "model", Name: "Model", Description: "The model that answers", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("opus"), Options: acpclient.ConfigSelectOptions{
			{Group: "a", Name: "Anthropic", Options: acpclient.List[acpclient.ConfigSelectOption]{{Value: "opus", Name: "Opus", Description: "Most capable"}, {Value: "haiku", Name: "Haiku", Description: "Fastest"}}},
			{Group: "l", Name: "Local", Options: acpclient.List[acpclient.ConfigSelectOption]{{Value: "qwen", Name: "Qwen", Description: "Runs here"}}},
		}},
		{ID: "brave", Name: "Brave mode", Description: "Uses experimental tools", Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(false)},
		{ID: "slider", Name: "Temperature", Type: "range", Raw: []byte(`{}`)},
	}}})
	c.Apply(conversation.OptionChosen{Option: "brave", Value: acpclient.BoolValue(true), Seq: 1})
	return c
}

// sessionItems are sessions as the list of them shows them, the first one the session on
// the screen.
func sessionItems(now time.Time) []Item {
	items := []Item{
		SessionItem("Greet by name", time.Date(2026, 11, 21, 11, 57, 0, 0, time.UTC), now, "~/greet"),
		SessionItem("Why is the build slow?", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), now, "~/parley"),
		SessionItem("s3", time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC), now, "/srv/data"),
	}
	for i := range items {
		items[i].ID, items[i].Current = fmt.Sprintf("s%d", i+1), i == 0
	}
	return items
}
