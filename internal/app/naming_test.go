package app

import (
	"strings"
	"testing"
)

// A session is called by the best that is known of it, on one short line without anything in
// it that a terminal would take as a command.
func TestTitle(t *testing.T) {
	if got := Title("", "\x1b[2J", "Agent"); got != "Agent" {
		t.Errorf("it is %q", got)
	}
	if got := Title("", strings.Repeat("tidy\n\x1b[31mup ", 1000), "Agent"); !strings.HasPrefix(got, "tidy") || len(got) > titleWidth+3 || strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("with a prompt it is %q", got)
	}
}
