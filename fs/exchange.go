package fs

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
)

// Held is what a file holds at one moment. A nil *Held is that there is no file.
type Held struct {
	// Content is every byte of it, whether or not it is text.
	Content string
	// Mode has the file's permission bits. 0 says nothing: an existing file keeps
	// its bits, and a new one has those that the system gives it.
	Mode iofs.FileMode
}

// Record is told of every write before the file changes, by its absolute
// path; nil is no file. It returns what is told, right afterwards,
// how the write went. No other write of the FS happens in between.
type Record func(path string, before, after *Held) (done func(error))

// SetRecord makes the FS tell of its writes from now on. It must be called before
// the FS is used by others.
func (f *FS) SetRecord(r Record) { f.record = r }

// announce tells of a write that is about to happen.
func (f *FS) announce(path string, before, after *Held) (done func(error)) {
	if f.record == nil {
		return func(error) {}
	}
	return f.record(path, before, after)
}

// announceText is announce for a file of text; info is nil if there was none.
func (f *FS) announceText(path string, before *string, info iofs.FileInfo, after string) (done func(error)) {
	next := &Held{Content: after}
	if before == nil {
		return f.announce(path, nil, next)
	}
	next.Mode = info.Mode().Perm()
	return f.announce(path, &Held{Content: *before, Mode: info.Mode().Perm()}, next)
}

// Resolve follows the symbolic links of an absolute path as far as it leads to
// something.
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fail("resolve", path, ErrNotAbsolute)
	}
	return resolve(path)
}

// Look shows what the file at the absolute path holds, of whatever bytes; seen gets
// nil if there is no file. No write of the FS happens before seen has returned.
func (f *FS) Look(ctx context.Context, path string, seen func(now *Held) error) error {
	return f.Exchange(ctx, path, func(now *Held) (*Held, error) {
		if err := seen(now); err != nil {
			return nil, err
		}
		return now, nil
	})
}

// Exchange makes the file at the absolute path hold what next makes of what it
// holds; nil is no file. It is written as WriteTextFile does it: at once, or not at
// all. No other write of the FS happens in between, so what next was shown is what
// is replaced. Nothing is written if next returns an error, which is returned as
// it is, or the very pointer that it was given.
func (f *FS) Exchange(ctx context.Context, path string, next func(now *Held) (*Held, error)) error {
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-f.writing }()
	top, name, err := f.locate(path)
	if err != nil {
		return fail("change", path, err)
	}
	now, err := f.held(ctx, top, name)
	if err != nil {
		return fail("change", path, err)
	}
	want, err := next(now)
	if err != nil || want == now {
		return err
	}
	done := f.announce(filepath.Join(top.Name(), name), now, want)
	err = f.put(ctx, top, name, now, want)
	done(err)
	if err != nil {
		return fail("change", path, err)
	}
	return nil
}

// held is what a file holds, nil if it is not there.
func (f *FS) held(ctx context.Context, top *os.Root, name string) (*Held, error) {
	file, info, err := openRegular(top, name, os.O_RDONLY)
	if errors.Is(err, ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read
	content, err := f.readAll(ctx, file, info.Size())
	if err != nil {
		return nil, err
	}
	return &Held{Content: asString(content), Mode: info.Mode().Perm()}, nil
}

// put makes a file hold something else, or takes it away.
func (f *FS) put(ctx context.Context, top *os.Root, name string, now, want *Held) error {
	if want == nil {
		return top.Remove(name)
	}
	parent, name := filepath.Split(name)
	parent = filepath.Clean(parent)
	if err := checkDepth(top, parent); err != nil {
		return err
	}
	if err := top.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	dir, err := top.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer dir.Close() // nothing was written to it
	var info iofs.FileInfo
	if now != nil {
		file, there, err := openRegular(dir, name, os.O_RDWR) // it may be written at all
		if err != nil {
			return err
		}
		_ = file.Close() // nothing was written
		info = there
	}
	if now == nil || now.Content != want.Content {
		if err := replace(ctx, dir, name, want.Content, info); err != nil {
			return err
		}
	}
	if want.Mode != 0 && (now == nil || now.Mode != want.Mode) {
		return dir.Chmod(name, want.Mode)
	}
	return nil
}
