//go:build unix

package screen_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/test/ptytest"
)

// startAsJob runs the fixture as a shell does that can stop and continue it.
func startAsJob(t *testing.T) *ptytest.Terminal {
	t.Helper()
	return launch(t, ptytest.Options{
		Keep: true,
		// It is left alone for longer than it waits to be stopped.
		Cmd: []string{"sh", "-mc", `printf '\033]2;mine\007before\n'; read go; "$0"; printf '\r\nstopped %s\r\n' $?; read go; sleep 0.2; fg; echo "exit $?"; read go`, self(t)},
	})
}

func TestStopsAndContinues(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*ptytest.Terminal){
		"by the program":  func(term *ptytest.Terminal) { term.Press("z") },
		"by the terminal": func(term *ptytest.Terminal) { signalProgram(t, term, syscall.SIGTSTP) },
	}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := startAsJob(t)
			term.WaitFor("before")
			before := term.State()
			term.Press("enter")
			taken(term).Press("m", "f", "n").WaitFor("count: 1.")
			own := term.State()
			stop(term)
			term.WaitFor("before", "stopped "+strconv.Itoa(128+int(syscall.SIGTTIN)))
			if d := cmp.Diff(before, term.State()); d != "" {
				t.Errorf("the terminal is not as it was:\n%s", d)
			}
			term.Resize(100, 30).Press("enter")
			term.WaitFor("screen 100x30", "last: resumed.", "count: 1.")
			if d := cmp.Diff(own, term.State()); d != "" {
				t.Errorf("the terminal was not taken back:\n%s", d)
			}
			term.Press("n").WaitFor("count: 2.").Press("q").WaitFor("before", "exit 7")
			if d := cmp.Diff(before, term.State()); d != "" {
				t.Errorf("the terminal is not as it was:\n%s", d)
			}
			term.Press("enter").WaitExit()
			if n := strings.Count(term.Raw(), ansi.SetModeAltScreenSaveCursor); n != 2 && n != 3 {
				// Three times if the shell continues it before the terminal is its own.
				t.Errorf("the terminal was taken %d times, for the start and when it went on", n)
			}
		})
	}
}

// A process that was stopped without being asked finds the terminal in the hands
// of the shell.
func TestTakesTheTerminalAfterAStopThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	term := startAsJob(t)
	term.WaitFor("before").Press("enter")
	taken(term).Press("n").WaitFor("count: 1.")
	own := term.State()
	signalProgram(t, term, syscall.SIGSTOP)
	term.WaitFor("stopped " + strconv.Itoa(128+int(syscall.SIGSTOP)))
	term.Send("\n") // the terminal is still raw
	term.WaitFor("screen 80x24", "last: resumed.", "count: 1.")
	if d := cmp.Diff(own, term.State()); d != "" {
		t.Errorf("the terminal was not taken back:\n%s", d)
	}
	term.Press("q").WaitFor("exit 7").Press("enter").WaitExit()
}

// Without a shell that could continue it, a process is not stopped.
func TestDoesNotStopWithoutAShell(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{}))
	term.Press("z").WaitFor("last: resumed.")
	term.Press("n").WaitFor("count: 1.").Press("q")
	if code := term.WaitExit(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}

// An editor that is stopped by ctrl+z stops the program with it.
func TestStopsWithTheProgramThatHasTheTerminal(t *testing.T) {
	t.Parallel()
	term := startAsJob(t)
	term.WaitFor("before").Press("enter")
	taken(term).Press("v").WaitFor("IN CHARGE", "stopped")
	term.Press("enter").WaitFor("BACK").Press("enter").WaitFor("screen 80x24", "last: ended: <nil>.")
	term.Press("n").WaitFor("count: 1.").Press("q").WaitFor("exit 7").Press("enter").WaitExit()
}

// signalProgram sends a signal to the program that the shell has started.
func signalProgram(t *testing.T, term *ptytest.Terminal, sig syscall.Signal) {
	t.Helper()
	b, err := os.ReadFile(term.Dir() + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}
