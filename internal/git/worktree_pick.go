package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Snapshot commits everything in the working tree of dir except ignored files, on top of its
// last commit and on no branch, and returns the commit. Working tree, index and branches stay
// as they are. Without changes it is the last commit. It fails with [ErrNoRepository] or
// [ErrNoCommit].
func Snapshot(ctx context.Context, dir string) (commit string, err error) {
	w, _, err := open(ctx, dir)
	if err != nil {
		return "", err
	}
	head, err := w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, ErrNoCommit)
	}
	tree, err := snapshot(ctx, w)
	if err != nil {
		return "", err
	}
	if was, err := w.line(ctx, "rev-parse", "--verify", "HEAD^{tree}"); err == nil && was == tree {
		return head, nil
	}
	return w.commitTree(ctx, tree, "The working tree when a comparison began", head)
}

// Pick is a changed file of a worktree that is wanted elsewhere.
type Pick struct {
	// Path is relative to the top of the worktree, with slashes.
	Path string
	// Text is what is wanted of the file; nil is the file as it is in the worktree.
	Text *string
}

// Taken is what was taken of a worktree into a working tree.
type Taken struct {
	// Files are the changed files, relative to the top of the repository.
	Files []string

	dir           string
	before, after string // trees of the working tree
}

// UnfitError means that both sides have changed the same lines of files. Nothing was changed.
type UnfitError struct{ Files []string }

func (e *UnfitError) Error() string {
	return "the same lines have changed in the working tree: " + strings.Join(e.Files, ", ")
}

// Take merges the picked changes since the worktree began into the working tree of dir,
// whatever is committed there, whole or not at all. Index and branches stay as they are. The
// error is an *UnfitError, or [ErrNothing] if everything is there already.
func (t *Worktree) Take(ctx context.Context, dir string, picks []Pick) (*Taken, error) {
	w, k, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range picks {
		paths = append(paths, p.Path)
	}
	now, err := w.snapshotOf(ctx, paths)
	if err != nil {
		return nil, err
	}
	changed := map[string]entry{}
	for _, p := range picks {
		e, err := w.entry(ctx, now, p.Path)
		if err == nil && p.Text != nil {
			e, err = w.blob(ctx, *p.Text, cmp.Or(e.mode, "100644"), "--path="+p.Path)
		}
		if err == nil && e.mode == submodule {
			err = ownRepository(p.Path)
		}
		if err != nil {
			return nil, err
		}
		changed[p.Path] = e
	}
	wanted, err := w.treeWith(ctx, k.since, changed)
	if err != nil {
		return nil, err
	}
	return merge(ctx, dir, k.since, wanted, paths)
}

// Back takes it back out of the working tree. The error is an *UnfitError if the same lines
// have changed since.
func (k *Taken) Back(ctx context.Context) error {
	_, err := merge(ctx, k.dir, k.after, k.before, k.Files)
	return err
}

// merge merges what has become of some files from a tree to another into the working tree of
// dir.
func merge(ctx context.Context, dir, from, to string, paths []string) (*Taken, error) {
	w, err := NewWriter(ctx, dir)
	if err != nil {
		return nil, err
	}
	if w.dir, err = w.line(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return nil, err
	}
	k := &Taken{dir: w.dir}
	if k.before, err = w.snapshotOf(ctx, paths); err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }()
	changed := map[string]entry{}
	unfit := &UnfitError{}
	for _, path := range paths {
		now, err := w.entry(ctx, k.before, path)
		var merged entry
		fits := true
		if err == nil {
			merged, fits, err = w.mergeEntry(ctx, path, now, from, to)
		}
		switch {
		case err != nil:
			return nil, err
		case !fits, merged != now && blocked(top, path):
			unfit.Files = append(unfit.Files, path)
		case merged != now:
			changed[path] = merged
			k.Files = append(k.Files, path)
		}
	}
	switch {
	case len(unfit.Files) > 0:
		return nil, unfit
	case len(changed) == 0:
		return nil, ErrNothing
	}
	if k.after, err = w.treeWith(ctx, k.before, changed); err != nil {
		return nil, err
	}
	patch, err := w.patch(ctx, k.before, k.after)
	if err != nil {
		return nil, err
	}
	if err := w.apply(ctx, patch); err != nil {
		return nil, k.restore(context.WithoutCancel(ctx), w, err)
	}
	return k, nil
}

// restore puts back what a failed merge has written or removed: git stops in the middle where it
// cannot write a file. It leaves alone what others have written meanwhile.
func (k *Taken) restore(ctx context.Context, w *Writer, failed error) error {
	for _, path := range k.Files {
		if err := k.restoreFile(ctx, w, path); err != nil {
			failed = fmt.Errorf("%w\n%s could not be put back: %w\nTo have it as it was: git restore --source=%s -- FILE", failed, path, err, k.before)
		}
	}
	return failed
}

func (k *Taken) restoreFile(ctx context.Context, w *Writer, path string) error {
	was, err := w.entry(ctx, k.before, path)
	if err != nil {
		return err
	}
	written, err := w.entry(ctx, k.after, path)
	if err != nil {
		return err
	}
	tree, err := w.snapshotOf(ctx, []string{path})
	if err != nil {
		return err
	}
	now, err := w.entry(ctx, tree, path)
	if err != nil || now == was || now != written && now != (entry{}) {
		return err
	}
	then, err := w.treeWith(ctx, tree, map[string]entry{path: was})
	if err != nil {
		return err
	}
	patch, err := w.patch(ctx, tree, then)
	if err == nil {
		err = w.apply(ctx, patch)
	}
	return err
}

