package transcript

import (
	"fmt"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
)

// screenRows is the height of an emulated terminal: how much of its output a program
// that moves the cursor, as for a progress bar, can overwrite.
const screenRows = 24

// scrollback is how many lines of a terminal an expanded view keeps.
const scrollback = 5000

// terminalView draws the end of a terminal's output.
type terminalView struct {
	term     *conversation.Terminal
	emu      *screen.Screen
	width    int
	fed      int64 // how many bytes the emulator has
	replaced int   // the terminal's Replaced at that time
}

// draw feeds new output to the emulator.
func (v *terminalView) draw(width int) {
	if r := v.term.Replaced(); r != v.replaced {
		v.emu, v.fed, v.replaced = nil, 0, r
	}
	if v.emu == nil {
		v.emu = screen.New(width, screenRows, scrollback)
		v.emu.SetImpliedCR(v.term.Own)
		v.width = width
	}
	if v.width != width {
		v.emu.Resize(width)
		v.width = width
	}
	if v.fed < v.term.Total() {
		data, _ := v.term.Since(v.fed)
		_, _ = v.emu.Write(data)
		v.fed = v.term.Total()
	}
}

func (v *terminalView) len(width int, env *environment) int {
	v.draw(width)
	return 1 + v.emu.Len() + len(v.status(env))
}

func (v *terminalView) slice(from, to, width int, env *environment) []string {
	v.draw(width)
	all := v.emu.Len()
	var out []string
	for i := from; i < to; i++ {
		switch {
		case i == 0:
			out = append(out, v.command(width, env))
		case i-1 < all:
			out = append(out, v.emu.Line(i-1))
		case i-1-all < len(v.status(env)):
			out = append(out, v.status(env)[i-1-all])
		}
	}
	return out
}

func (v *terminalView) peek(width int, env *environment) ([]string, int) {
	v.draw(width)
	out := []string{v.command(width, env)}
	if v.term.Command == "" {
		out = nil
	}
	shown := terminalPeek
	if hidden := v.emu.Len() - shown; hidden > 1 {
		out = append(out, env.theme.Faint.Render(fmt.Sprintf("… %d lines above", hidden)))
	} else if hidden == 1 {
		shown++ // a single further line needs no more room than saying so
	}
	out = append(out, v.emu.Tail(shown)...)
	return append(out, v.status(env)...), 0
}

// command draws the line with the command.
func (v *terminalView) command(width int, env *environment) string {
	return fit(env.theme.Muted.Render("$ "+termtext.VisibleLine(v.term.Command)), width)
}

// status draws how the command failed; it has no lines if it succeeded or runs.
func (v *terminalView) status(env *environment) []string {
	e := v.term.Exit
	switch {
	case e == nil:
		return nil
	case e.Signal != "":
		return []string{env.theme.Error.Render("ended by " + termtext.Line(e.Signal))}
	case e.ExitCode != nil && *e.ExitCode != 0:
		return []string{env.theme.Error.Render(fmt.Sprintf("exit code %d", *e.ExitCode))}
	}
	return nil
}
