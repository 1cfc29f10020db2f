package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	// ErrReported means that only the agent says what a file contained.
	ErrReported = errors.New("only the agent says what it contained; parley does not undo that")
	// errLost means that the previous content of a file is unknown.
	errLost = errors.New("its previous content was not kept")
)

// FileError is an error about a file.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// fileError returns err as an error about a file, once.
func fileError(path string, err error) *FileError {
	var about *FileError
	if errors.As(err, &about) {
		return about
	}
	return &FileError{path, err}
}

// Left is a file that an undo has left alone.
type Left struct{ Path, Why string }

// Done is the result of an undo or redo.
type Done struct {
	// Files are the files that were written, or already had the right contents.
	Files []string
	// Left are the files of the turn that were left alone.
	Left []Left
	// Act is the number of the act.
	Act int
	// Turn is the turn that was undone, 0 if it was something else.
	Turn int
}

// same reports whether two contents of a file are equal; nil is no file. An unknown mode
// equals any other.
func same(a, b *fs.Snapshot) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Content == b.Content && sameMode(a.Mode, b.Mode)
}

// content returns the content of an image, nil for no file.
func (j *Journal) content(i Image) (*fs.Snapshot, error) {
	if i.Absent {
		return nil, nil
	}
	if i.Lost {
		return nil, errLost
	}
	content, err := j.store.get(i)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLost, err)
	}
	return &fs.Snapshot{Content: content, Mode: i.Mode}, nil
}

// step is a change of a file, from one content to another.
type step struct{ from, to *fs.Snapshot }

// links reports whether the step is about a symbolic link.
func (s step) links() bool { return s.from.IsLink() || s.to.IsLink() }

// replay applies the step to a file whose content may have changed meanwhile. Where that
// changed the same lines as the step, clean is false, and the step's lines count if force
// is set, otherwise the file's.
func (s step) replay(now *fs.Snapshot, force bool) (next *fs.Snapshot, clean bool) {
	switch {
	case same(now, s.from):
		if now != nil && s.to != nil && s.to.Mode == 0 {
			return &fs.Snapshot{Content: s.to.Content, Mode: fileMode(now.Mode)}, true
		}
		return s.to, true
	case same(now, s.to), same(s.from, s.to):
		return now, true
	case now.IsLink() || s.links():
		if force {
			return s.to, false
		}
		return now, false
	}
	mergeable := now != nil && s.from != nil && s.to != nil
	changed := mergeable && now.Content != s.to.Content && s.from.Content != s.to.Content
	if changed {
		mergeable = isText(now.Content) && isText(s.from.Content) && isText(s.to.Content)
	}
	switch {
	case !mergeable && force:
		return s.to, false
	case now == nil || s.from == nil || s.to == nil:
		return now, false
	}
	merged, clean := *now, mergeable
	if changed && mergeable {
		merged.Content, clean = merge(s.from.Content, now.Content, s.to.Content, force)
	}
	if (now.Mode == s.from.Mode || s.from.Mode == 0) && s.to.Mode != 0 {
		merged.Mode = s.to.Mode
	}
	return &merged, clean
}

// isText reports whether a content has lines.
func isText(content string) bool {
	return utf8.ValidString(content) && strings.IndexByte(content, 0) < 0
}

// plan is a pending operation on one file.
type plan struct {
	path    string
	steps   []step
	turn    int  // of the change, if it undoes a hunk
	seen    bool // the hunk is of the file's seen part
	force   bool // its lines count where the file's have changed since
	reverts []int
	merged  bool // it merges a change from elsewhere
	claimed bool // only the agent says what the file contained
	ready   *fs.Prepared
}

// record returns the record of the change that the plan makes in an act, without the contents.
func (p *plan) record(act int) record {
	r := record{Kind: kindChange, Path: p.path, Source: SourceUser, Act: act, Turn: p.turn, Seen: p.seen, Reverts: p.reverts}
	if p.merged {
		r.Source = SourceMerge
	}
	return r
}

