//go:build unix

package screen

import (
	"os"

	"golang.org/x/sys/unix"
)

// redirect redirects standard error to a file for everything in the process, including
// the runtime. It returns nil on failure.
func redirect(to *os.File, watched bool) (undo func()) {
	const fd = 2
	if !watched {
		return nil
	}
	before, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil
	}
	if err := unix.Dup2(int(to.Fd()), fd); err != nil {
		_ = unix.Close(before)
		return nil
	}
	return func() {
		_ = unix.Dup2(before, fd)
		_ = unix.Close(before)
	}
}
