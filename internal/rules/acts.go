package rules

import (
	"context"
	"errors"

	"parley/internal/session"
)

// The acts on the rules of a session.

// errUnruled means that parley's rules do not apply in the session.
var errUnruled = errors.New("no rules apply in this session")

// onRules calls do with the rules of a session.
func onRules[R any](s *session.Session, do func(*Set) (R, error)) (R, error) {
	rules, ok := s.Options().Judge.(*Set)
	if !ok {
		var none R
		return none, errUnruled
	}
	return do(rules)
}

var _ = []*session.Kind{
	session.NewKind[ListRules](session.Asks),
	session.NewKind[ProjectRules](session.AsksNow),
	session.NewKind[SetTrust](session.Answers),
	session.NewKind[AddRules](session.Lasts),
	session.NewKind[RemoveRule](session.Lasts),
}

// ListRules asks for the session's rules, including those of an untrusted project.
type ListRules struct{}

// Do implements [session.Act], and so do those below.
func (ListRules) Do(_ context.Context, s *session.Session) ([]Rule, error) {
	return onRules(s, (*Set).Entries)
}

// ProjectRules asks for the rules and prompts of the session's project, and whether the user
// trusts it.
type ProjectRules struct{}

// ProjectTrust is the result of [ProjectRules].
type ProjectTrust struct {
	Project Project
	Trust   Trust
}

func (ProjectRules) Do(_ context.Context, s *session.Session) (ProjectTrust, error) {
	return onRules(s, func(r *Set) (ProjectTrust, error) { return ProjectTrust{r.Project(), r.Trust()}, nil })
}

// SetTrust decides whether the project's rules and prompts count.
type SetTrust struct{ Trust Trust }

func (a SetTrust) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.SetTrust(a.Trust) })
}

// AddRules saves rules, everywhere or for the session's project.
type AddRules struct {
	Everywhere bool
	Rules      []string
}

func (a AddRules) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.Add(a.Everywhere, a.Rules...) })
}

// RemoveRule removes a rule that [AddRules] has saved.
type RemoveRule struct {
	Everywhere bool
	Rule       string
}

func (a RemoveRule) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.Remove(a.Everywhere, a.Rule) })
}
