package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/fs"
	"parley/internal/git"
	"parley/internal/termtext"
)

// Bounds for looking at a work tree.
const (
	// maxLook is how long git may take.
	maxLook = 5 * time.Second
	// maxSeen bounds the changed files recorded per turn.
	maxSeen = 2000
	// maxCopies and maxCopied bound the files, and their bytes, that are copied at the
	// beginning of a turn because they differ from the last commit.
	maxCopies = 500
	maxCopied = 32 << 20
	maxCopy   = 2 << 20
)

// tree is a work tree at the beginning of a turn.
type tree struct {
	*git.Status
	// copies are the files that differed from the last commit, were not in it, or that git
	// stores in another form.
	copies map[string]seenFile
}

// look reads the work tree at the beginning of a turn; nil if there is none.
func (t *turnWatch) look(began time.Time) *tree {
	t.looked = t.j.lastID()
	w := t.state(filepath.Join(t.j.dir, "index"))
	if w == nil {
		return nil
	}
	tr := &tree{Status: w, copies: map[string]seenFile{}}
	var copied int64
	for _, path := range slices.Concat(slices.Sorted(maps.Keys(w.Dirty)), slices.Sorted(maps.Keys(w.Converted)), slices.Sorted(maps.Keys(w.Untracked))) {
		if _, copied := tr.copies[path]; copied {
			continue
		}
		if w.Converted[path] && !w.Dirty[path] && (copied > maxCopied || len(tr.copies) >= maxCopies) {
			continue
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			tr.copies[path] = seenFile{Image{Absent: true}, t.looked}
			continue
		case err != nil, info.Mode().Type()&^os.ModeSymlink != 0, info.ModTime().After(began):
			continue // the content at the beginning of the turn is unknown
		case info.Size() > maxCopy:
			tr.copies[path] = seenFile{unread(info), t.looked}
			continue
		}
		if copied += info.Size(); copied > maxCopied || len(tr.copies) >= maxCopies {
			t.limited("many files differed from the last commit when the turn began: the earlier content of some is not kept")
			tr.copies[path] = seenFile{unread(info), t.looked}
			continue
		}
		if s, err := t.see(path); err == nil {
			tr.copies[path] = s
		}
	}
	return tr
}

// state asks git, and keeps the index in a file; nil if there is no work tree, or if it is too large.
func (t *turnWatch) state(index string) *git.Status {
	if t.tooLarge {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.ctx, maxLook)
	defer cancel()
	w, err := git.StatusOf(ctx, t.j.cwd, index)
	switch {
	case err == nil:
		return w
	case errors.Is(err, git.ErrNoRepository) && t.tree != nil:
		t.limited("the directory is in no git repository any more: only what parley saw itself is recorded")
	case errors.Is(err, git.ErrNoRepository), t.ctx.Err() != nil:
	case errors.Is(err, git.ErrTooMany):
		t.tooLarge = true // the next turn would fail too
		t.limited("the work tree is too large to find changes that the agent does not report")
	case ctx.Err() != nil:
		t.tooLarge = true
		t.limited(fmt.Sprintf("git did not end within %v: changes that the agent does not report are not recorded", maxLook))
	default:
		t.refused(err)
	}
	return nil
}

// refused remembers that git does not say what has changed.
func (t *turnWatch) refused(err error) {
	why := err.Error()
	if failed, ok := errors.AsType[*git.Error](err); ok {
		why = cmp.Or(failed.Output, why)
	}
	if t.ctx.Err() == nil {
		t.limited("git cannot tell what has changed, so only what parley saw itself is recorded: " + termtext.Line(why))
	}
}

// limited remembers what is not recorded, for Trouble.
func (t *turnWatch) limited(words string) {
	t.j.mu.Lock()
	defer t.j.mu.Unlock()
	t.j.limits = words
	t.j.bump()
}

// end records the changes of a turn that has ended.
func (t *turnWatch) end() {
	for _, id := range slices.Sorted(maps.Keys(t.calls)) {
		for _, path := range slices.Sorted(maps.Keys(t.calls[id].seen)) {
			t.reclaim(path, t.calls[id])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t.touched)) {
		if i, ok := t.before(path); ok {
			t.finish(path, i) // after the edit, or instead of one
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t.known)) {
		t.finish(path, t.known[path])
	}
	if t.tree != nil {
		for _, path := range slices.Sorted(maps.Keys(t.tree.copies)) {
			t.finish(path, t.tree.copies[path])
		}
		t.compareTrees()
	}
	t.findMoves()
	t.calls, t.asked, t.touched, t.tree, t.known, t.finished = nil, nil, nil, nil, nil, nil
}

