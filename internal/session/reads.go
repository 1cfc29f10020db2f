package session

import (
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What a session reads of its State: with the session's lock held, only its own events change
// it.

// turn returns the current turn.
func (s *Stream) turn() (t conversation.Turn) {
	s.read(func(st *conversation.State) { t = st.Turn })
	return t
}

// cancelling reports whether the running turn was cancelled, and the agent has yet to end
// it.
func (s *Stream) cancelling() bool { return !s.turn().Cancelling.IsZero() }

// phase returns where the session is in its life.
func (s *Stream) phase() (p conversation.Phase) {
	s.read(func(st *conversation.State) { p = st.Phase })
	return p
}

// opening reports whether a request that opens a session is pending.
func (s *Stream) opening() bool { return s.phase() == conversation.PhaseOpening }

// id returns the session that is open, or was last.
func (s *Stream) id() (id acpclient.SessionID) {
	s.read(func(st *conversation.State) { id = st.ID })
	return id
}

// isSubagent reports whether the agent has announced a session as one of a subagent, in the
// directory of the open session.
func (s *Stream) isSubagent(id acpclient.SessionID) (is bool) {
	s.read(func(st *conversation.State) {
		t := st.Subagent(id)
		is = t != nil && (t.Subagent.Cwd == "" || t.Subagent.Cwd == st.Cwd)
	})
	return is
}

// queue returns the queue, which must not be changed, and whether it waits for the user.
func (s *Stream) queue() (queue []conversation.QueuedPrompt, paused bool) {
	s.read(func(st *conversation.State) { queue, paused = st.Queue, st.QueuePaused })
	return queue, paused
}

// options returns the options with the values that they are to have.
func (s *Stream) options() (all []acpclient.SessionConfigOption) {
	s.read(func(st *conversation.State) {
		all = slices.Clone(st.Options)
		for i := range all {
			all[i].CurrentValue, _ = st.OptionValue(&st.Options[i])
		}
	})
	return all
}

// budgetReached reports whether the budget is used up, and the user has not decided.
func (s *Stream) budgetReached() (reached bool) {
	s.read(func(st *conversation.State) { reached = st.BudgetReached })
	return reached
}

// limit returns the limit at which the last turn has ended, nil if it has not, and when the queue
// goes on, zero if that waits for the user.
func (s *Stream) limit() (reached *conversation.LimitReached, until time.Time) {
	s.read(func(st *conversation.State) { reached, until = st.Limit, st.LimitWait })
	return reached, until
}

// worked reports whether the running turn has called a tool.
func (s *Stream) worked() (worked bool) {
	s.read(func(st *conversation.State) { worked = st.Turn.Running && st.Worked() })
	return worked
}

// notice adds a notice of parley's own.
func (s *Stream) notice(severity acpclient.NoticeSeverity, title, detail string) {
	s.post(conversation.NoticeAdded{Severity: severity, Title: title, Detail: detail})
}

// warnOnce adds a warning, unless there was one about the same subject, and reports whether
// it did.
func (s *Stream) warnOnce(subject, title, detail string) bool {
	var noted bool
	s.read(func(st *conversation.State) { noted = st.Noted(subject) })
	if !noted {
		s.post(conversation.NoticeAdded{Severity: acpclient.NoticeWarning, Title: title, Detail: detail, Subject: subject})
	}
	return !noted
}
