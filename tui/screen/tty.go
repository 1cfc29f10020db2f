package screen

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"

	"parley/internal/process"
	"parley/internal/termtext"
)

// tty is the terminal's device, for keys and drawing.
type tty struct {
	in, out *os.File
	opened  *os.File     // instead of an input that is not a terminal
	before  *term.State  // of the device, for the watch
	restore func() error // nil unless the device is raw
}

// takeRaw makes the device raw.
func (t *tty) takeRaw() (err error) {
	if t.before, err = term.GetState(t.in.Fd()); err != nil {
		return err
	}
	restore, err := process.MakeRaw(t.in, t.out)
	if err == nil {
		t.restore = restore
	}
	return err
}

// giveBack undoes takeRaw, once.
func (t *tty) giveBack() error {
	if t.restore == nil {
		return nil
	}
	err := t.restore()
	t.restore = nil
	return err
}

// openTTY finds the terminal. It reads keys from the controlling terminal if the input
// is something else.
func openTTY(in, out *os.File) (*tty, error) {
	if !term.IsTerminal(out.Fd()) {
		return nil, errors.New("standard output is not a terminal")
	}
	t := &tty{in: in, out: out}
	if !term.IsTerminal(in.Fd()) {
		keys, _, err := uv.OpenTTY()
		if err != nil {
			return nil, fmt.Errorf("no terminal to read keys from: %w", err)
		}
		t.in, t.opened = keys, keys
	}
	return t, nil
}

// size returns the terminal's size in cells, or 80 by 24 if that is unknown.
func (t *tty) size() (width, height int) {
	width, height, err := term.GetSize(t.out.Fd())
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// withoutColour applies NO_COLOR. As no-color.org says, it applies with any value; the
// library accepts only true values.
func withoutColour(p colorprofile.Profile, env []string) colorprofile.Profile {
	if uv.Environ(env).Getenv("NO_COLOR") != "" {
		p = min(p, colorprofile.ASCII)
	}
	return p
}

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
