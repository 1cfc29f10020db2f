//go:build linux || darwin

package linemode

import (
	"bufio"
	"testing"

	"github.com/creack/pty"
)

// The terminal would break parley's own lines within words.
func TestOwnLinesBreakBetweenWords(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 5, Cols: 12}); err != nil {
		t.Fatal(err)
	}
	newPrinter(tty, true).words("type a prompt", "and enter")
	in := bufio.NewReader(master)
	for _, want := range []string{"type a\r\n", "prompt\r\n", "and enter\r\n"} {
		if got, err := in.ReadString('\n'); got != want || err != nil {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
}
