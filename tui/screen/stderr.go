package screen

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"parley/internal/termtext"
)

// mostSaid bounds how much of the held standard error is shown.
const mostSaid = 1 << 20

// stderr holds output to standard error while the terminal is taken: a stray line of a
// library, or the report of a panic. There it would damage the screen and be lost. It
// is shown when the terminal is released. Standard error that is not a terminal is left
// alone.
type stderr struct {
	said, read *os.File // the same temporary file
	undo       func()   // while it is held
}

// open creates the file. Without one, nothing is held.
func (s *stderr) open() {
	if s.said != nil || !term.IsTerminal(os.Stderr.Fd()) {
		return
	}
	f, err := os.CreateTemp("", "parley-stderr-")
	if err != nil {
		return
	}
	read, err := os.Open(f.Name())
	_ = os.Remove(f.Name())
	if err != nil {
		_ = f.Close()
		return
	}
	s.said, s.read = f, read
}

// hold starts to hold output. It holds the runtime's crash reports only if a watch
// exists to show them.
func (s *stderr) hold(watched bool) {
	if s.said != nil {
		s.undo = redirect(s.said, watched)
	}
}

// release restores standard error.
func (s *stderr) release() {
	if s.undo != nil {
		s.undo()
		s.undo = nil
	}
}

// show writes the held output and discards it.
func (s *stderr) show() {
	if s.said == nil {
		return
	}
	text, err := io.ReadAll(io.LimitReader(s.read, mostSaid))
	if err == nil && len(text) > 0 {
		_, _ = io.WriteString(os.Stderr, termtext.Block(string(text)))
	}
	_, _ = s.said.Close(), s.read.Close()
	s.said = nil
}
