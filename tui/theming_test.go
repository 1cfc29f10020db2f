package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/tui/screen"
	"parley/tui/theme"
)

// The names that the configuration takes are those of the themes that there are, and so
// are the colours of a file.
func TestConfigurationKnowsTheThemes(t *testing.T) {
	var names []config.Theme
	for _, s := range theme.Schemes() {
		names = append(names, config.Theme(s.Name))
	}
	if !slices.Equal(names, config.BuiltInThemes()) {
		t.Errorf("there are %q, and the configuration knows %q", names, config.BuiltInThemes())
	}
	colours := config.ThemeColours()
	slices.Sort(colours)
	if !slices.Equal(colours, theme.Meanings()) {
		t.Errorf("there are %q, and the configuration knows %q", theme.Meanings(), colours)
	}
}

// accent is the colour by which the theme on the screen is told.
func (p *program) accent() any { return p.program.Theme.Accent.GetForeground() }

func accentOf(name string, depth theme.Depth) any {
	return theme.Named(name).Theme(depth).Accent.GetForeground()
}

func TestThemeFollowsTheBackground(t *testing.T) {
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
}

// What the inspector shows in full takes the colours of the terminal's other background,
// though nothing passes between parley and the agent then.
func TestTheInspectorFollowsTheTheme(t *testing.T) {
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

// themesIn makes a configuration directory with themes of the person's own.
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
	own, err := theme.Named("nord").With("mine", map[string]string{"accent": "#123456"})
	if err != nil || p.accent() != own.Theme(theme.TrueColor).Accent.GetForeground() {
		t.Error("the chosen theme is not shown")
	}
	p.mustShow("Keep it? parley then writes", `theme = "mine"`)
	p.clock = p.clock.Add(time.Minute)
	p.press("1")
	p.until("it is kept", func() bool { return strings.Contains(p.screen(), "kept: the theme mine") })
	if c, err := config.Load(config.ConfigFile()); err != nil || c.Themes.Chosen != "mine" {
		t.Errorf("the configuration has %v (%v)", c, err)
	}
	p.openThemes()
	p.press("enter") // it is the one that is kept
	p.mustNotShow("kept for good")
	p.send(screen.BackgroundMsg{Dark: false})
	if p.accent() != own.Theme(theme.TrueColor).Accent.GetForeground() || p.Frame().Background {
		t.Error("a theme that was chosen follows the background")
	}
}

// Where nothing is to move, nothing does: the screen stays the same, in words.
func TestReducedMotion(t *testing.T) {
	for _, reduced := range []bool{false, true} {
		p := newProgram(t, map[string]string{"works": works})
		p.Model.program.ReducedMotion = reduced
		p.tabs, p.front = nil, nil
		p.show(p.add())
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
}
