//go:build unix

package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// makeRaw makes the terminal pass keys on as they are, until restore is called.
func makeRaw(in, _ *os.File) (restore func() error, err error) {
	before, err := term.MakeRaw(in.Fd())
	return func() error { return term.Restore(in.Fd(), before) }, err
}
