package tab

import (
	"errors"
	"testing"

	"parley/internal/conversation"
)

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
