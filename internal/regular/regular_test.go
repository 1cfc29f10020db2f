//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/internal/regular"
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
		{"endless", 0, regular.ErrNotRegular},
		{"terminal", 0, regular.ErrNotRegular},
		{"pipe", 0, regular.ErrNotRegular},
		{".", 0, regular.ErrNotRegular},
		{"missing", 0, fs.ErrNotExist},
	} {
		got, err := regular.Head(at(c.name), 4096)
		if !errors.Is(err, c.err) || len(got) != c.want {
			t.Errorf("%s: %d bytes, %v; want %d, %v", c.name, len(got), err, c.want, c.err)
		}
	}
}
