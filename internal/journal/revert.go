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
	// ErrConflict says that a file was changed in the same lines since, so that
	// what was to be done to it cannot be done without losing something. Nothing
	// was written.
	ErrConflict = errors.New("changed since, in the same place: nothing was written")
	// ErrNothing says that there is nothing to take back, or to do again.
	ErrNothing = errors.New("there is nothing to take back")
	// ErrLost says that what a file held is not known.
	ErrLost = errors.New("what it held before was not kept")
)

// FileError is an error that is about a file.
type FileError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the file.
func (e *FileError) Unwrap() error { return e.Err }

// Done says what was taken back, or done again.
type Done struct {
	// Files are the files that were written, or found as they should be.
	Files []string
	// Turn is the turn that was taken back, 0 if it was something else.
	Turn int
}

// state is what a file holds while changes are taken back, in memory.
type state struct {
	absent  bool
	content string
	mode    iofs.FileMode
}

func stateOf(h *fs.Held) state {
	if h == nil {
		return state{absent: true}
	}
	return state{content: h.Content, mode: h.Mode}
}

func (s state) held() *fs.Held {
	if s.absent {
		return nil
	}
	return &fs.Held{Content: s.content, Mode: s.mode}
}

func (s state) same(o state) bool {
	if s.absent || o.absent {
		return s.absent == o.absent
	}
	return s.content == o.content && (s.mode == o.mode || s.mode == 0 || o.mode == 0)
}

// state is what a file held in an image.
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

// replay does to a file what a step does, whatever else has become of it meanwhile.
func (s step) replay(now state) (state, error) {
	switch {
	case now.same(s.from):
		next := s.to
		if next.mode == 0 && !next.absent {
			next.mode = now.mode
		}
		return next, nil
	case now.same(s.to), s.from.same(s.to):
		return now, nil
	case now.absent, s.from.absent, s.to.absent:
		return state{}, ErrConflict
	}
	next := now
	if now.content != s.to.content && s.from.content != s.to.content {
		if !isText(now.content) || !isText(s.from.content) || !isText(s.to.content) {
			return state{}, ErrConflict
		}
		merged, ok := merge(s.from.content, now.content, s.to.content)
		if !ok {
			return state{}, ErrConflict
		}
		next.content = merged
	}
	if now.mode == s.from.mode && s.to.mode != 0 {
		next.mode = s.to.mode
	}
	return next, nil
}

// isText reports whether a content has lines.
func isText(content string) bool {
	return utf8.ValidString(content) && strings.IndexByte(content, 0) < 0
}

// plan is what is to be done to one file.
type plan struct {
	path    string
	steps   []step
	reverts []int
}

// next is what the plan makes of a file.
func (p *plan) next(now state) (state, error) {
	for _, s := range p.steps {
		var err error
		if now, err = s.replay(now); err != nil {
			return state{}, err
		}
	}
	return now, nil
}

// revert plans to take back changes of a file, which are given the last one first.
// What the person has agreed to since then stays.
func (j *Journal) revert(path string, changes []*change) (plan, error) {
	p := plan{path: path}
	for _, c := range changes {
		s, err := j.step(c.after, c.before)
		if err != nil {
			return p, &FileError{path, err}
		}
		p.steps, p.reverts = append(p.steps, s), append(p.reverts, c.id)
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

// agreed are the person's agreements to parts of a file since a change.
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

// RevertFile takes back what the agent changed in a file in the turns from since
// on. What was changed elsewhere in it since then stays.
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

// UndoTurn takes back all that the agent changed in the last turn in which it
// changed something that is not taken back. Either all files are written or, if one
// cannot be, none.
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

// Redo takes back the last undo or revert that was not taken back yet.
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

// carryOut carries plans out. First it looks whether all of them can be.
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
		if err := j.write(ctx, p, act{p.path, number, p.reverts}); err != nil {
			return done, &FileError{p.path, err}
		}
		done.Files = append(done.Files, p.path)
	}
	return done, nil
}

// try looks whether a plan can be carried out.
func (j *Journal) try(ctx context.Context, p plan) error {
	f, done, err := j.filesFor(p.path)
	if err != nil {
		return err
	}
	defer done()
	return f.Look(ctx, p.path, func(now *fs.Held) error {
		_, err := p.next(stateOf(now))
		return err
	})
}

// write carries a plan out. A file that is as it should be is not written, but
// noted.
func (j *Journal) write(ctx context.Context, p plan, a act) error {
	f, done, err := j.filesFor(p.path)
	if err != nil {
		return err
	}
	defer done()
	return f.Exchange(ctx, p.path, func(held *fs.Held) (*fs.Held, error) {
		now := stateOf(held)
		next, err := p.next(now)
		if err != nil {
			return nil, err
		}
		if next.same(now) {
			i := j.keep(held, true)
			j.add(record{
				Kind: kindChange, Path: p.path, Before: &i, After: &i,
				Source: SourcePerson, Happened: true, Act: a.number, Reverts: a.reverts,
			}, true)
			return held, nil
		}
		j.mu.Lock()
		j.acting = &a
		j.mu.Unlock()
		return next.held(), nil
	})
}
