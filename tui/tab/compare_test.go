package tab

import (
	"testing"

	"parley/acpclient"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/test"
)

// tabsOf is a row of tabs.
type tabsOf struct {
	singleTab
	all []*Tab
}

func (t tabsOf) All() []*Tab { return t.all }

// The clocks on the page go on while a side works, and no longer.
func TestTheClocksOfAComparison(t *testing.T) {
	home, side := newBench(t, t.TempDir()), newBench(t, t.TempDir())
	home.program.Tabs = tabsOf{all: []*Tab{home.Tab, side.Tab}}
	c := home.newComparison(&compare.Comparison{Sides: []*compare.Side{{Name: "agent", Tree: &git.Worktree{}}}})
	c.tabs[0] = side.Tab
	home.dialogs.Push(c.page)
	if home.Moves() {
		t.Error("something moves while none works")
	}
	side.events(test.At(conversation.PromptSent{}, side.clock))
	if !home.Moves() {
		t.Error("nothing moves while a side works")
	}
	side.events(test.At(conversation.TurnEnded{Reason: acpclient.StopEndTurn}, side.clock))
	if home.Moves() {
		t.Error("something moves after the turn of the side")
	}
}
