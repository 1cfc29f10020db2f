package git

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/fs"
)

// branchPrefix is the prefix of worktree branches, and droppedPrefix that of the refs
// of dropped ones, and of the commits in their submodules.
const (
	branchPrefix  = "parley/"
	droppedPrefix = "refs/parley/dropped/"
)

// recordName is the file in git's own directory of a worktree that describes it; git
// removes it with the worktree.
const recordName = "parley.json"

// recordBound limits what is read of a record, in bytes, maxNote the note in it, and maxGiven the names
// of files, which JSON may make six times as long.
const (
	recordBound = 128 << 10
	maxNote     = 8 << 10
	maxGiven    = 10 << 10
)

// Worktree is a worktree for sessions. It is immutable. Its JSON is the record.
type Worktree struct {
	// Name is the user's name for it, Path its directory, and Branch its own branch.
	Name   string `json:"name"`
	Path   string `json:"-"`
	Branch string `json:"-"`
	// Base is the commit that it began at, and Into the branch that was checked out
	// then, the target of a merge; "" if none was.
	Base string `json:"base"`
	Into string `json:"into,omitempty"`
	// From is the directory for which it was created.
	From string `json:"from"`
	// Note is what its creator wrote down about it, "" for nothing.
	Note string `json:"note,omitempty"`
	// Fresh means that nothing was prepared in it yet, Begun that this has begun. Given are the ignored
	// files and folders that it got then, and Made the other files that the setup or a check has changed,
	// each followed by a NUL. What has not changed since the time Ready is not counted as work.
	Fresh bool      `json:"fresh,omitempty"`
	Begun bool      `json:"begun,omitempty"`
	Given string    `json:"given,omitempty"`
	Made  string    `json:"made,omitempty"`
	Ready time.Time `json:"ready,omitzero"`
	// Failed is how its setup has failed, "" if it has not.
	Failed string `json:"failed,omitempty"`
	// Unfinished means that its creation or removal was interrupted, or is going on. It can only be
	// dropped.
	Unfinished bool `json:"-"`
}

// Errors of finding worktrees.
var (
	ErrNoRepository = errors.New("not in a git repository")
	ErrNoCommit     = errors.New("the git repository has no commits yet")
	ErrUnknown      = errors.New("no such worktree")
)

// WorktreeAt returns the worktree with the directory dir, nil if it is not one for
// sessions. It reads a few files without running git.
//
// A directory cannot pretend to be one of another repository: git's own directory of the worktree
// has to be in that repository and to name dir, and From is a directory of the repository.
func WorktreeAt(dir string) *Worktree {
	admin := linkedDir(dir)
	if admin == "" {
		return nil
	}
	repository := commonDir(admin)
	if !listed(repository, admin, dir) {
		return nil
	}
	b, err := fs.ReadHead(filepath.Join(admin, recordName), recordBound)
	if err != nil {
		return nil
	}
	t := &Worktree{Path: dir}
	if json.Unmarshal(b, t) != nil || !t.fits(repository) {
		return nil
	}
	begun := readBegun(repository, t.Name)
	t.Unfinished = begun != nil && begun.Dropped
	return t
}

// WorktreeOf returns the worktree for sessions that dir is in, nil if it is in none.
func WorktreeOf(dir string) *Worktree {
	if dir = topOf(dir); dir == "" {
		return nil
	}
	return WorktreeAt(dir)
}

// fits reports whether a record may be of a worktree of a repository, and completes it.
func (t *Worktree) fits(repository string) bool {
	isHash := func(s string) bool { return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == "" }
	if CheckWorktreeName(t.Name) != nil || !isHash(t.Base) || strings.HasPrefix(t.Into, "-") {
		return false
	}
	t.Branch = branchPrefix + t.Name
	if !filepath.IsAbs(t.From) || repositoryOf(t.From) != repository {
		t.From = t.Path // it is gone
		if filepath.Base(repository) == ".git" {
			t.From = filepath.Dir(repository)
		}
	}
	return true
}

