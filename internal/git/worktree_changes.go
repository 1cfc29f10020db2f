package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/fs"
	"parley/internal/termtext"
)

// WorktreeWork is what a worktree contains that its target branch does not.
type WorktreeWork struct {
	// Commits is the number of commits, and Files the sorted paths that differ,
	// committed or not, relative to the top of the worktree.
	Commits int
	Files   []string
	// Unmerged are the Files that are others in the working tree for which it was created, where what is
	// merged may not be committed yet.
	Unmerged []string
	// Merged is the number of its commits that were merged.
	Merged int
	// Uncommitted are the Files that differ from the last commit; Ignored are the files
	// that git ignores and that it was not given, and directories with a trailing slash.
	Uncommitted, Ignored []string
	// Inside are the submodules with files that are not committed in them, also those in others. The one in
	// the worktree itself is among the Uncommitted.
	Inside []string

	head   string          // the last commit
	since  string          // the commit to compare with
	made   []string        // the others that differ from the last commit; they do not count as work
	own    []string        // repositories inside the worktree that are no submodules
	filled map[string]bool // the paths of submodules with a repository, and whether they are among the Inside
	empty  []string        // the submodules without one
	inside map[string]int  // how many files have changed in a submodule, and in those in it
}

// Empty reports whether removing the worktree would lose nothing but ignored files.
func (k *WorktreeWork) Empty() bool {
	return len(k.Unmerged) == 0 && (k.Commits == 0 || len(k.Files) > 0)
}

// String returns a summary.
func (k *WorktreeWork) String() string {
	if k.Empty() {
		return "nothing unmerged"
	}
	parts := []string{termtext.Count(len(k.Unmerged), "file") + " changed"}
	if k.Commits > 0 {
		parts = append(parts, termtext.Count(k.Commits, "commit"))
	}
	n := 0
	for _, name := range k.Unmerged {
		if slices.Contains(k.Uncommitted, name) {
			n++
		}
	}
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d not committed", n))
	}
	return strings.Join(parts, ", ")
}

// Work inspects the worktree.
func (t *Worktree) Work(ctx context.Context) (*WorktreeWork, error) {
	_, k, err := t.open(ctx)
	if err == nil {
		k.Unmerged = t.unmerged(k.Files)
	}
	return k, err
}

// unmerged returns the files that are others, or not there, in the working tree for which the worktree
// was created.
func (t *Worktree) unmerged(files []string) (others []string) {
	if len(files) == 0 || t.Has(t.From) { // there is none
		return files
	}
	here, err := os.OpenRoot(t.Path)
	if err != nil {
		return files
	}
	defer func() { _ = here.Close() }()
	there, err := os.OpenRoot(topOf(t.From))
	if err != nil {
		return files
	}
	defer func() { _ = there.Close() }()
	for _, name := range files {
		if !same(here, there, name) {
			others = append(others, name)
		}
	}
	return others
}

// same reports whether a file is the same in two directories. It is not if that is unknown.
func same(a, b *os.Root, name string) bool {
	was, failed := lstat(a, name)
	is, err := lstat(b, name)
	switch {
	case os.IsNotExist(failed) && os.IsNotExist(err):
		return true
	case err != nil || failed != nil || was.Size() != is.Size() || was.Mode().Type() != is.Mode().Type() || (was.Mode()^is.Mode())&0o100 != 0:
		return false
	case was.Mode()&os.ModeSymlink != 0:
		x, failed := a.Readlink(name)
		y, err := b.Readlink(name)
		return failed == nil && err == nil && x == y
	}
	x, failed := read(a, name, fs.MaxBytes)
	y, err := read(b, name, fs.MaxBytes)
	return failed == nil && err == nil && x == y
}

