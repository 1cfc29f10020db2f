package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/screen"
	"parley/tui/tab"
	"parley/tui/theme"
)

// accent is the colour by which the theme on the screen is told.
func (p *program) accent() any { return p.program.Theme.Accent.GetForeground() }

func accentOf(name string, depth theme.Depth) any {
	return theme.Named(name).Theme(depth).Accent.GetForeground()
}

func TestThemeFollowsTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		p.Model.theming.themes.Light = "solarized-light"
		p.open("idle")
		if !p.Frame().Background {
			t.Fatal("the terminal is not asked to tell of its background")
		}
		p.send(screen.BackgroundMsg{Dark: false})
		if p.accent() != accentOf("solarized-light", theme.TrueColor) {
			t.Error("it did not become light")
		}
		if p.theming.asks {
			t.Error("the question for the exact background is not under way")
		}
		p.send(tea.BackgroundColorMsg{Color: theme.Named("dark").Theme(theme.TrueColor).Text.GetForeground()}) // a light one
		if p.accent() != accentOf("solarized-light", theme.TrueColor) {
			t.Error("a light background is not taken for one")
		}
		p.send(screen.BackgroundMsg{Dark: true})
		p.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI256})
		if p.accent() != accentOf("dark", theme.Colors256) {
			t.Error("it did not become dark again, with as many colours as there are")
		}
	})
}

// What the inspector shows in full takes the colours of the terminal's other background,
// though nothing passes between parley and the agent then.
func TestTheInspectorFollowsTheTheme(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inspecting := func(dark bool) (*program, string) {
			p := newProgram(t, map[string]string{"idle": idle})
			p.send(screen.BackgroundMsg{Dark: dark})
			p.open("idle")
			p.send(tea.KeyPressMsg{Code: tea.KeyF12})
			p.until("messages are listed", func() bool { return strings.Contains(p.screen(), "answer to initialize") })
			p.press("g", "enter")
			p.until("a message is shown in full", func() bool { return p.drawn(`"jsonrpc": "2.0"`) != "" })
			return p, p.drawn(`"jsonrpc"`)
		}
		_, inLight := inspecting(false)
		p, inDark := inspecting(true)
		if inLight == inDark {
			t.Fatal("both themes draw the same")
		}
		p.send(screen.BackgroundMsg{Dark: false})
		p.until("it has the colours of the light theme", func() bool { return p.drawn(`"jsonrpc"`) == inLight })
	})
}

// drawn is a line of the screen that has words, with its colours.
func (p *program) drawn(words string) string {
	for _, line := range p.draw().Lines {
		if strings.Contains(ansi.Strip(line), words) {
			return line
		}
	}
	return ""
}

// themesIn makes a configuration directory with themes of the user's own.
func themesIn(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.MkdirAll(filepath.Join(dir, "parley", "themes"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "parley", "themes", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// openThemes opens the list of themes from the palette, and waits for the files.
func (p *program) openThemes() {
	p.t.Helper()
	p.press("ctrl+p")
	for _, r := range "Choose the theme" {
		p.press(string(r))
	}
	p.press("enter")
	p.mustShow("Theme", "follows the terminal's background")
	p.until("the files are read", func() bool { return strings.Contains(p.screen(), "Yours") })
}

func TestThemeIsShownWhileItIsChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		themesIn(t, map[string]string{"mine.toml": "base = \"nord\"\naccent = \"#123456\"\n", "wrong.toml": "acent = \"#123456\"\n"})
		p.open("idle")
		p.height = 40
		p.openThemes()
		p.mustShow("mine", "wrong", `line 1: unknown colour "acent"`)

		p.press("n", "o", "r", "d")
		if p.accent() != accentOf("nord", theme.TrueColor) {
			t.Error("the marked theme is not shown")
		}
		p.press("esc") // the filter goes
		p.press("down", "esc")
		if p.accent() != accentOf("dark", theme.TrueColor) || !p.theming.follows() {
			t.Error("esc did not bring the former theme back")
		}
		p.mustNotShow("follows the terminal's background")

		p.openThemes()
		p.press("m", "i", "n", "e", "enter")
		own := theme.Named("nord").With("mine", config.Colours{Accent: "#123456"})
		if p.accent() != own.Theme(theme.TrueColor).Accent.GetForeground() {
			t.Error("the chosen theme is not shown")
		}
		p.mustShow("Keep it? parley then writes", `theme = "mine"`)
		p.clock = p.clock.Add(time.Minute)
		p.press("1", "enter")
		p.until("it is kept", func() bool { return strings.Contains(p.screen(), "kept: the theme mine") })
		if c, err := config.Load(config.ConfigFile(), tab.Actions()); err != nil || c.Themes.Chosen != "mine" {
			t.Errorf("the configuration has %v (%v)", c, err)
		}
		p.openThemes()
		p.press("enter") // it is the one that is kept
		p.mustNotShow("kept for good")
		p.send(screen.BackgroundMsg{Dark: false})
		if p.accent() != own.Theme(theme.TrueColor).Accent.GetForeground() || p.Frame().Background {
			t.Error("a theme that was chosen follows the background")
		}
	})
}

