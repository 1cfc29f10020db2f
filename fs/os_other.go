//go:build !unix

package fs

import (
	iofs "io/fs"
	"os"
)

// openNonblock is for named pipes in the file system, which this system lacks.
const openNonblock = 0

// keepOwner has nothing to do: a new file belongs to who made it.
func keepOwner(*os.File, iofs.FileInfo) bool { return true }

// syncDir has nothing to do: directories cannot be synced here.
func syncDir(*os.Root) {}

// claim reports false: files are not locked here, so that every write takes a name of
// its own.
func claim(*os.File) bool { return false }

// place closes the temporary file and renames it: open files cannot be renamed on
// every system.
func place(dir *os.Root, file *os.File, temp, name string) error {
	if err := file.Close(); err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// linkCount is 1: how many names a file has is not asked here.
func linkCount(iofs.FileInfo) int { return 1 }
