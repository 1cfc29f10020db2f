package host

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// peer is the process at the other end of a Unix socket, as the kernel tells it: the one that
// has connected.
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
