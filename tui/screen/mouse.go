package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

const mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr

// mouse tells the terminal which events of the mouse are wanted. It never wants any where
// that would cost a key.
type mouse struct {
	mode  tea.MouseMode
	never bool
}

// losesEscape reports a terminal that keeps the escape key to itself while the mouse is
// reported, until another key comes: GNU screen does, to tell the two apart. Within tmux,
// which may run in it or around it, the name of the terminal says which is nearer.
func losesEscape(env []string) bool {
	environ := uv.Environ(env)
	return environ.Getenv("STY") != "" && !strings.HasPrefix(environ.Getenv("TERM"), "tmux")
}

func (m *mouse) set(out *bytes.Buffer, mode tea.MouseMode) {
	if mode == m.mode || m.never {
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
