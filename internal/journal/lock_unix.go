//go:build unix

package journal

import (
	"os"
	"syscall"
)

// lock claims a file for as long as it is open, and reports whether nobody else has
// it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
