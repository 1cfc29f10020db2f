// Package fs serves ACP's fs/read_text_file and fs/write_text_file from the local
// machine, inside a boundary.
//
// The boundary is a set of root directories: the session's working directory and its
// additional directories. FS resolves a path and reports whether it leads outside; the
// caller decides whether anything outside may be read or written. FS opens every file
// through os.Root, one directory at a time and without following links. So neither
// "..", nor a symbolic link, nor a directory that is swapped for a link at the wrong
// moment can lead to a different file than the one that was checked.
//
// FS serves only regular text files and keeps every character: line endings, a missing
// final newline, and the byte order mark of a file, which is no part of the text that it
// serves. Text is UTF-8, or UTF-16 with a byte order mark.
//
// The roots of an FS never change. When the user agrees to another root, create another
// FS.
//
// OpenRegular and ReadHead read files by path, outside of any boundary, for callers
// that know the name but not the type of the file.
package fs

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
)

// MaxBytes limits the text that one read returns, and the content that a write may
// replace (Change.Before keeps it): 64 MiB.
const MaxBytes = 64 << 20

// maxNewDirs limits the directories that one write may create.
const maxNewDirs = 64

// What can be wrong with a path. The methods of FS return these inside an
// *io/fs.PathError that holds the path as requested.
var (
	// ErrNotAbsolute means that a path is relative. ACP's paths are absolute.
	ErrNotAbsolute = errors.New("the path is not absolute")
	// ErrOutsideRoots means that a path, with its symbolic links followed, is in none
	// of the roots.
	ErrOutsideRoots = errors.New("outside the session's directories")
	// ErrNotExist means that there is no such file. It is io/fs.ErrNotExist.
	ErrNotExist = iofs.ErrNotExist
	// ErrNotRegular means that the path is a directory, a pipe, a device or a socket.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotText means that a file is neither UTF-8 nor UTF-16 with a byte order mark,
	// or that it contains NUL bytes.
	ErrNotText = errors.New("not a text file")
	// ErrTooDeep means that a write would have to create more than 64 directories.
	ErrTooDeep = errors.New("too deep")
	// ErrTooLarge means that a file exceeds MaxBytes.
	ErrTooLarge = errors.New("too large")
)

// FS serves files below its roots. It is safe for concurrent use; writes run one at a
// time.
type FS struct {
	roots    []root
	names    []string // of the roots, as passed to New
	maxBytes int64
	// writing is the write lock. It is a channel so that a cancelled request can stop
	// waiting.
	writing chan struct{}
	record  Record // may be nil
}

type root struct {
	dir  *os.Root
	info iofs.FileInfo // identifies the directory, even after a rename
}

// New opens the root directories, which are absolute paths and may contain symbolic
// links. FS keeps them open, so renaming one later makes no difference. Close releases
// them.
func New(roots ...string) (*FS, error) {
	f := &FS{names: slices.Clone(roots), maxBytes: MaxBytes, writing: make(chan struct{}, 1)}
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
	return root{dir, info}, nil
}

// Close releases the root directories. Reads and writes fail afterwards.
func (f *FS) Close() error {
	var errs []error
	for _, r := range f.roots {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

// fail wraps err, if it is not nil, with the operation and the path, once.
func fail(op, path string, err error) error {
	switch inner := err.(type) { // their paths are relative to a root
	case nil:
		return nil
	case *iofs.PathError:
		err = inner.Err
	case *os.LinkError:
		err = inner.Err
	}
	return &iofs.PathError{Op: op, Path: path, Err: err}
}

// acquire takes the write lock. It returns an error, without the lock, if ctx ends
// first.
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
