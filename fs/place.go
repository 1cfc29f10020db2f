package fs

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrMoved says that a path does not lead where it led when its Place was found. What
// was found out about that place says nothing about where it leads now.
var ErrMoved = errors.New("the path leads elsewhere now than when it was looked at")

// Place is where a path leads, as Find has found it. Reading and writing take the
// place and not the path, so that what was judged, or what a person has agreed to, is
// what is done: each step to it is taken without following a link, and if the path
// leads elsewhere meanwhile, that is ErrMoved.
type Place struct {
	// Path is the path as it was asked for.
	Path string
	// Target is the absolute path that Path leads to, without links in it.
	Target string
	// Outside says that the target is in none of the roots.
	Outside bool
	// Links is how many names (hard links) the file has; 0 if there is no file, and 1
	// where the system does not tell.
	Links int

	info  iofs.FileInfo // of the target, nil if it could not be had
	top   *os.Root      // the root that the target is in, nil outside of them
	name  string        // the target relative to top, or to the top of its volume
	roots []string
}

// Find follows the symbolic links of an absolute path, and says where they lead. It
// opens nothing.
func (f *FS) Find(path string) (Place, error) {
	p, err := f.find(path)
	if err != nil {
		return Place{}, fail("find", path, err)
	}
	return p, nil
}

func (f *FS) find(path string) (Place, error) {
	if !filepath.IsAbs(path) {
		return Place{}, ErrNotAbsolute
	}
	target, err := Resolve(path)
	if err != nil {
		return Place{}, err
	}
	p := Place{Path: path, Target: target, roots: f.Roots()}
	if info, err := os.Lstat(target); err == nil {
		p.info = info
		if info.Mode().IsRegular() {
			p.Links = linkCount(info)
		}
	}
	p.top, p.name, err = f.rootOf(target)
	if err == nil && p.top == nil {
		p.Outside = true
		p.name, err = filepath.Rel(volumeTop(target), target)
	}
	return p, err
}

// rootOf is the root that a path without links is in, nil if it is in none, and the
// path relative to it. Directories are compared by identity and not by name: names may
// differ in case (macOS, Windows), in form (8.3), or by a mount.
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

// Inside is the error for a place outside the roots, which wraps ErrOutsideRoots; nil
// for one inside.
func (p Place) Inside() error {
	if !p.Outside {
		return nil
	}
	leads := ""
	if p.Target != filepath.Clean(p.Path) {
		leads = fmt.Sprintf(" (it leads to %s)", p.Target)
	}
	return &iofs.PathError{Op: "open", Path: p.Path, Err: fmt.Errorf("%w%s: %s", ErrOutsideRoots, leads, strings.Join(p.roots, ", "))}
}

// File is the error for a place where there is no regular file; nil if there is one.
func (p Place) File() error {
	err := error(ErrNotExist)
	if p.info != nil {
		err = regular(p.info.Mode())
	}
	if err != nil {
		return fail("open", p.Path, err)
	}
	return nil
}

// Version is that of the file when the place was found.
func (p Place) Version() Version { return Version{there: p.info != nil, info: p.info} }

// enter opens the directory that the place is in, which the caller closes, and returns
// the file's name in it. With create, directories that are missing are made.
func (f *FS) enter(p Place, create bool) (dir *os.Root, name string, err error) {
	now, err := f.find(p.Path)
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

// descend opens the directory of a file below top, without following a link.
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
		_ = dir.Close() // nothing was written to it
		if err != nil {
			return nil, "", err
		}
		dir = inner
	}
	return dir, names[len(names)-1], nil
}

// step opens the directory name in dir, and makes it if it is missing and create is
// set. It must be a directory when it is looked at, and that very one when it is open:
// it was not a link in between.
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
	inner, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := inner.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = ErrMoved
	}
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return inner, nil
}

// volumeTop is the directory at the top of the volume that a path is on.
func volumeTop(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}
