package screen

import (
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// execMsg asks to hand the terminal to a program.
type execMsg struct {
	cmd  *exec.Cmd
	done tea.ExecCallback
}

// Exec hands the terminal to a program, such as an editor, and takes it back when that
// has ended. The next message is the one that done returns for the program's error;
// done may be nil. Other messages wait meanwhile.
//
// Exec is for models of [Run], because [tea.ExecProcess] does not know their terminal.
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
	return tea.ResumeMsg{} // redraws everything
}
