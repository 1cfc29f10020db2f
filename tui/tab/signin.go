// This file is where a person signs in to an agent, and out.

package tab

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// Session signs in and out.
type signInSession interface {
	Authenticate(acpclient.AuthMethodID)
	TerminalAuth(acpclient.AuthMethodID) (acpclient.Command, error)
	Reconnect()
	DismissAuth()
	Logout(context.Context) error
}

// Host is the tab, as far as signing in needs it.
type signinHost interface {
	Conversation() *conversation.Conversation
	Gate() signInSession
	// Exec runs a program on the terminal.
	Exec(*exec.Cmd, tea.ExecCallback) tea.Cmd
}

// SignIn is the dialog for signing in to the agent, while it is open.
type signIn struct {
	desk   *desk
	host   signinHost
	dialog *dialog.Auth // nil if it is not open
}

// New returns what signs in to the agent of a tab.
func newSignin(d *desk, h signinHost) *signIn { return &signIn{desk: d, host: h} }

// open opens the dialog in the place of an earlier one.
func (s *signIn) open(d *dialog.Auth) {
	s.close()
	s.dialog = d
	s.desk.Dialogs.Push(d)
}

func (s *signIn) close() {
	if s.dialog != nil {
		s.desk.Dialogs.Close(s.dialog)
		s.dialog = nil
	}
}

// Asks reports whether the dialog is the one that takes keys.
func (s *signIn) Asks() bool {
	return s.dialog != nil && s.desk.Dialogs.Top() == dialog.Dialog(s.dialog)
}

// busy says that signing in has begun, by the method with this name.
func (s *signIn) busy(name string) {
	if s.dialog != nil {
		s.dialog.Busy(name)
	}
}

// Ended takes the end of signing in: the dialog goes, or says what was wrong.
func (s *signIn) Ended(err error) {
	switch {
	case s.dialog == nil:
	case err != nil:
		s.dialog.Failed(err)
	default:
		s.close()
	}
}

// Ask shows the agent's ways to sign in, and what it said.
func (s *signIn) Ask(e conversation.AuthRequired) {
	agent := s.host.Conversation().Agent
	s.open(dialog.NewAuth(s.desk.Env(), agent.Name(), e.Message, agent.AuthMethods))
}

// ByAgent lets the agent sign the person in.
func (s *signIn) ByAgent(id acpclient.AuthMethodID) {
	for _, method := range s.host.Conversation().Agent.AuthMethods {
		if method.ID == id {
			s.busy(method.Name)
		}
	}
	s.host.Gate().Authenticate(id)
}

// OnTerminal leaves the screen to the agent's program, with what the
// method adds to its command, and comes back when it has ended.
func (s *signIn) OnTerminal(method acpclient.AuthMethod) tea.Cmd {
	c, err := s.host.Gate().TerminalAuth(method.ID)
	if err != nil {
		s.Ended(err)
		return nil
	}
	s.busy(method.Name)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Dir = c.Dir
	return s.host.Exec(cmd, func(err error) tea.Msg {
		return then(func() tea.Cmd { s.cameBack(err); return nil })
	})
}

// cameBack takes the end of the program that signs in on the terminal.
func (s *signIn) cameBack(err error) {
	if err != nil {
		s.Ended(fmt.Errorf("the program did not end well: %w", err))
		return
	}
	s.close()
	s.host.Gate().Reconnect()
}

// Dismiss closes the dialog: the person does not sign in.
func (s *signIn) Dismiss() {
	s.close()
	s.host.Gate().DismissAuth()
}

// Out signs out, where the agent can.
func (s *signIn) Out(ctx context.Context) tea.Cmd {
	gate := s.host.Gate()
	return beside(func() then {
		err := gate.Logout(ctx)
		return func() tea.Cmd {
			if err != nil {
				return s.desk.Say("signing out failed: " + err.Error())
			}
			return s.desk.Say("signed out")
		}
	})
}
