package record

import (
	"time"

	"parley/internal/conversation"
)

// Step is an event with its time since the beginning.
type Step struct {
	At    time.Duration
	Event conversation.Event
}

// Script is a sequence of events to play.
type Script struct {
	// Steps are in the order of their times.
	Steps []Step
	// Started is when it began, zero if unknown.
	Started time.Time
	// Title is the session's title, or "", and Cwd its directory.
	Title, Cwd string
	// Faults describe what could not be read and was skipped.
	Faults []string
}

// ScriptOf returns the script of stored events. Those without a time of their own are
// spread evenly between those that have one.
func ScriptOf(events []conversation.Event) *Script {
	s := &Script{Steps: make([]Step, len(events))}
	last, known := 0, false // the last step with a known time
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

// spread sets the times of the steps between two.
func (s *Script) spread(from, to int) {
	begin, whole := s.Steps[from].At, s.Steps[to].At-s.Steps[from].At
	for i := from + 1; i < to; i++ {
		s.Steps[i].At = begin + time.Duration(float64(whole)*float64(i-from)/float64(to-from))
	}
}

// timeOf returns when an event happened, if it says so.
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

// Events returns the events of the script.
func (s *Script) Events() []conversation.Event {
	out := make([]conversation.Event, len(s.Steps))
	for i := range s.Steps {
		out[i] = s.Steps[i].Event
	}
	return out
}