// listed reports whether a repository has a worktree with git's own directory admin in dir.
func listed(repository, admin, dir string) bool {
	real, err := filepath.EvalSymlinks(admin)
	if err != nil || repository == "" || filepath.Dir(real) != filepath.Join(repository, "worktrees") {
		return false
	}
	b, err := fs.ReadHead(filepath.Join(real, "gitdir"), fileBound)
	if err != nil {
		return false
	}
	link := strings.TrimSpace(string(b))
	if !filepath.IsAbs(link) {
		link = filepath.Join(real, link)
	}
	named, err := os.Stat(filepath.Dir(link))
	if err != nil || filepath.Base(link) != ".git" {
		return false
	}
	is, err := os.Stat(dir)
	return err == nil && os.SameFile(named, is)
}

// Original returns the directory that one in a worktree for sessions stands for: what it is a copy
// of, in the working tree for which the worktree was made. Of any other directory it is that one
// itself.
func Original(dir string) string {
	for range 10 { // worktrees of worktrees
		top := topOf(dir)
		t := WorktreeAt(top)
		if t == nil {
			return dir
		}
		if top == dir {
			dir = t.From
			continue
		}
		below, err := filepath.Rel(top, dir)
		from := topOf(t.From)
		if err != nil || from == "" {
			return dir
		}
		dir = filepath.Join(from, below)
	}
	return dir
}

// Folder returns the folder of the worktree that is the copy of From.
func (t *Worktree) Folder() string {
	if top := topOf(t.From); top != "" {
		if below, err := filepath.Rel(top, t.From); err == nil {
			return filepath.Join(t.Path, below)
		}
	}
	return t.Path
}

// Place returns where a session works that the worktree is for, in a directory of the same
// repository: in the same folder of the worktree, or in its top where that is missing or leads out.
func (t *Worktree) Place(of string) string {
	if below, err := filepath.Rel(topOf(of), of); err == nil {
		if top, err := os.OpenRoot(t.Path); err == nil {
			defer func() { _ = top.Close() }()
			if info, err := top.Stat(below); err == nil && info.IsDir() {
				return filepath.Join(t.Path, below)
			}
		}
	}
	return t.Path
}

// Has reports whether a directory is the worktree's, or in it.
func (t *Worktree) Has(dir string) bool {
	below, err := filepath.Rel(t.Path, dir)
	return err == nil && filepath.IsLocal(below)
}

// WorktreeName returns the name of the worktree of a branch.
func WorktreeName(branch string) string { return strings.TrimPrefix(branch, branchPrefix) }

type worktreeEntry struct {
	path   string
	head   string // the commit that is checked out
	branch string // "" if none is checked out
}

// listWorktrees returns all worktrees of a repository, the main one first.
func listWorktrees(ctx context.Context, w *Writer) ([]worktreeEntry, error) {
	out, err := w.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var list []worktreeEntry
	for line := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "worktree":
			list = append(list, worktreeEntry{path: filepath.FromSlash(value)})
		case "HEAD":
			if len(list) > 0 {
				list[len(list)-1].head = value
			}
		case "branch":
			if len(list) > 0 {
				list[len(list)-1].branch = strings.TrimPrefix(value, "refs/heads/")
			}
		}
	}
	return list, nil
}

// open returns git for the repository of dir, and all its worktrees.
func open(ctx context.Context, dir string) (*Writer, []worktreeEntry, error) {
	w, err := NewWriter(ctx, dir)
	if failed, ok := errors.AsType[*Error](err); ok && failed.Command == "rev-parse" && topOf(dir) == "" {
		return nil, nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := listWorktrees(ctx, w)
	if err != nil { // one without these files makes git list none
		repository := repositoryOf(dir)
		for _, t := range allBegun(repository) {
			_ = t.supply(repository)
		}
		all, err = listWorktrees(ctx, w)
	}
	return w, all, err
}

// Worktrees returns the worktrees for sessions in the repository of dir, in git's
// order, then what a kill has left of others.
func Worktrees(ctx context.Context, dir string) ([]*Worktree, error) {
	w, all, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	var trees []*Worktree
	for _, p := range all {
		if t := WorktreeAt(p.path); t != nil {
			trees = append(trees, t)
		}
	}
	return append(trees, unfinished(ctx, w, repositoryOf(dir), all)...), nil
}

// LinkedTo returns the worktrees of the repository that a file is in. It reads a few files without running git.
func LinkedTo(path string) (top string, trees []string) {
	top = topOf(filepath.Dir(path))
	repository := repositoryOf(top)
	if top == "" || repository == "" {
		return "", nil
	}
	admins, _ := os.ReadDir(filepath.Join(repository, "worktrees")) // without any, there are none
	for _, e := range admins {
		if b, err := fs.ReadHead(filepath.Join(repository, "worktrees", e.Name(), "gitdir"), fileBound); err == nil {
			trees = append(trees, filepath.Dir(at(filepath.Join(repository, "worktrees", e.Name()), strings.TrimSpace(string(b)))))
		}
	}
	return top, trees
}

// WorktreeGone reports whether a directory no longer exists.
func WorktreeGone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, os.ErrNotExist)
}

