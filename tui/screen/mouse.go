package screen

import (
	"bytes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr

// mouse tells the terminal which events of the mouse are wanted.
type mouse struct{ mode tea.MouseMode }

func (m *mouse) set(out *bytes.Buffer, mode tea.MouseMode) {
	if mode == m.mode {
		return
	}
	if m.mode != tea.MouseModeNone {
		out.WriteString(mouseOff)
	}
	switch mode {
	case tea.MouseModeCellMotion:
		out.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
	case tea.MouseModeAllMotion:
		out.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
	}
	m.mode = mode
}
