//go:build unix

package journal

import (
	"os"
	"syscall"
)

// locks is true: lock tells whether another process has a file.
const locks = true

// lock locks a file while it is open, and reports whether it got the lock.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock releases the lock before the file is closed: a program that is just being
// started briefly has a copy of every open file, and of its lock.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
