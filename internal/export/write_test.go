package export

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("the file is %q (%v), want %q", b, err, want)
	}
}

func TestFileReplacesNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.md")
	if err := File(path, says("one")); err != nil {
		t.Fatal(err)
	}
	if err := File(path, says("two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	holds(t, path, "one")
	if err := Replace(path, says("three")); err != nil {
		t.Error(err)
	}
	holds(t, path, "three")
}

func TestWhatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path, failed := filepath.Join(dir, "session.md"), errors.New("no")
	fails := func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return failed
	}
	if err := File(path, fails); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	if err := File(path, says("one")); err != nil {
		t.Error(err)
	}
	if err := Replace(path, fails); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	holds(t, path, "one")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}
