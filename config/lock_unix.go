//go:build unix

package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock locks an open file against other processes. ok is false if another has it.
// The lock ends with [Unlock] or when the file is closed.
func TryLock(f *os.File) (ok bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock before the file is closed: a program that is just being
// started briefly has a copy of every open file, and of its lock.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
