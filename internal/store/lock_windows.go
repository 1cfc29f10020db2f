package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a log for this open file, which the system frees with it. The byte that
// is locked lies far behind the end: others can read.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

// unlock does nothing: programs that are started get no copy of the file, and closing it
// frees it.
func unlock(*os.File) {}
