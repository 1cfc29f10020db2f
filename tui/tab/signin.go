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

// askToSignIn shows the agent's ways to sign in, and what it said.
func (t *Tab) askToSignIn(e conversation.AuthRequired) {
	t.closeSignIn()
	agent := t.conv.Agent
	t.auth = dialog.NewAuth(t.env(), agent.Name(), e.Message, agent.AuthMethods)
	t.dialogs.Push(t.auth)
}

func (t *Tab) closeSignIn() {
	if t.auth != nil {
		t.dialogs.Close(t.auth)
		t.auth = nil
	}
}

// signedIn takes the end of signing in: the dialog goes, or says what was wrong.
func (t *Tab) signedIn(e conversation.AuthDone) {
	if e.Err != nil {
		t.signInFailed(e.Err)
		return
	}
	t.closeSignIn()
}

func (t *Tab) signInFailed(err error) {
	if t.auth != nil {
		t.auth.Failed(err)
	}
}

// signIn lets the agent sign the person in.
func (t *Tab) signIn(id acpclient.AuthMethodID) {
	for _, method := range t.conv.Agent.AuthMethods {
		if method.ID == id {
			t.auth.Busy(method.Name)
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
		t.signInFailed(err)
		return nil
	}
	t.auth.Busy(method.Name)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Dir = c.Dir
	return t.exec(cmd, func(err error) tea.Msg { return terminalAuthMsg{err} })
}

func (t *Tab) signedInOnTerminal(msg terminalAuthMsg) {
	if msg.err != nil {
		t.signInFailed(fmt.Errorf("the program did not end well: %w", msg.err))
		return
	}
	t.closeSignIn()
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
		return t.say("signing out failed: " + msg.err.Error())
	}
	return t.say("signed out")
}