// check reads its record again, and fails if the directory is no longer the worktree: git would look at what is there instead,
// or at a repository around it.
func (t *Worktree) check() (now *Worktree, err error) {
	switch now = WorktreeAt(t.Path); {
	case WorktreeGone(t.Path):
		return nil, fmt.Errorf("the directory of the worktree %s is gone; its branch is %s", t.Name, t.Branch)
	case now == nil || now.Name != t.Name:
		return nil, fmt.Errorf("%s is no longer the worktree %s of its repository: its .git was removed or replaced; 'git worktree repair' mends that where nothing is in its place", t.Path, t.Name)
	}
	return now, nil
}

// open returns git for the worktree, and what it contains.
func (t *Worktree) open(ctx context.Context) (*Writer, *WorktreeWork, error) {
	now, err := t.check()
	if err != nil {
		return nil, nil, err
	}
	w, err := NewWriter(ctx, t.Path)
	if err != nil {
		return nil, nil, err
	}
	k := &WorktreeWork{since: t.Base}
	if k.head, err = w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return nil, nil, fmt.Errorf("no commit is checked out in the worktree %s: check out its branch %s there (%w)", t.Name, t.Branch, err)
	}
	if t.Into != "" {
		if base, err := w.line(ctx, "merge-base", "refs/heads/"+t.Into, k.head); err == nil {
			k.since = base
		}
	}
	if k.Commits, err = w.count(ctx, k.since+".."+k.head); err == nil && k.since != t.Base {
		k.Merged, err = w.count(ctx, "--first-parent", t.Base+".."+k.since)
	}
	if err == nil {
		err = k.status(ctx, w)
	}
	k.Ignored, _ = apart(k.Ignored, now.asPrepared(now.Given))
	k.Uncommitted, k.made = apart(k.Uncommitted, now.asPrepared(now.Made))
	k.own, _ = apart(k.own, k.made)
	if err != nil {
		return nil, nil, err
	}
	committed, err := w.Run(ctx, "diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", k.since, k.head, "--")
	if err != nil {
		return nil, nil, err
	}
	k.Files = append(split(committed), k.Uncommitted...)
	slices.Sort(k.Files)
	k.Files = slices.Compact(k.Files)
	return w, k, nil
}

// apart parts names by whether they are among some.
func apart(names, some []string) (without, with []string) {
	for _, name := range names {
		if slices.Contains(some, name) {
			with = append(with, name)
		} else {
			without = append(without, name)
		}
	}
	return without, with
}

// count counts commits.
func (w *Writer) count(ctx context.Context, which ...string) (n int, err error) {
	out, err := w.line(ctx, append(append([]string{"rev-list", "--count"}, which...), "--")...)
	if err == nil {
		n, err = strconv.Atoi(out)
	}
	return n, err
}

// status sets Uncommitted and Ignored.
func (k *WorktreeWork) status(ctx context.Context, w *Writer) error {
	// Only the commits of submodules are compared: for more, git would run in them, with their own configuration.
	out, err := w.Run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty", "--no-ahead-behind")
	if err != nil {
		return err
	}
	for _, entry := range split(out) {
		if len(entry) < 4 {
			continue
		}
		path := entry[3:]
		k.Uncommitted = append(k.Uncommitted, path)
		if strings.HasSuffix(path, "/") { // git does not look into nested repositories
			k.own = append(k.own, path)
		}
	}
	ignored, err := w.Run(ctx, listIgnored...)
	if err != nil {
		return err
	}
	k.Ignored = split(ignored)
	links, err := w.submodules(ctx)
	if err != nil {
		return err
	}
	top, err := Top(w.dir)
	if err != nil {
		return err
	}
	k.filled, k.inside = map[string]bool{}, map[string]int{}
	was := w.submodulesAt(ctx, k.since, links)
	for _, name := range slices.Sorted(maps.Keys(links)) {
		changed := false
		if changed, k.inside[name] = k.submodule(ctx, w, top, name, was[name]); changed && !slices.Contains(k.Uncommitted, name) {
			k.Uncommitted = append(k.Uncommitted, name)
		}
	}
	return nil
}

