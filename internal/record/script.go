// This file plays what was recorded of a session: it says which events have
// happened by when. It folds nothing, does no I/O, and has no clock of its own: whoever
// shows the replay tells it how much time has passed.

package record

import (
	"time"

	"parley/internal/conversation"
)

// Step is an event and when it happened, since the beginning.
type Step struct {
	At    time.Duration
	Event conversation.Event
}

// Script is what is played.
type Script struct {
	// Steps are in order, and so are their times.
	Steps []Step
	// Started is when it began. It is zero if that is not known.
	Started time.Time
	// Title is what the session is called, "" if it has no name, and Cwd its directory.
	Title, Cwd string
	// Faults say in words what could not be read, and is left out.
	Faults []string
}

// Of is the script of events that were stored without the time of each. Some of them
// have brought it along. Those between two of which it is known are spread evenly.
func ScriptOf(events []conversation.Event) *Script {
	s := &Script{Steps: make([]Step, len(events))}
	last, known := 0, false // the last step of which the time is known
	for i, e := range events {
		s.Steps[i].Event = e
		at := timeOf(e)
		switch {
		case at.IsZero():
			continue
		case !known:
			s.Started, known = at, true
		default:
			s.Steps[i].At = max(at.Sub(s.Started), s.Steps[last].At)
			s.spread(last, i)
		}
		last = i
	}
	for i := last + 1; i < len(s.Steps); i++ {
		s.Steps[i].At = s.Steps[last].At
	}
	return s
}

// spread gives times to the steps between two.
func (s *Script) spread(from, to int) {
	begin, whole := s.Steps[from].At, s.Steps[to].At-s.Steps[from].At
	for i := from + 1; i < to; i++ {
		s.Steps[i].At = begin + time.Duration(float64(whole)*float64(i-from)/float64(to-from))
	}
}

// timeOf is when an event happened, as far as it says so itself.
func timeOf(e conversation.Event) time.Time {
	switch e := e.(type) {
	case conversation.AgentStarting:
		return e.At
	case conversation.AgentLost:
		return e.At
	case conversation.PromptSent:
		return e.At
	case conversation.CancelRequested:
		return e.At
	case conversation.TurnEnded:
		return e.At
	case conversation.Update:
		return e.At
	case conversation.PermissionOpened:
		return e.At
	case conversation.PermissionReferred:
		return e.At
	case conversation.PermissionClosed:
		return e.At
	case conversation.ElicitationOpened:
		return e.At
	case conversation.ElicitationClosed:
		return e.At
	case conversation.ShellStarted:
		return e.At
	}
	return time.Time{}
}

// Events are the events of the script.
func (s *Script) Events() []conversation.Event {
	out := make([]conversation.Event, len(s.Steps))
	for i := range s.Steps {
		out[i] = s.Steps[i].Event
	}
	return out
}
