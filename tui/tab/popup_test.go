package tab

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// withCommands is a session whose agent has some commands.
func withCommands(t *testing.T) *bench {
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{
		{Name: "review", Description: "look at the change"}, {Name: "refactor", Description: "tidy up"}, {Name: "test", Description: "run the tests"},
	}}})
	return b
}

// line is the number of the screen's line that begins with some words.
func (b *bench) line(t *testing.T, begin string) int {
	t.Helper()
	for i, line := range strings.Split(b.screen(), "\n") {
		if strings.HasPrefix(line, begin) {
			return i
		}
	}
	t.Fatalf("no line begins with %q:\n%s", begin, b.screen())
	return -1
}

func TestThePopupStandsAboveTheRule(t *testing.T) {
	b := withCommands(t)
	b.press("/", "r", "e", "v")
	b.mustShow(t, "1 of 23", "tab accept", "esc close")
	offer, prompt := b.line(t, "› /review"), b.line(t, "❯ /rev")
	if rule := b.screen(); offer != prompt-2 || !strings.HasPrefix(strings.Split(rule, "\n")[prompt-1], "──") {
		t.Errorf("the popup is on line %d, the prompt on %d:\n%s", offer, prompt, b.screen())
	}
	if c := b.draw().Cursor; c == nil || c.Y != prompt || c.X != 6 {
		t.Errorf("the cursor is at %v, the prompt on line %d", c, prompt)
	}
	drawn := b.draw().Lines[offer]
	if strings.Contains(drawn, "/review") || !strings.Contains(ansi.Strip(drawn), "/review") {
		t.Errorf("the letters that were found are not marked: %q", drawn)
	}
	b.press("esc")
	b.mustNotShow(t, "1 of 23")
}

func TestAClickTakesAnOffer(t *testing.T) {
	b := withCommands(t)
	b.press("/")
	at := b.line(t, "  /refactor")
	b.draw()
	b.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 4, Y: b.line(t, "───")})
	b.mustShow(t, "23 of 23")
	b.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 4, Y: at})
	b.mustShow(t, "❯ /refactor")
}