// EmptySubmodules returns the submodules that have no files in the worktree.
func (t *Worktree) EmptySubmodules(ctx context.Context) ([]string, error) {
	_, k, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	return k.empty, nil
}

var listIgnored = []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}

// submodule adds what a submodule, and those in it, contain, and reports whether any of it is not committed
// there, and how many files differ from those in the commit base, "" for its last one. Git looks at it from a repository without the submodule's configuration, which an agent may have written.
func (k *WorktreeWork) submodule(ctx context.Context, w *Writer, top, name, base string) (changed bool, files int) {
	path := filepath.Join(top, filepath.FromSlash(name))
	if absent(filepath.Join(path, ".git")) {
		k.empty = append(k.empty, name)
		return false, 0
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return false, 0
	}
	in := &Writer{dir: path, env: w.env}
	said, err := in.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index", "--git-path", "objects", "--verify", "HEAD")
	at := strings.Split(said, "\n")
	dir, failed := os.MkdirTemp("", "parley-submodule-")
	if failed == nil {
		defer os.RemoveAll(dir)
	}
	if err != nil || failed != nil || len(at) < 3 || copyFile(at[0], filepath.Join(dir, "index")) != nil ||
		os.Mkdir(filepath.Join(dir, "refs"), 0o700) != nil || os.WriteFile(filepath.Join(dir, "HEAD"), []byte(at[2]+"\n"), 0o600) != nil {
		k.filled[path], k.Inside = true, append(k.Inside, name)
		return true, 0
	}
	in.env = slices.Concat(w.storing(dir), []string{"GIT_DIR=" + dir, "GIT_WORK_TREE=" + path, "GIT_OBJECT_DIRECTORY=" + at[1]})
	out, err := in.Run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty", "--no-ahead-behind")
	if changed = err != nil || out != ""; changed {
		k.Inside = append(k.Inside, name)
	}
	k.filled[path] = changed
	names, moved := map[string]bool{}, base != "" && base != at[2]
	for _, entry := range split(out) {
		if strings.HasSuffix(entry, "/") {
			k.own = append(k.own, name+"/"+entry[3:])
		}
		if !moved || strings.HasPrefix(entry, "??") {
			names[entry[3:]] = true
		}
	}
	if moved {
		differ, _ := in.Run(ctx, "diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", base, "--") // none if it is not there
		for _, file := range split(differ) {
			names[file] = true
		}
	}
	ignored, _ := in.Run(ctx, listIgnored...)
	for _, entry := range split(ignored) {
		k.Ignored = append(k.Ignored, name+"/"+entry)
	}
	links, err := in.submodules(ctx)
	was := in.submodulesAt(ctx, cmp.Or(base, at[2]), links)
	for _, inner := range slices.Sorted(maps.Keys(links)) {
		delete(names, inner)
		more, n := k.submodule(ctx, w, top, name+"/"+inner, was[inner])
		changed, files = changed || more, files+n
	}
	return changed || err != nil, files + len(names)
}

// split returns the fields of git's -z output.
func split(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// WorktreeChange is the difference in one file.
type WorktreeChange struct {
	Path string // absolute
	// Old and New are the file's contents; Old is nil for a new file, and New for a
	// deleted one. With Opaque set, both are unknown: the file is not text, or too
	// large. OldMode and NewMode are the modes.
	Old, New         *string
	OldMode, NewMode os.FileMode
	Opaque           bool
	// Inside is how many files have changed in it, if it is a submodule.
	Inside int

	entry     Entry // of the old content
	converted bool  // git stores another form of it
}

// ModeWords says how the mode has changed as git knows it, "" for not.
func (c *WorktreeChange) ModeWords() string {
	if c.OldMode == 0 || c.NewMode == 0 || (c.OldMode|c.NewMode)&os.ModeType != 0 || (c.OldMode^c.NewMode)&0o100 == 0 {
		return ""
	}
	return map[bool]string{true: "now executable", false: "no longer executable"}[c.NewMode&0o100 != 0]
}

// maxShown bounds what Changes reads of a file, in bytes, and MaxFiles how many files it keeps.
const (
	maxShown = 1 << 20
	MaxFiles = 500
)

// Changes returns the changes of files in the worktree, committed or not. more is the
// number of further changes, which it passes to rest, if that is not nil, and does not keep.
func (t *Worktree) Changes(ctx context.Context, rest func(*WorktreeChange)) (changes []WorktreeChange, more int, err error) {
	w, k, err := t.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	converted, err := w.converted(ctx)
	if err != nil {
		return nil, 0, err
	}
	top, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = top.Close() }()
	for shown := range slices.Chunk(k.Files, MaxFiles) {
		if len(changes) > 0 && rest == nil {
			break
		}
		some, err := t.changes(ctx, k, top, shown, converted)
		if err != nil {
			return nil, 0, err
		}
		if len(changes) == 0 {
			changes = some
			continue
		}
		for i := range some {
			rest(&some[i])
		}
	}
	return changes, len(k.Files) - len(changes), nil
}

