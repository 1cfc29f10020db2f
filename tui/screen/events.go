package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

const mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr

// mouse selects the mouse events that the terminal reports. It selects none where that
// would cost a key.
type mouse struct {
	mode  tea.MouseMode
	never bool
}

// losesEscape reports whether the terminal holds back the escape key while it reports
// the mouse, until another key comes. GNU screen does, to tell the two apart. With tmux
// inside or outside of it, the terminal's name says which is nearer.
func losesEscape(env []string) bool {
	environ := uv.Environ(env)
	return environ.Getenv("STY") != "" && !strings.HasPrefix(environ.Getenv("TERM"), "tmux")
}

// BackgroundMsg means that the terminal's background has become dark or light (mode
// 2031). [tea.RequestBackgroundColor] asks for the exact colour.
type BackgroundMsg struct{ Dark bool }

// reporting reports whether the terminal reports events of a mode: the window's focus, or
// a dark or light background.
type reporting bool

func (r *reporting) set(out *bytes.Buffer, mode ansi.Mode, on bool) {
	switch {
	case on && !bool(*r):
		out.WriteString(ansi.SetMode(mode))
	case !on && bool(*r):
		out.WriteString(ansi.ResetMode(mode))
	}
	*r = reporting(on)
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
