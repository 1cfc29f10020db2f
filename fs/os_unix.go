//go:build unix

package fs

import (
	iofs "io/fs"
	"os"
	"syscall"
)

// openNonblock keeps opening a named pipe from waiting for its other end.
const openNonblock = syscall.O_NONBLOCK

// keepOwner gives file the owner and group that info names, and reports whether
// it has them now.
func keepOwner(file *os.File, info iofs.FileInfo) bool {
	want, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	have, err := file.Stat()
	if err != nil {
		return false
	}
	if s, ok := have.Sys().(*syscall.Stat_t); ok && s.Uid == want.Uid && s.Gid == want.Gid {
		return true
	}
	if file.Chown(int(want.Uid), int(want.Gid)) == nil {
		return true
	}
	// A group of the user's own can be kept without being the superuser.
	_ = file.Chown(-1, int(want.Gid))
	return false
}

// syncDir asks that a rename in dir survives a crash. Some file systems cannot;
// the file is in place all the same.
func syncDir(dir *os.Root) {
	if d, err := dir.Open("."); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
