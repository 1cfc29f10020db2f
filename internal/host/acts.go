package host

import (
	"context"

	"parley/internal/app"
	"parley/internal/journal"
)

// list makes the arguments of an act.
func list(args ...any) []any { return args }

// The methods of [app.Session]. Those without a result are not waited for.

func (c *Client) Disconnected() bool { return c.Gone() }

// Journal implements [app.Session].
func (c *Client) Journal() app.Journal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Journal == nil {
		return nil
	}
	return farJournal{c}
}

// farJournal is the journal of a session in a host. What a front end draws of it, the host
// has sent.
type farJournal struct{ c *Client }

func (j farJournal) known() journalState {
	j.c.mu.Lock()
	defer j.c.mu.Unlock()
	return *j.c.state.Journal
}

func (j farJournal) Dir() string           { return j.known().Dir }
func (j farJournal) Len() int              { return j.known().Len }
func (j farJournal) Version() int          { return j.known().Version }
func (j farJournal) Turns() []journal.Turn { return j.known().Turns }
func (j farJournal) LastRewind() int       { return j.known().LastRewind }

func (j farJournal) Undoable() (turn int, redo bool) {
	k := j.known()
	return k.Turn, k.Redo
}

func (j farJournal) Trouble() (limits string, failed error) {
	k := j.known()
	if k.Failed != "" {
		failed = &actError{text: k.Failed}
	}
	return k.Limits, failed
}

func (j farJournal) Changed(ctx context.Context, version int) int {
	for {
		j.c.mu.Lock()
		now, altered, left := j.c.state.Journal.Version, j.c.altered, j.c.left
		j.c.mu.Unlock()
		if now != version || left {
			return now
		}
		select {
		case <-altered:
		case <-ctx.Done():
			return now
		}
	}
}

func (j farJournal) Wait(ctx context.Context) error { return j.c.asks(ctx, "Journal.Wait", nil) }

func (j farJournal) Files(since int) (files []journal.File) {
	_ = j.c.peeks("Journal.Files", list(since), &files) // asked again after the next change
	return files
}

func (j farJournal) Compare(ctx context.Context, part journal.Part, since int) (c *journal.Comparison, err error) {
	err = j.c.asks(ctx, "Journal.Compare", list(part, since), &c)
	return c, err
}

func (j farJournal) Since(ctx context.Context) (t map[int]journal.Tally, err error) {
	err = j.c.asks(ctx, "Journal.Since", nil, &t)
	return t, err
}

func (j farJournal) PlanRewind(ctx context.Context, turn int) (p *journal.RewindPlan, err error) {
	err = j.c.asks(ctx, "Journal.PlanRewind", list(turn), &p)
	return p, err
}

func (j farJournal) done(ctx context.Context, name string, args ...any) (d journal.Done, err error) {
	err = j.c.wait(ctx, name, args, &d)
	return d, err
}

func (j farJournal) RevertFile(ctx context.Context, part journal.Part, since int) (journal.Done, error) {
	return j.done(ctx, "Journal.RevertFile", part, since)
}

func (j farJournal) RevertHunk(ctx context.Context, c *journal.Comparison, hunk int) (journal.Done, error) {
	return j.done(ctx, "Journal.RevertHunk", c, hunk)
}

func (j farJournal) UndoTurn(ctx context.Context) (journal.Done, error) {
	return j.done(ctx, "Journal.UndoTurn")
}

func (j farJournal) Redo(ctx context.Context) (journal.Done, error) {
	return j.done(ctx, "Journal.Redo")
}

func (j farJournal) Rewind(ctx context.Context, p *journal.RewindPlan, chosen ...journal.Part) (journal.Done, error) {
	return j.done(ctx, "Journal.Rewind", p, chosen)
}

func (j farJournal) KeepHunk(c *journal.Comparison, hunk int) { j.c.do("Journal.KeepHunk", c, hunk) }
func (j farJournal) KeepFile(part journal.Part)               { j.c.do("Journal.KeepFile", part) }
func (j farJournal) OpenFile(part journal.Part)               { j.c.do("Journal.OpenFile", part) }

// Rules implements [app.Session].
func (c *Client) Rules() app.SessionRules {
	if !c.welcome.Rules {
		return nil
	}
	return farRules{c}
}

// farRules are the rules of a session in a host.
type farRules struct{ c *Client }

func (r farRules) ask(name string, result any) error {
	return r.c.peeks(name, nil, result)
}

func (r farRules) Project() (p app.Project) {
	_ = r.ask("Rules.Project", &p) // then there is nothing to trust
	return p
}

func (r farRules) Trust() (t app.Trust) {
	if r.ask("Rules.Trust", &t) != nil {
		return app.Never
	}
	return t
}

func (r farRules) Entries() (all []app.Rule, err error) {
	err = r.ask("Rules.Entries", &all)
	return all, err
}

func (r farRules) SetTrust(t app.Trust) error { return r.c.call("Rules.SetTrust", list(t)) }

func (r farRules) Add(everywhere bool, lines ...string) error {
	return r.c.call("Rules.Add", list(everywhere, lines))
}

func (r farRules) Remove(everywhere bool, line string) error {
	return r.c.call("Rules.Remove", list(everywhere, line))
}