// changes returns the changes of some files.
func (t *Worktree) changes(ctx context.Context, k *WorktreeWork, top *os.Root, names []string, converted map[string]bool) (changes []WorktreeChange, err error) {
	paths := make([]string, len(names))
	for i, f := range names {
		paths[i] = filepath.Join(t.Path, filepath.FromSlash(f))
	}
	before := map[string]*string{}
	was := &Status{Top: t.Path, Head: k.since}
	entries, err := was.Entries(ctx, paths)
	if err == nil {
		err = was.Blobs(ctx, entries, maxShown, func(path, content string) { before[path] = &content })
	}
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		c := WorktreeChange{Path: path, OldMode: fileMode(entries[path].Mode), entry: entries[path], converted: converted[names[i]], Inside: k.inside[names[i]]}
		old := before[path]
		if c.converted && old != nil {
			if old, err = t.convert(ctx, &c, names[i]); err != nil {
				return nil, err
			}
		}
		c.Old = old
		now, mode, isText := content(top, strings.TrimSuffix(names[i], "/")) // a repository inside has the slash
		if c.NewMode = mode; isText {
			c.New = &now
			if old != nil && strings.Contains(now, "\r\n") && !strings.Contains(*old, "\r\n") {
				c.Old = new(strings.ReplaceAll(*old, "\n", "\r\n")) // as git checks it out here
			}
		}
		c.Opaque = c.OldMode != 0 && old == nil || mode != 0 && !isText || old != nil && strings.ContainsRune(*old, 0)
		if c.Opaque {
			c.Old, c.New = nil, nil
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// convert returns the old content of a file as git checks it out, nil if that is too large or needs a
// program that the repository names.
func (t *Worktree) convert(ctx context.Context, c *WorktreeChange, name string) (*string, error) {
	w, err := NewWriter(ctx, t.Path)
	if err != nil {
		return nil, err
	}
	text, err := w.Run(ctx, "cat-file", "--filters", "--path="+name, c.entry.Hash)
	if err != nil {
		return nil, ctx.Err()
	}
	return &text, nil
}

// lstat looks at a file below a directory as git does: nothing is behind a link.
func lstat(top *os.Root, name string) (os.FileInfo, error) {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := top.Lstat(name[:i]); err != nil || !info.IsDir() {
			return nil, os.ErrNotExist
		}
	}
	return top.Lstat(name)
}

// fileMode is a mode as git writes it, 0 for no file.
func fileMode(mode string) os.FileMode {
	switch mode {
	case "":
		return 0
	case "120000":
		return os.ModeSymlink | 0o777
	case "160000":
		return os.ModeDir | 0o755
	case "100755":
		return 0o755
	}
	return 0o644
}

// content returns the text of a file below a directory, or the target of a link, and its mode, 0
// without a file. It never leaves the directory: an agent that may not read a file could have it
// shown, and merged.
func content(top *os.Root, name string) (text string, mode os.FileMode, isText bool) {
	info, err := lstat(top, name)
	switch {
	case os.IsNotExist(err):
		return "", 0, false
	case err != nil:
		return "", os.ModeIrregular, false
	case info.Mode()&os.ModeSymlink != 0:
		text, err = top.Readlink(name)
		return text, info.Mode(), err == nil
	}
	text, err = read(top, name, maxShown)
	return text, info.Mode(), err == nil && !strings.ContainsRune(text, 0)
}

// read reads a file of at most so many bytes.
func read(top *os.Root, name string, most int64) (string, error) {
	f, err := fs.OpenRegularIn(top, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fs.ErrTooLarge
	}
	return string(b), err
}

// Contents returns what a file contained before a change, and contains after it, nil for no file,
// to be merged elsewhere. A mode is there only if the change is about it. An Opaque file is as it is
// now.
func (t *Worktree) Contents(ctx context.Context, c *WorktreeChange) (before, after *fs.Snapshot, err error) {
	name := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(c.Path, t.Path)), "/")
	switch {
	case c.NewMode.IsDir():
		return nil, nil, fmt.Errorf("%s is a git repository of its own, which cannot be merged into the working tree: mark the other files", name)
	case (c.OldMode|c.NewMode)&os.ModeType != 0:
		return nil, nil, fmt.Errorf("%s is a link or no file, which only git merges: mark the other files, or commit it and merge the branch", name)
	}
	was, now := c.Old, c.New
	if c.Opaque {
		if was, now, err = t.opaque(ctx, c, name); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if was != nil {
		before = &fs.Snapshot{Content: *was}
	}
	if now != nil {
		after = &fs.Snapshot{Content: *now}
		if was == nil || (c.OldMode^c.NewMode)&0o100 != 0 {
			after.Mode = c.NewMode.Perm()
		}
	}
	return before, after, nil
}

