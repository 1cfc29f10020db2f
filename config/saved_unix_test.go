//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe in the place of a file that only parley writes holds up nothing.
func TestAPipeInThePlaceOfTheSavedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := syscall.Mkfifo(SavedBeside(file).Path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Load(file, nil); err == nil {
		t.Error("the pipe was read")
	}
}
