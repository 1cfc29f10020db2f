package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// errAnswered says that a question came to its end before its answer.
var errAnswered = errors.New("the question is not open any more")

// question is something that the agent asked and that is not answered yet.
// Whoever takes it out of the session's map answers it, exactly once.
type question[A any] struct {
	id     int
	answer chan A
	// options are the answers that were offered, of a permission.
	options []acpclient.PermissionOption
}

func newQuestion[A any](id int) *question[A] {
	return &question[A]{id: id, answer: make(chan A, 1)}
}

// wait returns the answer. When nobody waits for it any more, giveUp takes the
// question back; if it was answered in the same moment, that answer counts.
func (q *question[A]) wait(ctx context.Context, giveUp func() bool) (A, error) {
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
		if giveUp() {
			var none A
			return none, ctx.Err()
		}
		return <-q.answer, nil
	}
}

// openPermission asks the person. In a turn that was cancelled, and for an agent
// that is not the current one, nobody is asked any more.
func (s *Session) openPermission(a *agent, r *acpclient.RequestPermissionRequest) *question[acpclient.RequestPermissionOutcome] {
	s.mu.Lock()
	defer s.unlock()
	s.seq++
	q := newQuestion[acpclient.RequestPermissionOutcome](s.seq)
	if s.closed || s.agent != a {
		q.answer <- acpclient.PermissionCancelled
		return q
	}
	q.options = r.Options
	s.permissions[q.id] = q
	s.stream.post(conversation.PermissionOpened{ID: q.id, Request: r})
	if s.cancelling {
		s.closePermissionLocked(q.id, acpclient.PermissionCancelled)
	}
	return q
}

// Answer selects one of the options that were offered. It returns an error if
// the question is not open any more, or the option was not offered.
func (s *Session) Answer(id int, option acpclient.PermissionOptionID) error {
	s.mu.Lock()
	defer s.unlock()
	q := s.permissions[id]
	if q == nil {
		return errAnswered
	}
	if !slices.ContainsFunc(q.options, func(o acpclient.PermissionOption) bool { return o.OptionID == option }) {
		return fmt.Errorf("the agent did not offer %q", option)
	}
	s.closePermissionLocked(id, acpclient.PermissionSelected(option))
	return nil
}

// closePermission answers a question and reports whether it was open.
func (s *Session) closePermission(id int, outcome acpclient.RequestPermissionOutcome) bool {
	s.mu.Lock()
	defer s.unlock()
	return s.closePermissionLocked(id, outcome)
}

func (s *Session) closePermissionLocked(id int, outcome acpclient.RequestPermissionOutcome) bool {
	q := s.permissions[id]
	if q == nil {
		return false
	}
	delete(s.permissions, id)
	q.answer <- outcome
	s.stream.post(conversation.PermissionClosed{ID: id, Outcome: outcome})
	return true
}

// elicitCancelled is the answer when the person has not given one.
var elicitCancelled = acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel}

// openElicitation asks the person for input. What belongs to a cancelled turn is
// not asked any more; what belongs to no session, such as signing in, is.
func (s *Session) openElicitation(a *agent, r *acpclient.CreateElicitationRequest) *question[acpclient.CreateElicitationResponse] {
	s.mu.Lock()
	defer s.unlock()
	s.seq++
	q := newQuestion[acpclient.CreateElicitationResponse](s.seq)
	if s.closed || s.agent != a {
		q.answer <- elicitCancelled
		return q
	}
	s.elicitations[q.id] = q
	s.stream.post(conversation.ElicitationOpened{ID: q.id, Request: r})
	if s.cancelling && r.SessionID != "" {
		s.closeElicitationLocked(q.id, elicitCancelled)
	}
	return q
}

// AnswerElicitation answers a question for input. It does nothing if the
// question is not open any more.
func (s *Session) AnswerElicitation(id int, answer acpclient.CreateElicitationResponse) {
	s.closeElicitation(id, answer)
}

func (s *Session) closeElicitation(id int, answer acpclient.CreateElicitationResponse) bool {
	s.mu.Lock()
	defer s.unlock()
	return s.closeElicitationLocked(id, answer)
}

func (s *Session) closeElicitationLocked(id int, answer acpclient.CreateElicitationResponse) bool {
	q := s.elicitations[id]
	if q == nil {
		return false
	}
	delete(s.elicitations, id)
	q.answer <- answer
	s.stream.post(conversation.ElicitationClosed{ID: id, Action: answer.Action})
	return true
}

// closeQuestions answers whatever is open as cancelled; s.mu is held.
func (s *Session) closeQuestions() {
	for _, id := range slices.Sorted(maps.Keys(s.permissions)) {
		s.closePermissionLocked(id, acpclient.PermissionCancelled)
	}
	for _, id := range slices.Sorted(maps.Keys(s.elicitations)) {
		s.closeElicitationLocked(id, elicitCancelled)
	}
}
