package screen

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

// BackgroundMsg means that the terminal's background has become dark or light (mode
// 2031). [tea.RequestBackgroundColor] asks for the exact colour.
type BackgroundMsg struct{ Dark bool }

// scheme makes the terminal report when its background becomes dark or light.
type scheme struct{ on bool }

func (s *scheme) set(out *bytes.Buffer, on bool) {
	switch {
	case on && !s.on:
		out.WriteString(ansi.SetModeLightDark)
	case !on && s.on:
		out.WriteString(ansi.ResetModeLightDark)
	}
	s.on = on
}
