package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file of parley's own so that it is the old one or the new one,
// whatever happens. The file beside it has one name: if one is left behind, the next
// write replaces it. Two may not do so at once: whoever calls holds a lock.
func ReplaceFile(path string, data []byte) error {
	beside := path + ".new"
	if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // not every system can: the file is there either way
		_ = dir.Close()
	}
	return nil
}
