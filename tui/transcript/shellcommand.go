package transcript

import (
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// shellInset is how far what a command printed stands off to the right.
const shellInset = 2

// shellCommand draws a command of the person's own: its line, how it ended, and
// what it printed. The first line of its view is that line.
type shellCommand struct {
	item     *conversation.ShellCommand
	env      *environment
	expanded bool
	view     *terminalView
	peek     cached
}

// ShellCommand implements conversation.Visitor.
func (m *maker) ShellCommand(i *conversation.ShellCommand) { m.made = &shellCommand{item: i} }

func (s *shellCommand) update(env *environment, expanded bool) {
	if s.view == nil {
		s.view = &terminalView{term: s.item.Terminal}
	}
	if s.env != env || s.expanded != expanded {
		s.peek.drop()
	}
	s.env, s.expanded = env, expanded
}

// bodyLen is how many lines the command has printed.
func (s *shellCommand) bodyLen(width int) int {
	return s.view.len(width-shellInset, s.env) - 1 - len(s.view.status(s.env))
}

func (s *shellCommand) sections() int {
	if !s.expanded {
		return 1
	}
	return 1 + (s.bodyLen(s.env.width)+chunk-1)/chunk
}

func (s *shellCommand) lines(section, width int) []string {
	if section == 0 {
		return s.peek.get(s.item.Version(), width, s.peekLines)
	}
	from := (section - 1) * chunk
	return s.inset(s.view.slice(1+from, 1+min(s.bodyLen(width), from+chunk), width-shellInset, s.env), width)
}

// peekLines are the line of the command and, while it is collapsed, the end of what
// it printed.
func (s *shellCommand) peekLines(width int) []string {
	out := []string{s.header(width)}
	if s.expanded {
		return out
	}
	lines, _ := s.view.peek(width-shellInset, s.env)
	return append(out, s.inset(lines[min(1, len(lines)):max(1, len(lines)-len(s.view.status(s.env)))], width)...)
}

func (s *shellCommand) inset(lines []string, width int) []string {
	bar := s.env.theme.CodeBar.Render("│ ")
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = termtext.Truncate(bar+line, width, "")
	}
	return out
}

// header is the command and how it ended. The latter is never cut off.
func (s *shellCommand) header(width int) string {
	th, term := s.env.theme, s.item.Terminal
	style := th.Muted
	switch e := term.Exit; {
	case e == nil:
		style = th.Accent
	case e.ExitCode == nil || *e.ExitCode != 0:
		style = th.Error
	}
	words := toolview.Ended(term.Exit)
	if term.Lasts {
		words = "your shell, " + words
	}
	state := "  " + style.Render(termtext.Line(words))
	line := th.User.Bold(true).Render(termtext.VisibleLine(term.Command))
	return termtext.Truncate(line, max(1, width-termtext.Width(state)), "…") + state
}

func (s *shellCommand) mark() string {
	th := s.env.theme
	switch e := s.item.Terminal.Exit; {
	case e == nil:
		return th.UserMark.Render("$")
	case e.ExitCode != nil && *e.ExitCode == 0:
		return th.Success.Render("$")
	}
	return th.Error.Render("$")
}

func (s *shellCommand) compact() bool { return false }

func (s *shellCommand) excerpt() toolview.Excerpt { return toolview.ShellExcerpt(s.item) }

func (s *shellCommand) title() string { return "$ " + termtext.VisibleLine(s.item.Terminal.Command) }

// ShellCommand passes on the command and its output.
func (t itemTexts) ShellCommand(s *conversation.ShellCommand) { t.terminal(s.Terminal) }

// stretch implements sourced: what was printed is one.
func (s *shellCommand) stretch(section int) stretch {
	if section == 0 {
		return single(0)
	}
	return stretch{first: 1, sections: s.sections() - 1, per: chunk}
}

// sources implements sourced.
func (s *shellCommand) sources(st stretch, from, to, width int) []source {
	inner := width - shellInset
	s.view.draw(inner)
	if st.first > 0 {
		return shifted(printedSources(s.view.emu, from, to, 0), 0, shellInset)
	}
	if s.expanded {
		return nil
	}
	list := s.view.peekSources(len(s.peek.made)+len(s.view.status(s.env)), inner, s.env)
	if len(list) > 0 {
		list = list[1:] // the line of the command has more on it than that
	}
	return shifted(list, 0, shellInset)
}

// TerminalRows is how many rows a terminal has whose output is drawn here.
const TerminalRows = screenRows

// TerminalWidth is how many columns there are for what a command prints.
func (l *List) TerminalWidth() int { return max(20, l.textWidth(l.conv.Outline())-shellInset) }

// SelectedTerminal is the command that the selected item shows: of several the one
// that was shown last and has not ended. It is nil if it shows none.
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
