package screen

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

// BackgroundMsg says that the terminal has got a dark or a light background (mode
// 2031). Which one exactly it says when it is asked ([tea.RequestBackgroundColor]).
type BackgroundMsg struct{ Dark bool }

// scheme asks the terminal to tell when its background becomes dark or light.
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
