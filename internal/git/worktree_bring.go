package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/fs"
)

// IncludeFile names, in the top of a working tree, ignored files that its worktrees need: with the
// patterns of .gitignore, as other clients read it.
const IncludeFile = ".worktreeinclude"

// includeBound limits what is read of it, in bytes.
const includeBound = 64 << 10

// Brought is what a new worktree has of the files that git ignores where it comes from. All are names
// relative to the top, those of folders with a trailing slash.
type Brought struct {
	// Asked means that patterns say what to copy.
	Asked bool
	// Copied are ignored files and folders of which anything was copied, Missing the others.
	Copied, Missing []string
	// Secrets were not copied since no pattern names them, Links because they lead out, and Failed
	// because of an error, which they end with.
	Secrets, Links, Failed []string
}

// Bring copies ignored files into the worktree from the working tree of the directory dir, for which it
// was made: those that match patterns, or its IncludeFile. It overwrites nothing. A file that may hold a
// secret, or a link that leads out of the worktree, has to be named by a pattern without wildcards.
// Where the file system can, a copy shares its blocks with the original.
func (t *Worktree) Bring(ctx context.Context, dir string, patterns []string, secret func(path string) bool) (*Brought, error) {
	top, err := Top(dir)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(ctx, top)
	if err != nil {
		return nil, err
	}
	ignored, err := w.untracked(ctx, "--exclude-standard")
	if err != nil {
		return nil, err
	}
	include, err := fs.ReadHead(filepath.Join(top, IncludeFile), includeBound)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	patterns = append(strings.Split(string(include), "\n"), patterns...)
	b := &bringing{t: t, top: top, patterns: patterns, secret: secret}
	if b.from, err = os.OpenRoot(top); err != nil {
		return nil, err
	}
	defer func() { _ = b.from.Close() }()
	if b.to, err = os.OpenRoot(t.Path); err != nil {
		return nil, err
	}
	defer func() { _ = b.to.Close() }()
	wanted, err := w.matching(ctx, patterns)
	if err != nil {
		return nil, err
	}
	b.Asked = strings.TrimSpace(strings.Join(patterns, "")) != ""
	for _, entry := range ignored {
		if (&Worktree{Path: filepath.Join(top, entry)}).Has(t.Path) {
			continue
		}
		n := b.copied
		for _, name := range wanted {
			switch {
			case within(entry, name):
				b.copy(ctx, name)
			case within(name, entry):
				b.copy(ctx, entry)
			}
		}
		_, err := lstat(b.to, strings.TrimSuffix(entry, "/"))
		switch {
		case b.copied > n:
			b.Copied = append(b.Copied, entry)
		case err != nil:
			b.Missing = append(b.Missing, entry)
		}
	}
	b.linkAll()
	return &b.Brought, ctx.Err()
}

// matching returns the untracked files and folders that patterns match.
func (w *Writer) matching(ctx context.Context, patterns []string) ([]string, error) {
	f, err := os.CreateTemp("", "parley-include-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.Join(patterns, "\n"))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return w.untracked(ctx, "--exclude-from="+f.Name())
}

// untracked returns what is untracked and excluded, folders of which that is all as a whole.
func (w *Writer) untracked(ctx context.Context, exclude string) ([]string, error) {
	out, err := w.Run(ctx, "ls-files", "-z", "--others", "--ignored", "--directory", exclude)
	if err != nil {
		return nil, err
	}
	names := split(out)
	slices.Sort(names)
	var all []string
	for _, name := range names {
		if n := len(all); n == 0 || !within(all[n-1], name) {
			all = append(all, name)
		}
	}
	return all, nil
}

// within reports whether a name is that of a file or folder, or of anything in the folder.
func within(entry, name string) bool {
	return name == entry || strings.HasSuffix(entry, "/") && strings.HasPrefix(name, entry)
}

// bringing is a Bring that goes on.
type bringing struct {
	Brought
	t        *Worktree
	top      string
	from, to *os.Root
	patterns []string
	secret   func(path string) bool
	copied   int
	links    []string
}

// copy copies a file or a folder, without repositories in it.
func (b *bringing) copy(ctx context.Context, name string) {
	if ctx.Err() != nil {
		return
	}
	name = strings.TrimSuffix(name, "/")
	info, err := lstat(b.from, name)
	switch {
	case err != nil:
		b.fail(name, err)
	case info.IsDir():
		entries, err := readDir(b.from, name)
		if err != nil {
			b.fail(name, err)
			return
		}
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".git" }) {
			return
		}
		for _, e := range entries {
			b.copy(ctx, path.Join(name, e.Name()))
		}
	case info.Mode()&os.ModeSymlink != 0:
		b.links = append(b.links, name)
		b.copied++
	case !info.Mode().IsRegular():
	case b.secret(filepath.Join(b.top, filepath.FromSlash(name))) && !b.named(name):
		b.Secrets = append(b.Secrets, name)
	default:
		b.copyFile(ctx, name, info)
	}
}

func (b *bringing) fail(name string, err error) {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		err = pathError.Err
	}
	b.Failed = append(b.Failed, name+": "+err.Error())
}

func readDir(root *os.Root, name string) ([]os.DirEntry, error) {
	dir, err := fs.OpenRootIn(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadDir(-1)
}

// copiedAtOnce is how many bytes of a file are copied before an interrupt counts.
const copiedAtOnce = 32 << 20

// copyFile copies a file with its mode and time.
func (b *bringing) copyFile(ctx context.Context, name string, info os.FileInfo) {
	from, err := fs.OpenRegularIn(b.from, name)
	if err != nil {
		b.fail(name, err)
		return
	}
	defer func() { _ = from.Close() }()
	if err := b.to.MkdirAll(path.Dir(name), 0o777); err != nil {
		b.fail(name, err)
		return
	}
	to, err := b.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if errors.Is(err, os.ErrExist) {
		return
	}
	if err == nil {
		for err == nil {
			if err = ctx.Err(); err == nil {
				_, err = io.CopyN(to, from, copiedAtOnce) // shares blocks where the file system can
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err = errors.Join(err, to.Close()); err == nil {
			err = b.to.Chtimes(name, info.ModTime(), info.ModTime())
		} else {
			_ = b.to.Remove(name)
		}
	}
	if err != nil {
		b.fail(name, err)
		return
	}
	b.copied++
}

// linkAll makes the links, after everything that they may lead to, and removes those that lead out of
// the worktree unless a pattern names them.
func (b *bringing) linkAll() {
	var made []string
	for _, name := range b.links {
		target, err := b.from.Readlink(name)
		if err == nil {
			err = b.to.MkdirAll(path.Dir(name), 0o777)
		}
		if err == nil {
			err = b.to.Symlink(target, name)
		}
		switch {
		case errors.Is(err, os.ErrExist):
		case err != nil:
			b.fail(name, err)
		case !b.named(name):
			made = append(made, name)
		}
	}
	for _, name := range made {
		if _, err := b.to.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Links = append(b.Links, name)
			_ = b.to.Remove(name)
		}
	}
}

// named reports whether a pattern without wildcards names a file.
func (b *bringing) named(name string) bool {
	return slices.ContainsFunc(b.patterns, func(p string) bool {
		p = strings.TrimSpace(p)
		return p == path.Base(name) || strings.TrimPrefix(p, "/") == name || strings.TrimPrefix(p, "**/") == path.Base(name)
	})
}
