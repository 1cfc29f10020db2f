package machine

import (
	"context"
	"errors"
	"unicode/utf8"

	"parley/fs"
)

// writeGate decides about files that the user's undo writes as about those that the agent
// writes. It implements journal.Gate.
type writeGate struct{ m *Machine }

// Ask implements journal.Gate.
func (g writeGate) Ask(ctx context.Context, act, path string, before, after *fs.Snapshot) error {
	place, err := g.m.fs.FindEntry(path)
	if err != nil || g.m.gate.judge(place, true, "") == nil {
		return err
	}
	unlock, err := g.m.gate.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	q := g.m.gate.judge(place, true, "")
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
