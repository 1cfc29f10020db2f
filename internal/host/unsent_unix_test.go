//go:build unix

package host

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe among the files of unsent prompts is left alone: nobody waits for its other end.
func TestNamedPipeIsNoFileOfUnsentPrompts(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "unsent-x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := leftIn(dir, func(unsentHead) bool { return true }); len(left) != 0 {
		t.Errorf("found %v", left)
	}
}
