package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// fileMode is that of an exported file: a conversation is its owner's alone.
const fileMode = 0o600

// File makes a file of what write writes, for its owner alone. It replaces none: the
// error is an os.ErrExist then. What fails leaves no file.
func File(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// Replace is File for a file that may be there already. It is replaced as a whole, or
// stays as it is.
func Replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".parley-export-*") // its owner's alone
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}
