package tui

import (
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// askToSignIn shows the agent's ways to sign in, and what it said.
func (m *Model) askToSignIn(e conversation.AuthRequired) {
	m.closeAll(isAuth)
	m.push(dialog.NewAuth(m.env(), m.conv.Agent.Name(), e.Message, m.conv.Agent.AuthMethods))
}

func isAuth(d dialog.Dialog) bool {
	_, ok := d.(*dialog.Auth)
	return ok
}

// signedIn takes the end of signing in: the dialog goes, or says what was wrong.
func (m *Model) signedIn(e conversation.AuthDone) {
	if e.Err == nil {
		m.closeAll(isAuth)
		return
	}
	m.signInFailed(e.Err)
}

func (m *Model) signInFailed(err error) {
	for _, d := range m.dialogs {
		if a, ok := d.(*dialog.Auth); ok {
			a.Failed(err)
		}
	}
}

// signIn lets the agent sign the person in.
func (m *Model) signIn(id acpclient.AuthMethodID) {
	for _, method := range m.conv.Agent.AuthMethods {
		if a, ok := m.top().(*dialog.Auth); ok && method.ID == id {
			a.Busy(method.Name)
		}
	}
	m.session.Authenticate(id)
}

// terminalAuthMsg is the end of the program that signs in on the terminal.
type terminalAuthMsg struct{ err error }

// signInOnTerminal leaves the screen to the agent's program, with what the
// method adds to its command, and comes back when it has ended.
func (m *Model) signInOnTerminal(method acpclient.AuthMethod) tea.Cmd {
	c, err := m.session.TerminalAuth(method.ID)
	if err != nil {
		m.signInFailed(err)
		return nil
	}
	if a, ok := m.top().(*dialog.Auth); ok {
		a.Busy(method.Name)
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Dir = c.Dir
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return terminalAuthMsg{err} })
}

func (m *Model) signedInOnTerminal(msg terminalAuthMsg) {
	if msg.err != nil {
		m.signInFailed(fmt.Errorf("the program did not end well: %w", msg.err))
		return
	}
	m.closeAll(isAuth)
	m.session.Reconnect()
}

// logoutMsg is the end of signing out.
type logoutMsg struct{ err error }

// logout signs out, where the agent can.
func (m *Model) logout() tea.Cmd {
	s, ctx := m.session, m.ctx
	return func() tea.Msg { return logoutMsg{s.Logout(ctx)} }
}
