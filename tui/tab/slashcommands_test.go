package tab

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

func (b *bench) enter(text string) {
	b.Update(tea.PasteMsg{Content: text})
	b.press("enter")
}

// sentPrompts returns the prompts that have gone to the session.
func (b *bench) sentPrompts() (texts []string) {
	for _, e := range b.session.Stream().Take() {
		if q, ok := e.(conversation.QueueChanged); ok && len(q.Queue) > 0 {
			texts = append(texts, q.Queue[0].Prompt[0].Text)
		}
	}
	return texts
}

// Commands of other clients do what their users expect.
func TestSlashCommandsOfOtherClients(t *testing.T) {
	for command, want := range map[string]string{
		"/clear": "this session is still empty", "/model": "this agent offers no models", "/cost": "the agent has reported no usage",
		"/login": "the agent offers no sign-in method", "/help": "Help", "/settings": "Options", "/diff": "journal = false",
		"/mode code": "Mode", "/model opus 5": "this agent offers no models", "/export": "nothing to export yet",
	} {
		b := newBench(t, t.TempDir())
		b.enter(command)
		if text := b.screen(); !strings.Contains(text, want) {
			t.Errorf("%s does not show %q:\n%s", command, want, text)
		}
		if sent := b.sentPrompts(); len(sent) > 0 {
			t.Errorf("%s sent %q", command, sent)
		}
	}
}

// The agent's command of the same name wins, with its arguments.
func TestTheAgentsCommandWins(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{{Name: "clear"}}}})
	b.enter("/clear all")
	if sent := b.sentPrompts(); len(sent) != 1 || sent[0] != "/clear all" {
		t.Errorf("sent: %q", sent)
	}
}

// A command that nobody has goes to the agent only if the person says so.
func TestUnknownSlashCommandsAreAskedAbout(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.enter("/compact now")
	b.mustShow(t, "Unknown command /compact")
	b.press("esc")
	b.mustShow(t, "❯ /compact now")
	b.press("enter", "enter")
	b.mustShow(t, "❯ /compact now")
	if sent := b.sentPrompts(); len(sent) > 0 {
		t.Errorf("sent: %q", sent)
	}
	b = newBench(t, t.TempDir())
	b.enter("/compact now")
	b.press("down", "enter")
	if sent := b.sentPrompts(); len(sent) != 1 || sent[0] != "/compact now" {
		t.Errorf("sent: %q", sent)
	}
	b = newBench(t, t.TempDir())
	b.enter("/etc/passwd has no such user")
	if sent := b.sentPrompts(); len(sent) != 1 {
		t.Errorf("a path is no command: %q", sent)
	}
}
