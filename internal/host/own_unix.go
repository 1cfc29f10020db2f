//go:build linux || darwin

package host

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// Available reports whether sessions can be kept on this system.
const Available = true

// ErrUnavailable is why a session cannot be kept.
var ErrUnavailable error

// ownPeer checks that the other end of a Unix socket belongs to this user.
func ownPeer(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil // of a test
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	uid, err := peerUser(raw)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("the other end belongs to the user with the id %d", uid)
	}
	return err
}

// ownDir checks that a directory belongs to this user, and nobody else gets into it.
func ownDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a directory that only you can use (mode 0700): parley keeps the sockets of running sessions there", dir)
	}
	return nil
}

// ownSession makes a command the leader of a session of its own, which no signal of this
// terminal reaches.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
