package transcript

import (
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// shellCommand draws a shell command of the user: its line with how it ended, and
// its output.
type shellCommand struct {
	base
	item *conversation.ShellCommand
	view *terminalView
}

// ShellCommand implements conversation.Visitor.
func (m *maker) ShellCommand(i *conversation.ShellCommand) { m.made = &shellCommand{item: i} }

func (s *shellCommand) update(env *environment, expanded bool) bool {
	if s.view == nil {
		s.view = &terminalView{term: s.item.Terminal, headed: true, headedFailure: true}
	}
	return s.base.update(env, expanded)
}

func (s *shellCommand) sections() int {
	if !s.expanded {
		return 1
	}
	return 1 + chunks(s.view.len(s.env.width-barWidth, s.env))
}

// draw adds the line of the command and, while it is collapsed, the end of its output.
func (s *shellCommand) draw(out *sheet, section, width int) {
	switch {
	case section > 0:
		s.view.draw(out, (section-1)*chunk, section*chunk, width-barWidth, s.env)
		out.inset(0, width, s.env.bar)
	case s.expanded:
		out.add(s.header(width))
	default:
		out.add(s.header(width))
		top := len(out.lines)
		s.view.peek(out, width-barWidth, s.env)
		out.inset(top, width, s.env.bar)
	}
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
