//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a log for this open file; closing the file releases the lock.
func lock(f *os.File) error {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
	case unix.EWOULDBLOCK:
		return ErrInUse
	default:
		return err
	}
}

// unlock releases the lock before the file is closed: a program that is just being
// started briefly has a copy of every open file, and of its lock.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
