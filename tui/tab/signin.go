package tab

import (
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// signIn is the dialog for signing in to the agent, while it is open.
type signIn struct {
	dialogs *dialog.Stack
	dialog  *dialog.Auth // nil if it is not open
}

// open opens the dialog in the place of an earlier one.
func (s *signIn) open(d *dialog.Auth) {
	s.close()
	s.dialog = d
	s.dialogs.Push(d)
}

func (s *signIn) close() {
	if s.dialog != nil {
		s.dialogs.Close(s.dialog)
		s.dialog = nil
	}
}

// asks reports whether the dialog is the one that takes keys.
func (s *signIn) asks() bool {
	return s.dialog != nil && s.dialogs.Top() == dialog.Dialog(s.dialog)
}

// busy says that signing in has begun, by the method with this name.
func (s *signIn) busy(name string) {
	if s.dialog != nil {
		s.dialog.Busy(name)
	}
}

// ended takes the end of signing in: the dialog goes, or says what was wrong.
func (s *signIn) ended(err error) {
	switch {
	case s.dialog == nil:
	case err != nil:
		s.dialog.Failed(err)
	default:
		s.close()
	}
}

// askToSignIn shows the agent's ways to sign in, and what it said.
func (t *Tab) askToSignIn(e conversation.AuthRequired) {
	agent := t.conv.Agent
	t.signIn.open(dialog.NewAuth(t.desk.Env(), agent.Name(), e.Message, agent.AuthMethods))
}

// signInByAgent lets the agent sign the person in.
func (t *Tab) signInByAgent(id acpclient.AuthMethodID) {
	for _, method := range t.conv.Agent.AuthMethods {
		if method.ID == id {
			t.signIn.busy(method.Name)
		}
	}
	t.session.Authenticate(id)
}

// terminalAuthMsg is the end of the program that signs in on the terminal.
type terminalAuthMsg struct{ err error }

// signInOnTerminal leaves the screen to the agent's program, with what the
// method adds to its command, and comes back when it has ended.
func (t *Tab) signInOnTerminal(method acpclient.AuthMethod) tea.Cmd {
	c, err := t.session.TerminalAuth(method.ID)
	if err != nil {
		t.signIn.ended(err)
		return nil
	}
	t.signIn.busy(method.Name)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Dir = c.Dir
	return t.exec(cmd, func(err error) tea.Msg { return terminalAuthMsg{err} })
}

func (t *Tab) signedInOnTerminal(msg terminalAuthMsg) {
	if msg.err != nil {
		t.signIn.ended(fmt.Errorf("the program did not end well: %w", msg.err))
		return
	}
	t.signIn.close()
	t.session.Reconnect()
}

// logoutMsg is the end of signing out.
type logoutMsg struct{ err error }

// logout signs out, where the agent can.
func (t *Tab) logout() tea.Cmd {
	s, ctx := t.session, t.program.Context
	return func() tea.Msg { return logoutMsg{s.Logout(ctx)} }
}

func (t *Tab) loggedOut(msg logoutMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say("signing out failed: " + msg.err.Error())
	}
	return t.desk.Say("signed out")
}
