package desk

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/tui/dialog"
	"parley/tui/theme"
)

func newDesk() *Desk {
	guard := dialog.NewGuard(time.Now)
	return New(guard, func() dialog.Env {
		return dialog.Env{Theme: theme.New(true), Keys: config.DefaultKeys(), Guard: guard, Now: time.Now}
	})
}

// What is said stays until its own time is over: the end of what was said before it does
// not take it away.
func TestSay(t *testing.T) { synctest.Test(t, testSay) }

func testSay(t *testing.T) {
	d := newDesk()
	first := d.Say("first")
	second := d.SayIf(errors.New("it said \x1b]0;owned\x07so"))
	if d.SayIf(nil) != nil || strings.ContainsRune(d.Said(), '\x1b') || !strings.Contains(d.Said(), "so") {
		t.Errorf("%q is said", d.Said())
	}
	over := func(cmd tea.Cmd) { cmd().(Then)() }
	if over(first); d.Said() == "" {
		t.Error("the end of the first took the second away")
	}
	if over(second); d.Said() != "" {
		t.Errorf("%q is still said", d.Said())
	}
}

func TestTell(t *testing.T) {
	d := newDesk()
	d.Tell("Nothing was merged", "there is no branch")
	text := ansi.Strip(strings.Join(d.Dialogs.Top().View(60, 20).Lines, "\n"))
	for _, words := range []string{"Nothing was merged", "there is no branch", "Close"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
}

// A command that has nothing to follow brings no message, and so nothing is drawn again.
func TestBeside(t *testing.T) {
	if msg := Beside(func() Then { return nil })(); msg != nil {
		t.Errorf("%T came of nothing", msg)
	}
	called := false
	then := Beside(func() Then { return func() tea.Cmd { called = true; return nil } })()
	if then.(Then)(); !called {
		t.Error("what follows was not carried out")
	}
}