// Where nothing is to move, nothing does: the screen stays the same, in words.
func TestReducedMotion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, reduced := range []bool{false, true} {
			p := newProgram(t, map[string]string{"works": works})
			p.Model.program.ReducedMotion = reduced
			p.tabs, p.front = nil, nil
			p.show(p.add(p.cwd))
			p.start(p.front, "works")
			p.press("g", "o", "enter")
			p.until("it works", func() bool { return strings.Contains(p.screen(), "At it.") })
			p.mustShow("working")
			before := p.screen()
			for range 5 {
				p.clock = p.clock.Add(7 * time.Second)
				p.send(tickMsg{})
			}
			if moved := p.screen() != before; moved == reduced {
				t.Errorf("reduced motion %v, and moved %v:\n%s\n%s", reduced, moved, before, p.screen())
			}
		}
	})
}

// startedAs is a program of a version, as it stands when it has just been started: while
// an agent starts, or with the choice of one.
func startedAs(t *testing.T, version string, memory *config.RecentFile, agent *config.Agent) *Model {
	t.Helper()
	set, err := config.Parse("config.toml", []byte("[keys]\nnews = \"ctrl+f1\"\n"), tab.Actions())
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(t.Context(), Options{
		Config: set, Cwd: t.TempDir(), Version: version,
		Backend: app.Backend{
			Recent: memory, Make: func(context.Context, app.Spec) (*app.Opened, error) {
				<-t.Context().Done()
				return nil, t.Context().Err()
			},
			News: "# Changelog\n\n## 1.3.0\n\n- Sings.\n\n## 1.2.0\n\n- Hums.\n",
		},
	})
	m.first = m.front.Start(agent)
	if cmd := m.Update(m.recall()); cmd != nil {
		carryOut(cmd)
	}
	return m
}

// carryOut runs a command and those that are a part of it, and drops what they bring.
func carryOut(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, is := cmd().(tea.BatchMsg); is {
		for _, cmd := range batch {
			carryOut(cmd)
		}
	}
}

func TestANewVersionIsToldOfOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	memory := config.NewRecentFile(t.TempDir())
	_ = startedAs(t, "v1.2.0", memory, nil)
	if text := strings.Join(startedAs(t, "1.3.0", memory, nil).Frame().Lines, "\n"); strings.Contains(text, "/news") {
		t.Errorf("a command is named where none can be typed:\n%s", text)
	}
	for i, step := range []struct {
		version string
		told    bool
	}{
		{"v1.2.0", false}, // a fresh installation
		{"v1.2.0", false},
		{"1.3.0", true},
		{"1.3.0", false},
		{"v1.2.0", false}, // an older one beside it
		{"v1.3.0", false},
		{"dev", false},
	} {
		m := startedAs(t, step.version, config.NewRecentFile(dir), &config.Agent{ID: "slow"})
		text := strings.Join(m.Frame().Lines, "\n")
		if told := strings.Contains(text, "shows what is new"); told != step.told {
			t.Errorf("start %d, of %s: told %v:\n%s", i, step.version, told, text)
		}
		if !step.told {
			continue
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyF1, Mod: tea.ModCtrl})
		if text := strings.Join(m.Frame().Lines, "\n"); !strings.Contains(text, "What is new") || !strings.Contains(text, "Sings.") || strings.Contains(text, "shows what is new") {
			t.Errorf("the changes are\n%s", text)
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		if text := strings.Join(m.Frame().Lines, "\n"); !strings.Contains(text, "Type a prompt") {
			t.Errorf("behind the changes is\n%s", text)
		}
	}
}

