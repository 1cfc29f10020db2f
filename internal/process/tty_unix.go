//go:build unix

package process

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// MakeRaw makes the terminal pass keys on as they are, until restore is called.
func MakeRaw(in, _ *os.File) (restore func() error, err error) {
	before, err := term.MakeRaw(in.Fd())
	return func() error { return term.Restore(in.Fd(), before) }, err
}