// opaque reads a file that is not shown.
func (t *Worktree) opaque(ctx context.Context, c *WorktreeChange, name string) (was, now *string, err error) {
	if _, err := t.check(); err != nil {
		return nil, nil, err
	}
	switch {
	case c.converted && c.OldMode != 0:
		if was, err = t.convert(ctx, c, name); err == nil && was == nil {
			err = errors.New("git cannot tell what it contained in the working tree, without a program that the repository names")
		}
	case c.OldMode != 0:
		err = (&Status{Top: t.Path}).Blobs(ctx, map[string]Entry{c.Path: c.entry}, fs.MaxBytes, func(_, content string) { was = &content })
		if err == nil && was == nil {
			err = fs.ErrTooLarge
		}
	}
	if err != nil || c.NewMode == 0 {
		return was, nil, err
	}
	top, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = top.Close() }()
	text, err := read(top, name, fs.MaxBytes)
	return was, &text, err
}

// Patch returns the difference in git's format, including uncommitted changes that count as work. It
// changes nothing: it adds new files to a temporary index.
func (t *Worktree) Patch(ctx context.Context) (string, error) {
	w, k, err := t.open(ctx)
	if err != nil {
		return "", err
	}
	tree, err := snapshot(ctx, w, k.made...)
	if err != nil {
		return "", err
	}
	return w.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--full-index", "--no-renames", "--submodule=short", k.since, tree, "--")
}

// Snapshot commits everything in the working tree of dir except ignored files, on top of its
// last commit and on no branch, and returns the commit. Working tree, index and branches stay
// as they are. Without changes it is the last commit. without are the submodules with files that are not committed
// in them, which it lacks. It fails with [ErrNoRepository] or [ErrNoCommit].
func Snapshot(ctx context.Context, dir string) (commit string, without []string, err error) {
	w, _, err := open(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	head, err := w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", dir, ErrNoCommit)
	}
	tree, err := snapshot(ctx, w)
	if err != nil {
		return "", nil, err
	}
	k := &WorktreeWork{}
	if err := k.status(ctx, w); err != nil {
		return "", nil, err
	}
	if was, err := w.line(ctx, "rev-parse", "--verify", "HEAD^{tree}"); err == nil && was == tree {
		return head, k.Inside, nil
	}
	commit, err = w.commitTree(ctx, tree, "The working tree when a comparison began", head)
	return commit, k.Inside, err
}

