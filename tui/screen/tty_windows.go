package screen

import (
	"os"
	"sync/atomic"
)

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