// manyOptions is an agent that has a mode, works in a deep directory, and asks a
// question with many options.
const manyOptions = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask first"}]}}
expect session/prompt
say About to launch.
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Launch the moon", "kind": "execute", "rawInput": {"command": "launch --moon --with everything --that has to be said"}},
  "options": [
    {"optionId": "1", "name": "Allow it once", "kind": "allow_once"}, {"optionId": "2", "name": "Allow it always", "kind": "allow_always"},
    {"optionId": "3", "name": "Allow and launch two", "kind": "allow_once"}, {"optionId": "4", "name": "Not today", "kind": "reject_once"},
    {"optionId": "5", "name": "Reject it", "kind": "reject_once"}, {"optionId": "6", "name": "Reject it always", "kind": "reject_always"}
  ]
} as permission
await permission contains "6"
say Not launched.
end-turn
`

// sizes are those in which everything has its place.
func sizes() [][2]int {
	var all [][2]int
	for _, width := range []int{40, 41, 60, 79, 80, 120, 300} {
		for _, height := range []int{12, 13, 16, 24, 40, 100} {
			all = append(all, [2]int{width, height})
		}
	}
	return all
}

// resize gives the program a size and checks that its frame keeps to it.
func (p *program) resize(size [2]int) {
	p.t.Helper()
	p.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	f := p.Frame()
	if len(f.Lines) > size[1] {
		p.t.Errorf("on %v there are %d lines", size, len(f.Lines))
	}
	for _, line := range f.Lines {
		if w := termtext.Width(line); w > size[0] {
			p.t.Errorf("on %v a line is %d wide: %q", size, w, line)
		}
	}
}

// At each size that terminals have, the mode is told, the prompt is there, and every
// option of a question can be reached.
func TestNothingThatMattersIsCutAtAnySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": manyOptions})
		p.start(p.front, "asks")
		for _, size := range sizes() {
			p.resize(size)
			p.mustShowAt(size, "Ask first", "❯ Type a prompt")
			if p.Frame().Cursor == nil {
				t.Errorf("on %v there is no cursor", size)
			}
		}
		p.press("g", "o", "enter")
		p.until("it asks", func() bool { return p.front.State() == conversation.StandingAsks })
		p.wait()
		for _, size := range sizes() {
			p.resize(size)
			p.mustShowAt(size, "Ask first", "Answer")
			p.reachAll(size, "Allow it once", "Allow it always", "Allow and launch two", "Not today", "Reject it", "Reject it always")
		}
	})
}

// mustShowAt checks what is on the screen of a size.
func (p *program) mustShowAt(size [2]int, texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if s := p.screen(); !strings.Contains(s, text) {
			p.t.Errorf("on %v the screen lacks %q:\n%s", size, text, s)
		}
	}
}

// reachAll goes through the options of a question from the first to the last.
func (p *program) reachAll(size [2]int, options ...string) {
	p.t.Helper()
	for range options {
		p.press("up")
	}
	if !p.marked(options[0]) { // none was marked yet
		p.press("down")
	}
	for i, option := range options {
		if i > 0 {
			p.press("down")
		}
		if !p.marked(option) {
			p.t.Errorf("on %v nothing reaches %q:\n%s", size, option, p.screen())
		}
	}
}

// marked reports whether an option is in sight and marked.
func (p *program) marked(option string) bool {
	for line := range strings.SplitSeq(p.screen(), "\n") {
		if strings.Contains(line, "❯") && strings.Contains(line, option+" ") {
			return true
		}
	}
	return false
}

// The path steps back before the mode does.
func TestThePathGoesBeforeTheMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": manyOptions})
		p.cwd = "/" + strings.Repeat("a/deep/path/", 10)
		p.tabs, p.front = nil, nil
		p.show(p.add(p.cwd))
		p.start(p.front, "asks")
		for width := 40; width <= 300; width += 5 {
			p.resize([2]int{width, 24})
			p.mustShowAt([2]int{width, 24}, "Ask first")
		}
	})
}

// On a terminal that is too small a plain word says so, and what was there comes back.
func TestTooSmallATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": manyOptions})
		p.start(p.front, "asks")
		for _, size := range [][2]int{{39, 12}, {40, 11}, {20, 5}, {9, 2}, {1, 1}} {
			p.resize(size)
			want := fmt.Sprintf("%d×%d is too small", size[0], size[1])
			if size[0] >= 25 && !strings.Contains(p.screen(), want) {
				t.Errorf("on %v the screen is\n%s", size, p.screen())
			}
		}
		p.resize([2]int{40, 12})
		p.mustShow("❯ Type a prompt")
	})
}

// What is typed or pasted on a terminal that is too small goes into the draft. Nothing is
// answered or sent.
func TestTypingOnATerminalThatIsTooSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": manyOptions})
		p.start(p.front, "asks")
		p.press("g", "o", "enter")
		p.until("it asks", func() bool { return p.front.State() == conversation.StandingAsks })
		p.wait()
		p.resize([2]int{39, 11})
		p.press("t", "h", "e", "r", "r", "backspace", "e", "enter", "1", "enter")
		p.send(tea.PasteMsg{Content: "pasted"})
		if p.front.State() != conversation.StandingAsks {
			t.Error("a question was answered unseen")
		}
		p.resize([2]int{80, 40})
		p.mustShow("❯ there1pasted", "Allow it once")
	})
}

// Where there is little room, a list that takes all keys has that of the prompt, and what
// is said is seen all the same.
func TestAListHasRoomInALowTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": manyOptions})
		p.start(p.front, "asks")
		p.resize([2]int{40, 12})
		p.press("ctrl+p")
		rows := 0
		for _, line := range strings.Split(p.screen(), "\n") {
			if strings.HasPrefix(line, "│") {
				rows++
			}
		}
		if rows < 8 {
			t.Errorf("the palette has %d lines:\n%s", rows, p.screen())
		}
		p.mustShowAt([2]int{40, 12}, "Ask first", "esc close")
		p.press("esc")
		p.mustShowAt([2]int{40, 12}, "❯ Type a prompt")
	})
}
