//go:build linux || darwin

package linemode_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
)

// onTTY is a terminal: the user's side of it, and what it echoes.
func onTTY(t *testing.T) (*reading, *reading) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	echo := &reading{t: t, more: make(chan struct{})}
	go func() { _, _ = io.Copy(echo, master) }()
	r := follows(t, asking, tty)
	r.in = master
	t.Cleanup(func() { r.leave(); tty.Close(); master.Close() })
	return r, echo
}

// What a terminal holds of a line that was begun before the question was asked is
// dropped.
func TestTheBeginningOfALineOnATerminalIsDropped(t *testing.T) {
	r, echo := onTTY(t)
	r.reads("\n> ").types("go\n").reads("2. Reject").types("1")
	echo.reads("go", "1") // it is in the terminal
	r.looks().reads("What you typed before this line is not an answer.", "Answer 1 to 2")
	r.types("\n").reads("Not one of the choices. Nothing was answered.", "Answer 1 to 2")
	r.types("2\n").reads("Agent: It was rejected.")
}

// A command from a pipe is waited for, too.
func TestACommandFromAPipeIsWaitedFor(t *testing.T) {
	goes := filepath.Join(t.TempDir(), "goes")
	r := follows(t, "handshake\n", nil)
	r.types("!echo begun; until test -e " + goes + "; do sleep 0.01; done; echo and on\n").in.(io.Closer).Close()
	r.reads("You ran: ", "\nbegun\n")
	if err := os.WriteFile(goes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.reads("and on\n", "exit code 0", "Leaving.").leaves()
}
