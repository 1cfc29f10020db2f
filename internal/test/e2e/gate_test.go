//go:build unix

package e2e

import (
	"os"
	"syscall"
	"testing"
)

// mkfifo makes a gate at which a command waits.
func mkfifo(t *testing.T, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o600))
}

// openGate lets the command go on.
func openGate(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("go\n")
	must(t, err)
	must(t, f.Close())
}
