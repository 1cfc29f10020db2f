package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Errors of merging and dropping.
var (
	// ErrUncommitted means that changes must be committed first.
	ErrUncommitted = errors.New("there are uncommitted changes")
	// ErrNothing means that there is nothing to merge.
	ErrNothing = errors.New("there is nothing to merge")
	// errNoTarget means that no branch was checked out when the worktree was created.
	errNoTarget = errors.New("no branch was checked out when the worktree was created")
)

// MergeConflictError means that a merge was aborted because of conflicts. Nothing has
// changed.
type MergeConflictError struct {
	Into  string
	Files []string
}

func (e *MergeConflictError) Error() string {
	return fmt.Sprintf("%s and the worktree have changed the same lines of %s", e.Into, strings.Join(e.Files, ", "))
}

// Commit commits everything in the worktree except ignored files.
func (t *Worktree) Commit(ctx context.Context, message string) error {
	if err := t.whole(); err != nil {
		return err
	}
	w, k, err := t.open(ctx)
	if err != nil {
		return err
	}
	if err := k.Whole(); err != nil {
		return err
	}
	if _, err := w.Run(ctx, "add", "--all"); err != nil {
		return err
	}
	_, err = w.Run(ctx, "commit", "--quiet", "--message="+message)
	return err
}

// Whole fails if there are repositories inside the worktree, because git would not
// keep their contents.
func (k *WorktreeWork) Whole() error {
	if len(k.own) == 0 {
		return nil
	}
	return fmt.Errorf("%s is a separate git repository whose contents would be lost: move it away first", strings.Join(k.own, ", "))
}

// Merge merges the commits of the worktree into the branch that was checked out when it
// was created, and returns their number. The error is a *MergeConflictError,
// ErrUncommitted, ErrNothing, errNoTarget, or an *Error; nothing has changed then.
func (t *Worktree) Merge(ctx context.Context) (commits int, err error) {
	if t.Into == "" {
		return 0, errNoTarget
	}
	if err := t.whole(); err != nil {
		return 0, err
	}
	w, k, err := t.open(ctx)
	switch {
	case err != nil:
		return 0, err
	case len(k.Uncommitted) > 0:
		return 0, ErrUncommitted
	case k.Commits == 0:
		return 0, ErrNothing
	}
	all, err := listWorktrees(ctx, w)
	if err != nil {
		return 0, err
	}
	for _, p := range all {
		if p.branch == t.Into {
			return k.Commits, t.mergeIn(ctx, p.path, k.head)
		}
	}
	return k.Commits, t.forward(ctx, w, k)
}

// mergeIn merges a commit where the branch is checked out.
func (t *Worktree) mergeIn(ctx context.Context, path, commit string) error {
	w, err := NewWriter(ctx, path)
	if err != nil {
		return err
	}
	if w.has(ctx, "MERGE_HEAD") {
		return errors.New("another merge is in progress in " + path)
	}
	_, err = w.Run(ctx, "merge", "--quiet", "--no-edit", "--no-stat", "-m", fmt.Sprintf("Merge branch '%s' into %s", t.Branch, t.Into), commit)
	if err == nil {
		return nil
	}
	if !w.has(ctx, "MERGE_HEAD") {
		return err // the merge did not begin
	}
	files, _ := w.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--name-only", "--diff-filter=U", "-z")
	if _, aborted := w.Run(context.WithoutCancel(ctx), "merge", "--abort"); aborted != nil {
		return errors.Join(err, aborted)
	}
	if conflicts := split(files); len(conflicts) > 0 {
		return &MergeConflictError{t.Into, conflicts}
	}
	return err
}

// forward fast-forwards a branch that is not checked out anywhere, if possible.
func (t *Worktree) forward(ctx context.Context, w *Writer, k *WorktreeWork) error {
	tip, err := w.line(ctx, "rev-parse", "--verify", "refs/heads/"+t.Into)
	if err != nil {
		return fmt.Errorf("the branch %s no longer exists: %w", t.Into, err)
	}
	if tip != k.since {
		return fmt.Errorf("%s has its own commits and is not checked out: check it out first", t.Into)
	}
	_, err = w.Run(ctx, "update-ref", "-m", "parley: merge "+t.Branch, "refs/heads/"+t.Into, k.head, tip)
	return err
}

