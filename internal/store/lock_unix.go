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
