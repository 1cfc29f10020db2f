//go:build !unix

package app

import "os"

// lockDirectory does nothing: directories cannot be locked here.
func lockDirectory(string) (lock *os.File, ok bool) { return nil, false }

// removeAbandoned does nothing: without locks, a directory may be in use.
func removeAbandoned(_, _ string) {}