// apply applies a patch to the working tree.
func (w *Writer) apply(ctx context.Context, patch string) error {
	_, err := w.feed(ctx, patch, nil, "apply", "--whitespace=nowarn", "-")
	return err
}

// submodule is the mode of a repository in a tree.
const submodule = "160000"

// ownRepository says that a repository inside the worktree cannot be taken.
func ownRepository(path string) error {
	return fmt.Errorf("%s is a git repository of its own, which cannot be merged into the working tree: mark the other files", path)
}

// snapshotOf is [snapshot] at the top of a working tree for some files, ignored or not. The others
// are as in the index: they may be large, or unfit for a commit.
func (w *Writer) snapshotOf(ctx context.Context, paths []string) (tree string, err error) {
	dir, err := os.OpenRoot(w.dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	var there, gone strings.Builder
	for _, path := range paths {
		info, err := lstat(dir, path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			gone.WriteString(path + "\x00")
			continue
		case err != nil:
			return "", err
		case info.IsDir():
			if _, err := dir.Lstat(path + "/.git"); err == nil {
				return "", ownRepository(path)
			}
			return "", fmt.Errorf("%s is a directory on one side and a file on the other", path)
		}
		there.WriteString(path + "\x00")
	}
	return w.treeOf(ctx, func(env []string) error {
		_, err := w.feed(ctx, gone.String(), env, "update-index", "--force-remove", "-z", "--stdin")
		if err == nil {
			_, err = w.feed(ctx, there.String(), env, "update-index", "--add", "--replace", "-z", "--stdin")
		}
		return err
	})
}

// entry is a file in a tree; the zero value is none.
type entry struct{ mode, hash string }

func (e entry) regular() bool { return strings.HasPrefix(e.mode, "100") }

// entry returns a file of a tree. A directory in its place is an error.
func (w *Writer) entry(ctx context.Context, tree, path string) (entry, error) {
	line, err := w.Run(ctx, "ls-tree", "-z", "--full-tree", tree, "--", path)
	if err != nil || line == "" {
		return entry{}, err
	}
	about, _, _ := strings.Cut(line, "\t")
	f := strings.Fields(about)
	if len(f) != 3 || f[1] == "tree" {
		return entry{}, fmt.Errorf("%s is a directory on one side and a file on the other", path)
	}
	return entry{f[0], f[2]}, nil
}

// blocked reports whether a file, perhaps one that git ignores, or a link is where a directory of
// the path has to be.
func blocked(top *os.Root, path string) bool {
	for i, c := range path {
		if c != '/' {
			continue
		}
		if info, err := top.Lstat(path[:i]); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// blob writes a text to the repository, with further flags of git hash-object.
func (w *Writer) blob(ctx context.Context, text, mode string, flags ...string) (entry, error) {
	hash, err := w.feed(ctx, text, nil, append([]string{"hash-object", "-w", "--stdin"}, flags...)...)
	return entry{mode, strings.TrimSpace(hash)}, err
}

// mergeEntry merges what has become of a file between two trees into what it is now.
func (w *Writer) mergeEntry(ctx context.Context, path string, now entry, from, to string) (merged entry, fits bool, err error) {
	before, err := w.entry(ctx, from, path)
	if err != nil {
		return now, false, err
	}
	after, err := w.entry(ctx, to, path)
	switch {
	case err != nil, now == after, before == after:
		return now, true, err
	case now == before:
		return after, true, nil
	case !now.regular() || !before.regular() || !after.regular():
		return now, false, nil
	}
	if merged = now; now.mode == before.mode {
		merged.mode = after.mode
	}
	if merged.hash, fits, err = w.mergeTexts(ctx, now.hash, before.hash, after.hash); err != nil || !fits {
		return now, fits, err
	}
	return merged, true, nil
}

// mergeTexts merges the change between two blobs into another.
func (w *Writer) mergeTexts(ctx context.Context, now, before, after string) (merged string, fits bool, err error) {
	dir, err := os.MkdirTemp("", "parley-merge-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "--quiet", "-p"}
	for i, hash := range []string{now, before, after} {
		text, err := w.Run(ctx, "cat-file", "blob", hash)
		name := filepath.Join(dir, fmt.Sprint(i))
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			return "", false, err
		}
		args = append(args, name)
	}
	text, err := w.Run(ctx, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) { // the number of conflicts, or 255 for what is not text
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	e, err := w.blob(ctx, text, "")
	return e.hash, true, err
}

// treeWith writes a tree like another one but for some files.
func (w *Writer) treeWith(ctx context.Context, tree string, changed map[string]entry) (written string, err error) {
	var info strings.Builder
	for path, e := range changed {
		if e == (entry{}) {
			e = entry{"0", strings.Repeat("0", len(tree))} // removes it
		}
		fmt.Fprintf(&info, "%s %s\t%s\x00", e.mode, e.hash, path)
	}
	err = withIndex(func(_ string, env []string) error {
		if _, err := w.runWith(ctx, env, "read-tree", tree); err != nil {
			return err
		}
		if _, err := w.feed(ctx, info.String(), env, "update-index", "-z", "--index-info"); err != nil {
			return err
		}
		written, err = w.runWith(ctx, env, "write-tree")
		return err
	})
	return strings.TrimSpace(written), err
}
