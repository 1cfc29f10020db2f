//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a log for this open file, which the system frees with it.
func lock(f *os.File) error {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
	case unix.EWOULDBLOCK:
		return ErrInUse
	default:
		return err
	}
}

// unlock frees it before the file is closed: a program that is just being started has a
// copy of every open file for a moment, and the lock with it.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
