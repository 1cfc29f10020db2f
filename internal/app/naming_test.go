package app

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func sent(words string) conversation.Event {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}}
}

// A session is called by the best that is known of it, on one short line without anything in
// it that a terminal would take as a command.
func TestLabel(t *testing.T) {
	var s Naming
	if got := s.Label("", "", ""); got != "new" {
		t.Errorf("a new session is %q", got)
	}
	if got := s.Label("", "Agent", "id"); got != "Agent" {
		t.Errorf("with an agent it is %q", got)
	}
	s.Notice(sent(strings.Repeat("tidy\n\x1b[31mup ", 1000)), conversation.New())
	if got := s.Label("", "Agent"); !strings.HasPrefix(got, "tidy") || len(got) > titleWidth+3 || strings.ContainsAny(got, "\n\x1b") {
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

// TestAskedIsForgottenWithItsSession: what was asked names a session until another session
// opens. The same session, opened once more, keeps it.
func TestAskedIsForgottenWithItsSession(t *testing.T) {
	for id, want := range map[acpclient.SessionID]string{"": "Agent", "s": "tidy up"} {
		var s Naming
		c := conversation.New()
		c.ID = id
		s.Notice(sent("tidy up"), c)
		s.Notice(conversation.SessionOpening{Clear: true}, c)
		if got := s.Label("", "Agent"); got != want {
			t.Errorf("a session %q opens: it is called %q, want %q", id, got, want)
		}
	}
}
