package command

import (
	"testing"
	"time"

	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/test"
)

// While the agent works in the files, no rewind of them is undone.
func TestARewindIsNotUndoneInATurn(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.journal = &journal.Summary{LastRewind: 1}
	s.live.Conversation.Apply(test.Sent("go on"))
	items := RewindItems(s)
	if items[0].Do(); len(s.did) > 0 || len(s.said) != 1 {
		t.Errorf("did %v, said %q", s.did, s.said)
	}
	s.live.Conversation.Apply(conversation.TurnEnded{At: time.Unix(9, 0)})
	if items[0].Do(); len(s.did) != 1 || s.did[0] != (session.Redo{}) {
		t.Errorf("did %v", s.did)
	}
}
