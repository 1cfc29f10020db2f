package screen

import (
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// modes are the console's modes before makeRaw.
type modes struct{ in, out *term.State }

func (m *modes) makeRaw(in, out *os.File) (err error) {
	if m.out, err = term.GetState(out.Fd()); err != nil {
		return err
	}
	if m.in, err = term.MakeRaw(in.Fd()); err != nil {
		return err
	}
	if err := enable(in, windows.ENABLE_VIRTUAL_TERMINAL_INPUT); err != nil {
		return err
	}
	return enable(out, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
}

func enable(f *os.File, bits uint32) error {
	var mode uint32
	console := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(console, mode|bits)
}

func (m *modes) restore(in, out *os.File) (err error) {
	if m.in != nil {
		err = term.Restore(in.Fd(), m.in)
	}
	if m.out != nil {
		if failed := term.Restore(out.Fd(), m.out); err == nil {
			err = failed
		}
	}
	*m = modes{}
	return err
}
