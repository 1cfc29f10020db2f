package fs

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Snapshot is what a file contains at one moment. A nil *Snapshot means that there is
// no file.
type Snapshot struct {
	// Content holds every byte of the file, text or not. That of a symbolic link is its target.
	Content string
	// Mode holds the permission bits, and the type of a symbolic link. With 0, an existing
	// file keeps its bits and a new one gets the system's default.
	Mode iofs.FileMode
}

// LinkMode is the mode of a symbolic link.
const LinkMode = iofs.ModeSymlink | 0o777

// IsLink reports whether the snapshot is one of a symbolic link.
func (s *Snapshot) IsLink() bool { return s != nil && s.Mode&iofs.ModeSymlink != 0 }

// Record is called before each write, with the file's absolute path without links; nil
// means that there is no file. On an error FS writes nothing and returns the error.
// Otherwise it calls done right after the write, with the write's error. FS does not write
// anything else in between.
type Record func(path string, before, after *Snapshot) (done func(error), err error)

// SetRecord makes the FS call r for every write. Call it before anything else uses the
// FS.
func (f *FS) SetRecord(r Record) { f.record = r }

// announce calls the recorder for a write of text.
func (f *FS) announce(p ResolvedPath, old *existing, text string) (done func(error), err error) {
	if f.record == nil {
		return func(error) {}, nil
	}
	after := &Snapshot{Content: text}
	if old.Encoding != UTF8 {
		after.Content = string(old.Encoding.encode(text))
	}
	var before *Snapshot
	if old.file != nil {
		after.Mode = old.info.Mode().Perm()
		before = &Snapshot{Content: old.raw, Mode: after.Mode}
	}
	return f.record(p.Target, before, after)
}

// Look calls seen with the contents of the file at an absolute path, or with nil if
// there is no file. FS writes nothing until seen returns.
func (f *FS) Look(ctx context.Context, path string, seen func(now *Snapshot) error) error {
	return f.Exchange(ctx, path, func(now *Snapshot) (*Snapshot, error) {
		if err := seen(now); err != nil {
			return nil, err
		}
		return now, nil
	})
}

// Exchange replaces the file at an absolute path with what next returns for its current
// contents; nil means no file. Like Write, it is atomic. FS writes nothing in between,
// so next has seen exactly what is replaced. If next returns an error, Exchange writes
// nothing and returns that error; if next returns its argument, Exchange writes
// nothing.
//
// Exchange changes only files inside the roots, and follows no link: one at the path is
// replaced itself, and if another is on the way, it returns ErrMoved. A directory without
// files is no file, and gives way to one.
func (f *FS) Exchange(ctx context.Context, path string, next func(now *Snapshot) (*Snapshot, error)) error {
	return f.exchange(ctx, path, nil, next)
}

// entry finds what Exchange changes.
func (f *FS) entry(path string) (ResolvedPath, error) {
	p, err := f.findEntry(path)
	if err == nil && p.Target != filepath.Clean(path) {
		err = ErrMoved
	}
	if err == nil {
		err = p.Inside()
	}
	return p, err
}

func (f *FS) exchange(ctx context.Context, path string, ready *Prepared, next func(now *Snapshot) (*Snapshot, error)) error {
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-f.writing }()
	p, err := f.entry(path)
	if err != nil {
		return fail("change", path, err)
	}
	now, err := f.contents(ctx, p)
	if err != nil {
		return fail("change", path, err)
	}
	want, err := next(now)
	if err != nil || want == now {
		return err
	}
	done := func(error) {}
	if f.record != nil {
		if done, err = f.record(p.Target, now, want); err != nil {
			return err
		}
	}
	err = f.put(ctx, p, ready, now, want)
	done(err)
	return fail("change", path, err)
}

