package tab

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What an agent may do without asking is the last thing that the status line drops.
func TestTheModeStaysOnTheStatusLine(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.SessionOpened{ID: "s", Cwd: b.cwd, State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
		CurrentModeID: "yolo", AvailableModes: []acpclient.SessionMode{{ID: "yolo", Name: "BYPASS ALL PERMISSIONS"}},
	}}})
	b.branch = strings.Repeat("a-branch-with-a-long-name/", 10)
	for width := 30; width <= 200; width++ {
		line := b.statusLine(width)
		if !strings.Contains(ansi.Strip(line), "BYPASS ALL PERMISSIONS") {
			t.Errorf("at %d columns it is %q", width, ansi.Strip(line))
		}
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("it is %d wide where there is room for %d", w, width)
		}
	}
}
