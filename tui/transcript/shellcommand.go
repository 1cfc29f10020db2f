package transcript

import (
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// shellCommand draws a shell command of the user: its line with how it ended, and
// its output. The first line of its view is that line.
type shellCommand struct {
	base
	item *conversation.ShellCommand
	view *terminalView
}

// ShellCommand implements conversation.Visitor.
func (m *maker) ShellCommand(i *conversation.ShellCommand) { m.made = &shellCommand{item: i} }

func (s *shellCommand) update(env *environment, expanded bool) {
	if s.view == nil {
		s.view = &terminalView{term: s.item.Terminal}
	}
	s.base.update(env, expanded)
}

// bodyLen returns how many lines the command has printed.
func (s *shellCommand) bodyLen(width int) int {
	return s.view.len(width-barWidth, s.env) - s.view.head() - len(s.view.status(s.env))
}

func (s *shellCommand) sections() int {
	if !s.expanded {
		return 1
	}
	return 1 + chunks(s.bodyLen(s.env.width))
}

func (s *shellCommand) lines(section, width int) []string {
	if section == 0 {
		return s.kept.get(s.item.Version(), width, s.peekLines)
	}
	from := (section - 1) * chunk
	return inset(s.view.slice(s.view.head()+from, s.view.head()+min(s.bodyLen(width), from+chunk), width-barWidth, s.env), width, s.env.theme)
}

// peekLines returns the line of the command and, while it is collapsed, the end of its
// output.
func (s *shellCommand) peekLines(width int) []string {
	out := []string{s.header(width)}
	if s.expanded {
		return out
	}
	lines, _ := s.view.peek(width-barWidth, s.env)
	return append(out, inset(lines[min(1, len(lines)):max(1, len(lines)-len(s.view.status(s.env)))], width, s.env.theme)...)
}

// header returns the command and how it ended; only the command is cut.
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

func (s *shellCommand) excerpt() toolview.Excerpt { return toolview.ShellExcerpt(s.item) }

func (s *shellCommand) title() string { return "$ " + termtext.VisibleLine(s.item.Terminal.Command) }

// ShellCommand passes on the command and its output.
func (t itemTexts) ShellCommand(s *conversation.ShellCommand) { t.terminal(s.Terminal) }

// stretch returns section 0 or the whole output.
func (s *shellCommand) stretch(section int) stretch {
	if section == 0 {
		return single(0)
	}
	return stretch{first: 1, sections: s.sections() - 1, per: chunk}
}

func (s *shellCommand) sources(st stretch, from, to, width int) []source {
	inner := width - barWidth
	s.view.draw(inner)
	if st.first > 0 {
		return shifted(printedSources(s.view.emu, from, to, 0), 0, barWidth)
	}
	if s.expanded {
		return nil
	}
	list := s.view.peekSources(len(s.kept.made)+len(s.view.status(s.env)), inner, s.env)
	if len(list) > 0 {
		list = list[1:] // the header shows more than the command
	}
	return shifted(list, 0, barWidth)
}
