// This file tries a part of a tab without the tab: a person who sees what is said
// and asked, and presses keys.

package tab

import (
	"slices"
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

// Bench is a desk, and a person before it.
type deskBench struct {
	*desk
	// Env is what dialogs are made with.
	Env  dialog.Env
	t    *testing.T
	came chan tea.Msg
}

// Run runs a test with a desk, in time that passes only when everything waits.
func runBench(t *testing.T, test func(t *testing.T, b *deskBench)) {
	synctest.Test(t, func(t *testing.T) {
		guard := dialog.NewGuard(time.Now)
		b := &deskBench{t: t, came: make(chan tea.Msg, 100), Env: dialog.Env{
			Theme: theme.New(true), Keys: config.DefaultKeys(), Guard: guard, Now: time.Now, Cwd: t.TempDir(),
		}}
		b.desk = newDesk(guard, func() dialog.Env { return b.Env })
		b.Dialogs.Show()
		test(t, b)
		time.Sleep(time.Minute) // what is said for a moment is over before the test is
	})
}

// Do carries out a command and all that follows from it at once. What only time brings,
// such as the end of what is said for a moment, does not come.
func (b *deskBench) Do(cmd tea.Cmd) {
	b.t.Helper()
	b.start(cmd)
	for {
		synctest.Wait()
		select {
		case msg := <-b.came:
			b.take(msg)
		default:
			return
		}
	}
}

func (b *deskBench) start(cmd tea.Cmd) {
	if cmd != nil {
		go func() { b.came <- cmd() }()
	}
}

func (b *deskBench) take(msg tea.Msg) {
	b.t.Helper()
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.start(cmd)
		}
	case then:
		b.start(msg())
	default:
		b.t.Errorf("nobody takes a %T", msg)
	}
}

// Choose chooses what begins with these words in the dialog on top.
func (b *deskBench) Choose(words string) {
	b.t.Helper()
	for range 50 {
		at := slices.IndexFunc(b.lines(), func(l string) bool {
			return strings.Contains(l, "❯ ") && strings.Contains(l, words)
		})
		if at >= 0 {
			b.Press("enter")
			return
		}
		b.Press("down")
	}
	b.t.Fatalf("%q cannot be chosen in\n%s", words, b.Screen())
}

// Press presses keys in the dialog on top, and carries out what it decides.
func (b *deskBench) Press(keys ...string) {
	b.t.Helper()
	for _, name := range keys {
		if b.Dialogs.Empty() {
			b.t.Fatalf("there is no dialog for %s", name)
		}
		time.Sleep(time.Second) // a person looks first; a question that has just come up takes no key
		switch a := b.Dialogs.Top().Key(press(name)).(type) {
		case dialog.Close:
			b.Dialogs.Pop()
		case dialog.Do:
			b.Dialogs.Pop()
			b.Do(a())
		case dialog.Stay:
			b.Do(a())
		}
	}
}

// press is the message of a key.
func press(name string) tea.KeyPressMsg {
	named := map[string]rune{"enter": tea.KeyEnter, "down": tea.KeyDown, "up": tea.KeyUp, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace}
	if code, ok := named[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func (b *deskBench) lines() []string {
	if b.Dialogs.Empty() {
		return nil
	}
	return strings.Split(ansi.Strip(strings.Join(b.Dialogs.Top().View(100, 40).Lines, "\n")), "\n")
}

// Screen is the dialog on top, as it is read.
func (b *deskBench) Screen() string { return strings.Join(b.lines(), "\n") }

// MustSay wants these words to be said, or to stand in the dialog on top.
func (b *deskBench) MustSay(words string) {
	b.t.Helper()
	if !strings.Contains(b.Said(), words) && !strings.Contains(b.Screen(), words) {
		b.t.Errorf("it does not say %q but %q, and\n%s", words, b.Said(), b.Screen())
	}
}
