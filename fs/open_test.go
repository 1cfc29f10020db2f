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
