package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
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
	// Copied are ignored files and folders of which anything was copied, Missing those that are not there
	// and of which nothing is in another list.
	Copied, Missing []string
	// Secrets were not copied since no pattern names them, Hidden since the user's own patterns do not,
	// Links because they lead out, Repositories because git keeps what is in them, and Failed because of an
	// error, which they end with.
	Secrets, Hidden, Links, Repositories, Failed []string
	// Full means that the disk was full: a later Bring may copy the rest.
	Full bool
}

// Bring copies ignored files into the worktree from the working tree of the directory dir, for which it
// was made, and from its submodules that are filled in both: those that match the user's patterns, or its IncludeFile. It overwrites nothing. A file that may
// hold a secret, or a link that leads out of the worktree, has to be named by a pattern without wildcards,
// and one that agents cannot read by such a pattern of the user's: an agent may have written the IncludeFile.
// Where the file system can, a copy shares its blocks with the original; on Linux and macOS it keeps holes.
func (t *Worktree) Bring(ctx context.Context, dir string, users []string, secret, hidden func(path string) bool) (*Brought, error) {
	top, err := Top(dir)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(ctx, top)
	if err != nil {
		return nil, err
	}
	include, err := fs.ReadHead(filepath.Join(top, IncludeFile), includeBound+1)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, err
	case len(include) > includeBound: // a part of a line could match anything
		return nil, fmt.Errorf("%s has more than %d KiB", IncludeFile, includeBound>>10)
	}
	patterns := append(strings.Split(strings.TrimPrefix(string(include), "\ufeff"), "\n"), users...)
	b := &bringing{top: top, had: map[string]bool{}, patterns: patterns, users: users, secret: secret, hidden: hidden}
	if b.from, err = os.OpenRoot(top); err != nil {
		return nil, err
	}
	defer func() { _ = b.from.Close() }()
	if b.to, err = os.OpenRoot(t.Path); err != nil {
		return nil, err
	}
	defer func() { _ = b.to.Close() }()
	ignored, err := b.bringOf(ctx, w, t, "")
	if err != nil {
		return nil, err
	}
	err = t.submodules(ctx, func(s *submodule) error {
		if absent(filepath.Join(top, s.name, ".git")) || !s.own() {
			return ctx.Err()
		}
		w, err := NewWriter(ctx, filepath.Join(top, s.name))
		if err == nil {
			var in []string
			in, err = b.bringOf(ctx, w, t, s.name+"/")
			ignored = append(ignored, in...)
		}
		if err != nil {
			b.entry = s.name
			b.fail(s.name, err)
		}
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	b.linkAll()
	for _, entry := range ignored {
		_, err := lstat(b.to, strings.TrimSuffix(entry, "/"))
		switch had, ok := b.had[entry]; {
		case had:
			b.Copied = append(b.Copied, entry)
		case err != nil && !ok:
			b.Missing = append(b.Missing, entry)
		}
	}
	return &b.Brought, ctx.Err()
}

// bringOf copies ignored files of the working tree of w: the top, or a submodule, whose names all begin with
// prefix. It returns all ignored entries.
func (b *bringing) bringOf(ctx context.Context, w *Writer, t *Worktree, prefix string) (ignored []string, err error) {
	if ignored, err = w.untracked(ctx, "--exclude-standard"); err != nil {
		return nil, err
	}
	wanted, err := w.matching(ctx, patternsIn(b.patterns, prefix))
	if errors.Is(err, errSlow) {
		err = errors.New("git takes too long to find what the patterns match: use fewer wildcards")
	}
	if err != nil {
		return nil, err
	}
	for _, names := range [][]string{ignored, wanted} {
		for i := range names {
			names[i] = prefix + names[i]
		}
	}
	ignored = slices.DeleteFunc(ignored, func(entry string) bool {
		return (&Worktree{Path: filepath.Join(b.top, entry)}).Has(t.Path)
	})
	for _, entry := range ignored { // both lists are sorted, and no name in one is in a folder of it
		b.entry = entry
		at, _ := slices.BinarySearch(wanted, entry)
		if at > 0 && within(wanted[at-1], entry) {
			b.copy(ctx, b.folder, strings.TrimSuffix(entry, "/"))
		}
		for ; at < len(wanted) && within(entry, wanted[at]); at++ {
			b.copy(ctx, b.folder, strings.TrimSuffix(wanted[at], "/"))
		}
	}
	return ignored, nil
}

// patternsIn returns what patterns for the top mean in a submodule: those for any folder as they are, of the
// others those that begin with its name, relative to it.
func patternsIn(patterns []string, prefix string) (in []string) {
	if prefix == "" {
		return patterns
	}
	for _, p := range patterns {
		rest, not := strings.CutPrefix(strings.TrimRight(p, " \t\r"), "!")
		if strings.Contains(strings.TrimSuffix(rest, "/"), "/") && !strings.HasPrefix(rest, "**/") {
			rest = strings.TrimPrefix(rest, "/")
			for name := range strings.SplitSeq(strings.TrimSuffix(prefix, "/"), "/") {
				first, below, _ := strings.Cut(rest, "/")
				if is, err := path.Match(first, name); !is || err != nil {
					below = ""
				}
				rest = below
			}
			if rest == "" {
				continue
			}
			rest = "/" + rest
		}
		if not {
			rest = "!" + rest
		}
		in = append(in, rest)
	}
	return in
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
	folder   // the top
	top      string
	patterns []string // all, and those of the user
	users    []string
	secret   func(path string) bool
	hidden   func(path string) bool
	entry    string          // the ignored one that is being copied
	had      map[string]bool // those of which something was copied, or else is in another list than Missing
	links    []link
}

// link is a link in an ignored entry.
type link struct{ entry, name string }

// folder is one of the working tree, and its copy. What is in it is opened from it: the way from the top
// to every file would be long in deep folders.
type folder struct {
	from, to *os.Root
	name     string // relative to the top
}

// open opens a folder in a folder, if it is still the one that was seen there, and its copy, which it makes if
// there is none.
func (f folder) open(name string, seen os.FileInfo) (in folder, err error) {
	in.name = path.Join(f.name, name)
	if in.from, err = fs.OpenSeenRoot(f.from, name, seen); err != nil {
		return in, err
	}
	if err = f.to.MkdirAll(name, seen.Mode().Perm()|0o700); err == nil {
		in.to, err = fs.OpenRootIn(f.to, name)
	}
	if err != nil {
		_ = in.from.Close()
	}
	return in, err
}

func (f folder) close() {
	_ = f.from.Close()
	_ = f.to.Close()
}

// deepest is how many folders in each other are copied. Each takes two open ones.
const deepest = 100

// copy copies a file or a folder that is below a folder, without repositories in it. It opens each folder on
// the way from the one before, as it has seen it there: no link is followed that an agent puts in its place.
func (b *bringing) copy(ctx context.Context, in folder, below string) {
	base, below, leads := strings.Cut(below, "/")
	name := path.Join(in.name, base)
	info, err := in.from.Lstat(base)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		b.fail(name, err)
	case leads && !info.IsDir():
		b.fail(name, fs.ErrMoved)
	case info.IsDir():
		if strings.Count(name, "/") == deepest {
			b.fail(name, fmt.Errorf("is more than %d folders deep", deepest))
			return
		}
		if _, err := in.from.Lstat(base + "/.git"); err == nil && !leads {
			b.leave(&b.Repositories, name+"/")
			return
		}
		in, err := in.open(base, info)
		if err != nil {
			b.fail(name, err)
			return
		}
		defer in.close()
		if leads {
			b.copy(ctx, in, below)
			return
		}
		entries, err := iofs.ReadDir(in.from.FS(), ".")
		if err != nil {
			b.fail(name, err)
		}
		for _, e := range entries {
			b.copy(ctx, in, e.Name())
		}
	case info.Mode()&os.ModeSymlink != 0:
		b.links = append(b.links, link{b.entry, name})
	case !info.Mode().IsRegular():
	case b.secret(filepath.Join(b.top, filepath.FromSlash(name))) && !named(b.patterns, name):
		b.leave(&b.Secrets, name)
	case b.hidden(filepath.Join(b.top, filepath.FromSlash(name))) && !named(b.users, name):
		b.leave(&b.Hidden, name)
	default:
		if err := b.copyFile(ctx, in, base, info); err != nil {
			b.fail(name, err)
		}
	}
}

