package fs

import (
	"fmt"
	iofs "io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed creates a file without a name: it disappears if this process is
// killed. Not every file system can do that.
func openUnnamed(dir *os.Root, mode iofs.FileMode) (*os.File, error) {
	file, err := dir.OpenFile(".", unix.O_TMPFILE|os.O_WRONLY, mode)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(descriptor(file)); err != nil { // /proc is not there
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// nameFile gives a file of openUnnamed a name that does not exist.
func nameFile(dir *os.Root, file *os.File, name string) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Linkat(unix.AT_FDCWD, descriptor(file), int(d.Fd()), name, unix.AT_SYMLINK_FOLLOW)
}

func descriptor(file *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", file.Fd()) }
