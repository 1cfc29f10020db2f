//go:build unix

package screen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/test/ptytest"
)

func TestFollowsTheTerminalsColours(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env  []string
		fg   string
		bold bool
	}{
		"true colour":            {[]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, "#ff0000", true},
		"256 colours":            {[]string{"TERM=xterm-256color", "COLORTERM="}, "196", true},
		"16 colours":             {[]string{"TERM=xterm", "COLORTERM="}, "9", true},
		"NO_COLOR":               {[]string{"NO_COLOR=1"}, "", true},
		"NO_COLOR with any word": {[]string{"NO_COLOR=please"}, "", true},
		"dumb":                   {[]string{"TERM=dumb", "COLORTERM="}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := taken(start(t, ptytest.Options{Env: tt.env}))
			term.Press("k").WaitFor("red bold")
			if c := term.Cell(0, 3); c.FG != tt.fg {
				t.Errorf("red is %q, want %q", c.FG, tt.fg)
			}
			if c := term.Cell(4, 3); c.Bold != tt.bold {
				t.Errorf("bold is %v, want %v", c.Bold, tt.bold)
			}
			term.Press("q").WaitExit()
		})
	}
}

// Whatever the terminal makes of characters on which terminals do not agree, the
// text behind them stands where it belongs, and the rows below are whole.
func TestKeepsTextBehindContestedCharactersInPlace(t *testing.T) {
	t.Parallel()
	for name, widths := range map[string]ptytest.Widths{
		"clusters": ptytest.Clusters, "code points": ptytest.CodePoints, "negotiated": ptytest.Negotiated,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := taken(start(t, ptytest.Options{Widths: widths}))
			if widths == ptytest.Negotiated {
				term.WaitState("mode 2027 is set", func(s ptytest.State) bool { return s.Has(ansi.ModeUnicodeCore) })
			}
			term.Press("x").WaitFor("last: key x.", "end of it.", "plain", strings.Repeat("0", 80))
			s := term.Screen()
			for _, word := range []string{"family", "thumb", "flag", "heart", "key", "new", "end of it."} {
				if !strings.Contains(s.Line(3), word) {
					t.Errorf("%q is not in the line %q", word, s.Line(3))
				}
			}
			if got := s.Line(6); got != strings.Repeat("0", 80) {
				t.Errorf("the line below is %q", got)
			}
			if x, _, _ := s.Find("plain"); s.Cell(x-2, 5).BG != "4" || s.Cell(x, 5).BG != "" {
				t.Error("the background does not end where it should")
			}
			term.Press("n").WaitFor("count: 1.", "end of it.")
			term.Press("q").WaitExit()
		})
	}
}

func TestDrawsWholeFrames(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{}))
	before := term.Updates()
	term.Press("n").WaitFor("count: 1.", strings.Repeat("1", 80))
	if got := term.Updates() - before; got < 1 {
		t.Error("a large change is not a synchronized update")
	}
	term.Press("q").WaitExit()
}

// A terminal that takes nothing holds up nobody: keys are taken all the same, and
// when it goes on it gets the newest frame and not all that have been.
func TestSlowTerminalHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const keys = 500
	term := taken(start(t, ptytest.Options{}))
	term.Hold()
	for range keys {
		term.Press("n")
	}
	term.Press("d")
	count, frames := waitDone(t, term)
	if count != keys {
		t.Errorf("%d of %d keys were taken", count, keys)
	}
	if frames > keys/10 {
		t.Errorf("%d frames were drawn for a terminal that takes none", frames)
	}
	before := term.Written()
	term.Resume().WaitFor(fmt.Sprintf("count: %d.", keys))
	if written := term.Written() - before; written > 64<<10 {
		t.Errorf("%d bytes were written to catch up", written)
	}
	term.Press("q").WaitExit()
}

// waitDone waits for the file that says what the program has done.
func waitDone(t *testing.T, term *ptytest.Terminal) (count, frames int) {
	t.Helper()
	file := filepath.Join(term.Dir(), "done")
	timeout := time.After(2 * time.Minute)
	ticker := time.NewTicker(5 * time.Millisecond) // nothing tells when the file is there
	defer ticker.Stop()
	for {
		b, err := os.ReadFile(file)
		if n, _ := fmt.Sscan(string(b), &count, &frames); err == nil && n == 2 {
			return count, frames
		}
		select {
		case <-ticker.C:
		case <-timeout:
			t.Fatal("the program takes no keys")
		}
	}
}

// What moves by itself is drawn, though its messages come faster than it is.
func TestDrawsWhatMovesByItself(t *testing.T) {
	t.Parallel()
	term := taken(start(t, ptytest.Options{}))
	term.Press("s").WaitForRegexp(`count: \d\d+\.`)
	term.Press("q").WaitExit()
}

// Nothing runs while nothing happens: no clock, no writing.
func TestDoesNothingWhenIdle(t *testing.T) {
	if testing.Short() {
		t.Skip("has to wait and see")
	}
	term := taken(start(t, ptytest.Options{}))
	term.Press("n").WaitFor("count: 1.")
	pid := term.Pid()
	bound := time.Now().Add(time.Minute) // a busy machine needs longer for all that a start is
	for {
		wrote, woken := term.Written(), switches(t, pid)
		time.Sleep(3 * time.Second)
		written, woke := term.Written()-wrote, switches(t, pid)-woken
		if written == 0 && woke <= 4 {
			break
		}
		if time.Now().After(bound) {
			t.Fatalf("in 3 s an idle program has written %d bytes, and woken up %d times", written, woke)
		}
	}
	term.Press("q").WaitExit()
}

// switches is how often the program's threads have gone to sleep so far.
func switches(t *testing.T, pid int) (n int) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if len(files) == 0 {
		t.Skip("needs /proc")
	}
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for line := range strings.Lines(string(b)) {
			var k int
			if _, err := fmt.Sscanf(line, "voluntary_ctxt_switches:%d", &k); err == nil {
				n += k
			}
		}
	}
	return n
}
