package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	files "parley/fs"
	"parley/internal/termtext"
)

// submodule is a submodule of a worktree. It has a repository of its own, where git submodule update makes
// it, with the objects of the one that the main repository has of it. It is no linked worktree of that one:
// git submodule update would write to the configuration that the two then share, and so break the other.
type submodule struct {
	name   string // relative to the top of the worktree, with slashes
	commit string // of the index
	path   string
	dir    string // git's own directory, "" if .gitmodules does not name the submodule
	within string // the folder of its repository and those of its siblings
	of     string // the repository to fill it from, "" without one
}

// submodules calls visit for the submodules of the worktree, and then for those in each that is filled.
func (t *Worktree) submodules(ctx context.Context, visit func(*submodule) error) error {
	return (&submodule{path: t.Path, dir: linkedDir(t.Path), of: repositoryOf(t.From)}).inside(ctx, visit)
}

// inside is submodules for those in a submodule.
func (s *submodule) inside(ctx context.Context, visit func(*submodule) error) error {
	w, err := NewWriter(ctx, s.path)
	if err != nil {
		return err
	}
	commits, err := w.submodules(ctx)
	if err != nil || len(commits) == 0 {
		return err
	}
	said, _ := w.Run(ctx, "config", "-z", "--blob", "HEAD:.gitmodules", "--get-regexp", `^submodule\..*\.path$`) // it may be missing
	named := map[string]string{}
	for _, entry := range split(said) {
		key, path, _ := strings.Cut(entry, "\n")
		if name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path"); filepath.IsLocal(name) && !strings.Contains(name, "..") {
			named[path] = filepath.FromSlash(name)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(commits)) {
		in := &submodule{name: strings.TrimPrefix(s.name+"/"+path, "/"), commit: commits[path], path: filepath.Join(s.path, filepath.FromSlash(path))}
		if name := named[path]; name != "" && s.dir != "" {
			in.within = filepath.Join(s.dir, "modules")
			in.dir, in.of = filepath.Join(in.within, name), moduleOf(s.of, name)
		}
		err := visit(in)
		if !in.own() {
			in.dir = ""
		}
		if err == nil && !absent(filepath.Join(in.path, ".git")) {
			err = in.inside(ctx, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// FillSubmodules fills empty submodules with what the repository has of them, without the network. The error
// says which stay empty, and why.
func (t *Worktree) FillSubmodules(ctx context.Context) error {
	var failed []error
	err := t.submodules(ctx, func(s *submodule) error {
		if err := s.fill(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		return ctx.Err()
	})
	if more := len(failed) - mostFailed; more > 0 {
		failed = append(failed[:mostFailed:mostFailed], fmt.Errorf("and %d more", more))
	}
	return errors.Join(append(failed, err)...)
}

// mostFailed limits the submodules that an error names: a repository can have any number.
const mostFailed = 8

// moduleOf returns the repository that another one has of its submodule with a name, "" if it has none. One
// in the working tree is not taken, nor one behind a link: an agent that may write there could have others'
// files read, and files elsewhere written.
func moduleOf(repository, name string) string {
	dir := filepath.Join(repository, "modules", name)
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "objects"))
	if repository == "" || err != nil || real != filepath.Join(dir, "objects") || !absent(filepath.Join(dir, "commondir")) {
		return ""
	}
	return dir
}

// bareWriter returns git for a repository by git's own directory, whatever its working tree.
func bareWriter(ctx context.Context, dir string) (*Writer, error) {
	return newWriter(ctx, dir, "GIT_DIR="+dir, "GIT_WORK_TREE="+dir)
}

// own reports whether the submodule has the repository that fill makes, and not another one.
func (s *submodule) own() bool {
	return s.dir != "" && filepath.Clean(linkedDir(s.path)) == filepath.Clean(s.dir)
}

// fill fills the submodule if it is empty, or if a kill has interrupted that.
func (s *submodule) fill(ctx context.Context) (err error) {
	top, below := strings.TrimSuffix(s.path, filepath.FromSlash(s.name)), s.name
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	begun := s.own() && absent(filepath.Join(s.dir, "index"))
	info, err := lstat(root, below)
	if err != nil || !info.IsDir() || !begun && !isEmpty(s.path) {
		return err
	}
	if s.of == "" {
		return errors.New("the repository that the worktree comes from has none in .git/modules for it: git submodule update fetches it, git submodule absorbgitdirs moves it there")
	}
	of, err := bareWriter(ctx, s.of)
	if err != nil {
		return err
	}
	if !of.has(ctx, s.commit+"^{commit}") {
		return fmt.Errorf("the commit %.8s is not there where the worktree comes from", s.commit)
	}
	// Names may be the same, or paths in each other.
	taken := !absent(s.dir) && (absent(filepath.Join(s.dir, "HEAD")) || !absent(filepath.Join(s.dir, "index")))
	for up := filepath.Dir(s.dir); up != s.within; up = filepath.Dir(up) {
		taken = taken || !absent(filepath.Join(up, "HEAD"))
	}
	if taken {
		return errors.New("its repository would be another one's, or inside that")
	}
	clear := func() error { // but for the folder: without it, a kill here would look as if it had been deleted
		in, err := files.OpenSeenRoot(root, below, info)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		entries, err := fs.ReadDir(in.FS(), ".")
		err = errors.Join(err, os.RemoveAll(s.dir))
		for _, e := range entries {
			err = errors.Join(err, in.RemoveAll(e.Name()))
		}
		return err
	}
	if err := errors.Join(clear(), os.MkdirAll(filepath.Dir(s.dir), 0o777)); err != nil {
		return err
	}
	if err := s.clone(ctx, of); err != nil {
		return errors.Join(err, clear())
	}
	return nil
}

// clone makes the repository of the submodule, and checks its commit out.
func (s *submodule) clone(ctx context.Context, of *Writer) error {
	format, err := of.line(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	// The filters that the original's own configuration names fail here, too.
	w := &Writer{dir: s.path, env: of.storing(s.dir), refused: of.refused}
	if _, err := w.runWith(ctx, []string{"GIT_DEFAULT_HASH=" + format, "GIT_DEFAULT_REF_FORMAT=files"},
		"init", "--quiet", "--template=", "--separate-git-dir="+s.dir, "--", s.path); err != nil {
		return err
	}
	refs, err := of.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes", "refs/tags")
	err = errors.Join(err, os.MkdirAll(filepath.Join(s.dir, "objects", "info"), 0o777),
		os.WriteFile(filepath.Join(s.dir, "packed-refs"), []byte("# pack-refs with: sorted \n"+refs), 0o666),
		os.WriteFile(filepath.Join(s.dir, "objects", "info", "alternates"), []byte(filepath.Join(s.of, "objects")+"\n"), 0o666))
	if shallow := filepath.Join(s.of, "shallow"); err == nil && !absent(shallow) {
		err = copyFile(shallow, filepath.Join(s.dir, "shallow"))
	}
	said, _ := of.Run(ctx, "config", "--local", "-z", "--get-regexp", `^(remote\.origin\.(url|fetch)|submodule\..*\.(url|active))$`) // it may have none
	for _, entry := range split(said) {
		if key, value, _ := strings.Cut(entry, "\n"); err == nil {
			_, err = w.Run(ctx, "config", "--add", key, value)
		}
	}
	if err == nil {
		_, err = w.Run(ctx, "checkout", "--quiet", "--force", "--detach", s.commit)
	}
	return err
}

// keepSubmodules keeps the commits of the submodules of a worktree, also of those that are not among
// its files any more, and the files of changed ones: each in the repository that it was filled from, or else in
// the main one. admin is git's own directory of the worktree, and k what it contains. It returns where something
// was kept, in words.
func keepSubmodules(ctx context.Context, repository, admin, name string, k *WorktreeWork) (kept []string, err error) {
	modules := filepath.Join(admin, "modules")
	found := map[string]string{}                                                      // git's own directories, with the path of a changed submodule
	_ = filepath.WalkDir(modules, func(path string, d fs.DirEntry, err error) error { // without any, there is nothing
		_, in := found[filepath.Dir(path)]
		switch {
		case err != nil || !d.IsDir():
		case in && d.Name() != "modules":
			return fs.SkipDir
		case !absent(filepath.Join(path, "HEAD")):
			found[path] = ""
		}
		return nil
	})
	for path, changed := range k.filled {
		own := filepath.Clean(linkedDir(path))
		if _, is := found[own]; !is {
			own = filepath.Join(path, ".git")
		}
		if found[own] = ""; changed {
			found[own] = path
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		of, in := repository, ""
		if below, err := filepath.Rel(modules, dir); err == nil && filepath.IsLocal(below) && moduleOf(repository, below) != "" {
			of = moduleOf(repository, below)
			in = " in " + of
		}
		ref, err := keepSubmodule(ctx, dir, found[dir], of, name)
		if err != nil {
			return kept, fmt.Errorf("keep what is in a submodule: %w", err)
		}
		if ref != "" {
			kept = append(kept, ref+in)
		}
	}
	return kept, nil
}

// keepSubmodule keeps what the repository of has not: the commits of the one with git's own directory dir, and
// the files at a path, if there is one. It returns a ref, "" if there is nothing. Nothing that dir names is run,
// and nothing is written there.
func keepSubmodule(ctx context.Context, dir, path, of, name string) (ref string, err error) {
	to, err := bareWriter(ctx, of)
	if err != nil {
		return "", err
	}
	head, left := "", []string(nil)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() { // else its commits are elsewhere
		if head, left, err = bringCommits(ctx, dir, to); err != nil {
			return "", fmt.Errorf("%w; to go on without its commits, remove %s", err, termtext.Line(dir))
		}
	}
	if path == "" && len(left) < 2 {
		if len(left) == 0 {
			return "", nil
		}
		return saveRef(ctx, to, name, left[0])
	}
	tree := ""
	if path == "" {
		tree = left[0] + "^{tree}"
	} else {
		in := *to
		in.dir, in.env = path, slices.Concat(to.env, []string{"GIT_WORK_TREE=" + path})
		tree, err = in.writeTree(ctx, func(in *Writer, _ string) error {
			if !in.has(ctx, head+"^{commit}") {
				return nil
			}
			left = append([]string{head}, slices.DeleteFunc(left, func(c string) bool { return c == head })...)
			_, err := in.Run(ctx, "read-tree", head)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("%w\nTo go on, commit or discard there what is not committed: %s", err, termtext.Line(path))
		}
	}
	commit, err := to.commitTree(ctx, tree, "What was in a submodule of the worktree "+name, left...)
	if err != nil {
		return "", err
	}
	return saveRef(ctx, to, name, commit)
}

// bringCommits brings the commits of the repository with git's own directory dir, and what Git LFS has of their
// files, to another that has them not. It returns the one that is checked out, "" if there is none, and those of
// the brought ones that are no parent of another.
func bringCommits(ctx context.Context, dir string, to *Writer) (head string, left []string, err error) {
	if err := itsOwn(dir, to); err != nil {
		return "", nil, err
	}
	w, err := bareWriter(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	if w.in, err = to.Run(ctx, "for-each-ref", "--format=^%(objectname)"); err != nil {
		return "", nil, err
	}
	head, _ = w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	said, err := w.Run(ctx, "rev-list", "--children", "--ignore-missing", "--stdin", "--all")
	for line := range strings.Lines(said) {
		if commits := strings.Fields(line); len(commits) == 1 {
			left = append(left, commits[0])
		}
	}
	if err != nil || len(left) == 0 {
		return head, nil, err
	}
	temp, err := os.MkdirTemp("", "parley-submodule-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(temp)
	bundle := filepath.Join(temp, "bundle")
	if _, err = w.Run(ctx, "bundle", "create", "--quiet", bundle, "--ignore-missing", "--stdin", "--all"); err == nil {
		_, err = to.Run(ctx, "bundle", "unbundle", bundle)
	}
	return head, left, errors.Join(err, bringLFS(ctx, dir, to.dir))
}

// bringLFS copies what Git LFS keeps in a repository to another that has it not, if it is what its name says.
func bringLFS(ctx context.Context, dir, to string) error {
	from, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	into, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = into.Close() }()
	names, _ := fs.Glob(from.FS(), "lfs/objects/??/??/*") // the pattern is fine
	for _, name := range names {
		if _, err := into.Stat(name); err == nil {
			continue
		}
		check := func(to io.Writer) error {
			f, err := files.OpenRegularIn(from, name)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			sum, n := sha256.New(), int64(copiedAtOnce)
			for err == nil && n == copiedAtOnce {
				if n, err = io.CopyN(io.MultiWriter(to, sum), f, copiedAtOnce); err == io.EOF {
					err = nil
				}
				err = cmp.Or(err, ctx.Err())
			}
			if err != nil || hex.EncodeToString(sum.Sum(nil)) == path.Base(name) {
				return err
			}
			return errForged
		}
		err := check(io.Discard) // what is forged may be mostly a hole, and fill the disk
		if err == nil {
			err = into.MkdirAll(path.Dir(name), 0o777)
		}
		if err == nil {
			err = files.ReplaceBy(into, name, 0o666, func(copied *os.File) error { return check(copied) })
		}
		if err != nil && !errors.Is(err, errForged) {
			return fmt.Errorf("%s of Git LFS: %w", path.Base(name), err)
		}
	}
	return nil
}

// errForged means that an object is not what its name says.
var errForged = errors.New("the content is not what its name says")

// itsOwn fails if a repository has objects of others than the one that it was filled from: an agent may have
// put there what leads to files that it cannot read itself.
func itsOwn(dir string, of *Writer) error {
	alternates := filepath.Join(dir, "objects", "info", "alternates")
	b, err := files.ReadHead(alternates, fileBound)
	from := strings.TrimSpace(string(b))
	removed := absent(from) && (&Worktree{Path: filepath.Join(of.dir, "modules")}).Has(from) // from the project, since
	if err == nil && from != filepath.Join(of.dir, "objects") && !removed {
		return fmt.Errorf("%s names objects of another repository", termtext.Line(alternates))
	}
	if !absent(filepath.Join(dir, "commondir")) {
		return errors.New("it is a part of another repository")
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !d.Type().IsRegular() {
			return fmt.Errorf("%s is a link, or no file", termtext.Line(path))
		}
		return err
	})
}

// prune has git forget the worktrees whose directories are gone. It returns where commits of their submodules
// were kept, in words: git removes those.
func prune(ctx context.Context, main *Writer, repository string) (kept []string, err error) {
	admins, _ := os.ReadDir(filepath.Join(repository, "worktrees")) // without any, there is nothing to keep
	for _, e := range admins {
		admin := filepath.Join(repository, "worktrees", e.Name())
		link, err := files.ReadHead(filepath.Join(admin, "gitdir"), fileBound)
		if err != nil || !WorktreeGone(at(admin, strings.TrimSpace(string(link)))) || CheckWorktreeName(e.Name()) != nil {
			continue
		}
		more, err := keepSubmodules(ctx, repository, admin, e.Name(), &WorktreeWork{})
		if kept = append(kept, more...); err != nil {
			return kept, err
		}
	}
	_, err = main.Run(ctx, "worktree", "prune")
	return kept, err
}
