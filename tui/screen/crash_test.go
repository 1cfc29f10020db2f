//go:build unix

package screen_test

import (
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/ptytest"
)

// However the program dies, the terminal is as it was, and what was said about it
// can be read.
func TestGivesTheTerminalBackWhenItDies(t *testing.T) {
	t.Parallel()
	by := func(sig syscall.Signal) func(*ptytest.Terminal) {
		return func(term *ptytest.Terminal) { signalProgram(t, term, sig) }
	}
	press := func(key string) func(*ptytest.Terminal) {
		return func(term *ptytest.Terminal) { term.Press(key) }
	}
	for name, tt := range map[string]struct {
		die  func(*ptytest.Terminal)
		said []string
	}{
		"panic in Update":      {press("U"), []string{"in Update", "exit 1"}},
		"panic in a command":   {press("C"), []string{"in a command", "exit 1"}},
		"panic in a goroutine": {press("G"), []string{"panic: in a goroutine", "exit 2"}},
		"fatal error":          {press("F"), []string{"fatal error: sync: unlock of unlocked mutex", "exit 2"}},
		"os.Exit":              {press("X"), nil},
		"signal to quit":       {by(syscall.SIGQUIT), []string{"goroutine "}},
		"signal to abort":      {by(syscall.SIGABRT), []string{"goroutine "}},
		"signal to terminate":  {by(syscall.SIGTERM), nil},
		"signal to die":        {by(syscall.SIGKILL), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := startInShell(t, ptytest.Options{Cols: 80, Rows: 100, Widths: ptytest.Negotiated})
			term.WaitFor("before")
			before := term.State()
			term.Press("enter")
			taken(term).Press("m", "f", "t", "p", "c").WaitFor("last: key c.")
			tt.die(term)
			before.CursorStyle = 0
			diff := ""
			defer func() {
				if diff != "" {
					t.Log(diff)
				}
			}()
			term.WaitState("the terminal is as it was", func(s ptytest.State) bool {
				diff = cmp.Diff(before, s)
				return diff == ""
			}).WaitFor(tt.said...)
			term.Press("enter").WaitExit()
		})
	}
}

// The program does not die before the terminal is given back, where it has a last
// word to say: a shell that looks at the terminal first would take what it finds
// for what was meant.
func TestACrashWaitsForTheTerminal(t *testing.T) {
	t.Parallel()
	for range 10 {
		term := launch(t, ptytest.Options{
			Cmd: []string{"sh", "-c", `"$0"; stty -a | grep -o -e '-*icanon' -e '-*echo ' -e '-*opost'; echo "exit $?"; read go`, self(t)},
		})
		taken(term).Press("G").WaitFor("exit 0")
		if s := term.Screen(); s.Contains("-icanon") || s.Contains("-echo") || s.Contains("-opost") {
			t.Fatalf("the terminal was still raw when the program had gone:\n%s", s)
		}
		term.Press("enter").WaitExit()
	}
}
