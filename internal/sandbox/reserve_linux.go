package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// reservation is a path that exists only so that something can be mounted over it. All
// sandboxes that need it share a lock on it, and the last one removes it. One that a
// killed process has left behind is taken over.
type reservation struct {
	path, text string
	file       *os.File
}

// reserve makes an empty directory, or if there is a text, a file with it. It returns
// nil if this user must not create it: then programs in the sandbox cannot either.
func reserve(path string, dir bool, text string) (*reservation, error) {
	for {
		if err := create(path, dir, text); errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrNotExist) {
			return nil, nil
		} else if err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if errors.Is(err, os.ErrNotExist) { // another sandbox has just removed it
			continue
		}
		if err != nil {
			return nil, err
		}
		r := &reservation{path, text, f}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
			_ = f.Close()
			return nil, err
		}
		if r.there() {
			return r, nil
		}
		_ = f.Close()
	}
}

// create makes a directory or a file. A file appears with its text.
func create(path string, dir bool, text string) error {
	if dir {
		return os.Mkdir(path, 0o755)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "parley-*.lock")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	return errors.Join(err, f.Chmod(0o644), f.Close(), os.Link(f.Name(), path))
}

// there reports whether the path is still what was opened.
func (r *reservation) there() bool {
	now, err := os.Lstat(r.path)
	if err != nil {
		return false
	}
	opened, err := r.file.Stat()
	return err == nil && os.SameFile(now, opened)
}

// release removes what was made, unless another sandbox needs it or something else has
// become of it.
func (r *reservation) release() {
	defer r.file.Close()
	if unix.Flock(int(r.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !r.there() {
		return
	}
	if info, err := r.file.Stat(); err != nil || !info.IsDir() {
		if text, err := os.ReadFile(r.path); err != nil || string(text) != r.text {
			return
		}
	}
	_ = os.Remove(r.path) // fails for a directory that is not empty
}
