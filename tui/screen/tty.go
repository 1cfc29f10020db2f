package screen

import (
	"errors"
	"fmt"
	"os"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// tty is the terminal's device, for keys and drawing.
type tty struct {
	in, out *os.File
	opened  *os.File // instead of an input that is not a terminal
	before  modes    // of the device, while it is raw
}

// openTTY finds the terminal. It reads keys from the controlling terminal if the input
// is something else.
func openTTY(in, out *os.File) (*tty, error) {
	if !term.IsTerminal(out.Fd()) {
		return nil, errors.New("there is no terminal to draw on: standard output goes elsewhere")
	}
	t := &tty{in: in, out: out}
	if !term.IsTerminal(in.Fd()) {
		keys, _, err := uv.OpenTTY()
		if err != nil {
			return nil, fmt.Errorf("there is no terminal to read keys from: %w", err)
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

// raw puts the device into raw mode.
func (t *tty) raw() error {
	if err := t.before.makeRaw(t.in, t.out); err != nil {
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	return nil
}

// restore undoes raw. It may be called again.
func (t *tty) restore() error {
	if err := t.before.restore(t.in, t.out); err != nil {
		return fmt.Errorf("give the terminal back: %w", err)
	}
	return nil
}

func (t *tty) close() {
	if t.opened != nil {
		_ = t.opened.Close()
	}
}
