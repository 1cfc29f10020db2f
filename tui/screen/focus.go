package screen

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

// focus makes the terminal report when its window gains and loses the focus.
type focus struct{ on bool }

func (f *focus) set(out *bytes.Buffer, on bool) {
	switch {
	case on && !f.on:
		out.WriteString(ansi.SetModeFocusEvent)
	case !on && f.on:
		out.WriteString(ansi.ResetModeFocusEvent)
	}
	f.on = on
}
