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
