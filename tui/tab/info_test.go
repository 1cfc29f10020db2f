package tab

import (
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func sent(words string) conversation.Event {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}}
}

// A tab is called by the best that is known of it, on one short line without anything in
// it that a terminal would take as a command.
func TestLabel(t *testing.T) {
	var s tabInfo
	if got := s.Label("", "", ""); got != "new" {
		t.Errorf("a new tab is %q", got)
	}
	if got := s.Label("", "Agent", "id"); got != "Agent" {
		t.Errorf("with an agent it is %q", got)
	}
	s.Notice(sent(strings.Repeat("tidy\n\x1b[31mup ", 1000)), conversation.New())
	if got := s.Label("", "Agent"); !strings.HasPrefix(got, "tidy") || len(got) > maxTitle+3 || strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("with a prompt it is %q", got)
	}
	s.Notice(sent("and the rest"), conversation.New())
	if got := s.Label("", "Agent"); !strings.HasPrefix(got, "tidy") {
		t.Errorf("with another prompt it is %q", got)
	}
	if got := s.Label("The title", "Agent"); got != "The title" {
		t.Errorf("with a title it is %q", got)
	}
	s.SetName("  mine ")
	if got := s.Label("The title", "Agent"); strings.TrimSpace(got) != "mine" {
		t.Errorf("with a name it is %q", got)
	}
}

// What has ended in the background is told until the tab is shown.
func TestUnseen(t *testing.T) {
	var s tabInfo
	c := conversation.New()
	s.Notice(conversation.TurnEnded{}, c)
	if s.Unseen() != turnWell {
		t.Errorf("a turn in the background: %d", s.Unseen())
	}
	s.Notice(conversation.TurnEnded{Err: errors.New("no")}, c)
	if s.Unseen() != turnBadly {
		t.Errorf("one that failed: %d", s.Unseen())
	}
	s.Show()
	s.Notice(conversation.TurnEnded{}, c)
	if s.Hide(); s.Unseen() != turnSeen || s.Turns() != 3 {
		t.Errorf("after it was seen: %d, and %d turns", s.Unseen(), s.Turns())
	}
}

// TestAskedIsForgottenWithItsSession: what was asked names the tab until another session
// opens in it. The same session, opened once more, keeps it.
func TestAskedIsForgottenWithItsSession(t *testing.T) {
	for id, want := range map[acpclient.SessionID]string{"": "Agent", "s": "tidy up"} {
		var s tabInfo
		c := conversation.New()
		c.ID = id
		s.Notice(sent("tidy up"), c)
		s.Notice(conversation.SessionOpening{Clear: true}, c)
		if got := s.Label("", "Agent"); got != want {
			t.Errorf("a session %q opens: the tab is %q, want %q", id, got, want)
		}
	}
}
