package host

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// peerUser returns the user at the other end of a Unix socket.
func peerUser(raw syscall.RawConn) (uid int, err error) {
	var cred *unix.Xucred
	if failed := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED) }); failed != nil || err != nil {
		return 0, fmt.Errorf("ask who connects: %w", errors.Join(failed, err))
	}
	return int(cred.Uid), nil
}
