package session

import (
	"context"
	"fmt"
	"slices"

	"parley/acpclient"
)

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

// wait returns the answer, or the error that nobody waits for it any more.
func (q *question[A]) wait(ctx context.Context) (A, error) {
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
		select {
		case a := <-q.answer: // it was answered in the same moment
			return a, nil
		default:
		}
		var none A
		return none, ctx.Err()
	}
}

// openPermission asks the person. In a turn that was cancelled nobody is asked
// any more.
func (s *Session) openPermission(r *acpclient.RequestPermissionRequest) *question[acpclient.RequestPermissionOutcome] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	q := newQuestion[acpclient.RequestPermissionOutcome](s.seq)
	q.options = r.Options
	s.stream.post(PermissionOpened{ID: q.id, Request: r})
	if s.cancelling {
		q.answer <- acpclient.PermissionCancelled
		s.stream.post(PermissionClosed{ID: q.id, Outcome: acpclient.PermissionCancelled})
		return q
	}
	s.permissions[q.id] = q
	return q
}

// Answer selects one of the options that were offered. It returns an error if
// the question is not open any more, or the option was not offered.
func (s *Session) Answer(id int, option acpclient.PermissionOptionID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.permissions[id]
	if q == nil {
		return fmt.Errorf("the question is not open any more")
	}
	if !slices.ContainsFunc(q.options, func(o acpclient.PermissionOption) bool { return o.OptionID == option }) {
		return fmt.Errorf("the agent did not offer %q", option)
	}
	s.closePermissionLocked(id, acpclient.PermissionSelected(option))
	return nil
}

func (s *Session) closePermission(id int, outcome acpclient.RequestPermissionOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closePermissionLocked(id, outcome)
}

func (s *Session) closePermissionLocked(id int, outcome acpclient.RequestPermissionOutcome) {
	q := s.permissions[id]
	if q == nil {
		return
	}
	delete(s.permissions, id)
	q.answer <- outcome
	s.stream.post(PermissionClosed{ID: id, Outcome: outcome})
}

func (s *Session) openElicitation(r *acpclient.CreateElicitationRequest) *question[acpclient.CreateElicitationResponse] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	q := newQuestion[acpclient.CreateElicitationResponse](s.seq)
	s.elicitations[q.id] = q
	s.stream.post(ElicitationOpened{ID: q.id, Request: r})
	return q
}

// AnswerElicitation answers a question for input.
func (s *Session) AnswerElicitation(id int, answer acpclient.CreateElicitationResponse) {
	s.closeElicitation(id, answer)
}

func (s *Session) closeElicitation(id int, answer acpclient.CreateElicitationResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeElicitationLocked(id, answer)
}

func (s *Session) closeElicitationLocked(id int, answer acpclient.CreateElicitationResponse) {
	q := s.elicitations[id]
	if q == nil {
		return
	}
	delete(s.elicitations, id)
	q.answer <- answer
	s.stream.post(ElicitationClosed{ID: id, Action: answer.Action})
}

// closeQuestions answers whatever is open as cancelled; s.mu is held.
func (s *Session) closeQuestions() {
	for _, id := range sortedKeys(s.permissions) {
		s.closePermissionLocked(id, acpclient.PermissionCancelled)
	}
	for _, id := range sortedKeys(s.elicitations) {
		s.closeElicitationLocked(id, acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel})
	}
}

func sortedKeys[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
