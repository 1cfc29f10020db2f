//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// A user looks for what a key does, by words and by the key.
func TestFindsAKeyInTheHelp(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake"})
	p.Ready().Press("f1").Shows("Send the prompt", "/ type an action or a key")
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

// A user goes to a section of the guide, and looks for a word in it.
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
	p.Type("Rename tab").Shows("❯   Rename tab").Press("enter").Shows("Rename tab")
	p.Press("esc").Gone("Rename tab")
	waitForFile(t, filepath.Join(home, ".local", "state", "parley", "recent.json"), "rename_tab")
	p.Leave()
	p = Start(t, Options{Script: "handshake", Home: home})
	p.Ready().Press("ctrl+p").Shows("recently used", "❯   Rename tab")
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
	first.Shows("Choose an agent", "The tour", "Resume a session of this directory", "❯   tidy the shed",
		"No agent is installed", "Claude Code", "more agents…")
	first.Type("kiro").Shows("Enter copies the command", "❯   Kiro CLI").Press("enter").Shows("the install command of Kiro")
	first.Press("esc").Shows("❯   tidy the shed").Press("down").Shows("❯   The tour").Press("enter").Shows("How should I fix the loop?")
	first.HangUp().WaitExit() // esc cancels the turn, or declines the form once that takes keys
}

// The tour begins by itself, goes on by itself, and stops at its form, its change and its
// command only.
func TestTheTourGoesByItself(t *testing.T) {
	t.Parallel()
	p := tours(t, "PARLEY_DEMO_SPEED=0")
	p.Shows("● 2. Answering a question", "How should I fix the loop?").TakesKeys().Press("enter", "enter")
	p.Question("Greet everybody").Answer("Reject")
	p.Question("sh check.sh").Answer("Reject")
	p.Shows("● That's the tour", "Demo Large").Idle()
	p.Press("ctrl+d").Exits(0)
}

// A key skips the pauses of the tour, each press one, and esc ends it. On a terminal of 24
// lines all of what is said before a pause is in sight.
func TestTheTourPausesUntilAKeySkips(t *testing.T) {
	t.Parallel()
	p := tours(t, "PARLEY_DEMO_SPEED=1000000")
	p.Shows("A newcomer", "enter skip ahead", "Enter skips ahead").Press("enter")
	p.Shows("● Welcome to parley", "always names the keys").Press("enter")
	p.Shows("● 1. Reading").Press("enter").Shows("● 1. Reading", "inside this folder only")
	p.Press("esc").Gone("enter skip ahead").Idle()
	p.Press("ctrl+d").Exits(0)
}

// tours starts the tour on a small terminal.
func tours(t *testing.T, env ...string) *Parley {
	t.Helper()
	bin := test.Parley(t)
	return &Parley{t: t, focused: hex(theme.New(true).BorderFocused), Terminal: ptytest.Start(t, ptytest.Options{
		Cmd: []string{bin, "-a", "tour"}, Cols: 80, Rows: 24, Env: env,
	})}
}
