package fs

import (
	"errors"
	"fmt"
	"hash/maphash"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrMoved means that a path no longer leads where it led when Find resolved it, so
// that earlier checks do not apply.
var ErrMoved = errors.New("the path has changed since it was checked")

// ResolvedPath is where a path leads, as resolved by Find. Read and Write take a
// ResolvedPath instead of a path, so that they act on exactly what was checked or what
// the user agreed to: they follow no link on the way and return ErrMoved if the path
// leads elsewhere by then.
type ResolvedPath struct {
	// Path is the path as requested.
	Path string
	// Target is the absolute path that Path leads to, without links.
	Target string
	// Outside reports whether the target is in none of the roots.
	Outside bool
	// Links is the number of hard links; 0 if there is no file, 1 where the system
	// cannot tell.
	Links int

	info  iofs.FileInfo // of the target; nil if unavailable
	top   *os.Root      // the root that contains the target; nil if outside
	name  string        // the target relative to top, or to the root of its volume
	fs    *FS
	entry bool // of FindEntry
}

// Find resolves the symbolic links of an absolute path. It opens nothing.
func (f *FS) Find(path string) (ResolvedPath, error) {
	p, err := f.find(path)
	return p, fail("find", path, err)
}

// FindEntry is Find, but of a link at the path it finds the link itself.
func (f *FS) FindEntry(path string) (ResolvedPath, error) {
	p, err := f.findEntry(path)
	return p, fail("find", path, err)
}

func (f *FS) findEntry(path string) (ResolvedPath, error) {
	path = filepath.Clean(path)
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&iofs.ModeSymlink == 0 {
		p, err := f.find(path)
		p.entry = true
		return p, err
	}
	p, err := f.find(filepath.Dir(path))
	name := filepath.Base(path)
	p.Path, p.Target, p.name, p.info, p.entry = path, filepath.Join(p.Target, name), filepath.Join(p.name, name), info, true
	return p, err
}

func (f *FS) find(path string) (ResolvedPath, error) {
	if !filepath.IsAbs(path) {
		return ResolvedPath{}, ErrNotAbsolute
	}
	target, err := Resolve(path)
	if err != nil {
		return ResolvedPath{}, err
	}
	p := ResolvedPath{Path: path, Target: target, fs: f}
	if info, err := os.Lstat(target); err == nil {
		p.info = info
		if info.Mode().IsRegular() {
			p.Links = LinkCount(info)
		}
	}
	p.top, p.name, err = f.rootOf(target)
	if err == nil && p.top == nil {
		p.Outside = true
		p.name, err = filepath.Rel(volumeTop(target), target)
	}
	return p, err
}

// rootOf returns the root that contains target, which has no links, and the path
// relative to that root; dir is nil if no root contains it. It compares directories by
// identity: names may differ in case (macOS, Windows), in form (8.3), or through a
// mount.
func (f *FS) rootOf(target string) (dir *os.Root, name string, err error) {
	for ancestor := target; ; ancestor = filepath.Dir(ancestor) {
		if info, err := os.Stat(ancestor); err == nil {
			for _, r := range f.roots {
				if os.SameFile(info, r.info) {
					name, err := filepath.Rel(ancestor, target)
					return r.dir, name, err
				}
			}
		}
		if ancestor == filepath.Dir(ancestor) {
			return nil, "", nil
		}
	}
}

// Inside returns an error that wraps ErrOutsideRoots if the place is outside the roots,
// else nil.
func (p ResolvedPath) Inside() error {
	if !p.Outside {
		return nil
	}
	leads := ""
	if p.Target != filepath.Clean(p.Path) {
		leads = fmt.Sprintf(" (it leads to %s)", p.Target)
	}
	return &iofs.PathError{Op: "open", Path: p.Path, Err: fmt.Errorf("%w%s: %s", ErrOutsideRoots, leads, strings.Join(p.fs.names, ", "))}
}

// File returns an error if the place is not a regular file, else nil.
func (p ResolvedPath) File() error {
	err := error(ErrNotExist)
	if p.info != nil {
		err = regular(p.info.Mode())
	}
	return fail("open", p.Path, err)
}

// Version returns the version of the file at the time of Find.
func (p ResolvedPath) Version() Version { return Version{exists: p.info != nil, info: p.info} }

// enter opens the parent directory of the place, which the caller closes, and returns
// the file's name in it. With create, it creates missing directories.
func (f *FS) enter(p ResolvedPath, create bool) (dir *os.Root, name string, err error) {
	find := f.find
	if p.entry {
		find = f.findEntry
	}
	now, err := find(p.Path)
	switch {
	case err != nil:
		return nil, "", err
	case now.Target != p.Target || now.top != p.top || now.name != p.name:
		return nil, "", ErrMoved
	case p.name == ".":
		return nil, "", regular(iofs.ModeDir)
	}
	top := p.top
	if top == nil {
		if top, err = os.OpenRoot(volumeTop(p.Target)); err != nil {
			return nil, "", err
		}
		defer top.Close()
	}
	return descend(top, p.name, create)
}

// descend opens the parent directory of path below top without following links.
func descend(top *os.Root, path string, create bool) (dir *os.Root, name string, err error) {
	if create {
		if err := checkDepth(top, filepath.Dir(path)); err != nil {
			return nil, "", err
		}
	}
	if dir, err = top.OpenRoot("."); err != nil {
		return nil, "", err
	}
	names := components(path)
	for _, next := range names[:len(names)-1] {
		inner, err := step(dir, next, create)
		_ = dir.Close()
		if err != nil {
			return nil, "", err
		}
		dir = inner
	}
	return dir, names[len(names)-1], nil
}

// step opens the directory name in dir; with create, it creates a missing one. It
// checks that name is a directory before it opens it.
func step(dir *os.Root, name string, create bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if create && errors.Is(err, ErrNotExist) {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, iofs.ErrExist) {
			return nil, err
		}
		info, err = dir.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&iofs.ModeSymlink != 0:
		return nil, ErrMoved
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", name)
	}
	return OpenSeenRoot(dir, name, info)
}

