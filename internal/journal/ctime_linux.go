package journal

import (
	"os"
	"syscall"
)

// changedAt returns the time of the last change of a file's content or attributes, which no program sets.
func changedAt(info os.FileInfo) (t syscall.Timespec) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		t = s.Ctim
	}
	return t
}