// maxName limits the name of a worktree, in bytes.
const maxName = 60

// CheckWorktreeName returns why a name is unusable for a worktree, nil if it is fine:
// it becomes part of a branch name, a path, and command lines.
func CheckWorktreeName(name string) error {
	ok := name != "" && len(name) <= maxName && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}) < 0 && !strings.ContainsAny(name[:1], "-.") && !strings.Contains(name, "..") &&
		!strings.HasSuffix(name, ".") && !strings.HasSuffix(name, ".lock")
	if !ok {
		return fmt.Errorf("invalid worktree name %.80q: use at most %d letters, digits, \"-\", \"_\" and \".\", beginning with a letter or digit", name, maxName)
	}
	return nil
}

// The words of generated names.
var (
	qualities = strings.Fields("amber brave brisk calm clear eager early fair gentle golden happy keen kind lively lucky merry mild neat noble proud quick quiet silver steady swift tidy warm wise")
	animals   = strings.Fields("badger beaver crane deer dove eagle egret falcon finch fox hare heron ibis jay lark lynx marten mole newt otter owl panda raven robin seal stork swan tern wren")
)

// NewWorktreeName returns a name that no worktree of the repository of dir has, nor any that
// begins with it and a hyphen.
func NewWorktreeName(ctx context.Context, dir string) (string, error) {
	w, _, err := open(ctx, dir)
	if err != nil {
		return "", err
	}
	out, err := w.Run(ctx, "for-each-ref", "--format=%(refname)", "refs/heads/"+branchPrefix)
	if err != nil {
		return "", err
	}
	name := ""
	for n := range 1000 {
		name = qualities[rand.IntN(len(qualities))] + "-" + animals[rand.IntN(len(animals))]
		if n > 20 {
			name += fmt.Sprint("-", n)
		}
		if !strings.Contains(out, "refs/heads/"+branchPrefix+name) {
			break
		}
	}
	return name, nil
}

// WorktreeTakenError means that the branch or directory of a name already exists.
type WorktreeTakenError struct {
	Branch string // the branch checked out elsewhere; "" if it is the directory
	Path   string
}

func (e *WorktreeTakenError) Error() string {
	if e.Branch == "" {
		return "something else exists at " + e.Path
	}
	return fmt.Sprintf("the branch %s is checked out in %s", e.Branch, e.Path)
}

// WorktreeOptions say what worktree to create.
type WorktreeOptions struct {
	// Name is "" for a generated one.
	Name string
	// Parent is the directory in which it is created, below one named after the repository;
	// "" creates it beside the repository. There, on the same disk, it is out of reach of
	// tools that walk the repository, such as a search or a file watcher.
	Parent string
	// Snapshot is the commit at which it begins, as [Snapshot] returns it; "" for the last
	// commit. It is of no branch, so such a worktree has no target to merge into.
	Snapshot string
	// Note is kept with it, up to 8 KiB.
	Note string
	// Waits is called with the file whose lock another program holds, if it has to wait for that, and
	// then with "" once it has it; nil is fine.
	Waits func(file string)
}

