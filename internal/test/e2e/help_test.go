//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// A person looks for what a key does, by words and by the key.
func TestFindsAKeyInTheHelp(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake"})
	p.Ready().Press("f1").Shows("send the prompt", "type find")
	p.Type("next mode").Shows("shift+tab", "switch to the next mode").Gone("send the prompt")
	p.Press("esc").Shows("send the prompt")
	p.Type("f5").Shows("review what has changed").Gone("send the prompt")
	p.Press("esc", "esc").Gone("review what has changed")
	p.Leave()
}

// In a window of the smallest size the help can be read to its end.
func TestReadsTheHelpInASmallWindow(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake", Cols: 40, Rows: 12})
	p.WaitFor("Ask for something")
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
	p.Shows("Most agents read, write and run things by themselves").Gone("Guide: contents")
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
	p.Ready().Press("ctrl+p").Shows("Command palette").Gone("used last")
	p.Type("name the tab").Shows("❯   name the tab").Press("enter").Shows("Name the tab")
	p.Press("esc").Gone("Name the tab")
	waitForFile(t, filepath.Join(home, ".local", "state", "parley", "recent.json"), "rename_tab")
	p.Leave()
	p = Start(t, Options{Script: "handshake", Home: home})
	p.Ready().Press("ctrl+p").Shows("used last", "❯   name the tab")
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
	first.Shows("Choose an agent", "❯   The tour", "Go on with a session of this directory", "tidy the shed",
		"From the registry", "Amp")
	first.Type("kiro").Shows("Not on this machine: enter copies the line that installs one", "❯   Kiro CLI").Press("enter").Shows("the line that installs Kiro")
	first.Press("esc").Shows("❯   The tour").Press("enter").Shows("I am the tour")
	first.Press("ctrl+d").Exits(0)
}
