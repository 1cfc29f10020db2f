package transcript

import (
	"fmt"

	"parley/internal/safetext"
	"parley/internal/session"
	"parley/terminal"
)

// screenRows is how many rows an emulated terminal has: what programs that draw
// over themselves can reach.
const screenRows = 24

// scrollback is how many lines of a terminal are kept for an expanded view.
const scrollback = 5000

// screen draws a terminal: the end of what it printed, as an emulator has it.
type screen struct {
	term  *session.Terminal
	emu   *terminal.Screen
	width int
	fed   int64
}

// draw feeds what was printed since the last time to the emulator.
func (s *screen) draw(width int) {
	if s.emu == nil {
		s.emu = terminal.NewScreen(width, screenRows, scrollback)
		s.emu.SetImpliedCR(s.term.Own)
		s.width = width
	}
	if s.width != width {
		s.emu.Resize(width)
		s.width = width
	}
	if s.fed < s.term.Total() {
		data, _ := s.term.Since(s.fed)
		_, _ = s.emu.Write(data)
		s.fed = s.term.Total()
	}
}

func (s *screen) len(width int, env *environment) int {
	s.draw(width)
	return 1 + s.emu.Len() + len(s.status(env))
}

func (s *screen) slice(from, to, width int, env *environment) []string {
	s.draw(width)
	all := s.emu.Len()
	var out []string
	for i := from; i < to; i++ {
		switch {
		case i == 0:
			out = append(out, s.command(width, env))
		case i-1 < all:
			out = append(out, s.emu.Line(i-1))
		case i-1-all < len(s.status(env)):
			out = append(out, s.status(env)[i-1-all])
		}
	}
	return out
}

func (s *screen) peek(width int, env *environment) ([]string, int) {
	s.draw(width)
	out := []string{s.command(width, env)}
	if s.term.Command == "" {
		out = nil
	}
	hidden := max(0, s.emu.Len()-terminalPeek)
	if hidden > 0 {
		out = append(out, env.theme.Faint.Render(fmt.Sprintf("… %d %s above", hidden, plural(hidden, "line"))))
	}
	out = append(out, s.emu.Tail(terminalPeek)...)
	return append(out, s.status(env)...), 0
}

func (s *screen) command(width int, env *environment) string {
	return fit(env.theme.Muted.Render("$ "+safetext.Line(s.term.Command)), width)
}

// status says how the command ended, if it did not end well.
func (s *screen) status(env *environment) []string {
	e := s.term.Exit
	switch {
	case e == nil:
		return nil
	case e.Signal != "":
		return []string{env.theme.Error.Render("ended by " + safetext.Line(e.Signal))}
	case e.ExitCode != nil && *e.ExitCode != 0:
		return []string{env.theme.Error.Render(fmt.Sprintf("exit code %d", *e.ExitCode))}
	}
	return nil
}