// CreateWorktree creates a worktree with a branch of its own for the repository that
// dir belongs to, or returns the existing one with that name.
func CreateWorktree(ctx context.Context, dir string, opt WorktreeOptions) (*Worktree, error) {
	name := opt.Name
	if name != "" {
		if err := CheckWorktreeName(name); err != nil {
			return nil, err
		}
	}
	if len(opt.Note) > maxNote {
		return nil, fmt.Errorf("the note of a worktree is larger than %d KiB", maxNote>>10)
	}
	if unlock := lockToCreate(ctx, dir, opt.Waits); unlock != nil {
		defer unlock()
	}
	w, all, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	isBranch := func(name string) bool { return w.has(ctx, "refs/heads/"+branchPrefix+name) }
	if name == "" {
		if name, err = NewWorktreeName(ctx, dir); err != nil {
			return nil, err
		}
	}
	for _, p := range all {
		if p.branch != branchPrefix+name && filepath.Base(p.path) != name {
			continue
		}
		if t := WorktreeAt(p.path); t != nil && t.Name == name && !WorktreeGone(t.Path) {
			t.makeFolder(dir)
			return t, t.whole()
		}
		if p.branch == branchPrefix+name && !WorktreeGone(p.path) {
			if left := readBegun(repositoryOf(dir), name); left != nil && left.Path == p.path {
				return nil, left.whole()
			}
			return nil, &WorktreeTakenError{p.branch, p.path}
		}
	}
	t := &Worktree{Name: name, Branch: branchPrefix + name, From: dir, Path: filepath.Join(home(all[0].path, opt.Parent), name), Base: opt.Snapshot, Note: opt.Note}
	if err := t.make(ctx, w, isBranch(name)); err != nil {
		return t, err
	}
	t.makeFolder(dir)
	return t, nil
}

// lockToCreate waits until nobody else creates a worktree in the repository of dir. It returns nil if that cannot
// be known.
func lockToCreate(ctx context.Context, dir string, waits func(file string)) (unlock func()) {
	in, err := openBegun(repositoryOf(dir))
	if err != nil {
		return nil
	}
	defer func() { _ = in.Close() }()
	f, err := in.OpenFile("create.lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	waited := false
	if config.AwaitLock(ctx, f, func() {
		if waited = waits != nil; waited {
			waits(filepath.Clean(f.Name()))
		}
	}) != nil {
		_ = f.Close()
		return nil
	}
	if waited {
		waits("")
	}
	return func() {
		config.Unlock(f)
		_ = f.Close()
	}
}

// makeFolder makes the folder of the worktree that stands for dir, which may have no committed files.
func (t *Worktree) makeFolder(dir string) {
	top, err := os.OpenRoot(t.Path)
	if err != nil {
		return
	}
	defer func() { _ = top.Close() }()
	if below, err := filepath.Rel(topOf(dir), dir); err == nil {
		_ = top.MkdirAll(below, 0o777) // without it, the session works in the top
	}
}

// home returns the directory of a repository's worktrees.
func home(repository, parent string) string {
	base := filepath.Base(repository)
	if base == ".git" { // a bare repository in a project's directory
		repository = filepath.Dir(repository)
		base = filepath.Base(repository)
	}
	if parent != "" {
		return filepath.Join(parent, strings.TrimSuffix(base, ".git"))
	}
	return filepath.Join(filepath.Dir(repository), strings.TrimSuffix(base, ".git")+".worktrees")
}

// make creates the worktree, and its branch if that does not exist.
func (t *Worktree) make(ctx context.Context, w *Writer, isBranch bool) error {
	var err error
	if t.Base == "" {
		if t.Base, err = w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
			return fmt.Errorf("%s: %w", t.From, ErrNoCommit)
		}
		t.Into, _ = w.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD") // "" if no branch is checked out
	}
	if _, err := os.Lstat(t.Path); err == nil {
		return &WorktreeTakenError{Path: t.Path}
	}
	if _, err := prune(ctx, w, repositoryOf(t.From)); err != nil { // one whose directory was removed by hand
		return err
	}
	args := []string{"worktree", "add", "--quiet", "-b", t.Branch, "--", t.Path, t.Base}
	if isBranch { // of a worktree that was removed by hand
		args = []string{"worktree", "add", "--quiet", "--", t.Path, t.Branch}
		if base, err := w.line(ctx, "merge-base", t.Base, t.Branch); err == nil {
			t.Base = base
		}
	}
	parent := filepath.Dir(t.Path)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return fmt.Errorf("create a worktree: %w", err)
	}
	if parent, err = filepath.EvalSymlinks(parent); err != nil {
		return fmt.Errorf("create a worktree: %w", err)
	}
	t.Path = filepath.Join(parent, t.Name)
	done, err := t.begin(false)
	if err != nil {
		return fmt.Errorf("record the worktree: %w", err)
	}
	if _, err := w.Run(ctx, args...); err != nil {
		ctx = context.WithoutCancel(ctx)
		if !isBranch {
			_, _ = w.Run(ctx, "branch", "--quiet", "-D", "--", t.Branch) // git leaves it behind
		}
		if WorktreeGone(t.Path) && (isBranch || !w.has(ctx, "refs/heads/"+t.Branch)) {
			done()
			_ = os.Remove(parent) // stays while it has other worktrees
		}
		return fmt.Errorf("create a worktree: %w", err)
	}
	t.Fresh = true
	if err := t.write(ctx); err != nil {
		return err
	}
	done()
	return nil
}

