package host

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// peer is the process that connected to a Unix socket, according to the kernel.
type peer struct{ user, pid int }

func peerOf(raw syscall.RawConn) (p peer, err error) {
	var cred *unix.Xucred
	var unknown error
	failed := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		p.pid, unknown = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err = errors.Join(failed, err, unknown); err != nil {
		return p, fmt.Errorf("ask who connects: %w", err)
	}
	p.user = int(cred.Uid)
	return p, nil
}

func (peer) lives() bool { return true }
func (peer) close()      {}
