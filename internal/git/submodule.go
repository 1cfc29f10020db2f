package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// submodule is a submodule of a worktree, or of another one in it. It has a repository of its own, where
// git submodule update makes it, with the objects of the one where the worktree comes from. It is no linked
// worktree of that one: git submodule update would write to the configuration that the two then share, and
// so break the other.
type submodule struct {
	name   string // relative to the top of the worktree, with slashes
	commit string // of the index
	path   string
	dir    string // git's own directory, "" if .gitmodules does not name the submodule
	beside string // where git keeps it and those of the submodules beside it
	from   string // where it is checked out in the working tree that the worktree was made for
	of     string // the repository there, "" without one
}

// submodules calls visit for the submodules of the worktree, and then for those in each that is filled.
func (t *Worktree) submodules(ctx context.Context, visit func(*submodule) error) error {
	top := topOf(t.From)
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return err
	}
	repository := repositoryOf(t.From)
	atHand := func(dir string) bool {
		return (&Worktree{Path: repository}).Has(dir) || (&Worktree{Path: real}).Has(dir)
	}
	return (&submodule{path: t.Path, dir: linkedDir(t.Path), from: top, of: repository}).inside(ctx, atHand, visit)
}

// inside is submodules for those in a submodule. Repositories that are not at hand belong to others.
func (s *submodule) inside(ctx context.Context, atHand func(dir string) bool, visit func(*submodule) error) error {
	w, err := NewWriter(ctx, s.path)
	if err != nil {
		return err
	}
	commits, err := w.submodules(ctx, nil)
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
		below := filepath.FromSlash(path)
		in := &submodule{name: strings.TrimPrefix(s.name+"/"+path, "/"), commit: commits[path], path: filepath.Join(s.path, below), from: filepath.Join(s.from, below)}
		if name := named[path]; name != "" && s.dir != "" {
			in.beside = filepath.Join(s.dir, "modules")
			in.dir = filepath.Join(in.beside, name)
			if in.of = commonDir(filepath.Join(s.of, "modules", name)); !absent(filepath.Join(in.from, ".git")) {
				in.of = repositoryOf(in.from)
			}
			if !atHand(in.of) {
				in.of = ""
			}
		}
		err := visit(in)
		if !in.own() {
			in.dir = ""
		}
		if err == nil && !absent(filepath.Join(in.path, ".git")) {
			err = in.inside(ctx, atHand, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EmptySubmodules returns the submodules that have no files in the worktree.
func (t *Worktree) EmptySubmodules(ctx context.Context) (names []string, err error) {
	err = t.submodules(ctx, func(s *submodule) error {
		if absent(filepath.Join(s.path, ".git")) {
			names = append(names, s.name)
		}
		return nil
	})
	return names, err
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
	return errors.Join(append(failed, err)...)
}

// origin returns git for the repository that the submodule is filled from, which may have no working tree.
func (s *submodule) origin(ctx context.Context) (*Writer, error) {
	if s.of == "" {
		return nil, errors.New("it is not checked out where the worktree comes from")
	}
	return newWriter(ctx, s.of, "GIT_DIR="+s.of, "GIT_WORK_TREE="+s.of)
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
	if info, err := lstat(root, below); err != nil || !info.IsDir() || !begun && !isEmpty(s.path) {
		return err
	}
	of, err := s.origin(ctx)
	if err != nil {
		return err
	}
	if !of.has(ctx, s.commit+"^{commit}") {
		return fmt.Errorf("the commit %.8s is not there where the worktree comes from", s.commit)
	}
	for up := filepath.Dir(s.dir); up != s.beside; up = filepath.Dir(up) {
		if !absent(filepath.Join(up, "HEAD")) {
			return errors.New("its repository would be inside another one's")
		}
	}
	clear := func() error {
		return errors.Join(os.RemoveAll(s.dir), root.RemoveAll(below), root.Mkdir(below, 0o777))
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
	w := &Writer{dir: s.path, env: of.env[2:], refused: of.refused}
	if _, err := w.runWith(ctx, []string{"GIT_DEFAULT_HASH=" + format, "GIT_DEFAULT_REF_FORMAT=files"},
		"init", "--quiet", "--template=", "--separate-git-dir="+s.dir, "--", s.path); err != nil {
		return err
	}
	refs, err := of.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes", "refs/tags")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, "packed-refs"), []byte("# pack-refs with: sorted \n"+refs), 0o666)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.dir, "objects", "info"), 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, "objects", "info", "alternates"), []byte(filepath.Join(s.of, "objects")+"\n"), 0o666)
	}
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

// keepSubmodules keeps what was committed in the submodules in the repositories that they were filled from.
func (t *Worktree) keepSubmodules(ctx context.Context) error {
	return t.submodules(ctx, func(s *submodule) error {
		if !s.own() || s.of == "" {
			return nil
		}
		if err := s.keep(ctx, t); err != nil {
			return fmt.Errorf("keep the commits of %s: %w", s.name, err)
		}
		return nil
	})
}

func (s *submodule) keep(ctx context.Context, t *Worktree) error {
	w, err := NewWriter(ctx, s.path)
	if err != nil {
		return err
	}
	of, err := s.origin(ctx)
	if err != nil {
		return err
	}
	said, err := w.Run(ctx, "rev-parse", "HEAD", "--branches")
	if err != nil {
		return err
	}
	tips := strings.Fields(said)
	slices.Sort(tips)
	tips = slices.DeleteFunc(slices.Compact(tips), func(tip string) bool { return of.has(ctx, tip+"^{commit}") })
	if len(tips) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "parley-submodule-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bundle := filepath.Join(dir, "bundle")
	if _, err := w.Run(ctx, "bundle", "create", "--quiet", bundle, "HEAD", "--branches", "--not", "--remotes", "--tags"); err != nil {
		return err
	}
	if _, err := of.Run(ctx, "bundle", "unbundle", bundle); err != nil {
		return err
	}
	for _, tip := range tips {
		if _, err := t.saveRef(ctx, of, tip); err != nil {
			return err
		}
	}
	return nil
}
