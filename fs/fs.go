// Package fs serves ACP's fs/read_text_file and fs/write_text_file from the
// local machine, inside a boundary.
//
// The boundary is a set of root directories: the session's working directory
// and its additional directories. FS finds where a path leads and says whether
// that is inside; whether anything outside may be read or written is for its user to
// decide. Every file is opened through os.Root, one directory after the other and
// without following links, so that neither "..", nor a symbolic link, nor a directory
// that is exchanged for a link at the wrong moment leads to another file than the one
// that was found.
//
// Only regular files of text are served, and every character of them is kept: line
// endings, a byte order mark, a missing final newline. Text is UTF-8, or UTF-16 with a
// byte order mark.
//
// The roots of an FS never change. If the person agrees to another root, another
// FS is made.
package fs

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
)

// MaxBytes bounds the text that one read returns, and the content that a write
// may replace (it is kept in Change.Before): 64 MiB.
const MaxBytes = 64 << 20

// maxNewDirs is how many directories one write may make.
const maxNewDirs = 64

// What can be wrong with a path. The methods of FS return them inside an
// *io/fs.PathError, whose Path is the path as it was asked for.
var (
	// ErrNotAbsolute says that a path is relative. ACP's paths are absolute.
	ErrNotAbsolute = errors.New("the path is not absolute")
	// ErrOutsideRoots says that a path is in none of the roots, after its symbolic
	// links are followed.
	ErrOutsideRoots = errors.New("outside the session's directories")
	// ErrNotExist says that there is no such file. It is io/fs.ErrNotExist.
	ErrNotExist = iofs.ErrNotExist
	// ErrNotRegular says that it is a directory, a pipe, a device or a socket.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotText says that a file is not UTF-8, nor UTF-16 with a byte order mark, or
	// that it has NUL bytes.
	ErrNotText = errors.New("not a text file")
	// ErrTooDeep says that a write would have to make very many directories.
	ErrTooDeep = errors.New("too deep")
	// ErrTooLarge says that there are more than MaxBytes.
	ErrTooLarge = errors.New("too large")
)

// FS serves files below its roots. It is safe for concurrent use; writes happen
// one at a time.
type FS struct {
	roots    []root
	maxBytes int64
	// writing is a lock: whoever has put a value into it may write. It is a
	// channel so that a cancelled request can stop waiting.
	writing chan struct{}
	record  Record // nil is nobody
	// written are the files outside the roots that were written, by their paths without
	// links. Only who may write uses it.
	written map[string]bool
}

// root is an open root directory.
type root struct {
	name string // as it was given to New
	dir  *os.Root
	info iofs.FileInfo // says which directory it is, by whatever name
}

// New opens the root directories, which are absolute paths of directories; a
// root may be, or be reached through, a symbolic link. The directories stay the
// same ones if they are renamed later. Close releases them.
func New(roots ...string) (*FS, error) {
	f := &FS{maxBytes: MaxBytes, writing: make(chan struct{}, 1), written: map[string]bool{}}
	for _, name := range roots {
		r, err := openRoot(name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cannot serve files of %s: %w", name, err), f.Close())
		}
		f.roots = append(f.roots, r)
	}
	return f, nil
}

func openRoot(name string) (root, error) {
	if !filepath.IsAbs(name) {
		return root{}, ErrNotAbsolute
	}
	dir, err := os.OpenRoot(name)
	if err != nil {
		return root{}, err
	}
	info, err := dir.Stat(".")
	if err != nil {
		return root{}, errors.Join(err, dir.Close())
	}
	return root{name: name, dir: dir, info: info}, nil
}

// Close releases the root directories. Reads and writes fail afterwards.
func (f *FS) Close() error {
	var errs []error
	for _, r := range f.roots {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

// Roots lists the root directories as they were given to New.
func (f *FS) Roots() []string {
	names := make([]string, len(f.roots))
	for i, r := range f.roots {
		names[i] = r.name
	}
	return names
}

// fail names the operation and the path in an error, once.
func fail(op, path string, err error) error {
	if inner := new(iofs.PathError); errors.As(err, &inner) && inner == err {
		err = inner.Err // it names the path relative to a root
	}
	return &iofs.PathError{Op: op, Path: path, Err: err}
}

// regular returns ErrNotRegular, and what the file is instead.
func regular(mode iofs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%w but a directory", ErrNotRegular)
	case mode&iofs.ModeNamedPipe != 0:
		return fmt.Errorf("%w but a named pipe", ErrNotRegular)
	case mode&iofs.ModeDevice != 0:
		return fmt.Errorf("%w but a device", ErrNotRegular)
	case mode&iofs.ModeSocket != 0:
		return fmt.Errorf("%w but a socket", ErrNotRegular)
	}
	return ErrNotRegular
}

// openRegular opens a regular file, and no link to one. Another program may exchange
// the file for another just then: that one is opened.
func openRegular(dir *os.Root, name string, flag int) (file *os.File, info iofs.FileInfo, err error) {
	const tries = 10
	for range tries {
		if file, info, err = openOnce(dir, name, flag); !errors.Is(err, ErrMoved) {
			break
		}
	}
	return file, info, err
}

// openOnce asks before it opens, since opening a device can do something, and again
// afterwards: a file that was exchanged in between, perhaps for a link, is ErrMoved.
// Opening never waits for a pipe's other end.
func openOnce(dir *os.Root, name string, flag int) (*os.File, iofs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info.Mode()); err != nil {
		return nil, nil, err
	}
	file, err := dir.OpenFile(name, flag|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil {
		err = regular(opened.Mode())
	}
	if err == nil && !os.SameFile(info, opened) {
		err = ErrMoved
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, opened, nil
}

// acquire waits for the right to write. With an error there is none, and nothing to give
// back.
func (f *FS) acquire(ctx context.Context) error {
	select {
	case f.writing <- struct{}{}:
		if err := ctx.Err(); err != nil {
			<-f.writing
			return err
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
