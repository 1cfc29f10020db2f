package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What the tabs behind have said, and the terminal does not have yet, stays on it when the
// program ends, with the name of its tab, and before that of the tab in front.
func TestWhatTabsBehindHaveSaidStays(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle, "works": works, "asks": asks})
	p.inline = true
	front := p.front
	p.start(front, "works")
	p.press("g", "o", "enter")
	p.until("it works", func() bool { return shows(front, "At it.") })
	p.open("idle")
	back := p.open("asks")
	p.press("g", "o", "enter")
	p.until("it asks", func() bool { return shows(back, "About to launch.") })
	p.show(front)
	p.Frame()

	stays := ansi.Strip(strings.Join(p.Stay(), "\n"))
	for from, words := 0, []string{"── tab 3: ", "About to launch.", "── tab 1: ", "At it."}; len(words) > 0; words = words[1:] {
		at := strings.Index(stays[from:], words[0])
		if at < 0 || strings.Count(stays, words[0]) != 1 {
			t.Fatalf("%q does not stay once, in its place:\n%s", words[0], stays)
		}
		from += at
	}
	if strings.Contains(stays, "tab 2") {
		t.Errorf("a tab is named that has said nothing:\n%s", stays)
	}
}
