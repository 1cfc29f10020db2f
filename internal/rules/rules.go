// Package rules has the permission rules of a session: those of the configuration, those that
// parley saves, and those of a project that the user trusts. They judge what the agent asks for
// and does.
package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/acpclient"
	"parley/config"
	"parley/internal/policy"
	"parley/internal/session"
)

// Scope is where a rule comes from.
type Scope int

// The sources of rules.
const (
	Configured      Scope = iota // in the user's configuration
	SavedEverywhere              // saved by parley, for all projects
	SavedForProject              // saved by parley, for this project
	OfProject                    // in the project's own configuration
)

// String names the source for people.
func (s Scope) String() string {
	switch s {
	case SavedEverywhere:
		return "saved by parley, everywhere"
	case SavedForProject:
		return "saved by parley, for this project"
	case OfProject:
		return filepath.ToSlash(config.ProjectFile) + " of the project"
	}
	return "configured"
}

// Rule is a rule and its source.
type Rule struct {
	policy.Rule
	Scope Scope
	// Counts is false for rules of an untrusted project.
	Counts bool
}

// Options describes the session that the rules are for.
type Options struct {
	// Agent is the agent; its ID may be [policy.Any].
	Agent config.Agent
	// Cwd and More are the session's directories, absolute.
	Cwd  string
	More []string
	// Configured are the rules of the configuration.
	Configured []policy.Rule
	Store      *Store
	// Files are the configured patterns, besides the built-in ones, of files that only a rule
	// naming them allows.
	Files config.Files
}

// Set is the rules of one session: configured, saved by parley, and the project's own once
// the user trusts it. Saved rules are read again when their file has changed, so that a change
// counts at once in every parley process. The project's file is read only once, so that exactly the trusted
// content counts. A Set is safe for concurrent use and implements session.Judge.
type Set struct {
	opt     Options
	places  places
	project Project

	mu    sync.Mutex
	trust Trust
	// rules are those that count, as of the content of the store and the trust.
	rules   *policy.Rules
	of      *saved
	trusted bool
}

var _ session.Judge = (*Set)(nil)

// Open returns the rules of a session. The project's file counts only if the user trusts
// its exact content. If an error leaves that unknown, the returned rules are usable and trust
// nothing.
func Open(opt Options) (*Set, error) {
	sensitive, err := SensitiveFiles(opt.Files, nil, append([]string{opt.Cwd}, opt.More...)...)
	if err != nil {
		return nil, err
	}
	b := &Set{opt: opt, places: newPlaces(opt.Cwd, opt.More, sensitive)}
	b.project = readProject(projectOf(opt.Cwd))
	content, err := opt.Store.read()
	if err != nil {
		return b, err
	}
	said := content.Trust[projectKey(b.project.Dir)]
	if said.Answer == Never || said.Answer == Trusted && said.SHA256 == b.project.sum {
		b.trust = said.Answer
	}
	return b, nil
}

// Project returns the project's own configuration.
func (b *Set) Project() Project { return b.project }

// Trust returns whether the user trusts it.
func (b *Set) Trust() Trust {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trust
}

// SetTrust records the user's decision about the project's configuration as it was read: after
// a change they are asked again. It takes effect even if it could not be saved.
func (b *Set) SetTrust(t Trust) error {
	b.mu.Lock()
	b.trust = t
	b.mu.Unlock()
	return b.opt.Store.update(func(s *saved) error {
		key := projectKey(b.project.Dir)
		switch {
		case t == Undecided:
			delete(s.Trust, key)
			return nil
		case s.Trust == nil:
			s.Trust = map[string]trustedBy{}
		}
		said := trustedBy{Answer: t}
		if t == Trusted {
			said.SHA256 = b.project.sum
		}
		s.Trust[key] = said
		return nil
	})
}

// Entries returns all rules, including those that do not count.
func (b *Set) Entries() ([]Rule, error) {
	content, err := b.opt.Store.read()
	if err != nil {
		content = &saved{}
	}
	entries, wrong := b.entries(content, b.Trust() == Trusted)
	return entries, cmp.Or(err, wrong)
}

func (b *Set) entries(content *saved, trusted bool) (out []Rule, err error) {
	add := func(rules []policy.Rule, s Scope, counts bool) {
		for _, r := range rules {
			out = append(out, Rule{r, s, counts})
		}
	}
	add(b.opt.Configured, Configured, true)
	for _, scope := range []Scope{SavedEverywhere, SavedForProject} {
		rules, wrong := b.opt.Store.parse(content.list(scope == SavedEverywhere, b.project.Dir), scope)
		add(rules, scope, true)
		err = cmp.Or(err, wrong)
	}
	add(b.project.Rules, OfProject, trusted)
	return out, err
}

// counting returns the rules that count.
func (b *Set) counting() (*policy.Rules, error) {
	content, err := b.opt.Store.read()
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	trusted := b.trust == Trusted
	if b.rules != nil && b.of == content && b.trusted == trusted {
		return b.rules, nil
	}
	entries, err := b.entries(content, trusted)
	if err != nil {
		return nil, err
	}
	var rules []policy.Rule
	for _, e := range entries {
		if e.Counts && (e.Verdict != policy.Allow || e.Agent == "" || b.opt.Agent.Is(e.Agent)) {
			e.Agent = agentOf(e.Agent)
			rules = append(rules, e.Rule)
		}
	}
	b.rules, b.of, b.trusted = policy.Compile(rules), content, trusted
	return b.rules, nil
}

