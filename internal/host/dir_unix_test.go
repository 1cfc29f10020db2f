//go:build linux || darwin

package host

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app"
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
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	return filepath.Join(dir, "parley")
}

// host makes a host without an agent.
func host(t *testing.T, id string) *Host {
	t.Helper()
	return New(Options{ID: id, Session: newFake(), Dir: t.TempDir(), Version: "1.0.0"})
}

// listen makes the socket of a host that does nothing.
func listen(t *testing.T, id string) net.Listener {
	t.Helper()
	l, err := host(t, id).Listen()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSocketsAreTheUsersOwn(t *testing.T) {
	dir := runDir(t)
	l := listen(t, "one")
	info, err := os.Stat(filepath.Join(dir, "one.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "one.key")); err != nil || info.Mode().Perm() != 0o600 || info.Size() < 16 {
		t.Errorf("its key is %v, %v", info, err)
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
			_, listened := host(t, "one").Listen()
			_, connected := connect(t.Context(), "one", nil)
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
	h := host(t, "alive")
	l, err := h.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(context.Background(), l)
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
		if err := os.WriteFile(filepath.Join(dir, "dead.key"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := look(); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "dead*")); len(left) > 0 || err != nil {
			t.Errorf("of a dead host there is still %v, %v", left, err)
		}
	}
	if err := End(t.Context(), "alive"); err != nil {
		t.Error(err)
	}
	<-ended
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("of a host that has ended there is still %v, %v", left, err)
	}
}

// Where the runtime directory is too long for a socket, another one is used; where that is too
// long as well, the error says what to do, and lists go on.
func TestALongRuntimeDirectory(t *testing.T) {
	long := func(dir string) string { return filepath.Join(dir, strings.Repeat("long", 25)) }
	dir := filepath.Dir(runDir(t))
	t.Setenv("XDG_RUNTIME_DIR", long(dir))
	l := listen(t, "12345678")
	defer l.Close()
	if _, err := os.Stat(filepath.Join(dir, "state", "parley", "run", "12345678.sock")); err != nil {
		t.Error(err)
	}
	if !slices.Contains(config.PrivatePaths(), config.RunDir()) {
		t.Error("agents get in")
	}
	t.Setenv("XDG_STATE_HOME", long(dir))
	_, err := host(t, "12345678").Listen()
	var hint *app.HintError
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint, "XDG_RUNTIME_DIR") {
		t.Errorf("it fails with %v", err)
	}
	if _, err := List(t.Context()); err != nil {
		t.Error(err)
	}
}

// The longest directory that is used has room for a socket.
func TestTheLongestRuntimeDirectory(t *testing.T) {
	dir := filepath.Dir(runDir(t))
	dir = filepath.Join(dir, strings.Repeat("x", config.MostRunDir-len("/parley")-len(dir)-1))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	l := listen(t, NewID())
	defer l.Close()
	if got := config.RunDir(); got != filepath.Join(dir, "parley") || len(got) != config.MostRunDir {
		t.Errorf("it uses %s", got)
	}
}
