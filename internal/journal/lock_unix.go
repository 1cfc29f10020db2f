//go:build unix

package journal

import (
	"os"
	"syscall"
)

// locks says that lock tells whether somebody else has a file.
const locks = true

// lock claims a file for as long as it is open, and reports whether nobody else has
// it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock gives up the claim before the file is closed: a program that is just being
// started has a copy of every open file for a moment, and the claim with it.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
