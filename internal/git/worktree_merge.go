package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/termtext"
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

// MergeConflictError means that the branch and the worktree have changed the same lines.
type MergeConflictError struct {
	Into  string
	Files []string
}

func (e *MergeConflictError) Error() string {
	return fmt.Sprintf("%s and the worktree have changed the same lines of %s", e.Into, strings.Join(e.Files, ", "))
}

// OverwriteError means that a merge would overwrite files that are not committed. Nothing has changed.
type OverwriteError struct {
	Path  string // of the working tree
	Files []string
}

func (e *OverwriteError) Error() string {
	return fmt.Sprintf("the merge would overwrite %s in %s", termtext.Count(len(e.Files), "uncommitted file"), termtext.Line(e.Path))
}

// Commit commits everything in the worktree except ignored files, and what does not count as work.
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
	if len(k.Inside) > 0 {
		return fmt.Errorf("not everything is committed in the submodule %s: commit it there first", strings.Join(k.Inside, ", "))
	}
	if err := w.addAll(ctx, k.made...); err != nil {
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

// Merge is the merge of a worktree's commits into the branch that was checked out when it was created:
// exactly what [Worktree.PlanMerge] found, whatever the worktree becomes meanwhile.
type Merge struct {
	// Commits is the number of commits, and Files are those that it changes in the branch, by name.
	Commits int
	Files   []MergedFile

	tree        *Worktree
	work        *WorktreeWork
	at          *Writer // in the working tree of the branch, if one is checked out
	path        string  // of that, "" if there is none
	tip, commit string  // of the branch, before and after
}

// MergedFile is a file that a merge changes.
type MergedFile struct {
	Name    string // relative to the top, with slashes
	Removed bool
	// Link means that it becomes a symbolic link to Target, which is "" if unknown.
	Link   bool
	Target string
	// Repository means that it becomes a submodule.
	Repository bool
}

// PlanMerge plans to merge the commits of the worktree. It changes no branch and no file. The error is a
// *MergeConflictError, ErrUncommitted, ErrNothing, errNoTarget, or an *Error.
func (t *Worktree) PlanMerge(ctx context.Context) (*Merge, error) {
	if t.Into == "" {
		return nil, errNoTarget
	}
	if err := t.whole(); err != nil {
		return nil, err
	}
	w, k, err := t.open(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(k.Uncommitted) > 0:
		return nil, ErrUncommitted
	case k.Commits == 0:
		return nil, ErrNothing
	}
	tags, err := w.Run(ctx, "ls-files", "-v", "-z")
	if err != nil {
		return nil, err
	}
	if names := overlooked(t.Path, tags); len(names) > 0 { // they would be taken for committed
		return nil, fmt.Errorf("git overlooks changes of %s in the worktree; 'git update-index --no-skip-worktree' or '--no-assume-unchanged' ends that", strings.Join(names, ", "))
	}
	all, err := listWorktrees(ctx, w)
	if err != nil {
		return nil, err
	}
	m := &Merge{Commits: k.Commits, tree: t, work: k, at: w}
	for _, p := range all {
		if p.branch == t.Into {
			m.path = p.path
			if m.at, err = NewWriter(ctx, p.path); err != nil {
				return nil, err
			}
		}
	}
	if m.tip, err = w.line(ctx, "rev-parse", "--verify", "refs/heads/"+t.Into); err != nil {
		return nil, fmt.Errorf("the branch %s no longer exists: %w", t.Into, err)
	}
	switch {
	case m.path != "" && m.at.has(ctx, "MERGE_HEAD"):
		return nil, errors.New("another merge is in progress in " + m.path)
	case m.tip == k.since:
		m.commit = k.head
	case m.path == "":
		return nil, fmt.Errorf("%s has its own commits and is not checked out: check it out first", t.Into)
	default:
		if m.commit, err = m.join(ctx, k.head); err != nil {
			return nil, err
		}
	}
	m.Files, err = m.at.changed(ctx, m.tip, m.commit)
	return m, err
}

// overlooked returns the files that are there and of which git was told to overlook changes, from what
// ls-files -v says.
func overlooked(top, said string) (names []string) {
	for _, entry := range split(said) {
		tag, name, _ := strings.Cut(entry, " ")
		if strings.ToUpper(tag) != tag {
			names = append(names, name)
		} else if tag == "S" { // otherwise it is not checked out
			if _, err := os.Lstat(filepath.Join(top, name)); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// join makes the commit of a merge, on no branch.
func (m *Merge) join(ctx context.Context, head string) (string, error) {
	out, err := m.at.Run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", m.tip, head)
	found := split(out)
	switch {
	case exitedWith(err, 129):
		return "", fmt.Errorf("%s and the worktree have diverged, and merging them needs git 2.38: %w", m.tree.Into, err)
	case exitedWith(err, 1) && len(found) > 1 && !strings.Contains(err.Error(), FilterFailed): // git before 2.42 takes that for a conflict
		return "", &MergeConflictError{m.tree.Into, found[1:]}
	case err != nil:
		return "", err
	}
	return m.at.line(ctx, "commit-tree", "-p", m.tip, "-p", head, "-m", fmt.Sprintf("Merge branch '%s' into %s", m.tree.Branch, m.tree.Into), found[0])
}

// changed returns the files that differ between two commits.
func (w *Writer) changed(ctx context.Context, from, to string) (files []MergedFile, err error) {
	out, err := w.Run(ctx, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--ignore-submodules=none", from, to, "--")
	if err != nil {
		return nil, err
	}
	links := map[string]Entry{}
	fields := split(out)
	for i := 0; i+1 < len(fields); i += 2 {
		about, name := strings.Fields(fields[i]), fields[i+1]
		if len(about) < 5 {
			return nil, fmt.Errorf("git diff-tree: unknown line %q", fields[i])
		}
		mode := fileMode(about[1])
		f := MergedFile{Name: name, Removed: about[4] == "D", Link: mode&os.ModeSymlink != 0, Repository: mode.IsDir()}
		if f.Link {
			links[filepath.Join(w.dir, name)] = Entry{about[1], about[3]}
		}
		files = append(files, f)
	}
	targets := map[string]string{}
	err = (&Status{Top: w.dir}).Blobs(ctx, links, maxShown, func(path, target string) { targets[path] = target })
	for i := range files {
		files[i].Target = targets[filepath.Join(w.dir, files[i].Name)]
	}
	return files, err
}

// Do carries the merge out. Where git refuses, as it does if the branch has gone on or a file that is
// not committed would be overwritten, also an ignored one, nothing has changed.
func (m *Merge) Do(ctx context.Context) error {
	if _, err := keepSubmodules(ctx, repositoryOf(m.tree.From), linkedDir(m.tree.Path), m.tree.Name, m.work); err != nil { // a merged commit may name one of theirs
		return err
	}
	if m.path == "" {
		_, err := m.at.Run(ctx, "update-ref", "-m", "parley: merge "+m.tree.Branch, "refs/heads/"+m.tree.Into, m.commit, m.tip)
		return err
	}
	if on, err := m.at.line(ctx, "symbolic-ref", "--quiet", "HEAD"); err != nil || on != "refs/heads/"+m.tree.Into {
		return fmt.Errorf("%s is no longer checked out in %s", m.tree.Into, m.path)
	}
	_, err := m.at.Run(ctx, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-stat", m.commit)
	if err == nil {
		return nil
	}
	if files := m.inTheWay(ctx); len(files) > 0 {
		return &OverwriteError{m.path, files}
	}
	return err
}

// inTheWay returns the files of the merge that are not committed where the branch is checked out.
func (m *Merge) inTheWay(ctx context.Context) (files []string) {
	k := &WorktreeWork{}
	if k.status(ctx, m.at) != nil {
		return nil
	}
	for _, f := range m.Files {
		if slices.Contains(k.Uncommitted, f.Name) || slices.ContainsFunc(k.Ignored, func(entry string) bool { return within(entry, f.Name) }) {
			files = append(files, f.Name)
		}
	}
	return files
}

// Kept says where a drop has kept unmerged work.
type Kept struct {
	Ref string // in the repository; "" if the worktree had no such work
	// Submodules are what is kept of its submodules, each a ref and the repository that has it, in words.
	Submodules []string
}

// Drop removes the worktree and its branch. It keeps unmerged work in the repository
// under a ref, and that of its submodules where kept says, and fails without removing anything if it
// cannot write those. Ignored files are lost. Of a worktree whose directory is gone
// it removes what is left.
func (t *Worktree) Drop(ctx context.Context) (kept Kept, err error) {
	if err := t.Restore(ctx); err != nil {
		return kept, err
	}
	if t.Gone() {
		return t.dropGone(ctx)
	}
	w, k, err := t.open(ctx)
	if err == nil {
		err = k.Whole()
	}
	if err != nil {
		return kept, err
	}
	all, err := listWorktrees(ctx, w)
	if err != nil {
		return kept, err
	}
	main, err := NewWriter(ctx, all[0].path)
	if err != nil {
		return kept, err
	}
	commit, err := t.keep(ctx, w, k)
	if err == nil {
		kept.Submodules, err = keepSubmodules(ctx, repositoryOf(t.From), linkedDir(t.Path), t.Name, k)
	}
	if err != nil {
		return kept, fmt.Errorf("save the contents of the worktree: %w", err)
	}
	if commit != "" {
		if kept.Ref, err = saveRef(ctx, main, t.Name, commit); err != nil {
			return kept, fmt.Errorf("save the contents of the worktree: %w", err)
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
func (t *Worktree) dropGone(ctx context.Context) (kept Kept, err error) {
	main, all, err := open(ctx, t.From)
	if err != nil {
		return kept, err
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
		if kept.Ref, err = saveRef(ctx, main, t.Name, commit); err != nil {
			return kept, fmt.Errorf("save the commits of the worktree: %w", err)
		}
	}
	if t.Unfinished {
		_, _ = main.Run(ctx, "worktree", "unlock", "--", t.Path) // git locks one until it is whole
	}
	if kept.Submodules, err = prune(ctx, main, repositoryOf(t.From)); err != nil {
		return kept, err
	}
	if isBranch {
		if _, err := main.Run(ctx, "branch", "--quiet", "-D", "--", t.Branch); err != nil {
			return kept, fmt.Errorf("delete the branch: %w", err)
		}
	}
	t.end()
	return kept, nil
}

// keep returns a commit with all unmerged contents of the worktree, also those that do not count as work:
// somebody may have edited there while the setup ran. It returns "" if there are none.
func (t *Worktree) keep(ctx context.Context, w *Writer, k *WorktreeWork) (string, error) {
	parents := []string{k.head}
	if tip, err := w.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		if _, err := w.Run(ctx, "merge-base", "--is-ancestor", tip, k.head); err != nil {
			parents = append(parents, tip) // another branch was checked out in the worktree
		}
	}
	if len(parents) == 1 && len(k.Uncommitted)+len(k.made) == 0 {
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

// saveRef writes a new ref for a commit of a worktree with a name.
func saveRef(ctx context.Context, w *Writer, name, commit string) (string, error) {
	for n := 1; n < maxDropped; n++ {
		ref := droppedPrefix + name
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