func (b *bringing) fail(name string, err error) {
	b.Full = b.Full || DiskFull(err)
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		err = pathError.Err
	}
	b.leave(&b.Failed, name+": "+err.Error())
}

// leave adds to a list of what was not copied.
func (b *bringing) leave(list *[]string, what string) {
	*list = append(*list, what)
	if !b.had[b.entry] { // noted: something of it was named
		b.had[b.entry] = false
	}
}

// copyData copies the content of a file to an empty one, without its holes.
func copyData(ctx context.Context, to, from *os.File) error {
	for at := int64(0); ; {
		begin, end, err := nextData(from, at)
		if err == nil {
			_, err = from.Seek(begin, io.SeekStart)
		}
		if err == nil {
			_, err = to.Seek(begin, io.SeekStart)
		}
		for at = begin; err == nil && at < end; {
			n := min(copiedAtOnce, end-at)
			if err = ctx.Err(); err == nil {
				_, err = io.CopyN(to, from, n) // shares blocks where the file system can
			}
			at += n
		}
		if errors.Is(err, io.EOF) {
			size, err := from.Seek(0, io.SeekEnd)
			return errors.Join(err, to.Truncate(size)) // it may end with a hole
		}
		if err != nil {
			return err
		}
	}
}

// copiedAtOnce is how many bytes of a file are copied before an interrupt counts.
const copiedAtOnce = 32 << 20

