//go:build !linux && !darwin

package fs

import "os"

// keepAttributes does nothing: extended attributes are not supported here.
func keepAttributes(_, _ *os.File) {}
