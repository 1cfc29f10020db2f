package screen

import (
	"os"
	"sync/atomic"

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

// continuedMsg never occurs on Windows.
type continuedMsg struct{}

// jobs handles job control, which Windows does not have.
type jobs struct{ taken atomic.Bool }

func newJobs() jobs { return jobs{} }

func (*jobs) hear() {}

func (*jobs) end() {}

// listen does nothing: the console reports its size among the keys.
func (s *screen) listen() {}

func (s *screen) suspend() {}

func (s *screen) again() {}

// redirect redirects standard error to a file for Go code, but not for the runtime.
func redirect(to *os.File, _ bool) (undo func()) {
	before := os.Stderr
	os.Stderr = to
	return func() { os.Stderr = before }
}

// watch does not exist on Windows: the shell restores a console after a crash.
type watch struct{}

func watchOver(*tty, *os.File, string) *watch { return nil }

func (*watch) end() {}
