//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// A person looks for what a key does, by words and by the key.
func TestFindsAKeyInTheHelp(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake"})
	p.Ready().Press("f1").Shows("Send the prompt", "type find")
	p.Type("Next mode").Shows("shift+tab", "Next mode").Gone("Send the prompt")
	p.Press("esc").Shows("Send the prompt")
	p.Type("f5").Shows("Review and undo changes").Gone("Send the prompt")
	p.Press("esc", "esc").Gone("Review and undo changes")
	p.Leave()
}

// In a window of the smallest size the help can be read to its end.
func TestReadsTheHelpInASmallWindow(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake", Cols: 40, Rows: 12})
	p.WaitFor("Type a prompt")
	p.Press("f1").Shows("Help", "more lines")
	p.Press("end").Shows("always reject", "↑ ")
	p.Press("esc").Gone("always reject")
}

// A person goes to a section of the guide, and looks for a word in it.
func TestFindsASectionOfTheGuide(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake"})
	p.Ready().Press("f1").Shows("tab guide").Press("tab").Shows("The guide to parley", "tab contents")
	p.Press("tab").Shows("Guide: contents").Type("sandbox").Press("enter")
	p.Shows("Most agents read, write and run things without asking").Gone("Guide: contents")
	p.Press("/").Type("bubblewrap").Press("enter").Shows("bubblewrap: ")
	p.Press("esc").Gone("bubblewrap: ")
	p.Press("esc").Gone("tab contents")
	p.Leave()
}

// What was chosen in the palette stands first there, also after the next start.
func TestThePaletteRemembersWhatWasChosen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Script: "handshake", Home: home})
	p.Ready().Press("ctrl+p").Shows("Command palette").Gone("recently used")
	p.Type("Name the tab").Shows("❯   Name the tab").Press("enter").Shows("Name the tab")
	p.Press("esc").Gone("Name the tab")
	waitForFile(t, filepath.Join(home, ".local", "state", "parley", "recent.json"), "rename_tab")
	p.Leave()
	p = Start(t, Options{Script: "handshake", Home: home})
	p.Ready().Press("ctrl+p").Shows("recently used", "❯   Name the tab")
	p.Press("esc").Gone("Command palette")
	p.Leave()
}

// noAgents is an environment in which no agent of this machine is found.
func noAgents(t *testing.T) string {
	t.Helper()
	return "PATH=" + t.TempDir()
}

// Without an agent there is a list to begin with: agents, sessions, and what could be
// installed.
func TestTheFirstScreen(t *testing.T) {
	t.Parallel()
	home, project := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	p := Start(t, Options{Home: home, Project: project, Script: "handshake\nexpect session/prompt\nend-turn\n"})
	p.Ready().Ask("tidy the shed").Shows("tidy the shed").Idle().Leave()

	bin := test.Parley(t)
	first := &Parley{t: t, Terminal: ptytest.Start(t, ptytest.Options{
		Cmd: []string{bin}, Dir: project, Home: home, Env: []string{"PARLEY_DEMO_SPEED=0", noAgents(t)},
	})}
	first.Shows("Choose an agent", "❯   The tour", "Resume a session of this directory", "tidy the shed",
		"No agent is installed", "Claude Agent", "more agents…")
	first.Type("kiro").Shows("Enter copies the command", "❯   Kiro CLI").Press("enter").Shows("the install command of Kiro")
	first.Press("esc").Shows("❯   The tour").Press("enter").Shows("I am the tour", "Next: the first step")
	first.Press("esc").Gone("Next: the first step").Idle()
	first.Press("ctrl+d").Exits(0)
}

// The tour begins by itself, and waits until each of its steps was read: on a terminal of
// 24 lines all of a step is in sight then. esc ends it.
func TestTheTourBeginsByItself(t *testing.T) {
	t.Parallel()
	bin := test.Parley(t)
	p := &Parley{t: t, focused: hex(theme.New(true).BorderFocused), Terminal: ptytest.Start(t, ptytest.Options{
		Cmd: []string{bin, "-a", "tour"}, Cols: 80, Rows: 24, Env: []string{"PARLEY_DEMO_SPEED=0"},
	})}
	p.Shows("● Welcome to parley", "Next: the first step").accept()
	p.Shows("● 1. Reading", "Next: the file").accept()
	p.Shows("There it is", "gets no greeting", "Next: fixing it").accept()
	p.Shows("● 2. Changing a file", "rejecting is fine", "Next: the change").accept()
	p.Question("Greet everybody").Answer("Reject")
	p.Shows("● 3. Running a command", "Next: the command").accept()
	p.Question("sh check.sh").Answer("Reject")
	p.Shows("Next: the keys").accept()
	p.Shows("● 4. The keys", "help, with every key", "Next: more keys").accept()
	p.Shows("cancel what I am doing", "Next: the end").TakesKeys().Press("esc").Shows("The tour stops here").Idle()
	p.Press("ctrl+d").Exits(0)
}

// accept accepts the question whether to go on.
func (p *Parley) accept() {
	p.t.Helper()
	p.TakesKeys().Press("right", "enter")
}