// contents returns the contents of the file at p, or nil if there is no file.
func (f *FS) contents(ctx context.Context, p ResolvedPath) (*Snapshot, error) {
	dir, name, err := f.enter(p, false)
	if errors.Is(err, ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	switch info, err := dir.Lstat(name); {
	case err == nil && info.Mode()&iofs.ModeSymlink != 0:
		target, err := dir.Readlink(name)
		return &Snapshot{Content: target, Mode: LinkMode}, err
	case err == nil && info.IsDir() && emptyDirs(dir, name) != nil:
		return nil, nil
	}
	file, info, err := openRegular(dir, name, os.O_RDONLY)
	if errors.Is(err, ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := f.readAll(ctx, file, info.Size())
	if err != nil {
		return nil, err
	}
	return &Snapshot{Content: content, Mode: info.Mode().Perm()}, nil
}

// put writes want to the file at p, byte for byte, or removes the file if want is nil.
func (f *FS) put(ctx context.Context, p ResolvedPath, ready *Prepared, now, want *Snapshot) error {
	dir, name, err := f.enter(p, want != nil)
	if err != nil {
		return err
	}
	defer dir.Close()
	if want == nil {
		return dir.Remove(name)
	}
	if now == nil {
		for _, name := range slices.Backward(emptyDirs(dir, name)) {
			if err := dir.Remove(name); err != nil {
				return err
			}
		}
	}
	old := &existing{}
	if !now.IsLink() {
		if old, err = f.open(ctx, dir, name); err != nil { // the file is not writable
			return err
		}
		defer old.close()
	}
	if want.IsLink() {
		return putLink(dir, name, want.Content)
	}
	if (now == nil || now.IsLink() || now.Content != want.Content) && !ready.place(dir, name, want) {
		old.Encoding = UTF8 // want is bytes: no conversion
		if err := replace(ctx, dir, name, want.Content, old); err != nil {
			return err
		}
	}
	if want.Mode != 0 && (now == nil || now.Mode != want.Mode) {
		return dir.Chmod(name, want.Mode)
	}
	return nil
}

// Prepared is what a file shall contain, written beside it: to put it in its place takes no space
// on the disk. Nil stands for what needs no preparation.
type Prepared struct {
	want *Snapshot
	temp *temporary // nil when it is in its place, or dropped
	dir  *os.Root   // of a temporary file that has a name
}

// Prepare writes want, which shall replace now at an absolute path, without changing anything
// there. It is dropped by [Prepared.Drop] unless [Prepared.Exchange] has used it.
func (f *FS) Prepare(ctx context.Context, path string, now, want *Snapshot) (_ *Prepared, err error) {
	if want == nil || want.IsLink() || now != nil && !now.IsLink() && now.Content == want.Content {
		return nil, nil
	}
	defer func() { err = fail("change", path, err) }()
	p, err := f.entry(path)
	if err != nil {
		return nil, err
	}
	old := &existing{}
	dir, name, err := f.enter(p, false)
	missing := errors.Is(err, ErrNotExist)
	for parent := p.name; errors.Is(err, ErrNotExist) && parent != "."; {
		parent = filepath.Dir(parent)
		dir, err = OpenRootIn(p.top, parent) // the directories are made when the file is put there
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if dir != nil {
			_ = dir.Close()
		}
	}()
	if now != nil && !now.IsLink() {
		if old, err = f.open(ctx, dir, name); err != nil {
			return nil, err
		}
		defer old.close()
		old.Encoding = UTF8 // want is bytes: no conversion
	}
	mode, write := replacing(ctx, want.Content, old)
	temp, err := writeTemp(dir, filepath.Base(path), mode, true, write)
	if err != nil {
		return nil, err
	}
	if temp.name == "" {
		return &Prepared{want: want, temp: temp}, nil
	}
	if missing { // it can only be renamed in its directory
		temp.drop(dir)
		return nil, nil
	}
	defer func() { dir = nil }()
	return &Prepared{want, temp, dir}, nil
}

// Exchange is [FS.Exchange] that puts what is prepared in the place of the file if next returns it.
func (r *Prepared) Exchange(ctx context.Context, f *FS, path string, next func(now *Snapshot) (*Snapshot, error)) error {
	return f.exchange(ctx, path, r, next)
}

// place puts want into its place if it is prepared.
func (r *Prepared) place(dir *os.Root, name string, want *Snapshot) bool {
	if r == nil || r.temp == nil || r.want != want {
		return false
	}
	err := r.temp.place(dir, name, true)
	r.temp = nil
	r.Drop()
	return err == nil
}

// Drop removes what is prepared and not in its place.
func (r *Prepared) Drop() {
	if r == nil {
		return
	}
	if r.temp != nil {
		r.temp.drop(r.dir)
		r.temp = nil
	}
	if r.dir != nil {
		_ = r.dir.Close()
		r.dir = nil
	}
}

// putLink puts a symbolic link in the place of name, as a whole.
func putLink(dir *os.Root, name, target string) error {
	temp := randomName()
	err := dir.Symlink(target, temp)
	if err == nil {
		if err = dir.Rename(temp, name); err != nil {
			err = errors.Join(err, dir.Remove(temp))
		}
	}
	syncDir(dir)
	return err
}

// emptyDirs returns the directory name and those in it, from above, if there is nothing else in it, and
// else nil.
func emptyDirs(dir *os.Root, name string) (names []string) {
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return nil
	}
	inner, err := OpenSeenRoot(dir, name, info)
	if err != nil {
		return nil
	}
	defer inner.Close()
	err = iofs.WalkDir(inner.FS(), ".", func(path string, d iofs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return iofs.ErrExist
		}
		names = append(names, filepath.Join(name, path))
		return err
	})
	if err != nil {
		return nil
	}
	return names
}