// Add saves rules in normal form, for all projects or for this one. It fails if one does not
// parse.
func (b *Set) Add(everywhere bool, lines ...string) error {
	for i, line := range lines {
		r, err := policy.Parse(line)
		if err != nil {
			return err
		}
		lines[i] = r.String()
	}
	return b.opt.Store.update(func(s *saved) error {
		list := s.list(everywhere, b.project.Dir)
		for _, line := range lines {
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
		s.setList(everywhere, b.project.Dir, list)
		return nil
	})
}

// ErrNoSuchRule means that the rule is not saved.
var ErrNoSuchRule = errors.New("no such saved rule")

// Remove removes a saved rule.
func (b *Set) Remove(everywhere bool, line string) error {
	r, err := policy.Parse(line)
	if err != nil {
		return err
	}
	return b.opt.Store.update(func(s *saved) error {
		list := s.list(everywhere, b.project.Dir)
		at := slices.Index(list, r.String())
		if at < 0 {
			return fmt.Errorf("%s: %w", r, ErrNoSuchRule)
		}
		s.setList(everywhere, b.project.Dir, slices.Delete(list, at, at+1))
		return nil
	})
}

// Judge implements session.Judge.
func (b *Set) Judge(_ context.Context, c session.Case) session.Ruling {
	call := policy.Call{Title: c.Call.Title, Kind: string(c.Call.Kind), Name: c.Call.Name, RawInput: c.Call.RawInput}
	for _, l := range c.Call.Locations {
		call.Paths = append(call.Paths, l.Path)
	}
	for i := range c.Call.Content {
		if content := &c.Call.Content[i]; content.Type == acpclient.ToolContentDiff {
			call.Changes = append(call.Changes, content.Path)
			if content.Change != nil && content.Change.OldPath != "" {
				call.Changes = append(call.Changes, content.Change.OldPath)
			}
		}
	}
	rules, err := b.counting()
	switch {
	case err != nil:
		return session.Ruling{Verdict: policy.Ask, Why: err.Error()}
	case c.Unasked && !rules.Restricts(): // it must be cheap: an agent may make very many calls
		return session.Ruling{}
	}
	request := b.request(call, c.Mode)
	switch {
	case c.Done:
		return ruled(rules.Violated(request), request)
	case c.Unasked:
		return ruled(rules.Restrict(request), request)
	}
	d, proposals := decide(rules, request, c.Switching)
	r := ruled(d, request)
	r.Ordinary = d.Verdict == policy.Ask && d.Rule == nil && !c.Switching && request.Ordinary()
	for _, p := range proposals {
		var lines []string
		for _, rule := range p {
			lines = append(lines, rule.String())
		}
		r.Proposals = append(r.Proposals, lines)
	}
	return r
}

// request describes a call. What denies or asks holds for whatever has one of the agent's names.
func (b *Set) request(call policy.Call, mode string) policy.Request {
	r := policy.Describe(call, agentOf(b.opt.Agent.ID), mode, b.places.resolve)
	r.Search, r.Expand = b.places.search, b.places.expand
	return r
}

// agentOf is the one name of an agent for rules, by any of its names, in any case.
func agentOf(name string) string { return config.KnownAs(strings.ToLower(name)) }

// ruled converts a decision to a ruling.
func ruled(d policy.Decision, about policy.Request) session.Ruling {
	r := session.Ruling{Verdict: d.Verdict, Why: d.Why, Subject: about.Subject(), Command: about.Command}
	if d.Rule == nil {
		return r
	}
	r.Rule, r.Source = d.Rule.String(), d.Rule.Source
	switch {
	case d.Verdict != policy.Ask:
	case r.Why == "":
		r.Why = fmt.Sprintf("the rule %q says ask (%s)", r.Rule, r.Source)
	case d.Rule.Verdict == policy.Deny:
		r.Why = fmt.Sprintf("the rule %q may be about it: %s", r.Rule, r.Why)
	}
	return r
}

// Decide judges a call. If the rules cannot be read, it decides nothing.
func (b *Set) Decide(call policy.Call, mode string) (policy.Decision, error) {
	rules, err := b.counting()
	if err != nil {
		return policy.Decision{Verdict: policy.Ask}, err
	}
	d, _ := decide(rules, b.request(call, mode), false)
	return d, nil
}

// decide judges a request, and proposes rules that would have allowed it if it is asked about.
// switching means that the agent may not be in the mode yet.
func decide(rules *policy.Rules, r policy.Request, switching bool) (policy.Decision, [][]policy.Rule) {
	if switching && r.Unclear == "" {
		r.Unclear = "the agent is switching modes"
	}
	d := rules.Decide(r)
	if d.Verdict != policy.Ask {
		return d, nil
	}
	proposals, none := rules.Propose(r)
	if len(proposals) == 0 && d.Rule == nil && d.Why == "" {
		d.Why = none
	}
	return d, proposals
}
