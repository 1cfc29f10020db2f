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

// feed brings the emulator up to date.
func (v *terminalView) feed(width int, env *environment) {
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
		had := v.emu.Len()
		_, _ = v.emu.Write(data)
		*env.emulated += v.emu.Len() - had
		v.fed = v.term.Total()
	}
}

func (v *terminalView) len(width int, env *environment) int {
	v.feed(width, env)
	return v.head() + v.emu.Len() + len(v.status(env))
}

func (v *terminalView) draw(s *sheet, from, to, width int, env *environment) {
	v.feed(width, env)
	all, head := v.emu.Len(), v.head()
	if from < head {
		v.command(s, width, env)
	}
	s.emulated(v.emu, max(0, from-head), to-head, "")
	for i, line := range v.status(env) {
		if at := head + all + i; from <= at && at < to {
			s.add(line)
		}
	}
}

func (v *terminalView) peek(s *sheet, width int, env *environment) (more int) {
	v.feed(width, env)
	if v.head() > 0 {
		v.command(s, width, env)
	}
	s.tail(v.emu, 0, env, "")
	s.add(v.status(env)...)
	return 0
}

// command adds the line with the command, which is copied as it was sent.
func (v *terminalView) command(s *sheet, width int, env *environment) {
	line := cmp.Or(v.line, v.term.Command)
	s.add(fit(env.theme.Muted.Render("$ "+termtext.VisibleLine(line)), width))
	if s.copies {
		s.tell(termtext.Row{Lead: termtext.Width("$ "), Text: termtext.Block(line)})
	}
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
