package screen

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"parley/internal/termtext"
)

// mostSaid is how much of what was said on standard error is shown.
const mostSaid = 1 << 20

// stderr keeps what is written to standard error while the terminal is taken: a
// stray line of a library, or what is said about a panic. There it would spoil
// the screen, and go with it. It is shown when the terminal is given back.
// Standard error that is no terminal is left alone.
type stderr struct {
	said, read *os.File // the same temporary file
	undo       func()   // while it is held
}

// open makes the file. Without one nothing is kept.
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

// hold begins to keep what is written. What the runtime says about a crash is
// kept only if somebody watches who will show it.
func (s *stderr) hold(watched bool) {
	if s.said != nil {
		s.undo = redirect(s.said, watched)
	}
}

// release makes standard error what it was.
func (s *stderr) release() {
	if s.undo != nil {
		s.undo()
		s.undo = nil
	}
}

// show writes what was kept, and forgets it.
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