// snapshot is writeTree with a copy of the index, whose times tell which files have changed.
func snapshot(ctx context.Context, w *Writer, but ...string) (tree string, err error) {
	return w.writeTree(ctx, func(_ *Writer, file string) error {
		index, err := w.line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
		if err == nil {
			err = copyFile(index, file)
		}
		return err
	}, but...)
}

// writeTree writes everything in a working tree, except ignored files and the changes of some others, to the
// repository, and returns the hash of the tree. It uses an index in a temporary file, in which begin may put one.
func (w *Writer) writeTree(ctx context.Context, begin func(in *Writer, file string) error, but ...string) (tree string, err error) {
	dir, err := os.MkdirTemp("", "parley-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "index")
	in := *w
	in.env = slices.Concat(w.env, []string{"GIT_INDEX_FILE=" + file})
	if err := begin(&in, file); err != nil {
		return "", err
	}
	if err := in.addAll(ctx, but...); err != nil {
		return "", err
	}
	return in.line(ctx, "write-tree")
}

// maxIndex limits what git says of an index, in bytes.
const maxIndex = 256 << 20

// submodules returns the submodules in the index, with their commits.
func (w *Writer) submodules(ctx context.Context) (commits map[string]string, err error) {
	all := *w
	all.most = maxIndex
	out, err := all.Run(ctx, "ls-files", "--full-name", "--stage", "-z")
	commits = map[string]string{}
	for _, entry := range split(out) {
		if about, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(about, "160000 ") {
			commits[name] = strings.Fields(about)[1]
		}
	}
	return commits, err
}

// submodulesAt returns the commits of some submodules in a commit, none if that is "" or missing.
func (w *Writer) submodulesAt(ctx context.Context, commit string, links map[string]string) (commits map[string]string) {
	commits = map[string]string{}
	if commit == "" || len(links) == 0 {
		return commits
	}
	out, _ := w.Run(ctx, slices.Concat([]string{"ls-tree", "--full-tree", "-z", commit, "--"}, slices.Collect(maps.Keys(links)))...)
	for _, entry := range split(out) {
		if about, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(about, "160000 ") {
			commits[name] = strings.Fields(about)[2]
		}
	}
	return commits
}

// addAll adds everything except ignored files and the changes of some others to the index, which is that of
// the top of a working tree.
// It adds submodules apart, because git add runs git in each, with the filters of its own configuration.
func (w *Writer) addAll(ctx context.Context, but ...string) error {
	links, err := w.submodules(ctx)
	if err != nil {
		return err
	}
	top, err := Top(w.dir)
	if err != nil {
		return err
	}
	in, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	update := func(how, name string) error {
		_, err := (&Writer{dir: top, env: w.env}).Run(ctx, "update-index", how, "--", name)
		return err
	}
	args := []string{"--no-literal-pathspecs", "add", "--all"}
	for name := range links {
		if _, err := lstat(in, name); !errors.Is(err, os.ErrNotExist) {
			args = append(args, ":(top,exclude,literal)"+name)
			continue
		}
		delete(links, name)
		if err := update("--force-remove", name); err != nil {
			return err
		}
	}
	if len(links) > 0 {
		args = slices.Insert(args, 3, "--", ":/")
	}
	if _, err := w.Run(ctx, args...); err != nil {
		return err
	}
	for name := range links {
		if err := update("--add", name); err != nil {
			return err
		}
	}
	if len(but) > 0 {
		_, err = w.Run(ctx, append([]string{"reset", "--quiet", "--"}, but...)...)
	}
	return err
}

// copyFile copies a file with its time. Git compares the contents of files that are as young
// as the index, because their times do not show whether they have changed since.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	b, err := fs.ReadHead(from, math.MaxInt64)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
