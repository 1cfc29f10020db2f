package compare

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"parley/config"
	"parley/fs"
	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/journal"
	"parley/internal/termtext"
)

// File is a file that a side has changed. It is immutable.
type File struct {
	git.WorktreeChange
	// Name is its path relative to the top of the worktree, with slashes.
	Name string
	// Hunks are the changed lines, none if Opaque.
	Hunks          []termtext.LineEdit
	Added, Removed int
}

// Changed is what a side has changed.
type Changed struct {
	Files []File
	// More is how many further files have changed.
	More int
	// Added and Removed count the lines of all of them.
	Added, Removed int
}

// TooMany says how many files parley merges at once, and how to merge more from a worktree.
func TooMany(t *git.Worktree) string {
	way := "parley worktree merge " + t.Name + " -m MESSAGE"
	if t.Into == "" {
		way = "parley worktree diff " + t.Name + " | git apply"
	}
	return fmt.Sprintf("parley merges at most %d files at once. To merge all of them, in a shell: %s", git.MaxFiles, way)
}

// Tally counts it, for front ends that know no journal. Of a submodule it counts the files.
func (c *Changed) Tally() *app.Tally {
	t := &app.Tally{Files: c.More, Added: c.Added, Removed: c.Removed}
	for i := range c.Files {
		t.Files += max(1, c.Files[i].Inside)
	}
	return t
}

// Changed reads what a side has changed since it began, committed or not.
func (s *Side) Changed(ctx context.Context) (*Changed, error) {
	c := &Changed{}
	changes, more, err := s.Tree.Changes(ctx, func(ch *git.WorktreeChange) { c.count(&File{WorktreeChange: *ch}) })
	if err != nil {
		return nil, err
	}
	c.More = more
	for _, ch := range changes {
		rel, err := filepath.Rel(s.Tree.Path, ch.Path)
		if err != nil {
			return nil, err
		}
		f := File{WorktreeChange: ch, Name: filepath.ToSlash(rel)}
		c.count(&f)
		c.Files = append(c.Files, f)
	}
	return c, nil
}

// count compares a file, and counts its lines.
func (c *Changed) count(f *File) {
	if !f.Opaque {
		f.Hunks, _ = termtext.CompareLines(linesOf(f.Old), linesOf(f.New))
	}
	for _, h := range f.Hunks {
		f.Added += h.NewEnd - h.NewStart
		f.Removed += h.OldEnd - h.OldStart
	}
	c.Added, c.Removed = c.Added+f.Added, c.Removed+f.Removed
}

// Named returns the change of a file, nil if it has not changed.
func (c *Changed) Named(name string) *File {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Files[i]
}

// linesOf are the lines of a file that may not be there.
func linesOf(text *string) []string {
	if text == nil {
		return nil
	}
	return termtext.SplitLines(*text)
}

// Hunk is a hunk of a file, by its index; [Whole] is the file.
type Hunk struct {
	File  string
	Index int
}

// Whole stands for all hunks of a file.
const Whole = -1

// Picks are what is wanted of a side.
type Picks map[Hunk]bool

// All picks everything.
func (c *Changed) All() Picks {
	p := Picks{}
	for _, f := range c.Files {
		p[Hunk{f.Name, Whole}] = true
	}
	return p
}

// Has reports whether a hunk of a file is picked.
func (p Picks) Has(file string, hunk int) bool { return p[Hunk{file, Whole}] || p[Hunk{file, hunk}] }

// in reports whether anything of a file is picked.
func (p Picks) in(file string) bool {
	for h := range p {
		if h.File == file {
			return true
		}
	}
	return false
}

// Toggle picks a hunk, one of several, or no longer.
func (p Picks) Toggle(f *File, hunk int) (picked bool) {
	h := Hunk{f.Name, hunk}
	if all := (Hunk{f.Name, Whole}); hunk != Whole && p[all] { // all but this one
		delete(p, all)
		for i := range f.Hunks {
			p[Hunk{f.Name, i}] = true
		}
	}
	if picked = !p[h]; hunk == Whole {
		maps.DeleteFunc(p, func(h Hunk, _ bool) bool { return h.File == f.Name })
	}
	delete(p, h)
	if picked {
		p[h] = true
	}
	return picked
}

// Outdate removes the picks in files that differ between was, which may be nil, and now: the
// hunk with the same index may be another one.
func (p Picks) Outdate(was, now *Changed) {
	maps.DeleteFunc(p, func(h Hunk, _ bool) bool {
		old, f := was.Named(h.File), now.Named(h.File)
		return was != nil && (old == nil || f == nil || !reflect.DeepEqual(old.New, f.New))
	})
}

// Merger merges changes into files, and undoes that: a session, by its journal, or the journal of
// a comparison.
type Merger interface {
	// Writes judges what is merged of an agent; nil if Merge asks the user itself.
	Writes(config.Agent) (app.Writes, error)
	Merge(context.Context, []journal.Change) (journal.Done, error)
	Unmerge(ctx context.Context, act int) (journal.Done, error)
}

