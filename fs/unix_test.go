//go:build unix

package fs

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFiles(t *testing.T) {
	f, dir := newFS(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// A socket's path has to be short.
	short, err := os.MkdirTemp("/tmp", "fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	socket := filepath.Join(short, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, c := range []struct {
		fs         *FS
		path, says string
	}{
		{f, pipe, "named pipe"},
		{serve(t, short), socket, "socket"},
		{serve(t, "/dev"), "/dev/null", "device"},
	} {
		_, err := c.fs.ReadTextFile(t.Context(), c.path, nil, nil)
		if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("read %s = %v", c.path, err)
		}
		if _, err := c.fs.WriteTextFile(t.Context(), c.path, "x"); !errors.Is(err, ErrNotRegular) {
			t.Errorf("write %s = %v", c.path, err)
		}
	}
}

// TestOpeningPipeDoesNotWait is the race in which a file becomes a pipe after
// it was looked at.
func TestOpeningPipeDoesNotWait(t *testing.T) {
	f, dir := newFS(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := f.roots[0].dir.OpenFile("pipe", os.O_RDONLY|OpenNonblock, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
}

func TestModeBits(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	f, dir := newFS(t)
	mode := func(path string) iofs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	t.Run("an existing file keeps them", func(t *testing.T) {
		for _, want := range []iofs.FileMode{0o600, 0o755, 0o666, 0o644 | os.ModeSetgid, 0o755 | os.ModeSticky} {
			path := put(t, filepath.Join(dir, "file"), "old")
			if err := os.Chmod(path, want); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteTextFile(t.Context(), path, "new"); err != nil {
				t.Fatal(err)
			}
			if got := mode(path); got != want {
				t.Errorf("mode = %v, want %v", got, want)
			}
		}
	})
	t.Run("a new file and directory get the umask", func(t *testing.T) {
		path := filepath.Join(dir, "sub", "new")
		if _, err := f.WriteTextFile(t.Context(), path, "text"); err != nil {
			t.Fatal(err)
		}
		if got := mode(path); got != 0o640 {
			t.Errorf("file mode = %v", got)
		}
		if got := mode(filepath.Dir(path)).Perm(); got != 0o750 {
			t.Errorf("directory mode = %v", got)
		}
	})
}

func TestOwnerIsKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), "old")
	if err := os.Chown(path, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteTextFile(t.Context(), path, "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 2345 {
		t.Errorf("owner = %d:%d", s.Uid, s.Gid)
	}
}

// A file without write permission stays, although its directory could be written. The
// superuser may write everything, so the test gives that up in a process of its own.
func TestReadOnlyFileIsLeftAlone(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := put(t, filepath.Join(dir, "file"), "old")
	if err := errors.Join(os.Chmod(dir, 0o777), os.Chmod(path, 0o444)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readOnlyEnv+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

// writeReadOnly checks as an ordinary user that the read-only file in dir is not replaced.
func writeReadOnly(dir string) error {
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	f, err := New(dir)
	if err != nil {
		return err
	}
	if _, err := f.WriteTextFile(context.Background(), filepath.Join(dir, "other"), "new"); err != nil {
		return err // the directory can be written
	}
	path := filepath.Join(dir, "file")
	if _, err := f.WriteTextFile(context.Background(), path, "new"); !errors.Is(err, iofs.ErrPermission) {
		return fmt.Errorf("write = %w", err)
	}
	err = f.Exchange(context.Background(), path, func(*Snapshot) (*Snapshot, error) { return &Snapshot{Content: "new"}, nil })
	if !errors.Is(err, iofs.ErrPermission) {
		return fmt.Errorf("exchange = %w", err)
	}
	return nil
}

// A pipe that takes the place of a file between the look at it and its opening is not
// waited for.
func TestExchangedForAPipe(t *testing.T) {
	top := realDir(t)
	path := put(t, filepath.Join(top, "it"), "it")
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	seen, err := root.Lstat("it")
	if err == nil {
		err = errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	if file, _, err := OpenSeen(root, "it", os.O_RDONLY, seen); !errors.Is(err, ErrNotRegular) {
		t.Errorf("%v, %v", file, err)
	}
}
