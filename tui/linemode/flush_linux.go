package linemode

import (
	"os"

	"golang.org/x/sys/unix"
)

// discard drops what was typed on a terminal and was not read yet, the beginning of a
// line too. Where that is not possible, the time at which a line came still tells.
func discard(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
