package journal

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"slices"

	"parley/fs"
	"parley/internal/git"
	"parley/internal/termtext"
)

// Effect is what a rewind does to a file.
type Effect string

// The effects of a rewind.
const (
	EffectRestore   Effect = "restore"   // the file gets its earlier lines
	EffectDelete    Effect = "delete"    // the agent created the file
	EffectRecreate  Effect = "recreate"  // the agent deleted the file, or moved it away
	EffectUnchanged Effect = "unchanged" // the file already has its earlier content
	// EffectConflict: the user has changed the same lines since. The file is left alone
	// unless the user chooses it, and then loses those lines.
	EffectConflict Effect = "conflict"
	// EffectSeen: the file changed during a turn, and it is unknown who changed it. It is left
	// alone unless the user chooses it.
	EffectSeen Effect = "seen"
	// EffectLost: the earlier content was not kept. The file is left alone.
	EffectLost Effect = "lost"
	// EffectReported: only the agent says what the earlier content was. The file is left alone.
	EffectReported Effect = "reported"
	// EffectBlocked: the path has become a directory or a link, lies behind one, or cannot
	// be read. It is left alone.
	EffectBlocked Effect = "blocked"
)

// ErrStale means that a file has changed since the preview of a rewind, so that the rewind
// would do something else. Nothing was written.
var ErrStale = errors.New("it has changed since the preview; nothing was written")

// RewindFile is what a rewind does to a part of a file. Its Before is what the file would
// contain, its hunks those that would go back.
type RewindFile struct {
	*Comparison
	Effect Effect
	// Why says why the file is blocked.
	Why string
	// Reverts are the changes that the rewind undoes, by their numbers in the journal.
	Reverts []int

	// Forced means that not all changes can be undone without losing something.
	Forced bool
}

// RewindPlan is what would happen if the files went back to how they were before a turn.
type RewindPlan struct {
	// Turn is the first turn whose changes are undone.
	Turn int
	// Files are all that have changed since, in the order of their first change.
	Files []RewindFile
	// Limits says which changes are not among them, "" if there is nothing to say.
	Limits string
}

// noWorkTree says what is not recorded outside a git work tree.
const noWorkTree = "Outside a git work tree parley does not see what the agent's own commands change"

// Tally counts what the plan does if the user chooses nothing more.
func (p *RewindPlan) Tally() (t Tally) {
	for _, f := range p.Files {
		switch f.Effect {
		case EffectRestore, EffectDelete, EffectRecreate:
			t.Files++
			t.Added += f.Added
			t.Removed += f.Removed
		}
	}
	return t
}

