package config

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks an open file against other processes. ok is false if another has it.
// The lock ends with [Unlock] or when the file is closed. It covers a byte far past the
// end, so that others can read.
func TryLock(f *os.File) (ok bool, err error) {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock does nothing: new programs get no copy of the file, and closing it releases
// the lock.
func Unlock(*os.File) {}
