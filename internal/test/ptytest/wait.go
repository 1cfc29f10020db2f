package ptytest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// patience bounds every wait: 30 s, times the factor in PARLEY_TEST_TIMEOUT
// (as in PARLEY_TEST_TIMEOUT=4 for a slow machine). No test that passes waits
// so long.
func patience(d time.Duration) time.Duration {
	if f, err := strconv.ParseFloat(os.Getenv("PARLEY_TEST_TIMEOUT"), 64); err == nil && f > 0 {
		return time.Duration(float64(d) * f)
	}
	return d
}

const waitBound = 30 * time.Second

// Screen is the last whole frame.
func (term *Terminal) Screen() Screen {
	term.mu.Lock()
	defer term.mu.Unlock()
	return *term.screen.current()
}

// Line is the text of row y of the screen, from 0.
func (term *Terminal) Line(y int) string { return term.Screen().Line(y) }

// Cell is the character at column x, row y, from 0.
func (term *Terminal) Cell(x, y int) Cell { return term.Screen().Cell(x, y) }

// Cursor is where the text cursor is, and whether it is shown.
func (term *Terminal) Cursor() Cursor { return term.Screen().Cursor }

// AltScreen reports whether the program has taken the whole screen.
func (term *Terminal) AltScreen() bool { return term.Screen().AltScreen }

// WaitFor waits until every one of the texts is on the screen at once.
func (term *Terminal) WaitFor(texts ...string) *Terminal {
	term.t.Helper()
	return term.WaitUntil("the screen shows "+quoted(texts), func(s Screen) bool {
		for _, text := range texts {
			if !s.Contains(text) {
				return false
			}
		}
		return true
	})
}

// WaitForRegexp waits until the text of the screen matches.
func (term *Terminal) WaitForRegexp(expr string) *Terminal {
	term.t.Helper()
	re := regexp.MustCompile(expr)
	return term.WaitUntil(fmt.Sprintf("the screen matches %#q", expr), func(s Screen) bool { return re.MatchString(s.String()) })
}

// WaitGone waits until text is not on the screen. It holds at once when the
// text has not come yet: wait for the text first.
func (term *Terminal) WaitGone(text string) *Terminal {
	term.t.Helper()
	return term.WaitUntil(fmt.Sprintf("%q is gone from the screen", text), func(s Screen) bool { return !s.Contains(text) })
}

// WaitUntil waits until ok holds for the screen, and ends the test when it
// does not within 30 s (see PARLEY_TEST_TIMEOUT) or can no longer, because the
// program has ended. The description completes "expected that …".
func (term *Terminal) WaitUntil(description string, ok func(Screen) bool) *Terminal {
	term.t.Helper()
	bound := patience(waitBound)
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	for ended := false; ; {
		term.mu.Lock()
		screen, frame := *term.screen.current(), term.frame
		term.mu.Unlock()
		if ok(screen) {
			return term
		}
		if ended {
			term.failf("expected that %s, but the program has ended%s", description, term.exitNote())
		}
		select {
		case <-frame:
		case <-term.eof:
			ended = true
		case <-timeout.C:
			term.failf("expected within %v that %s", bound, description)
		}
	}
}

// exitNote says how the program ended. Its terminal closes a moment before that is
// known, if it ends at all.
func (term *Terminal) exitNote() string {
	if within(patience(waitBound), term.exited) {
		return " with " + term.cmd.ProcessState.String()
	}
	return ""
}

// failf ends the test with a message and the screen.
func (term *Terminal) failf(format string, args ...any) {
	term.t.Helper()
	term.shown = true
	term.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), term.picture())
}

func (term *Terminal) picture() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	note := ""
	if n := term.screen.panics; n > 0 {
		note = fmt.Sprintf("\n(the emulator could not draw %d pieces of the output)", n)
	}
	return "the screen of " + strings.Join(term.cmd.Args, " ") + ":\n" + term.screen.current().framed() + note
}

func quoted(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, strconv.Quote(text))
	}
	return strings.Join(all, " and ")
}
