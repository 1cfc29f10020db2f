package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a log for this open file; closing the file releases the lock. It locks a
// byte far past the end, so that others can read.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

// unlock does nothing: new programs get no copy of the file, and closing it releases
// the lock.
func unlock(*os.File) {}