// compareTrees records the other files that changed during the turn.
func (t *turnWatch) compareTrees() {
	index := filepath.Join(t.j.dir, "index.end")
	now := t.state(index)
	_ = os.Remove(index)
	if now == nil || now.Top != t.tree.Top {
		if now != nil {
			t.limited("the directory came into another repository during the turn: only what parley saw itself is recorded")
		}
		return
	}
	paths := slices.DeleteFunc(t.suspects(now), func(path string) bool { return t.finished[path] })
	if len(paths) > maxSeen {
		t.limited("too many files changed in one turn: some are not recorded")
		paths = paths[:maxSeen]
	}
	var clean []string // at the beginning of the turn
	for _, path := range paths {
		switch {
		case t.tree.Untracked[path]: // skipped: another repository, or written since the turn began
		case t.tree.Dirty[path], t.tree.Converted[path]:
			if t.tree.Converted[path] && !t.tree.Dirty[path] {
				t.limited("git stores many files in another form: the earlier content of some is not kept")
			}
			t.finish(path, seenFile{Image{Lost: true}, t.looked})
		default:
			clean = append(clean, path)
		}
	}
	t.compareCommitted(clean)
}

// suspects returns the files that may have changed during the turn.
func (t *turnWatch) suspects(now *git.Status) []string {
	set := map[string]bool{}
	for _, m := range []map[string]bool{now.Dirty, now.Untracked, t.tree.Dirty, t.tree.Untracked} {
		maps.Copy(set, m)
	}
	for path := range t.known {
		set[path] = true
	}
	if now.Head != t.tree.Head {
		ctx, cancel := context.WithTimeout(t.ctx, maxLook)
		defer cancel()
		paths, err := now.ChangedBetween(ctx, t.j.cwd, t.tree.Head, now.Head)
		switch {
		case errors.Is(err, git.ErrTooMany), ctx.Err() != nil:
			t.limited("the turn made a large commit: some files that it changed are not recorded")
		case err != nil:
			t.refused(err)
		}
		for _, path := range paths {
			set[path] = true
		}
	}
	maps.DeleteFunc(set, func(path string, _ bool) bool {
		return t.j.ignored(path) || !t.j.inside(path)
	})
	return slices.Sorted(maps.Keys(set))
}

// compareCommitted records files that, when the turn began, were as in the last commit
// or did not exist.
func (t *turnWatch) compareCommitted(paths []string) {
	ctx, cancel := context.WithTimeout(t.ctx, maxLook)
	defer cancel()
	was := map[string]Image{}
	err := t.clean(ctx, paths, func(path string, i Image) { was[path] = i })
	if err != nil {
		t.refused(err)
	}
	for _, path := range paths {
		if i, ok := was[path]; ok {
			t.finish(path, seenFile{i, t.looked})
		} else if err != nil {
			t.finish(path, seenFile{Image{Lost: true}, t.looked})
		}
	}
}

// clean passes to take what files contained that git did not list when the turn began, as far as
// git says anything of them.
func (t *turnWatch) clean(ctx context.Context, paths []string, take func(string, Image)) error {
	return t.tree.Clean(ctx, paths, maxImage, func(path string, was *fs.Snapshot, known bool) {
		if !known {
			take(path, Image{Lost: true})
			return
		}
		take(path, t.checkedOut(path, was))
	})
}

// checkedOut is the image of a file that git has checked out, with the permissions that it has now.
func (t *turnWatch) checkedOut(path string, was *fs.Snapshot) Image {
	if was == nil {
		return Image{Absent: true}
	}
	if was.IsLink() {
		return t.j.keep(was, false)
	}
	executable := was.Mode&0o100 != 0
	perm := was.Mode
	switch info, err := os.Lstat(path); {
	case err == nil && info.Mode().IsRegular():
		if perm = info.Mode().Perm() &^ 0o111; executable {
			perm |= perm & 0o444 >> 2
		}
	case !executable:
		perm = 0 // git does not know more
	}
	was.Mode = perm
	return t.j.keep(was, false)
}

// committed returns what a file contained when the turn began, if it was as in the last
// commit or did not exist.
func (t *turnWatch) committed(path string) (image Image, known bool) {
	if t.tree.Dirty[path] || t.tree.Untracked[path] || !t.j.inside(path) {
		return Image{}, false
	}
	ctx, cancel := context.WithTimeout(t.ctx, maxLook)
	defer cancel()
	_ = t.clean(ctx, []string{path}, func(path string, i Image) { image, known = i, !i.Lost })
	return image, known
}
