//go:build unix

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/fs"
)

func TestHead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(at("file"), []byte("0123456789"), 0o600))
	check(os.Symlink("file", at("link")))
	check(os.Symlink("/dev/zero", at("endless")))
	check(os.Symlink("/dev/tty", at("terminal")))
	check(syscall.Mkfifo(at("pipe"), 0o600))
	huge, err := os.Create(at("huge"))
	check(err)
	check(huge.Truncate(1 << 40))
	check(huge.Close())
	for _, c := range []struct {
		name string
		want int
		err  error
	}{
		{"file", 10, nil},
		{"link", 10, nil},
		{"huge", 4096, nil},
		{"endless", 0, fs.ErrNotRegular},
		{"terminal", 0, fs.ErrNotRegular},
		{"pipe", 0, fs.ErrNotRegular},
		{".", 0, fs.ErrNotRegular},
		{"missing", 0, os.ErrNotExist},
	} {
		got, err := fs.ReadHead(at(c.name), 4096)
		if !errors.Is(err, c.err) || len(got) != c.want {
			t.Errorf("%s: %d bytes, %v; want %d, %v", c.name, len(got), err, c.want, c.err)
		}
	}
}

// In a directory, too, nothing waits for a pipe, and no link leads out.
func TestOpenIn(t *testing.T) {
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(filepath.Join(dir, "in"), 0o700))
	check(os.WriteFile(filepath.Join(dir, "out"), nil, 0o600))
	check(os.WriteFile(filepath.Join(dir, "in", "file"), nil, 0o600))
	check(os.Mkdir(filepath.Join(dir, "in", "dir"), 0o700))
	check(syscall.Mkfifo(filepath.Join(dir, "in", "pipe"), 0o600))
	check(os.Symlink("../out", filepath.Join(dir, "in", "link")))
	root, err := os.OpenRoot(filepath.Join(dir, "in"))
	check(err)
	defer root.Close()
	for name, works := range map[string][2]bool{"file": {true, false}, "dir": {false, true}, "pipe": {}, "link": {}, "missing": {}} {
		f, err := fs.OpenRegularIn(root, name)
		if (err == nil) != works[0] {
			t.Errorf("%s as a file: %v", name, err)
		}
		if err == nil {
			check(f.Close())
		}
		inner, err := fs.OpenRootIn(root, name)
		if (err == nil) != works[1] {
			t.Errorf("%s as a directory: %v", name, err)
		}
		if err == nil {
			check(inner.Close())
		}
	}
	f, err := fs.OpenDir(filepath.Join(dir, "in", "pipe"))
	check(err) // at once
	if _, err := f.ReadDir(1); err == nil {
		t.Error("a pipe has entries")
	}
	check(f.Close())
}