// OpenSeenRoot is OpenRootIn for the directory that was seen there, with the error of OpenSeen.
func OpenSeenRoot(dir *os.Root, name string, seen iofs.FileInfo) (*os.Root, error) {
	inner, err := OpenRootIn(dir, name)
	if err != nil {
		return nil, err
	}
	opened, err := inner.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrMoved
	}
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return inner, nil
}

func volumeTop(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}

// maxLinks limits the symbolic links in a path, as most systems do.
const maxLinks = 40

var errLinkLoop = errors.New("too many symbolic links: they may lead in a circle")

// Resolve follows every symbolic link of an absolute path, including the last
// component. Unlike filepath.EvalSymlinks it accepts paths whose end does not exist: it
// keeps components that it cannot look up as written. The result is not safe by itself;
// open it through os.Root.
func Resolve(path string) (string, error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	done, rest := top, components(path[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinkLoop
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if v := filepath.VolumeName(target); v != "" {
			top = v + string(filepath.Separator)
			target, done = target[len(v):], top
		} else if target != "" && os.IsPathSeparator(target[0]) {
			done = top
		}
		rest = append(components(target), rest...)
	}
	return done, nil
}

// components splits a path without its volume, and drops empty components and ".".
func components(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return name == "" || name == "." })
}

// Version identifies the contents of a file at one moment, so that a later change can
// be detected. It is a few hundred bytes, however large the file is. The zero Version
// means that there is no file.
type Version struct {
	exists bool
	info   iofs.FileInfo // nil if unavailable
	whole  bool          // hash covers the whole text
	hash   uint64
}

// seed is shared by the whole program, so that versions are comparable.
var seed = maphash.MakeSeed()

func versionOf(info iofs.FileInfo, text string) Version {
	return Version{exists: true, info: info, whole: true, hash: maphash.String(seed, text)}
}

// Same reports whether the file has the same contents in both versions: by hash if both
// cover all of it, else by identity, size and modification time.
func (v Version) Same(then Version) bool {
	switch {
	case !v.exists || !then.exists:
		return v.exists == then.exists
	case v.whole && then.whole:
		return v.hash == then.hash
	}
	return v.sameFile(then)
}

func (v Version) sameFile(then Version) bool {
	return v.info != nil && then.info != nil && os.SameFile(v.info, then.info) &&
		v.info.Size() == then.info.Size() && v.info.ModTime().Equal(then.info.ModTime())
}

// Since returns before if it covers the whole file, v does not, and the file has not been
// touched since; so it does if before is of another program's text. Else it returns v.
func (v Version) Since(before Version) Version {
	if !v.whole && before.whole && (before.Elsewhere() || v.sameFile(before)) {
		return before
	}
	return v
}