// Lock opens the file by whose lock only one at a time prepares the worktree.
func (t *Worktree) Lock() (*os.File, error) {
	return os.OpenFile(filepath.Join(linkedDir(t.Path), recordName+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
}

// Preparing notes that the preparation of the worktree begins. prepared notes its end, whether a setup ran,
// how that has failed, if it has, and whether it is to be done again. What the worktree got meanwhile does not count as work; after an interrupted
// preparation all counts, because somebody may have worked there since.
func (t *Worktree) Preparing(ctx context.Context) (prepared func(setup bool, failed string, again bool) error, err error) {
	_, before, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	now, err := t.check()
	if err != nil {
		return nil, err
	}
	first := !now.Begun
	now.Begun = true
	return func(setup bool, failed string, again bool) error {
		at := time.Now()
		_, k, err := t.open(ctx)
		if err != nil {
			return err
		}
		var given, made []string
		if first {
			given, _ = apart(k.Ignored, before.Ignored)
		}
		if first && setup {
			made, _ = apart(k.Uncommitted, before.Uncommitted)
		}
		return t.notWork(ctx, at, given, made, func(now *Worktree) { now.Fresh, now.Begun, now.Failed = again, !again, failed })
	}, now.write(ctx)
}

// NotWork notes that files which differ from the last commit do not count as work, as they were at a time.
func (t *Worktree) NotWork(ctx context.Context, at time.Time, files []string) error {
	return t.notWork(ctx, at, nil, files, func(*Worktree) {})
}

func (t *Worktree) notWork(ctx context.Context, at time.Time, given, made []string, note func(*Worktree)) error {
	now, err := t.check()
	if err != nil {
		return err
	}
	join := func(was string, names []string) (all string) {
		for _, name := range slices.Concat(now.asPrepared(was), names) {
			if absent(filepath.Join(t.Path, filepath.FromSlash(name))) {
				name = removed + name
			}
			if len(all)+len(name) < maxGiven {
				all += name + "\x00"
			}
		}
		return all
	}
	now.Given, now.Made, now.Ready = join(now.Given, given), join(now.Made, made), at
	note(now)
	return now.write(ctx)
}

// absent reports whether there is nothing, not even a link, at a path.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// removed begins what is noted of a file that was removed.
const removed = "/"

// mostLooked limits the files of which [Worktree.asPrepared] looks at the times.
const mostLooked = 50_000

// asPrepared returns the files and folders among names that are as they were when the worktree was prepared,
// without those that are too large to tell.
func (t *Worktree) asPrepared(names string) (same []string) {
	for _, name := range split(names) {
		looked := 0
		name, was := strings.CutPrefix(name, removed)
		path := filepath.Join(t.Path, filepath.FromSlash(name))
		if was && absent(path) || !was && filepath.WalkDir(path, func(_ string, e iofs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if looked++; err != nil || looked > mostLooked || info.ModTime().After(t.Ready) {
				return cmp.Or(err, ErrTooMany)
			}
			return nil
		}) == nil {
			same = append(same, name)
		}
	}
	return same
}

func (t *Worktree) write(ctx context.Context) error {
	in, err := NewWriter(ctx, t.Path)
	if err != nil {
		return err
	}
	admin, err := in.Run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	b, err := json.Marshal(t)
	if err == nil {
		var dir *os.Root
		if dir, err = os.OpenRoot(strings.TrimSuffix(admin, "\n")); err == nil {
			err = fs.ReplaceUnsynced(dir, recordName, append(b, '\n'), 0o600)
			_ = dir.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("record the worktree: %w", err)
	}
	if WorktreeAt(t.Path) == nil {
		return errors.New("cannot find the new worktree in " + t.Path)
	}
	return nil
}
