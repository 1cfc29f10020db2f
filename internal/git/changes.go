package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/fs"
)

// Work is what is in a worktree that the branch it is to be merged into does not have.
type WorktreeWork struct {
	// Commits is how many there are, and Files are the paths that differ, also those
	// that were not committed, from the top of the worktree and in order.
	Commits int
	Files   []string
	// Uncommitted are those of them that differ from the last commit, and Ignored what
	// git does not look after: files, and directories with a slash at the end.
	Uncommitted, Ignored []string

	head  string   // the last commit
	since string   // the commit from which on it counts
	own   []string // repositories within the worktree
}

// Empty reports whether nothing would be lost with the worktree but what git ignores.
func (k *WorktreeWork) Empty() bool { return k.Commits == 0 && len(k.Files) == 0 }

// String says how much it is.
func (k *WorktreeWork) String() string {
	if k.Empty() {
		return "nothing that is not merged"
	}
	parts := []string{counted(len(k.Files), "file") + " changed"}
	if k.Commits > 0 {
		parts = append(parts, counted(k.Commits, "commit"))
	}
	if n := len(k.Uncommitted); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not committed", n))
	}
	return strings.Join(parts, ", ")
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Work looks at what is in the worktree.
func (t *Worktree) Work(ctx context.Context) (*WorktreeWork, error) {
	w, err := NewWriter(ctx, t.Path)
	if err != nil {
		return nil, err
	}
	return t.work(ctx, w)
}

func (t *Worktree) work(ctx context.Context, w *Writer) (*WorktreeWork, error) {
	k := &WorktreeWork{since: t.Base}
	head, err := w.Run(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	k.head = strings.TrimSpace(head)
	if t.Into != "" {
		if base, err := w.Run(ctx, "merge-base", "refs/heads/"+t.Into, k.head); err == nil {
			k.since = strings.TrimSpace(base)
		}
	}
	count, err := w.Run(ctx, "rev-list", "--count", k.since+".."+k.head, "--")
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscan(count, &k.Commits); err != nil {
		return nil, fmt.Errorf("count the commits: %w", err)
	}
	if err := k.status(ctx, w); err != nil {
		return nil, err
	}
	committed, err := w.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", k.since, k.head, "--")
	if err != nil {
		return nil, err
	}
	k.Files = append(split(committed), k.Uncommitted...)
	slices.Sort(k.Files)
	k.Files = slices.Compact(k.Files)
	return k, nil
}

// status fills in what was not committed, and what git ignores.
func (k *WorktreeWork) status(ctx context.Context, w *Writer) error {
	out, err := w.Run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none", "--no-ahead-behind")
	if err != nil {
		return err
	}
	for _, entry := range split(out) {
		if len(entry) < 4 {
			continue
		}
		path := entry[3:]
		k.Uncommitted = append(k.Uncommitted, path)
		if strings.HasSuffix(path, "/") { // git does not look into a repository of its own
			k.own = append(k.own, path)
		}
	}
	ignored, err := w.Run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	k.Ignored = split(ignored)
	return err
}

// split are the fields of what git prints with -z.
func split(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// Change is how one file differs.
type WorktreeChange struct {
	Path string // absolute
	// Old and New are what the file had and has; Old is nil for a new file, and New for
	// one that is gone. If Opaque is set, neither is known: the file is no text, or too
	// large.
	Old, New *string
	Opaque   bool
}

// Bounds of what is shown of changes: of one file, in bytes, and how many files.
const (
	maxShown = 1 << 20
	maxFiles = 500
)

// Changes are the changes of files in the worktree, committed or not. more is how many
// there are beyond those that are given.
func (t *Worktree) Changes(ctx context.Context) (changes []WorktreeChange, more int, err error) {
	k, err := t.Work(ctx)
	if err != nil {
		return nil, 0, err
	}
	shown := k.Files[:min(len(k.Files), maxFiles)]
	paths := make([]string, len(shown))
	for i, f := range shown {
		paths[i] = filepath.Join(t.Path, filepath.FromSlash(f))
	}
	before := map[string]*string{}
	was := &Status{Top: t.Path, Head: k.since}
	err = was.Blobs(ctx, paths, maxShown, func(path string, exists bool, content string) {
		before[path] = nil
		if exists {
			before[path] = &content
		}
	})
	if err != nil {
		return nil, 0, err
	}
	for _, path := range paths {
		c := WorktreeChange{Path: path}
		old, known := before[path]
		c.Old = old
		now, there, isText := content(path)
		if there && isText {
			c.New = &now
		}
		c.Opaque = !known || there && !isText || old != nil && strings.ContainsRune(*old, 0)
		if c.Opaque {
			c.Old, c.New = nil, nil
		}
		changes = append(changes, c)
	}
	return changes, len(k.Files) - len(shown), nil
}

// content is the text of a file: where a link leads, for one.
func content(path string) (text string, there, isText bool) {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return "", false, false
	case err != nil:
		return "", true, false
	case info.Mode()&os.ModeSymlink != 0:
		text, err = os.Readlink(path)
		return text, true, err == nil
	case info.Size() > maxShown:
		return "", true, false
	}
	b, err := fs.ReadHead(path, maxShown)
	return string(b), true, err == nil && !strings.ContainsRune(string(b), 0)
}

// Patch is the difference as git writes it, with what was not committed. It changes
// nothing: files that git does not know yet are added to an index of its own.
func (t *Worktree) Patch(ctx context.Context) (string, error) {
	w, err := NewWriter(ctx, t.Path)
	if err != nil {
		return "", err
	}
	k, err := t.work(ctx, w)
	if err != nil {
		return "", err
	}
	tree, err := snapshot(ctx, w)
	if err != nil {
		return "", err
	}
	return w.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", k.since, tree, "--")
}

// snapshot writes everything that is in the worktree, but for what is ignored, into the
// repository, and gives the tree's hash. The worktree's own index stays as it is.
func snapshot(ctx context.Context, w *Writer) (string, error) {
	dir, err := os.MkdirTemp("", "parley-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "index")
	env := []string{"GIT_INDEX_FILE=" + copied}
	index, err := w.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(strings.TrimSuffix(index, "\n"))
	if err == nil {
		err = os.WriteFile(copied, b, 0o600)
	}
	if err != nil {
		return "", err
	}
	if _, err := w.RunWith(ctx, env, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := w.RunWith(ctx, env, "write-tree")
	return strings.TrimSpace(tree), err
}
