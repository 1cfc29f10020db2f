//go:build unix

package prompt

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe among the files holds up nobody: opening it would wait for a writer.
func TestAPipeIsNoTemplate(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "wait.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "explain.md"), []byte("Explain."), 0o600); err != nil {
		t.Fatal(err)
	}
	if files := templatesIn(t, dir); len(files) != 1 || files[0].Name != "explain" {
		t.Errorf("the prompts are %+v", files)
	}
}