// Tally counts files, and the lines that the agent has added to and removed from them.
type Tally struct {
	Files   int `json:"files"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// PlanRewind plans to undo all live changes since a turn, also those that the user has
// accepted. It writes nothing.
func (j *Journal) PlanRewind(ctx context.Context, turn int) (*RewindPlan, error) {
	j.mu.Lock()
	var parts []Part
	for _, path := range j.history.paths {
		for _, seen := range []bool{false, true} {
			if part := (Part{path, seen}); len(j.history.allSince(part, turn)) > 0 {
				parts = append(parts, part)
			}
		}
	}
	p := &RewindPlan{Turn: turn, Limits: j.limits}
	j.mu.Unlock()
	if _, err := git.Top(j.cwd); errors.Is(err, git.ErrNoRepository) {
		p.Limits = noWorkTree
	}
	if failed := j.Summary().Failed; failed != "" {
		p.Limits = "some changes were not recorded: " + termtext.Line(failed)
	}
	for _, part := range parts {
		f, err := j.planFile(ctx, part, turn)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, f)
	}
	j.keepUsersLines(p)
	return p, nil
}

// keepUsersLines turns what the plan does to a file into a conflict if the file has got, by
// a move, lines that the user wrote into another one, and that one cannot get them back.
func (j *Journal) keepUsersLines(p *RewindPlan) {
	users := map[string]bool{} // contents, by hash
	for _, f := range p.Files {
		if !f.Forced || f.Seen {
			continue
		}
		changes := j.changes(f.Reverts)
		for i := range changes[:max(0, len(changes)-1)] { // the last one first
			if c, before := changes[i], changes[i+1]; !before.after.same(c.before) {
				users[c.before.Hash] = true
			}
		}
	}
	delete(users, "")
	for i := range p.Files {
		f := &p.Files[i]
		switch f.Effect {
		case EffectRestore, EffectDelete:
			if slices.ContainsFunc(j.changes(f.Reverts), func(c *change) bool { return users[c.after.Hash] }) {
				f.Effect = EffectConflict
			}
		}
	}
}

// changes returns changes by their numbers.
func (j *Journal) changes(ids []int) (all []*change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		if c := j.history.byID[id]; c != nil {
			all = append(all, c)
		}
	}
	return all
}

// planFile plans the rewind of a part.
func (j *Journal) planFile(ctx context.Context, part Part, turn int) (RewindFile, error) {
	f := RewindFile{Comparison: &Comparison{Part: part, Since: turn}}
	p, lost := j.rewindPlan(turn, part)
	f.Reverts = p.reverts
	var err error
	f.Now, err = j.now(ctx, part.Path)
	if err == nil && lost == nil {
		err = p.fits(f.Now.snapshot())
	}
	switch {
	case ctx.Err() != nil:
		return f, ctx.Err()
	case lost != nil, errors.Is(err, fs.ErrTooLarge):
		f.Before.Lost, f.Effect = true, EffectLost
		return f, nil
	case err != nil:
		f.Before.Lost, f.Effect, f.Why = true, EffectBlocked, blocked(err)
		return f, nil
	}
	f.Reported = p.claimed
	f.compareWith(&p)
	_, conflict := p.next(f.Now.snapshot())
	f.Forced = conflict != nil
	switch {
	case part.Seen:
		f.Effect = EffectSeen
	case f.Same():
		f.Effect = EffectUnchanged
	case f.Reported:
		f.Effect = EffectReported
	case conflict != nil:
		f.Effect = EffectConflict
	case f.Before.Absent:
		f.Effect = EffectDelete
	case f.Now.Absent:
		f.Effect = EffectRecreate
	default:
		f.Effect = EffectRestore
	}
	return f, nil
}

// blocked says in a few words why a file cannot be read.
func blocked(err error) string {
	switch {
	case errors.Is(err, fs.ErrMoved):
		return "it is a link now, or behind one"
	case errors.Is(err, fs.ErrNotRegular):
		return "it is no regular file now"
	case errors.Is(err, iofs.ErrPermission):
		return "it cannot be read"
	}
	return err.Error()
}

// rewindPlan plans to undo the changes of parts of one file since a turn.
func (j *Journal) rewindPlan(turn int, parts ...Part) (plan, error) {
	var changes []*change
	j.mu.Lock()
	for _, part := range parts {
		changes = append(changes, j.history.allSince(part, turn)...)
	}
	j.mu.Unlock()
	slices.SortFunc(changes, func(a, b *change) int { return cmp.Compare(b.id, a.id) })
	return j.revertAll(parts[0].Path, changes)
}

// Rewind carries a plan out: either all of it or, on an error, nothing happens, even if the
// process is killed. It leaves alone what is in conflict or was only seen to change, unless
// chosen names it. [Journal.Redo] takes the whole rewind back. The error is [ErrNothing] if
// there is nothing to do, and wraps [ErrStale], with the file, if the files or the journal
// are no longer as in the preview.
func (j *Journal) Rewind(ctx context.Context, p *RewindPlan, chosen ...Part) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	now, err := j.PlanRewind(ctx, p.Turn)
	if err != nil {
		return Done{}, err
	}
	if f := p.differs(now); f != nil {
		return Done{}, &FileError{f.Path, ErrStale}
	}
	parts := map[string][]Part{}
	forced := map[string]bool{}
	var paths []string
	for _, f := range p.Files {
		picked := slices.Contains(chosen, f.Part)
		switch f.Effect {
		case EffectLost, EffectReported, EffectBlocked:
			continue
		case EffectConflict, EffectSeen:
			if !picked {
				continue
			}
			forced[f.Path] = true
		case EffectUnchanged: // also where only a conflict led back to what is there
			forced[f.Path] = true
		}
		if parts[f.Path] == nil {
			paths = append(paths, f.Path)
		}
		parts[f.Path] = append(parts[f.Path], f.Part)
	}
	if len(paths) == 0 {
		return Done{}, ErrNothing
	}
	plans := make([]plan, len(paths))
	for i, path := range paths {
		if plans[i], err = j.rewindPlan(p.Turn, parts[path]...); err != nil {
			return Done{}, err
		}
		plans[i].force = forced[path]
	}
	return j.carryOut(ctx, plans, actRewind, p.Turn)
}

// differs returns a file for which another plan of the same turn does something else, nil
// if there is none.
func (p *RewindPlan) differs(o *RewindPlan) *RewindFile {
	for i, f := range p.Files {
		if i >= len(o.Files) {
			return &p.Files[i]
		}
		g := o.Files[i]
		read := f.Effect != EffectBlocked && f.Effect != EffectLost
		if f.Part != g.Part || f.Effect != g.Effect || read && !f.Now.same(g.Now.Image) || !slices.Equal(f.Reverts, g.Reverts) {
			return &p.Files[i]
		}
	}
	if len(o.Files) > len(p.Files) {
		return &o.Files[len(p.Files)]
	}
	return nil
}

// Since counts, for each turn by its number, the files that are no longer as they were
// before it, and the lines of the agent's in them. Changes that were only seen do not count.
func (j *Journal) Since(ctx context.Context) (map[int]Tally, error) {
	j.mu.Lock()
	turns := slices.Clone(j.history.turns)
	paths := slices.Clone(j.history.paths)
	j.mu.Unlock()
	out := make(map[int]Tally, len(turns))
	for _, path := range paths {
		var last *RewindFile // the same for turns between which the file did not change
		for _, turn := range turns {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			part := Part{Path: path}
			j.mu.Lock()
			changes := j.history.allSince(part, turn.Number)
			j.mu.Unlock()
			if len(changes) == 0 {
				break
			}
			if last == nil || len(last.Reverts) != len(changes) {
				f, err := j.planFile(ctx, part, turn.Number)
				if err != nil {
					break // a file that cannot be read does not count
				}
				last = &f
			}
			if last.Effect == EffectUnchanged || last.Effect == EffectBlocked {
				continue
			}
			t := out[turn.Number]
			t.Files++
			t.Added += last.Added
			t.Removed += last.Removed
			out[turn.Number] = t
		}
	}
	return out, nil
}
