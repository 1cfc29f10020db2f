//go:build linux || darwin

package host

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runDir makes a directory for sockets whose path is short enough for them.
func runDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return filepath.Join(dir, "parley")
}

func TestSocketsAreTheUsersOwn(t *testing.T) {
	dir := runDir(t)
	l, err := Listen("one")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "one.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its directory is %v, %v", info, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("there is still %v", left)
	}
}

// A directory into which others could put a socket is not used.
func TestDirectoriesOfOthersAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string) error{
		"others may write": func(_ *testing.T, dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o722)) },
		"others may look":  func(_ *testing.T, dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) },
		"a link":           func(t *testing.T, dir string) error { return os.Symlink(t.TempDir(), dir) },
		"another user's": func(t *testing.T, dir string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			return errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := spoil(t, runDir(t)); err != nil {
				t.Fatal(err)
			}
			_, listened := Listen("one")
			_, connected := connect(t.Context(), "one")
			_, listed := List(t.Context())
			for _, err := range []error{listened, connected, listed} {
				if err == nil || !strings.Contains(err.Error(), "mode 0700") {
					t.Errorf("it is used: %v", err)
				}
			}
		})
	}
}

// dead leaves the socket of a host that was killed.
func dead(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// The sockets of hosts that were killed go away, and those of others stay.
func TestDeadSockets(t *testing.T) {
	dir := runDir(t)
	l, err := Listen("alive")
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{ID: "alive", Session: newFake(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.Run(context.Background(), l)
	}()
	for _, look := range []func() error{
		func() error {
			all, err := List(t.Context())
			if len(all) != 1 || all[0].ID != "alive" || all[0].PID != os.Getpid() {
				t.Errorf("the list is %+v", all)
			}
			return err
		},
		func() error {
			_, err := StatusOf(t.Context(), "dead")
			if !errors.Is(err, ErrGone) {
				t.Errorf("who connects is told %v", err)
			}
			return nil
		},
	} {
		dead(t, filepath.Join(dir, "dead.sock"))
		if err := look(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "dead.sock")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the dead socket is still there: %v", err)
		}
	}
	if err := End(t.Context(), "alive"); err != nil {
		t.Error(err)
	}
	<-ended
	if _, err := os.Lstat(filepath.Join(dir, "alive.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket of a host that has ended is still there: %v", err)
	}
}

// Another user gets nothing, even past the modes of directory and socket.
func TestOtherUsersAreRefused(t *testing.T) {
	const path = "PARLEY_TEST_SOCKET"
	if socket := os.Getenv(path); socket != "" { // as the other user
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = c.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"status"}` + "\n"))
		if n, err := c.Read(make([]byte, 100)); n > 0 || err == nil {
			t.Fatal("it has an answer")
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := runDir(t)
	l, err := Listen("one")
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{ID: "one", Session: newFake(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.Run(ctx, l)
	}()
	defer func() { cancel(); <-ended }()
	socket := filepath.Join(dir, "one.sock")
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755), os.Chmod(socket, 0o666)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(dir), "test")
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, self, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestOtherUsersAreRefused$")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), path+"="+socket, "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
