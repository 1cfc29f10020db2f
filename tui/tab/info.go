package tab

import (
	"parley/internal/app"
	"parley/internal/conversation"
)

// turnEnd is how an unseen turn has ended.
type turnEnd uint8

// The values of turnEnd.
const (
	turnSeen turnEnd = iota // nothing unseen
	turnWell
	turnBadly
)

// tabInfo is the state of a tab for the tab line. The zero value is a new background tab.
type tabInfo struct {
	app.Naming
	shown  bool    // the tab is in front
	turns  int     // that have ended
	unseen turnEnd // outcome of the last turn that ended in the background
	// unsaved means that the person's name for the session is not stored yet.
	unsaved bool
}

// Show marks the tab as in front, and its turns as seen.
func (s *tabInfo) Show() { s.shown, s.unseen = true, turnSeen }

// Hide marks the tab as in the background.
func (s *tabInfo) Hide() { s.shown = false }

// Unseen returns the outcome of the last unseen turn.
func (s *tabInfo) Unseen() turnEnd { return s.unseen }

// Turns returns how many turns have ended.
func (s *tabInfo) Turns() int { return s.turns }

// Notice updates after an event that was applied to c.
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
