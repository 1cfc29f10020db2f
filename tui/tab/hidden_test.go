package tab

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// No character that cannot be seen gets from the agent to the screen or to the
// title of the window.
func TestHiddenCharactersStayAway(t *testing.T) {
	hidden := []string{
		"\u200b", "\u200c", "\u2060", "\u00ad", "\u3164", "\u115f", "\uffa0", "\u180e", "\u034f", "\ufff9", "\ufffa", "\ufffb",
		"\U000e0041", "\u202e",
	}
	odd := "in" + strings.Join(hidden, "x") + "out"
	b := newBench(t, t.TempDir())
	b.rows = 60
	b.events(
		conversation.SessionOpened{ID: "s", Cwd: b.cwd, State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
			CurrentModeID: "m", AvailableModes: []acpclient.SessionMode{{ID: "m", Name: odd}},
		}}},
		conversation.PromptSent{At: b.clock},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: odd + "\n\n`" + odd + "`\n\n```\n" + odd + "\n```\n\n| a | b |\n|--|--|\n| " + odd + " | c |\n\n"},
		conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: odd},
		permissionEvent(1, odd),
		conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &odd}}},
	)
	check := func(what, text string) {
		t.Helper()
		for _, h := range hidden {
			if strings.Contains(text, h) {
				t.Errorf("%s has %+q:\n%s", what, h, text)
			}
		}
	}
	check("the screen", b.screen())
	b.dialogs.Push(dialog.NewSelector(b.env(), dialog.List{Title: odd, Items: []dialog.Item{{ID: "1", Title: odd, Detail: odd, Group: odd, About: odd}}}))
	check("a list", b.screen())
	check("the title", b.Title())
}

func TestTheTitleIsBounded(t *testing.T) {
	b := newBench(t, t.TempDir())
	for _, long := range []string{strings.Repeat("words ", 100_000), "a" + strings.Repeat("\u0301", 100_000), strings.Repeat("日", 1000)} {
		b.events(conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &long}}})
		const most = 80
		if got := b.Title(); got == "" || ansi.StringWidth(got) > most || len(got) > 17*most {
			t.Errorf("the title has %d bytes and %d cells", len(got), ansi.StringWidth(got))
		}
	}
}
