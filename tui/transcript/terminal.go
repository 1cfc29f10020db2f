package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/toolview"
)

// TerminalRows is the height of a command's terminal: how much of its output a program
// that moves the cursor, as for a progress bar, can overwrite.
const TerminalRows = 24

// scrollback is the number of lines that an expanded terminal keeps.
const scrollback = 5000

// terminalView draws the end of a terminal's output.
type terminalView struct {
	term     *conversation.Terminal
	emu      *screen.Screen
	width    int
	fed      int64 // how many bytes the emulator has
	replaced int   // the terminal's Replaced at that time
	// line is the command as the call names it, if a shell was started to run that; else "".
	line string
	// headed means that the heading of the call shows the command, and headedFailure that
	// it says how the command failed.
	headed, headedFailure bool
}

// setCall takes from a call how the command is shown.
func (v *terminalView) setCall(line, heading string, failure bool) {
	v.line, v.headedFailure = "", failure
	if line != "" && line != v.term.Command && line == toolview.WithoutShell(v.term.Command) {
		v.line = line
	}
	v.headed = v.term.Command != "" && strings.Contains(" "+heading+" ", " "+cmp.Or(v.line, v.term.Command)+" ")
}

// head returns how many lines the command takes.
func (v *terminalView) head() int {
	if v.headed || v.term.Command == "" {
		return 0
	}
	return 1
}

// draw feeds new output to the emulator.
func (v *terminalView) draw(width int) {
	if r := v.term.Replaced(); r != v.replaced {
		v.emu, v.fed, v.replaced = nil, 0, r
	}
	if v.emu == nil {
		v.emu = screen.New(width, TerminalRows, scrollback)
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
	return v.head() + v.emu.Len() + len(v.status(env))
}

func (v *terminalView) slice(from, to, width int, env *environment) []string {
	v.draw(width)
	all, head := v.emu.Len(), v.head()
	var out []string
	for i := from - head; i < to-head; i++ {
		switch {
		case i < 0:
			out = append(out, v.command(width, env))
		case i < all:
			out = append(out, v.emu.Line(i))
		case i-all < len(v.status(env)):
			out = append(out, v.status(env)[i-all])
		}
	}
	return out
}

func (v *terminalView) peek(width int, env *environment) ([]string, int) {
	v.draw(width)
	var out []string
	if v.head() > 0 {
		out = append(out, v.command(width, env))
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
	return fit(env.theme.Muted.Render("$ "+termtext.VisibleLine(cmp.Or(v.line, v.term.Command))), width)
}

// status draws how the command failed; it has no lines if it succeeded or runs, or the
// heading says it.
func (v *terminalView) status(env *environment) []string {
	e := v.term.Exit
	switch {
	case e == nil, v.headedFailure:
		return nil
	case e.Signal != "":
		return []string{env.theme.Error.Render("ended by " + termtext.Line(e.Signal))}
	case e.ExitCode != nil && *e.ExitCode != 0:
		return []string{env.theme.Error.Render(fmt.Sprintf("exit code %d", *e.ExitCode))}
	}
	return nil
}

// TerminalWidth returns the width of a command's terminal.
func (l *List) TerminalWidth() int { return max(20, l.textWidth(l.conv.Outline())-barWidth) }

// SelectedTerminal returns the terminal of the selected item, of several the last one
// that runs; nil without one.
func (l *List) SelectedTerminal() *conversation.Terminal {
	switch item := l.Selected().(type) {
	case *conversation.ShellCommand:
		return item.Terminal
	case *conversation.ToolCall:
		var found *conversation.Terminal
		for _, t := range item.Terminals {
			if !t.Own && (found == nil || t.Exit == nil) {
				found = t
			}
		}
		return found
	}
	return nil
}
