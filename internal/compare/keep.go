package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/termtext"
)

// File is a file that a side has changed. It is immutable.
type File struct {
	// Path is relative to the top of the worktree, with slashes.
	Path string
	// Old and New are its contents before and now; Old is nil for a new file, New for a
	// deleted one. Of an Opaque one both are unknown: it is not text, or too large.
	Old, New *string
	Opaque   bool
	// Hunks are the changed lines, none if Opaque.
	Hunks          []termtext.LineEdit
	Added, Removed int
}

// Changed is what a side has changed.
type Changed struct {
	Files []File
	// More is how many further files have changed.
	More int
	// Added and Removed count the lines of Files.
	Added, Removed int
}

// Changed reads what a side has changed since it began, committed or not.
func (s *Side) Changed(ctx context.Context) (*Changed, error) {
	changes, more, err := s.Tree.Changes(ctx)
	if err != nil {
		return nil, err
	}
	c := &Changed{More: more}
	for _, ch := range changes {
		rel, err := filepath.Rel(s.Tree.Path, ch.Path)
		if err != nil {
			return nil, err
		}
		f := File{Path: filepath.ToSlash(rel), Old: ch.Old, New: ch.New, Opaque: ch.Opaque}
		if !f.Opaque {
			f.Hunks, _ = termtext.CompareLines(linesOf(f.Old), linesOf(f.New))
		}
		for _, h := range f.Hunks {
			f.Added += h.NewEnd - h.NewStart
			f.Removed += h.OldEnd - h.OldStart
		}
		c.Added, c.Removed = c.Added+f.Added, c.Removed+f.Removed
		c.Files = append(c.Files, f)
	}
	return c, nil
}

// Named returns the change of a file, nil if it has not changed.
func (c *Changed) Named(path string) *File {
	i := slices.IndexFunc(c.Files, func(f File) bool { return f.Path == path })
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

// Hunk is a hunk of a file, by its index.
type Hunk struct {
	Path  string
	Index int
}

// pick returns what is wanted of the file if some hunks of it are.
func (f *File) pick(wanted func(hunk int) bool) git.Pick {
	var out []string
	old, now := linesOf(f.Old), linesOf(f.New)
	at, all := 0, true
	for i, h := range f.Hunks {
		out = append(out, old[at:h.OldStart]...)
		if wanted(i) {
			out = append(out, now[h.NewStart:h.NewEnd]...)
		} else {
			all = false
			out = append(out, old[h.OldStart:h.OldEnd]...)
		}
		at = h.OldEnd
	}
	if all {
		return git.Pick{Path: f.Path, Text: f.New}
	}
	text := strings.Join(append(out, old[at:]...), "")
	return git.Pick{Path: f.Path, Text: &text}
}

// Keep merges files of a side, or hunks of them, into the working tree where the comparison
// began, uncommitted, whole or not at all. changed is what the user saw: what the agent has
// changed since is not taken, but for files that are Opaque. The error is a *git.UnfitError if
// the same lines have changed there, or [git.ErrNothing].
func (c *Comparison) Keep(ctx context.Context, s *Side, changed *Changed, files []string, hunks []Hunk) (*git.Taken, error) {
	var picks []git.Pick
	for i := range changed.Files {
		f := &changed.Files[i]
		whole := slices.Contains(files, f.Path)
		if whole || slices.ContainsFunc(hunks, func(h Hunk) bool { return h.Path == f.Path }) {
			picks = append(picks, f.pick(func(i int) bool { return whole || slices.Contains(hunks, Hunk{f.Path, i}) }))
		}
	}
	return s.Tree.Take(ctx, c.Dir, picks)
}

// Lost says what dropping the worktrees of sides would lose, and what stays in the repository.
func Lost(ctx context.Context, sides []*Side) (string, error) {
	var parts []string
	for _, s := range sides {
		if git.WorktreeGone(s.Tree.Path) {
			parts = append(parts, termtext.Line(s.Name)+", the worktree "+s.Tree.Name+": its directory is gone; commits of it stay in the repository under refs/parley/dropped")
			continue
		}
		work, err := s.Tree.Work(ctx)
		if err == nil {
			err = work.Whole()
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Tree.Name, err)
		}
		part := termtext.Line(s.Name) + ", the worktree " + s.Tree.Name + ": nothing that is not merged"
		if left := app.LeftInWorktree(work); left != "" {
			part = termtext.Line(s.Name) + ", the worktree " + s.Tree.Name + ":\n" + left
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n"), nil
}
