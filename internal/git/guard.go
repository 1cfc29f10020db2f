package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	files "parley/fs"
)

// Guard says what an agent may write of a repository: enough to commit, and nothing that
// decides which programs git runs.
type Guard struct {
	// Write are writable paths, also outside of the work tree. Keep are read-only paths
	// in them and in the work tree. Fixed are directories that stay where they are, also outside of both.
	Write, Keep, Fixed []string
	// NoDirs and NoFiles are missing paths that must stay so. Git ignores them if they
	// are an empty directory or a file of the given text.
	NoDirs  []string
	NoFiles map[string]string
	// modes are the permissions of the immovable directories.
	modes map[string]fs.FileMode
	dir   string // the work tree
	// diversions are those of the user.
	diversions map[string]diversion
}

// Restore gives a repository its permissions back, and then is [Guard.Clean]: the agent can
// change the permissions of what it may write, and git looks for another repository if it
// cannot read this one.
func (g *Guard) Restore() (removed []string, err error) {
	for _, path := range slices.Sorted(maps.Keys(g.modes)) { // outer directories first
		mode := g.modes[path]
		if info, err := os.Lstat(path); err == nil && info.IsDir() && info.Mode() != mode {
			_ = os.Chmod(path, mode)
		}
	}
	return g.Clean()
}

// commits are the entries of a repository that a commit or a merge writes, or one with
// Git LFS. Git replaces most of these by renaming.
var commits = []string{
	"objects", "refs", "reftable", "logs", "lfs", "rr-cache", "index", "packed-refs", "COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD",
	"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD",
	"gc.log", "gc.pid",
}

// immovable are the directories without which git does not recognise a repository, and
// looks for another one, and what else its worktrees share: their sandboxes would follow a link there.
var immovable = []string{"objects", "refs", "reftable", "logs", lfsDir}

// lfsDir is where Git LFS keeps the contents of files, unless the other setting says where.
const lfsDir, lfsStorage = "lfs", "lfs.storage"

// sameRepository is a commondir that changes nothing: the directory itself.
const sameRepository = ".\n"

// GuardOf returns the guard of a directory. Without a repository, none may be created. It
// fails if a symbolic link decides which programs git runs, because that can be replaced.
func GuardOf(ctx context.Context, dir string) (*Guard, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	g := &Guard{dir: dir, NoFiles: map[string]string{}, modes: map[string]fs.FileMode{}, diversions: map[string]diversion{}}
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.IsDir() && isEmpty(git):
		g.NoDirs = append(g.NoDirs, git)
		for up := filepath.Dir(dir); up != filepath.Dir(up); up = filepath.Dir(up) {
			if exists(filepath.Join(up, ".git")) {
				g.Keep = append(g.Keep, filepath.Join(up, ".git"))
				break
			}
		}
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, linkError(git)
	case !info.IsDir():
		g.Keep = append(g.Keep, git)
		g.linked(ctx, dir)
	default:
		if err := g.repository(ctx, git); err != nil {
			return nil, err
		}
	}
	if err := g.named(ctx, dir); err != nil {
		return nil, err
	}
	_ = g.survey(func(_ *os.Root, _, path string, d diversion) error {
		g.diversions[path] = d
		return nil
	})
	return g, nil
}

func linkError(path string) error {
	return fmt.Errorf("%s is a symbolic link, which an agent could replace", path)
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// repository guards a repository in its work tree.
func (g *Guard) repository(ctx context.Context, git string) error {
	g.Write = append(g.Write, git)
	g.makeShared(ctx, git)
	entries, err := os.ReadDir(git)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(git, e.Name())
		switch {
		case slices.Contains(immovable, e.Name()):
			g.Write = append(g.Write, path)
		case slices.Contains(commits, e.Name()), strings.HasSuffix(e.Name(), ".lock"), strings.HasPrefix(e.Name(), "sharedindex."):
		case e.Type()&fs.ModeSymlink != 0:
			return linkError(path)
		default:
			g.Keep = append(g.Keep, path)
		}
	}
	for _, path := range g.Write {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			g.modes[path] = info.Mode()
		}
	}
	for _, name := range []string{"hooks", "modules", "worktrees", begunDir} { // parley and git believe what these say
		g.noDir(filepath.Join(git, name))
	}
	for _, name := range immovable {
		if path := filepath.Join(git, name); !exists(path) {
			g.NoDirs = append(g.NoDirs, path)
		}
	}
	g.keepAlternates(git)
	g.noFile(filepath.Join(git, "commondir"), sameRepository)
	g.noFile(filepath.Join(git, "config.worktree"), "")
	return nil
}

// makeShared makes the directories that git, and Git LFS if the user has it, need to commit.
func (g *Guard) makeShared(ctx context.Context, git string) {
	_ = os.Mkdir(filepath.Join(git, "logs"), 0o777) // best effort, as is the other
	if out, _ := output(ctx, g.dir, "config", "filter.lfs.process"); out != "" {
		_ = os.Mkdir(filepath.Join(git, "lfs"), 0o777)
	}
}

// keepAlternates keeps where git, and Git LFS beside it, look for objects outside of the repository.
func (g *Guard) keepAlternates(git string) {
	path := filepath.Join(git, "objects", "info", "alternates")
	_ = os.MkdirAll(filepath.Dir(path), 0o777) // best effort
	g.Keep = append(g.Keep, path)
	g.noFile(path, "")
}

// noDir and noFile say that a path must not be created, unless it exists with other
// contents.
func (g *Guard) noDir(path string) {
	if !exists(path) || isEmpty(path) {
		g.NoDirs = append(g.NoDirs, path)
	}
}

