package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A question that an agent asks without the end of a line is seen, once.
func TestWhatAnAgentPrintsIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := &shownLines{to: &out}
		shown := func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			return out.String()
		}
		for _, step := range []struct{ print, shown string }{
			{"Go to https://exa", ""},
			{"mple.com\r\nThe co", "Go to https://example.com\n"},
			{"de: \x1b[2J", "Go to https://example.com\n"},
		} {
			if _, err := w.Write([]byte(step.print)); err != nil {
				t.Fatal(err)
			}
			if got := shown(); got != step.shown {
				t.Errorf("after %q there is %q", step.print, got)
			}
			time.Sleep(restTime / 2)
			synctest.Wait()
		}
		time.Sleep(restTime)
		synctest.Wait()
		if got := shown(); !strings.Contains(got, "\nThe code:") || strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 2 {
			t.Errorf("there is %q", got)
		}
	})
}
