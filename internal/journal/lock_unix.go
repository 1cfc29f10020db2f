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
