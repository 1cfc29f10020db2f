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

// Record is told of every write before the file changes, by its absolute path
// without links; nil is no file. It returns what is told, right afterwards,
// how the write went. No other write of the FS happens in between.
type Record func(path string, before, after *Held) (done func(error))

// SetRecord makes the FS tell of its writes from now on. It must be called before
// the FS is used by others.
func (f *FS) SetRecord(r Record) { f.record = r }

// announce tells of a write of text that is about to happen.
func (f *FS) announce(p Place, old *existing, text string) (done func(error)) {
	if p.Outside {
		f.written[p.Target] = true
	}
	if f.record == nil {
		return func(error) {}
	}
	after := &Held{Content: text}
	if old.Encoding != UTF8 {
		after.Content = string(old.Encoding.encode(text))
	}
	before := old.held()
	if before != nil {
		after.Mode = before.Mode
	}
	return f.record(p.Target, before, after)
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
// holds; nil is no file. It is written as Write does it: at once, or not at
// all. No other write of the FS happens in between, so what next was shown is what
// is replaced. Nothing is written if next returns an error, which is returned as
// it is, or the very pointer that it was given.
//
// A file outside the roots is exchanged only if this FS has written it before, which
// nobody asks it to do without the person's yes, and if its path is still its own.
func (f *FS) Exchange(ctx context.Context, path string, next func(now *Held) (*Held, error)) error {
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-f.writing }()
	p, err := f.find(path)
	if err == nil && !(f.written[p.Target] && p.Target == filepath.Clean(path)) {
		err = p.Inside()
	}
	if err != nil {
		return fail("change", path, err)
	}
	now, err := f.held(ctx, p)
	if err != nil {
		return fail("change", path, err)
	}
	want, err := next(now)
	if err != nil || want == now {
		return err
	}
	done := func(error) {}
	if f.record != nil {
		done = f.record(p.Target, now, want)
	}
	err = f.put(ctx, p, now, want)
	done(err)
	if err != nil {
		return fail("change", path, err)
	}
	return nil
}

// held is what the file at a place holds, nil if it is not there.
func (f *FS) held(ctx context.Context, p Place) (*Held, error) {
	dir, name, err := f.enter(p, false)
	if errors.Is(err, ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close() // nothing was written to it
	file, info, err := openRegular(dir, name, os.O_RDONLY)
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

// put makes a file hold something else, byte for byte, or takes it away.
func (f *FS) put(ctx context.Context, p Place, now, want *Held) error {
	dir, name, err := f.enter(p, want != nil)
	if err != nil {
		return err
	}
	defer dir.Close() // nothing was written to it: its error says nothing
	if want == nil {
		return dir.Remove(name)
	}
	old, err := f.open(ctx, dir, name) // it may be written at all
	if err != nil {
		return err
	}
	defer old.close()
	if now == nil || now.Content != want.Content {
		old.Encoding = UTF8 // the bytes are what they are to be
		if err := replace(ctx, dir, name, want.Content, old); err != nil {
			return err
		}
	}
	if want.Mode != 0 && (now == nil || now.Mode != want.Mode) {
		return dir.Chmod(name, want.Mode)
	}
	return nil
}
