package process

import (
	"errors"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// MakeRaw makes the console pass keys on as sequences, and understand those that are
// written, until restore is called.
func MakeRaw(in, out *os.File) (restore func() error, err error) {
	outBefore, err := term.GetState(out.Fd())
	if err != nil {
		return nil, err
	}
	inBefore, err := term.MakeRaw(in.Fd())
	if err != nil {
		return nil, err
	}
	restore = func() error {
		return errors.Join(term.Restore(in.Fd(), inBefore), term.Restore(out.Fd(), outBefore))
	}
	if err := errors.Join(enable(in, windows.ENABLE_VIRTUAL_TERMINAL_INPUT),
		enable(out, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)); err != nil {
		return nil, errors.Join(err, restore())
	}
	return restore, nil
}

func enable(f *os.File, bits uint32) error {
	var mode uint32
	console := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(console, mode|bits)
}
