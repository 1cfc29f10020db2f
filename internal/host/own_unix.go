//go:build linux || darwin

package host

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"

	"parley/internal/process"
)

// Available reports whether this system supports hosts.
const Available = true

// ErrUnavailable says why it does not.
var ErrUnavailable error

// ownPeer checks that the other end of a Unix socket belongs to this user.
func ownPeer(c net.Conn) error {
	p, err := peerAt(c)
	if err != nil {
		return err
	}
	defer p.close()
	if p.user != os.Geteuid() {
		return fmt.Errorf("the other end belongs to the user with the id %d", p.user)
	}
	return nil
}

// processAt returns the process at the other end of a Unix socket.
func processAt(c net.Conn) (Process, error) {
	p, err := peerAt(c)
	if err != nil {
		return Process{}, err
	}
	defer p.close()
	return p.process()
}

// process is [processAt] of a peer.
func (p peer) process() (Process, error) {
	started, ok := process.Started(p.pid)
	if !ok || !p.lives() { // its pid may have been reused
		return Process{}, errPeerEnded
	}
	return Process{p.pid, started}, nil
}

// child returns the child of this process that a process is or descends from, 0 if there is none; see
// [process.Child].
func (p Process) child() (child int, err error) {
	child, err = process.Child(p.PID)
	if now, ok := process.Started(p.PID); err == nil && (!ok || now != p.Started) {
		err = errPeerEnded
	}
	return child, err
}

var errPeerEnded = errors.New("the process that has connected has ended")

func peerAt(c net.Conn) (peer, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return peer{}, fmt.Errorf("%T is no Unix socket", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	return peerOf(raw)
}

// ownDir checks that a directory belongs to this user and is closed to others.
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

// ownSession makes a command a session leader, which no signal from this terminal reaches.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
