package linemode

import (
	"os"

	"golang.org/x/sys/windows"
)

// discard drops what was typed on a console and was not read yet. Where that is not
// possible, the time at which a line came still tells.
func discard(tty *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(tty.Fd())) }
