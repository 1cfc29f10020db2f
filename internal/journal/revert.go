package journal

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"strings"
	"unicode/utf8"

	"parley/fs"
)

var (
	// ErrConflict means that the same lines of a file have changed since, so that the
	// operation would lose something. Nothing was written.
	ErrConflict = errors.New("the same lines have changed since; nothing was written")
	// ErrNothing means that there is nothing to undo or redo.
	ErrNothing = errors.New("there is nothing to undo or redo")
	// ErrLost means that the previous content of a file is unknown.
	ErrLost = errors.New("its previous content was not kept")
)

// FileError is an error about a file.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// Done is the result of an undo or redo.
type Done struct {
	// Files are the files that were written, or already had the right contents.
	Files []string
	// Turn is the turn that was undone, 0 if it was something else.
	Turn int
}

// state is the content of a file while changes are undone in memory.
type state struct {
	absent  bool
	content string
	mode    iofs.FileMode
}

func stateOf(h *fs.Snapshot) state {
	if h == nil {
		return state{absent: true}
	}
	return state{content: h.Content, mode: h.Mode}
}

func (s state) held() *fs.Snapshot {
	if s.absent {
		return nil
	}
	return &fs.Snapshot{Content: s.content, Mode: s.mode}
}

func (s state) same(o state) bool {
	if s.absent || o.absent {
		return s.absent == o.absent
	}
	return s.content == o.content && (s.mode == o.mode || s.mode == 0 || o.mode == 0)
}

// state returns the content of an image.
func (j *Journal) state(i Image) (state, error) {
	if i.Absent {
		return state{absent: true}, nil
	}
	if i.Lost {
		return state{}, ErrLost
	}
	content, err := j.store.get(i)
	if err != nil {
		return state{}, fmt.Errorf("%w: %w", ErrLost, err)
	}
	return state{content: content, mode: i.Mode}, nil
}

// step is a change of a file, from one state to another.
type step struct{ from, to state }

// replay applies the step to a file whose content may have changed meanwhile. Where that
// changed the same lines as the step, clean is false, and the step's lines count if force
// is set, otherwise the file's.
func (s step) replay(now state, force bool) (next state, clean bool) {
	switch {
	case now.same(s.from):
		next = s.to
		if next.mode == 0 && !next.absent {
			next.mode = now.mode
		}
		return next, true
	case now.same(s.to), s.from.same(s.to):
		return now, true
	}
	next, clean = now, true
	if now.absent || s.from.absent || s.to.absent {
		clean = false
	} else if now.content != s.to.content && s.from.content != s.to.content {
		if clean = isText(now.content) && isText(s.from.content) && isText(s.to.content); clean {
			next.content, clean = merge(s.from.content, now.content, s.to.content, force)
			force = false // merged
		}
	}
	if !clean && force {
		return s.to, false
	}
	if now.mode == s.from.mode && s.to.mode != 0 {
		next.mode = s.to.mode
	}
	return next, clean
}

// isText reports whether a content has lines.
func isText(content string) bool {
	return utf8.ValidString(content) && strings.IndexByte(content, 0) < 0
}

// plan is a pending operation on one file.
type plan struct {
	path    string
	steps   []step
	turn    int // of the agent's change, if it undoes a hunk
	reverts []int
}

// next returns what the plan makes of a file, or ErrConflict.
func (p *plan) next(now state) (state, error) {
	if next, kept := p.both(now); next.same(kept) {
		return next, nil
	}
	return state{}, ErrConflict
}

// both returns what the plan makes of a file: with its own lines where the same lines of
// the file have changed since, and with those of the file there.
func (p *plan) both(now state) (forced, kept state) {
	forced, kept = now, now
	clean := true
	for _, s := range p.steps {
		var ok bool
		forced, ok = s.replay(forced, true)
		clean = clean && ok
	}
	if clean {
		return forced, forced
	}
	for _, s := range p.steps {
		kept, _ = s.replay(kept, false)
	}
	return forced, kept
}

// revert plans to undo changes of a file, given the last one first. Parts that the user
// has accepted since then stay.
func (j *Journal) revert(path string, changes []*change) (plan, error) {
	p := plan{path: path}
	for i := 0; i < len(changes); {
		last := changes[i]
		first := last
		for ; i < len(changes); i++ {
			if c := changes[i]; c == last || first.before.same(c.after) {
				first = c // nobody else changed the file between the two
				p.reverts = append(p.reverts, c.id)
				continue
			}
			break
		}
		s, err := j.step(last.after, first.before)
		if err != nil {
			return p, &FileError{path, err}
		}
		p.steps = append(p.steps, s)
	}
	if len(changes) == 0 {
		return p, nil
	}
	for _, a := range j.agreed(path, changes[len(changes)-1].id) {
		s, err := j.step(a.before, a.after)
		if err != nil {
			return p, &FileError{path, err}
		}
		p.steps = append(p.steps, s)
	}
	return p, nil
}