// fits returns fs.ErrMoved if the file is a link now, and there are changes of which none is about one.
func (p *plan) fits(now *fs.Snapshot) error {
	if now.IsLink() && len(p.steps) > 0 && !slices.ContainsFunc(p.steps, step.links) {
		return fs.ErrMoved
	}
	return nil
}

// next returns what the plan makes of a file, or ErrConflict.
func (p *plan) next(now *fs.Snapshot) (*fs.Snapshot, error) {
	if err := p.fits(now); err != nil {
		return nil, err
	}
	if next, kept := p.both(now); p.force || same(next, kept) {
		return next, nil
	}
	return nil, ErrConflict
}

// both returns what the plan makes of a file. Where the same lines of the file have
// changed since, forced has the plan's lines, and kept the file's.
func (p *plan) both(now *fs.Snapshot) (forced, kept *fs.Snapshot) {
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

// revert plans to undo changes of a part, given the last one first. Hunks that the user
// has accepted since then stay.
func (j *Journal) revert(part Part, changes []*change) (plan, error) {
	p, err := j.revertAll(part.Path, changes)
	if err != nil || len(changes) == 0 {
		return p, err
	}
	j.mu.Lock()
	agreements := j.history.agreed(part)
	j.mu.Unlock()
	for _, a := range agreements {
		if a.id <= changes[len(changes)-1].id || a.whole {
			continue
		}
		s, err := j.step(a.before, a.after)
		if err != nil {
			return p, &FileError{part.Path, err}
		}
		p.steps = append(p.steps, s)
	}
	return p, nil
}

// revertAll plans to undo changes of a file, given the last one first.
func (j *Journal) revertAll(path string, changes []*change) (plan, error) {
	p := plan{path: path}
	for i := 0; i < len(changes); {
		last := changes[i]
		first := last
		for ; i < len(changes); i++ {
			if c := changes[i]; c == last || first.before.same(c.after) {
				first = c // the file did not change between the two
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
		p.claimed = p.claimed || first.provenance != ProvenanceSeen
	}
	return p, nil
}

// check returns ErrReported if only the agent says what a plan restores.
func (p *plan) check() error {
	if p.claimed {
		return ErrReported
	}
	return nil
}

func (j *Journal) step(from, to Image) (s step, err error) {
	if s.from, err = j.content(from); err != nil {
		return s, err
	}
	s.to, err = j.content(to)
	return s, err
}

// RevertFile undoes the changes of a part since turn since, and the move of the file. Changes
// elsewhere in the file stay.
func (j *Journal) RevertFile(ctx context.Context, part Part, since int) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	var plans []plan
	for _, part := range j.withFormer(part, since) {
		j.mu.Lock()
		changes := j.history.liveSince(part, since)
		j.mu.Unlock()
		if len(changes) == 0 {
			return Done{}, ErrNothing
		}
		p, err := j.revert(part, changes)
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return Done{}, fileError(part.Path, err)
		}
		plans = append(plans, p)
	}
	return j.carryOut(ctx, plans, actUndo, 0)
}

// UndoTurn undoes the agent's live changes in the last turn that has any. It leaves alone
// what was only seen to change, files whose previous content only the agent knows, and
// what is no readable file any more. It writes all others or, if one fails, none.
func (j *Journal) UndoTurn(ctx context.Context) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	turn := j.history.lastLiveTurn()
	var paths []string
	changes := map[string][]*change{}
	for _, path := range j.history.paths {
		if all := j.history.liveSince(Part{Path: path}, turn); len(all) > 0 && turn >= 0 {
			paths, changes[path] = append(paths, path), all
		}
	}
	j.mu.Unlock()
	if len(paths) == 0 {
		return Done{}, ErrNothing
	}
	var plans []plan
	var left []Left
	var why error
	for _, path := range paths {
		p, err := j.revert(Part{Path: path}, changes[path])
		if err == nil {
			err = p.check()
		}
		if now, unreadable := j.now(ctx, path); err == nil {
			if unreadable = cmp.Or(unreadable, p.fits(now.snapshot())); unreadable != nil {
				err = errors.New(blocked(unreadable))
			}
		}
		if ctx.Err() != nil {
			return Done{}, ctx.Err()
		}
		if err != nil {
			about := fileError(path, err)
			left, why = append(left, Left{path, about.Err.Error()}), cmp.Or[error](why, about)
			continue
		}
		plans = append(plans, p)
	}
	if len(plans) == 0 {
		return Done{}, why
	}
	done, err := j.carryOut(ctx, plans, actUndo, 0)
	done.Turn, done.Left = turn, left
	return done, err
}