// Drop removes the worktree and its branch. It keeps unmerged work in the repository
// under the ref kept, and fails without removing anything if it cannot write that; kept
// is "" if there was no such work. Ignored files are lost. Of a worktree whose directory is gone
// it removes what is left.
func (t *Worktree) Drop(ctx context.Context) (kept string, err error) {
	if err := t.Restore(ctx); err != nil {
		return "", err
	}
	if t.Gone() {
		return t.dropGone(ctx)
	}
	w, k, err := t.open(ctx)
	if err == nil {
		err = k.Whole()
	}
	if err != nil {
		return "", err
	}
	all, err := listWorktrees(ctx, w)
	if err != nil {
		return "", err
	}
	main, err := NewWriter(ctx, all[0].path)
	if err != nil {
		return "", err
	}
	commit, err := t.keep(ctx, w, k)
	if err != nil {
		return "", fmt.Errorf("save the contents of the worktree: %w", err)
	}
	if commit != "" {
		if kept, err = t.saveRef(ctx, main, commit); err != nil {
			return "", fmt.Errorf("save the contents of the worktree: %w", err)
		}
	}
	done, _ := t.begin(true) // without it, a kill may leave what is not listed
	// --force twice, since it may be locked. git itself listed the path.
	if _, err := main.Run(ctx, "worktree", "remove", "--force", "--force", "--", t.Path); err != nil {
		return kept, fmt.Errorf("remove the worktree: %w", err)
	}
	if main.has(ctx, "refs/heads/"+t.Branch) {
		if _, err := main.Run(ctx, "branch", "--quiet", "-D", "--", t.Branch); err != nil {
			return kept, fmt.Errorf("delete the branch: %w", err)
		}
	}
	_ = os.Remove(filepath.Dir(t.Path)) // stays while it has other worktrees
	done()
	return kept, nil
}

// dropGone is Drop after the directory was removed by hand: commits may be left, of the branch and
// of what was checked out.
func (t *Worktree) dropGone(ctx context.Context) (kept string, err error) {
	main, all, err := open(ctx, t.From)
	if err != nil {
		return "", err
	}
	var left []string
	for _, p := range all {
		if p.path == t.Path {
			left = append(left, p.head)
		}
	}
	tip, err := main.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch)
	isBranch := err == nil
	if isBranch {
		left = append(left, tip)
	}
	for i, commit := range left {
		merged := slices.Contains(left[:i], commit)
		for _, into := range []string{t.Base, "refs/heads/" + t.Into} {
			if !merged {
				_, err := main.Run(ctx, "merge-base", "--is-ancestor", commit, into)
				merged = err == nil
			}
		}
		if merged {
			continue
		}
		if kept, err = t.saveRef(ctx, main, commit); err != nil {
			return "", fmt.Errorf("save the commits of the worktree: %w", err)
		}
	}
	if t.Unfinished {
		_, _ = main.Run(ctx, "worktree", "unlock", "--", t.Path) // git locks one until it is whole
	}
	if _, err := main.Run(ctx, "worktree", "prune"); err != nil {
		return kept, err
	}
	if isBranch {
		if _, err := main.Run(ctx, "branch", "--quiet", "-D", "--", t.Branch); err != nil {
			return kept, fmt.Errorf("delete the branch: %w", err)
		}
	}
	_ = os.Remove(begunPath(repositoryOf(t.From), t.Name))
	return kept, nil
}

// keep returns a commit with all unmerged contents of the worktree, "" if there are
// none.
func (t *Worktree) keep(ctx context.Context, w *Writer, k *WorktreeWork) (string, error) {
	parents := []string{k.head}
	if tip, err := w.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		if _, err := w.Run(ctx, "merge-base", "--is-ancestor", tip, k.head); err != nil {
			parents = append(parents, tip) // another branch was checked out in the worktree
		}
	}
	if len(parents) == 1 && len(k.Uncommitted) == 0 {
		if k.Commits == 0 {
			return "", nil
		}
		return k.head, nil
	}
	tree, err := snapshot(ctx, w)
	if err != nil {
		return "", err
	}
	return w.commitTree(ctx, tree, "What was in the worktree "+t.Name+" when it was dropped", parents...)
}

// commitTree commits a tree, as parley and on no branch.
func (w *Writer) commitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "-m", message}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	who := []string{"GIT_AUTHOR_NAME=parley", "GIT_AUTHOR_EMAIL=parley@localhost", "GIT_COMMITTER_NAME=parley", "GIT_COMMITTER_EMAIL=parley@localhost"}
	commit, err := w.runWith(ctx, who, append(args, tree)...)
	return strings.TrimSpace(commit), err
}

// maxDropped limits the dropped worktrees of one name.
const maxDropped = 1000

// saveRef writes a new ref for a commit.
func (t *Worktree) saveRef(ctx context.Context, w *Writer, commit string) (string, error) {
	for n := 1; n < maxDropped; n++ {
		ref := droppedPrefix + t.Name
		if n > 1 {
			ref += fmt.Sprint("-", n)
		}
		if w.has(ctx, ref) {
			continue
		}
		_, err := w.Run(ctx, "update-ref", ref, commit, strings.Repeat("0", len(commit)))
		return ref, err
	}
	return "", errors.New("too many dropped worktrees with this name")
}