// copyFile copies a file with its mode and time, if there is none.
func (b *bringing) copyFile(ctx context.Context, in folder, base string, info os.FileInfo) error {
	from, _, err := fs.OpenSeen(in.from, base, os.O_RDONLY, info)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	isNew := func() error {
		ended := ctx.Err()
		if _, err := in.to.Lstat(base); !errors.Is(err, os.ErrNotExist) {
			return cmp.Or(err, os.ErrExist)
		}
		return ended
	}
	if err = isNew(); err == nil {
		err = fs.ReplaceBy(in.to, base, info.Mode().Perm(), func(to *os.File) error { // whole, or not at all
			return cmp.Or(copyData(ctx, to, from), isNew())
		})
	}
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	b.had[b.entry] = true
	return in.to.Chtimes(base, info.ModTime(), info.ModTime())
}

// linkAll makes the links, after everything that they may lead to, and removes those that lead out of
// the worktree unless a pattern names them. What a link inside leads to may be built later.
func (b *bringing) linkAll() {
	var made []link
	for _, l := range b.links {
		b.entry = l.entry
		target, err := b.from.Readlink(l.name)
		if err == nil {
			err = b.to.MkdirAll(path.Dir(l.name), 0o777)
		}
		if err == nil {
			err = b.to.Symlink(target, l.name)
		}
		switch {
		case errors.Is(err, os.ErrExist):
		case err != nil:
			b.fail(l.name, err)
		case named(b.patterns, l.name):
			b.had[b.entry] = true
		default:
			made = append(made, l)
		}
	}
	for _, l := range made {
		b.entry = l.entry
		target, _ := b.to.Readlink(l.name)
		_, err := b.to.Stat(l.name)
		if err == nil || errors.Is(err, os.ErrNotExist) && !LeadsOut(l.name, target) {
			b.had[b.entry] = true
		} else {
			b.leave(&b.Links, l.name)
		}
	}
	for _, name := range b.Links { // last: others may lead out by it
		_ = b.to.Remove(name)
	}
}

// LeadsOut reports whether a link with a name relative to the top of a project may lead out of it:
// ".." after a name may be that of another link's target.
func LeadsOut(name, target string) bool {
	below := strings.Split(strings.TrimLeft(filepath.ToSlash(target), "./"), "/")
	return target == "" || filepath.IsAbs(target) || slices.Contains(below, "..") || !filepath.IsLocal(filepath.Join(filepath.Dir(name), target))
}

// named reports whether a pattern without wildcards names a file, and none after it takes that back.
func named(patterns []string, name string) (is bool) {
	for _, p := range patterns {
		p, not := strings.CutPrefix(strings.TrimSpace(p), "!")
		if p == path.Base(name) || strings.TrimPrefix(p, "/") == name || strings.TrimPrefix(p, "**/") == path.Base(name) {
			is = !not
		}
	}
	return is
}
