package screen

import (
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// execMsg asks for the terminal to be handed to a program.
type execMsg struct {
	cmd  *exec.Cmd
	done tea.ExecCallback
}

// Exec hands the terminal to a program, such as an editor, and takes it back when
// that has ended. The message that done makes of the program's error comes next;
// done may be nil. Nothing else goes on meanwhile: messages wait.
//
// It is for models of [Run]: [tea.ExecProcess] knows nothing of the terminal
// there.
func Exec(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return execMsg{cmd, done} }
}

// exec runs the program and returns the message about it.
func (s *screen) exec(m execMsg) tea.Msg {
	err := s.release()
	if err == nil {
		if m.cmd.Stdin == nil {
			m.cmd.Stdin = s.tty.in
		}
		if m.cmd.Stdout == nil {
			m.cmd.Stdout = s.tty.out
		}
		if m.cmd.Stderr == nil {
			m.cmd.Stderr = os.Stderr
		}
		err = m.cmd.Run()
	}
	if failed := s.take(); failed != nil {
		s.fail(failed)
	}
	if m.done != nil {
		s.mail.post(m.done(err))
	}
	return tea.ResumeMsg{} // all is drawn anew
}
