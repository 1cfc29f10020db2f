// This file reads regular files and nothing else, in bounded time and
// memory: for files whose names are known and whose nature is somebody else's
// choice. A name may lead to a pipe that nobody writes to, to a terminal that
// would take the person's keys, to a device without an end, or to a file of
// terabytes.

package fs

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Open opens the regular file at path for reading, without waiting. The error
// wraps ErrNotRegular for anything else, and fs.ErrNotExist if nothing is there.
func OpenRegular(path string) (*os.File, error) {
	// Looking first keeps devices closed that do something when they are opened;
	// looking again afterwards tells whether it is still the same.
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

// Head returns the first bytes of the regular file at path, at most most of
// them. Its errors are those of Open and of reading.
func ReadHead(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(f, most))
}
