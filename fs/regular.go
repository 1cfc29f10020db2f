package fs

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// OpenRegular opens the regular file at path for reading. It never blocks, whatever is
// at the path: a pipe that nobody writes to, a terminal, an endless device. For
// anything but a regular file the error wraps ErrNotRegular; if there is nothing, it
// wraps ErrNotExist.
func OpenRegular(path string) (*os.File, error) {
	// The first check avoids opening devices, where opening can have effects; the
	// second detects a swap in between.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.Join(err, fmt.Errorf("open %s: %w", path, ErrNotRegular))
	}
	return f, nil
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
