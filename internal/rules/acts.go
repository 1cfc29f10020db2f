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

// ListRules asks for the session's rules, including those of an untrusted project.
type ListRules struct{}

var listRulesKind = session.KindOf[ListRules]("ListRules", session.Asks)

// Kind implements [session.Act], and so do those below.
func (ListRules) Kind() *session.Kind { return listRulesKind }

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

var projectRulesKind = session.KindOf[ProjectRules]("ProjectRules", session.AsksNow)

func (ProjectRules) Kind() *session.Kind { return projectRulesKind }

func (ProjectRules) Do(_ context.Context, s *session.Session) (ProjectTrust, error) {
	return onRules(s, func(r *Set) (ProjectTrust, error) { return ProjectTrust{r.Project(), r.Trust()}, nil })
}

// SetTrust decides whether the project's rules and prompts count.
type SetTrust struct{ Trust Trust }

var setTrustKind = session.KindOf[SetTrust]("SetTrust", session.Answers)

func (SetTrust) Kind() *session.Kind { return setTrustKind }

func (a SetTrust) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.SetTrust(a.Trust) })
}

// AddRules saves rules, everywhere or for the session's project.
type AddRules struct {
	Everywhere bool
	Rules      []string
}

var addRulesKind = session.KindOf[AddRules]("AddRules", session.Lasts)

func (AddRules) Kind() *session.Kind { return addRulesKind }

func (a AddRules) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.Add(a.Everywhere, a.Rules...) })
}

// RemoveRule removes a rule that [AddRules] has saved.
type RemoveRule struct {
	Everywhere bool
	Rule       string
}

var removeRuleKind = session.KindOf[RemoveRule]("RemoveRule", session.Lasts)

func (RemoveRule) Kind() *session.Kind { return removeRuleKind }

func (a RemoveRule) Do(_ context.Context, s *session.Session) (session.None, error) {
	return onRules(s, func(r *Set) (session.None, error) { return session.None{}, r.Remove(a.Everywhere, a.Rule) })
}
