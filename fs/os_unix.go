//go:build unix

package fs

import (
	"errors"
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

// claim locks a temporary file for as long as it is open, and reports whether nobody
// else holds it. A file system without locks has no claims.
func claim(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// place renames the temporary file and closes it. It stays open and locked until it
// has its name, so that nobody takes it for one that was left behind.
func place(dir *os.Root, file *os.File, temp, name string) error {
	err := dir.Rename(temp, name)
	return errors.Join(err, file.Close())
}

// linkCount is how many names a file has.
func linkCount(info iofs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}
