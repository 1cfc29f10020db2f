//go:build !linux

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
)

// openUnnamed fails: this system has no files without a name.
func openUnnamed(*os.Root, iofs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

// nameFile is never called.
func nameFile(*os.Root, *os.File, string) error { return errors.ErrUnsupported }
