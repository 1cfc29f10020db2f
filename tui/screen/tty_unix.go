//go:build unix

package screen

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// arguments returns the arguments of stty(1) for a state of the device.
func arguments(t *term.State) []string {
	var args []string
	flag := func(name string, on bool) {
		if !on {
			name = "-" + name
		}
		args = append(args, name)
	}
	flag("ignbrk", t.Iflag&unix.IGNBRK != 0)
	flag("brkint", t.Iflag&unix.BRKINT != 0)
	flag("parmrk", t.Iflag&unix.PARMRK != 0)
	flag("istrip", t.Iflag&unix.ISTRIP != 0)
	flag("inlcr", t.Iflag&unix.INLCR != 0)
	flag("igncr", t.Iflag&unix.IGNCR != 0)
	flag("icrnl", t.Iflag&unix.ICRNL != 0)
	flag("ixon", t.Iflag&unix.IXON != 0)
	flag("opost", t.Oflag&unix.OPOST != 0)
	flag("echo", t.Lflag&unix.ECHO != 0)
	flag("echonl", t.Lflag&unix.ECHONL != 0)
	flag("icanon", t.Lflag&unix.ICANON != 0)
	flag("isig", t.Lflag&unix.ISIG != 0)
	flag("iexten", t.Lflag&unix.IEXTEN != 0)
	flag("parenb", t.Cflag&unix.PARENB != 0)
	size := map[uint64]string{unix.CS5: "cs5", unix.CS6: "cs6", unix.CS7: "cs7", unix.CS8: "cs8"}
	args = append(args, size[uint64(t.Cflag)&unix.CSIZE])
	return append(args, "min", fmt.Sprint(t.Cc[unix.VMIN]), "time", fmt.Sprint(t.Cc[unix.VTIME]))
}

// redirect redirects standard error to a file for everything in the process, including
// the runtime. It returns nil on failure.
func redirect(to *os.File, watched bool) (undo func()) {
	const fd = 2
	if !watched {
		return nil
	}
	before, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil
	}
	if err := unix.Dup2(int(to.Fd()), fd); err != nil {
		_ = unix.Close(before)
		return nil
	}
	return func() {
		_ = unix.Dup2(before, fd)
		_ = unix.Close(before)
	}
}
