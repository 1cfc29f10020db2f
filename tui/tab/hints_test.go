package tab

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// However narrow it is, one sees how to get out, or where help is.
func TestTheLastHintIsNeverCut(t *testing.T) {
	hints := []dialog.Hint{{Key: "enter", Text: "choose"}, {Key: "down", Text: "next"}, {Key: "type", Text: "filter"}, {Key: "esc", Text: "close"}}
	const all = "  enter choose  down next  type filter  esc close"
	for width := len(all) + 2; width >= 28; width-- {
		got := ansi.Strip(drawHints(hints, theme.New(true), width))
		if termtext.Width(got) > width || !strings.HasSuffix(got, "  esc close") {
			t.Errorf("in %d columns: %q", width, got)
		}
		if cut := len(all) > width; cut != strings.Contains(got, "…") || !cut && got != all {
			t.Errorf("in %d columns: %q", width, got)
		}
	}
	if got := ansi.Strip(drawHints(hints, theme.New(true), 40)); got != "  enter choose  down next  …  esc close" {
		t.Errorf("of what is before it: %q", got)
	}
	longer := []dialog.Hint{hints[0], {Key: "down", Text: "the next one of the list"}, hints[2], hints[3]}
	if got := ansi.Strip(drawHints(longer, theme.New(true), 50)); got != "  enter choose  type filter  …  esc close" {
		t.Errorf("where one does not fit: %q", got)
	}
	if got := ansi.Strip(drawHints(hints, theme.New(true), 27)); got != "  enter choose  …" {
		t.Errorf("where there is room for one: %q", got)
	}
}

// The hint of the key that has the agent back says what it does.
func TestTheHintForAnAgentThatHasGone(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.AgentLost{})
	for far, want := range map[bool]string{false: "restart", true: "reconnect"} {
		if got := promptHints(config.Default(Actions()).Keys, c, false, far, false)[0]; got.Key != "alt+r" || got.Text != want {
			t.Errorf("it is %v, want %q", got, want)
		}
	}
}

// An empty prompt names the characters that begin something; "?" only where it does not
// type.
func TestHintsOfAnEmptyPrompt(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.mustShow(t, "! shell", "? help")
	b.press("a")
	b.mustShow(t, "! shell", "f1 help")
}
