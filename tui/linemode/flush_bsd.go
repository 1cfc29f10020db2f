//go:build unix && !linux

package linemode

import (
	"os"

	"golang.org/x/sys/unix"
)

// discard drops what was typed on a terminal and was not read yet, the beginning of a
// line too. Where that is not possible, the time at which a line came still tells.
func discard(tty *os.File) {
	const read = 1 // FREAD: what waits to be read
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, read)
}