// Keep merges what is picked of a side into the working tree where the comparison began,
// uncommitted, whole or not at all. changed is what the user saw: what the agent has changed since
// is not taken, but for files that are Opaque. The error is a *[journal.ConflictError] if the same
// lines have changed there, or [journal.ErrNothing].
func (c *Comparison) Keep(ctx context.Context, into Merger, s *Side, changed *Changed, picks Picks) (journal.Done, error) {
	top, err := git.Top(c.Dir)
	if err != nil {
		return journal.Done{}, err
	}
	var changes []journal.Change
	for i := range changed.Files {
		f := &changed.Files[i]
		if !picks.in(f.Name) {
			continue
		}
		before, after, err := s.Tree.Contents(ctx, &f.WorktreeChange)
		if err != nil {
			return journal.Done{}, err
		}
		if !f.Opaque {
			after = f.pick(before, after, picks)
		}
		changes = append(changes, journal.NewChange(filepath.Join(top, filepath.FromSlash(f.Name)), before, after))
	}
	return into.Merge(ctx, changes)
}

// pick returns what a file becomes if some hunks of it are picked.
func (f *File) pick(before, after *fs.Snapshot, picks Picks) *fs.Snapshot {
	var out []string
	old, now := linesOf(f.Old), linesOf(f.New)
	at, all := 0, true
	for i, h := range f.Hunks {
		out = append(out, old[at:h.OldStart]...)
		if picks.Has(f.Name, i) {
			out = append(out, now[h.NewStart:h.NewEnd]...)
		} else {
			all = false
			out = append(out, old[h.OldStart:h.OldEnd]...)
		}
		at = h.OldEnd
	}
	if all {
		return after
	}
	part := &fs.Snapshot{Content: strings.Join(append(out, old[at:]...), "")}
	if after != nil {
		part.Mode = after.Mode
	} else if before != nil {
		part.Mode = before.Mode
	}
	return part
}

// Journal opens the journal of what is merged where a comparison began, while no session there
// records it.
func (c *Comparison) Journal(l *app.Launcher) Merger { return own{c, l} }

// own merges by a journal that is open only meanwhile.
type own struct {
	c *Comparison
	l *app.Launcher
}

func (o own) Writes(a config.Agent) (app.Writes, error) { return o.l.Writes(a, o.c.Dir) }

func (o own) Merge(ctx context.Context, changes []journal.Change) (journal.Done, error) {
	return o.with(ctx, func(j *journal.Journal) (journal.Done, error) { return j.Merge(ctx, changes) })
}

func (o own) Unmerge(ctx context.Context, act int) (journal.Done, error) {
	return o.with(ctx, func(j *journal.Journal) (journal.Done, error) { return j.Unmerge(ctx, act) })
}

func (o own) with(ctx context.Context, do func(*journal.Journal) (journal.Done, error)) (journal.Done, error) {
	top, err := git.Top(o.c.Dir)
	if err != nil {
		return journal.Done{}, err
	}
	j, err := o.l.MergeJournal(top, o.c.Name)
	if err != nil {
		return journal.Done{}, err
	}
	done, err := do(j)
	_ = j.Close(context.WithoutCancel(ctx)) // what it has logged is logged
	return done, err
}

// Lost says what dropping the worktrees of sides would lose, and what stays in the repository.
func (c *Comparison) Lost(ctx context.Context, sides []int) (string, error) {
	var parts []string
	for _, side := range sides {
		s := c.Sides[side]
		what := c.Title(side) + ", the worktree " + s.Tree.Name + ":"
		if git.WorktreeGone(s.Tree.Path) {
			parts = append(parts, what+" its directory is gone; commits of it stay in the repository under refs/parley/dropped")
			continue
		}
		work, err := s.Tree.Work(ctx)
		if err == nil {
			err = work.Whole()
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Tree.Name, err)
		}
		if left := app.LeftInWorktree(work); left != "" {
			parts = append(parts, what+"\n"+left)
		} else {
			parts = append(parts, what+" nothing that is not merged")
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// Judged are picks, by what a write to their files would need.
type Judged struct {
	// Free are those that need no question, Asked those of which the user is to be asked.
	Free, Asked Picks
	// Why names the files of Asked, and why each would be asked about; Denied those that a rule denies.
	Why, Denied []string
}

// Judge judges picks of what a side has changed, by writes, and by whether a link may lead out of the
// project.
func (c *Comparison) Judge(ctx context.Context, writes app.Writes, changed *Changed, picks Picks) (j Judged, err error) {
	top, err := git.Top(c.Dir)
	if err != nil {
		return Judged{}, err
	}
	j = Judged{Free: Picks{}, Asked: Picks{}}
	for i := range changed.Files {
		f := &changed.Files[i]
		if !picks.in(f.Name) {
			continue
		}
		file := git.MergedFile{Name: f.Name, Removed: f.NewMode == 0, Link: f.NewMode&os.ModeSymlink != 0}
		if f.New != nil {
			file.Target = *f.New
		}
		why, denied := writes(ctx, top, file)
		into, named := j.Free, termtext.VisibleLine(f.Name)+" ("+termtext.Line(why)+")"
		switch {
		case denied:
			j.Denied = append(j.Denied, named)
			continue
		case why != "":
			j.Why = append(j.Why, named)
			into = j.Asked
		}
		for h := range picks {
			if h.File == f.Name {
				into[h] = true
			}
		}
	}
	return j, nil
}
