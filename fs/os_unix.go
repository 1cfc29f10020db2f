//go:build unix

package fs

import (
	"cmp"
	iofs "io/fs"
	"os"
	"syscall"
)

// OpenNonblock is a flag for os.OpenFile: it opens a pipe without waiting for its other
// end, and a terminal without making it the controlling terminal.
const OpenNonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// keepOwner gives file the owner and group in info, and reports whether it has them
// now.
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
	// Without superuser rights, only a group of the user's own can be kept.
	_ = file.Chown(-1, int(want.Gid))
	return false
}

// syncDir makes a rename in dir survive a crash. Best effort: some file systems cannot
// sync directories.
func syncDir(dir *os.Root) {
	if d, err := dir.Open("."); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// tryLock locks a temporary file while it is open, and reports whether it got the lock.
// It always fails on a file system without locks.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// renameTemp renames the temporary file and closes it. The file stays locked until it has
// its final name, so that no other write takes it for a leftover.
func renameTemp(dir *os.Root, file *os.File, temp, name string) error {
	err := dir.Rename(temp, name)
	return cmp.Or(err, file.Close())
}

// LinkCount returns how many names a file has, 1 if that is not known.
func LinkCount(info iofs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}