func (j *Journal) step(from, to Image) (s step, err error) {
	if s.from, err = j.state(from); err != nil {
		return s, err
	}
	s.to, err = j.state(to)
	return s, err
}

// agreed returns the user's agreements to parts of a file since a change.
func (j *Journal) agreed(path string, since int) []agreement {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []agreement
	for _, a := range j.history.agreements[path] {
		if a.id > since && !a.whole {
			out = append(out, a)
		}
	}
	return out
}

// RevertFile undoes the agent's changes of a file since turn since. Changes elsewhere
// in the file stay.
func (j *Journal) RevertFile(ctx context.Context, path string, since int) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	changes := j.history.liveSince(path, since)
	j.mu.Unlock()
	if len(changes) == 0 {
		return Done{}, ErrNothing
	}
	p, err := j.revert(path, changes)
	if err != nil {
		return Done{}, err
	}
	return j.carryOut(ctx, []plan{p})
}

// UndoTurn undoes all the agent's changes in the last turn that still has live changes.
// It writes either all files or, if one fails, none.
func (j *Journal) UndoTurn(ctx context.Context) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	turn := j.history.lastLiveTurn()
	var paths []string
	changes := map[string][]*change{}
	for _, path := range j.history.paths {
		if all := j.history.liveSince(path, turn); len(all) > 0 && turn >= 0 {
			paths, changes[path] = append(paths, path), all
		}
	}
	j.mu.Unlock()
	if len(paths) == 0 {
		return Done{}, ErrNothing
	}
	var plans []plan
	for _, path := range paths {
		p, err := j.revert(path, changes[path])
		if err != nil {
			return Done{}, err
		}
		plans = append(plans, p)
	}
	done, err := j.carryOut(ctx, plans)
	done.Turn = turn
	return done, err
}

// Redo undoes the user's last undo or revert that is still in effect.
func (j *Journal) Redo(ctx context.Context) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	changes := j.history.redoable()
	j.mu.Unlock()
	if len(changes) == 0 {
		return Done{}, ErrNothing
	}
	var plans []plan
	for _, c := range changes {
		s, err := j.step(c.after, c.before)
		if err != nil {
			return Done{}, &FileError{c.path, err}
		}
		plans = append(plans, plan{path: c.path, steps: []step{s}, reverts: []int{c.id}})
	}
	return j.carryOut(ctx, plans)
}

// carryOut executes plans, after checking that all of them can be.
func (j *Journal) carryOut(ctx context.Context, plans []plan) (Done, error) {
	for _, p := range plans {
		if err := j.try(ctx, p); err != nil {
			return Done{}, &FileError{p.path, err}
		}
	}
	j.mu.Lock()
	j.history.lastAct++
	number := j.history.lastAct
	j.mu.Unlock()
	var done Done
	for _, p := range plans {
		if err := j.write(ctx, p, act{p.path, number, p.turn, p.reverts}); err != nil {
			return done, &FileError{p.path, err}
		}
		done.Files = append(done.Files, p.path)
	}
	return done, nil
}

// try checks whether a plan can be executed.
func (j *Journal) try(ctx context.Context, p plan) error {
	f, done, err := j.filesFor(p.path)
	if err != nil {
		return err
	}
	defer done()
	return f.Look(ctx, p.path, func(now *fs.Snapshot) error {
		_, err := p.next(stateOf(now))
		return err
	})
}

// write executes a plan. It does not write a file that already has the right contents,
// but records it.
func (j *Journal) write(ctx context.Context, p plan, a act) error {
	f, done, err := j.filesFor(p.path)
	if err != nil {
		return err
	}
	defer done()
	return f.Exchange(ctx, p.path, func(held *fs.Snapshot) (*fs.Snapshot, error) {
		now := stateOf(held)
		next, err := p.next(now)
		if err != nil {
			return nil, err
		}
		if next.same(now) {
			i := j.keep(held, true)
			j.add(record{
				Kind: kindChange, Path: p.path, Before: &i, After: &i,
				Source: SourcePerson, Happened: true, Act: a.number, Turn: a.turn, Reverts: a.reverts,
			}, true)
			return held, nil
		}
		j.mu.Lock()
		j.acting = &a
		j.mu.Unlock()
		return next.held(), nil
	})
}
