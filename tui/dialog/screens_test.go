package dialog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/session"
	"parley/tui/theme"
)

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newEnv() (Env, *clock) {
	c := &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	return Env{Theme: theme.New(true), Keys: config.DefaultKeys(), Guard: NewGuard(c.now), Cwd: "/home/ada/greet", Now: c.now}, c
}

// press makes a key press of its name.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"home": tea.KeyHome, "end": tea.KeyEnd, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
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

func editPermission() *session.Permission {
	old := "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n"
	now := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tname := \"world\"\n\tif len(os.Args) > 1 {\n\t\tname = os.Args[1]\n\t}\n\tfmt.Printf(\"hello, %s\\n\", name)\n}\n"
	line := 6
	return &session.Permission{
		ID: 7,
		ToolCall: &session.ToolCall{
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

func runPermission() *session.Permission {
	return &session.Permission{
		ID: 8,
		ToolCall: &session.ToolCall{
			ID: "t2", Title: "Run the tests and clean up", Kind: acpclient.ToolExecute,
			RawInput: []byte(`{"command":"go test ./... -count=1 -run 'TestGreet|TestName' && \\\n  rm -rf ./build/cache && echo done \u001b[2K","cwd":"/home/ada/greet/sub"}`),
		},
		Options: usualOptions(),
	}
}

// TestScreens writes the screens to a directory, to be looked at.
func TestScreens(t *testing.T) {
	dir := os.Getenv("DIALOG_SCREENS")
	if dir == "" {
		t.Skip("DIALOG_SCREENS is not set")
	}
	for name, d := range screens() {
		for _, size := range [][2]int{{80, 16}, {120, 28}} {
			v := d.View(size[0], size[1])
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.ansi", name, size[0]))
			if err := os.WriteFile(file, []byte(strings.Join(v.Lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
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
	s.Key(press("l"))
	s.Key(press("3"))
	all["selector-filter"] = s
	all["selector-small"] = NewSelector(env, List{Title: "Mode", Items: []Item{{ID: "ask", Title: "Ask", Detail: "Asks before every change", Current: true}, {ID: "code", Title: "Code", Detail: "Edits files without asking"}}})
	return all
}