func (g *Guard) noFile(path, text string) {
	b, err := files.ReadHead(path, int64(len(sameRepository)+1))
	if !exists(path) || err == nil && string(b) == text {
		g.NoFiles[path] = text
	}
}

// linked guards a linked worktree: its repository lies outside.
func (g *Guard) linked(ctx context.Context, dir string) {
	admin := adminOf(dir)
	if admin == "" {
		return
	}
	common := filepath.Dir(filepath.Dir(admin))
	g.makeShared(ctx, common)
	for _, name := range immovable {
		if info, err := os.Lstat(filepath.Join(common, name)); err == nil && info.IsDir() {
			g.Write = append(g.Write, filepath.Join(common, name))
		}
	}
	g.keepAlternates(common)
	g.Write = append(g.Write, admin)
	for _, name := range []string{"commondir", "gitdir", recordName} {
		g.Keep = append(g.Keep, filepath.Join(admin, name))
	}
	g.Keep = append(g.Keep, filepath.Join(admin, "config.worktree"), filepath.Join(common, "hooks"), filepath.Join(common, "config"))
	g.noFile(filepath.Join(admin, "config.worktree"), "")
	g.noFile(filepath.Join(admin, "objects"), "") // with such a directory, Git LFS takes the next one for its own
	g.noFile(filepath.Join(admin, lfsDir), "")
}

// adminOf returns the directory of a linked worktree in its repository, "" if there is
// none. The worktree's claim must be confirmed by the repository.
func adminOf(dir string) string {
	if admin := linkedDir(dir); listed(commonDir(admin), admin, dir) {
		return admin
	}
	return ""
}

// guardTime is how long git may take to say what its configuration names.
const guardTime = 10 * time.Second

// runs matches the settings that name programs.
var runs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(alias\..*|pager\..*|core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|` +
		`sequence\.editor|diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|merge\..*\.driver|hook\..*\.command|` +
		`(diff|merge)tool\..*\.(cmd|path)|credential\.(.*\.)?helper|gpg\.(.*\.)?program|interactive\.difffilter|` +
		`trailer\..*\.(cmd|command)|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack|vcs)|submodule\..*\.update)$`)
})

// named guards the paths below dir that the configuration names: its own files, hooks and
// programs. It also keeps the repositories of submodules. Best effort: without git,
// nothing is named. A git that does not answer is an error.
func (g *Guard) named(ctx context.Context, dir string) error {
	var err error
	inside := func(path string, isDir bool) { err = cmp.Or(err, g.inside(dir, path, isDir)) }
	ctx, cancel := context.WithTimeout(ctx, guardTime)
	defer cancel()
	out, _ := output(ctx, dir, "config", "--list", "-z", "--show-origin")
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		origin, isFile := strings.CutPrefix(fields[i], "file:")
		if !isFile {
			continue // parley's own settings
		}
		origin = at(dir, origin)
		inside(origin, false)
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch {
		case key == "core.hookspath":
			inside(at(dir, value), true)
		case key == lfsStorage: // git-lfs of the user's would follow a link there
			g.Fixed = append(g.Fixed, at(repositoryOf(dir), value))
		case key == "include.path", strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path"):
			inside(at(filepath.Dir(origin), value), false)
		case runs().MatchString(key):
			for word := range strings.FieldsSeq(value) {
				path := at(dir, strings.Trim(word, `!"';`))
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					inside(path, false)
				}
			}
		}
	}
	err = cmp.Or(err, g.submodules(ctx, dir, dir))
	if ctx.Err() != nil {
		return errors.New("git does not read its settings in time: look for a named pipe at .gitmodules, or among the files that its settings include")
	}
	return err
}

// submodules keeps the repositories of the submodules in a directory below dir, and of those in them.
func (g *Guard) submodules(ctx context.Context, dir, in string) error {
	out, _ := output(ctx, in, "config", "-z", "--file", filepath.Join(in, ".gitmodules"), "--get-regexp", `^submodule\..*\.path$`)
	for entry := range strings.SplitSeq(out, "\x00") {
		_, path, ok := strings.Cut(entry, "\n")
		sub := filepath.Join(in, path)
		if !ok || !filepath.IsLocal(path) || sub == in || !exists(filepath.Join(sub, ".git")) {
			continue
		}
		err := g.inside(dir, filepath.Join(sub, ".git"), false)
		admin, own := adminOf(dir), linkedDir(sub)
		if admin != "" && own != "" && (&Worktree{Path: admin}).Has(own) {
			g.Keep = append(g.Keep, filepath.Clean(own))
		}
		if err = cmp.Or(err, g.submodules(ctx, dir, sub)); err != nil {
			return err
		}
	}
	return nil
}

// at resolves a path of the configuration.
func at(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir() // "" if it is not known
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// inside keeps a path below dir as it is, even if it is missing.
func (g *Guard) inside(dir, path string, isDir bool) error {
	if rel, err := filepath.Rel(dir, path); err != nil || rel == "." || !filepath.IsLocal(rel) || slices.Contains(g.Keep, path) {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return linkError(path)
	}
	if exists(path) {
		g.Keep = append(g.Keep, path)
		if isDir && isEmpty(path) {
			g.NoDirs = append(g.NoDirs, path)
		}
		return nil
	}
	missing := path
	for parent := filepath.Dir(missing); !exists(parent); parent = filepath.Dir(parent) {
		missing = parent
	}
	if missing == path && !isDir {
		g.noFile(path, "")
	} else {
		g.noDir(missing)
	}
	return nil
}
