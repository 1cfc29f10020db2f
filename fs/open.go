package fs

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OpenRegular opens the regular file at path for reading. It never blocks, not
// even on a pipe without a writer, a terminal or an endless device. For
// anything but a regular file the error wraps ErrNotRegular; if there is nothing, it
// wraps ErrNotExist.
func OpenRegular(path string) (*os.File, error) {
	return openPlain(path, os.Stat, os.OpenFile)
}

// OpenRegularIn is OpenRegular for a file in a directory, which no link leaves.
func OpenRegularIn(dir *os.Root, name string) (*os.File, error) {
	return openPlain(name, dir.Stat, dir.OpenFile)
}

func openPlain(path string, stat func(string) (iofs.FileInfo, error), open func(string, int, iofs.FileMode) (*os.File, error)) (*os.File, error) {
	// The first check avoids opening devices, where opening can have effects; the
	// second detects a swap in between.
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	f, err := open(path, os.O_RDONLY|OpenNonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.Join(err, fmt.Errorf("open %s: %w", path, ErrNotRegular))
	}
	return f, nil
}

// ReadIn returns the content of a regular file below a directory, which no link leaves, of at most
// most bytes. path is absolute, or relative to the directory.
func ReadIn(dir, path string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(dir, path); err != nil {
			return nil, err
		}
	}
	file, err := OpenRegularIn(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	if info, err := file.Stat(); err != nil || info.Size() > most {
		return nil, errors.Join(err, fmt.Errorf("%s is too large", path))
	}
	return io.ReadAll(io.LimitReader(file, most))
}

// Absolute returns the absolute path that an agent means which works in dir. It does not clean it,
// because ".." after a link is relative to the link's target.
func Absolute(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return home + string(filepath.Separator) + rest
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// OpenRootIn is dir.OpenRoot, but fails where that would wait: name leads to a named pipe.
func OpenRootIn(dir *os.Root, name string) (*os.Root, error) {
	return dir.OpenRoot(name + "/.")
}

// OpenDir opens a directory for reading, or whatever has taken its place, without waiting
// for it.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|OpenNonblock, 0)
}

// ReadHead returns the first bytes of the regular file at path, at most most of them,
// with the errors of OpenRegular.
func ReadHead(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

// regular returns nil for a regular file, else an ErrNotRegular that says what the file
// is instead.
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

// openRegular opens a regular file and follows no link. It tries again if another
// program swaps the file meanwhile.
func openRegular(dir *os.Root, name string, flag int) (file *os.File, info iofs.FileInfo, err error) {
	const tries = 10
	for range tries {
		if file, info, err = openOnce(dir, name, flag); !errors.Is(err, ErrMoved) {
			break
		}
	}
	return file, info, err
}

// openOnce checks the file before opening it, because opening a device can have
// effects, and again afterwards: a file that was swapped in between is ErrMoved.
// Opening a pipe does not block.
func openOnce(dir *os.Root, name string, flag int) (*os.File, iofs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info.Mode()); err != nil {
		return nil, nil, err
	}
	return OpenSeen(dir, name, flag, info)
}

// OpenSeen opens the regular file name in dir if it is still the one that was seen there: opening follows a link
// that has taken its place. The error then wraps ErrMoved, or ErrNotRegular.
func OpenSeen(dir *os.Root, name string, flag int, seen iofs.FileInfo) (*os.File, iofs.FileInfo, error) {
	file, err := dir.OpenFile(name, flag|OpenNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil {
		err = regular(opened.Mode())
	}
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrMoved
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, opened, nil
}