// Redo undoes the user's last undo, revert or rewind that is still in effect.
func (j *Journal) Redo(ctx context.Context) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	changes := j.history.redoable()
	j.mu.Unlock()
	plans, err := j.revertEach(changes)
	if err != nil {
		return Done{}, err
	}
	return j.carryOut(ctx, plans, actRedo, 0)
}

// revertEach plans to undo changes of an act, each by itself.
func (j *Journal) revertEach(changes []*change) (plans []plan, err error) {
	if len(changes) == 0 {
		return nil, ErrNothing
	}
	for _, c := range changes {
		s, err := j.step(c.after, c.before)
		if err != nil {
			return nil, &FileError{c.path, err}
		}
		plans = append(plans, plan{path: c.path, steps: []step{s}, reverts: []int{c.id}})
	}
	return plans, nil
}

// Change is a change of a file that was made elsewhere, such as in a worktree.
type Change struct {
	Path          string
	Before, After Version
}

// NewChange describes a change; nil is no file. A Before without a mode may have any, and an After
// without one leaves it.
func NewChange(path string, before, after *fs.Snapshot) Change {
	return Change{path, versionOf(before), versionOf(after)}
}

// ConflictError is an [ErrConflict] in several files.
type ConflictError struct{ Files []string }

func (e *ConflictError) Error() string {
	return "the same lines have changed in the working tree: " + strings.Join(e.Files, ", ")
}

func (e *ConflictError) Unwrap() error { return ErrConflict }

// Merge makes changes to files here, whatever else has changed in them: all of them or none. They
// belong to the seen parts of the files. The error is a *[ConflictError], or [ErrNothing] if the
// files have the changes already.
func (j *Journal) Merge(ctx context.Context, changes []Change) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	turn := j.history.turn()
	j.mu.Unlock()
	var plans []plan
	for _, c := range changes {
		plans = append(plans, plan{path: c.Path, steps: []step{{c.Before.snapshot(), c.After.snapshot()}}, turn: turn, seen: true, merged: true})
	}
	return j.merge(ctx, plans, ActMerge)
}

// Unmerge takes a merge back, by the number of its act.
func (j *Journal) Unmerge(ctx context.Context, act int) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	j.mu.Lock()
	var changes []*change
	for _, c := range j.history.changes {
		if c.act == act && c.source == SourceMerge && j.history.live(c) {
			changes = append(changes, c)
		}
	}
	j.mu.Unlock()
	plans, err := j.revertEach(changes)
	if err != nil {
		return Done{}, err
	}
	return j.merge(ctx, plans, actUndo)
}

// merge carries out those plans that change something. It names all files in which one does not
// fit.
func (j *Journal) merge(ctx context.Context, plans []plan, what string) (Done, error) {
	var wanted []plan
	var unfit ConflictError
	for _, p := range plans {
		_, err := j.try(ctx, &p)
		switch {
		case errors.Is(err, ErrConflict):
			name, _ := filepath.Rel(j.cwd, p.path) // both are absolute
			unfit.Files = append(unfit.Files, name)
		case err != nil:
			return Done{}, &FileError{p.path, err}
		case !same(p.steps[0].from, p.steps[0].to):
			wanted = append(wanted, p)
		}
	}
	switch {
	case len(unfit.Files) > 0:
		return Done{}, &unfit
	case len(wanted) == 0:
		return Done{}, ErrNothing
	}
	return j.carryOut(ctx, wanted, what, 0)
}
