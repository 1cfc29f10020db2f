package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/journal"
	"parley/internal/policy"
)

// writeGate decides about files that the user's undo writes as about those that the agent
// writes. It implements journal.Gate.
type writeGate struct{ m *Machine }

// Ask implements journal.Gate.
func (g writeGate) Ask(ctx context.Context, act, path string, before, after *fs.Snapshot) error {
	place, err := g.m.fs.FindEntry(path)
	if err != nil {
		return err
	}
	rule := ""
	if act == journal.ActMerge {
		if rule, err = g.merged(ctx, place, after); err != nil {
			return err
		}
	}
	if g.m.gate.judge(place, true, rule) == nil {
		return nil
	}
	unlock, err := g.m.gate.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	q := g.m.gate.judge(place, true, rule)
	if q == nil {
		return nil // an answer since then covers it
	}
	q.Act, q.Removes = act, after == nil
	old, text := shownText(before), shownText(after)
	q.Hidden = before != nil && old == nil || after != nil && text == nil
	content := ""
	if text != nil {
		content = *text
	}
	switch allowed, err := g.m.gate.ask(ctx, q, old, content); {
	case err != nil:
		return err
	case !allowed:
		return errors.New("you denied writing it; nothing was written")
	}
	return nil
}

// merged judges by the rules what a merge brings from elsewhere: they know what this session's agent
// does, and this another one has done. The error says which rule denies it; why, if not empty, is
// why the user is to be asked.
func (g writeGate) merged(ctx context.Context, place fs.ResolvedPath, after *fs.Snapshot) (why string, err error) {
	if g.m.gate.asker != nil {
		call := fileCall(place, true)
		if after == nil {
			call.Kind = new(acpclient.ToolDelete)
		}
		r := g.m.gate.asker.Judge(ctx, call)
		if r.Verdict == policy.Deny {
			return "", fmt.Errorf("denied by the rule %q (%s)", r.Rule, r.Source)
		}
		why = r.Why
	}
	if after.IsLink() {
		to := after.Content
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(place.Target), to)
		}
		if there, err := g.m.fs.Find(to); err != nil || there.Outside {
			why = cmp.Or(why, "it is a link that leads out of the session's directories")
		}
	}
	return why, nil
}

// shownText returns the content of a file that a question can show, else nil.
func shownText(s *fs.Snapshot) *string {
	if s.IsLink() {
		return new("link to " + s.Content)
	}
	if s == nil || len(s.Content) > maxShown/2 || !utf8.ValidString(s.Content) {
		return nil
	}
	return &s.Content
}
