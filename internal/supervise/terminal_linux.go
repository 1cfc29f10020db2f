package supervise

import (
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// terminal is the state that the terminal had before the program began, nil if
// there is none.
type terminal struct {
	file  *os.File
	state *term.State
}

func rememberTerminal() *terminal {
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		if state, err := term.GetState(f.Fd()); err == nil {
			return &terminal{f, state}
		}
	}
	return nil
}

// giveBack makes the terminal usable after a program that could not do so itself:
// what it has switched on is switched off, and the terminal's modes are as they were.
func (t *terminal) giveBack() {
	if t == nil {
		return
	}
	if term.IsTerminal(os.Stdout.Fd()) {
		_, _ = os.Stdout.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
			ansi.ResetModeMouseNormal + ansi.ResetModeMouseExtSgr + ansi.ResetModeFocusEvent +
			ansi.ResetModeBracketedPaste + ansi.ResetModeSynchronizedOutput + ansi.ResetModifyOtherKeys +
			ansi.KittyKeyboard(0, 1) + ansi.ResetStyle + ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable)
	}
	_ = term.Restore(t.file.Fd(), t.state) // the terminal may be gone
}
