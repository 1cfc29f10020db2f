package host

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// peer is the process that connected to a Unix socket, according to the kernel.
type peer struct {
	user, pid int
	handle    int // pidfd, -1 on kernels without (before 6.5)
}

func peerOf(raw syscall.RawConn) (p peer, err error) {
	var cred *unix.Ucred
	failed := raw.Control(func(fd uintptr) {
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil {
			return
		}
		switch p.handle, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); {
		case errors.Is(err, unix.ENOPROTOOPT):
			p.handle, err = -1, nil
		case err != nil:
			err = errPeerEnded
		}
	})
	if failed != nil || err != nil {
		return p, fmt.Errorf("ask who connects: %w", errors.Join(failed, err))
	}
	p.user, p.pid = int(cred.Uid), int(cred.Pid)
	return p, nil
}

// lives reports whether the pid still belongs to this process, as far as the kernel can tell.
func (p peer) lives() bool {
	return p.handle < 0 || unix.PidfdSendSignal(p.handle, 0, nil, 0) == nil
}

func (p peer) close() {
	if p.handle >= 0 {
		_ = unix.Close(p.handle)
	}
}
