//go:build !unix

package fs

import (
	iofs "io/fs"
	"os"
)

// OpenNonblock is 0: this system has no named pipes in the file system.
const OpenNonblock = 0

// keepOwner does nothing: a new file belongs to the user who creates it.
func keepOwner(*os.File, iofs.FileInfo) bool { return true }

// syncDir does nothing: this system cannot sync directories.
func syncDir(*os.Root) {}

// tryLock returns false: this system has no file locks, so every write uses a temporary
// name of its own.
func tryLock(*os.File) bool { return false }

// renameTemp closes the temporary file and renames it: not every system can rename an open
// file.
func renameTemp(dir *os.Root, file *os.File, temp, name string) error {
	if err := file.Close(); err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// LinkCount returns 1: hard links are not counted here.
func LinkCount(iofs.FileInfo) int { return 1 }
