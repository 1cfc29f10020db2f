package tab

import (
	"parley/internal/app"
	"parley/internal/conversation"
)

// turnEnd is how a turn has ended that nobody has seen.
type turnEnd uint8

// How a turn has ended.
const (
	turnSeen turnEnd = iota // none has, or it was seen
	turnWell
	turnBadly
)

// tabInfo is what the line of tabs tells of a tab. Its zero value is that of a new one in
// the background.
type tabInfo struct {
	app.Naming
	shown  bool    // the tab is on the screen
	turns  int     // that have ended
	unseen turnEnd // of the last turn, if it was in the background
}

// Show says that the tab is on the screen: all is seen.
func (s *tabInfo) Show() { s.shown, s.unseen = true, turnSeen }

// Hide says that it is in the background.
func (s *tabInfo) Hide() { s.shown = false }

// Unseen is how the last turn has ended that nobody has seen.
func (s *tabInfo) Unseen() turnEnd { return s.unseen }

// Turns is how many turns have ended.
func (s *tabInfo) Turns() int { return s.turns }

// Notice takes an event that was folded into a conversation.
func (s *tabInfo) Notice(e conversation.Event, c *conversation.Conversation) {
	s.Naming.Notice(e, c)
	if e, ok := e.(conversation.TurnEnded); ok {
		s.turns++
		switch {
		case s.shown:
		case e.Err != nil:
			s.unseen = turnBadly
		default:
			s.unseen = turnWell
		}
	}
}
