// This file is where a person signs in to an agent, and out.

package tab

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// signIn is the dialog for signing in to the agent, while it is open.
type signIn struct {
	tab    *Tab
	dialog *dialog.Auth // nil if it is not open
}

// open opens the dialog in the place of an earlier one.
func (s *signIn) open(d *dialog.Auth) {
	s.close()
	s.dialog = d
	s.tab.dialogs.Push(d)
}

func (s *signIn) close() {
	if s.dialog != nil {
		s.tab.dialogs.Close(s.dialog)
		s.dialog = nil
	}
}

// Asks reports whether the dialog is the one that takes keys.
func (s *signIn) Asks() bool {
	return s.dialog != nil && s.tab.dialogs.Top() == dialog.Dialog(s.dialog)
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
	agent := s.tab.conv.Agent
	s.open(dialog.NewAuth(s.tab.env(), agent.Name(), e.Message, agent.AuthMethods))
}

// ByAgent lets the agent sign the person in.
func (s *signIn) ByAgent(id acpclient.AuthMethodID) {
	for _, method := range s.tab.conv.Agent.AuthMethods {
		if method.ID == id {
			s.busy(method.Name)
		}
	}
	s.tab.session.Authenticate(id)
}

// OnTerminal leaves the screen to the agent's program, with what the
// method adds to its command, and comes back when it has ended.
func (s *signIn) OnTerminal(method acpclient.AuthMethod) tea.Cmd {
	c, err := s.tab.session.TerminalAuth(method.ID)
	if err != nil {
		s.Ended(err)
		return nil
	}
	s.busy(method.Name)
	return s.tab.exec(app.TerminalCommand(s.tab.program.Context, c), func(err error) tea.Msg {
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
	s.tab.session.Reconnect()
}

// Dismiss closes the dialog: the person does not sign in.
func (s *signIn) Dismiss() {
	s.close()
	s.tab.session.DismissAuth()
}

// Out signs out, where the agent can.
func (s *signIn) Out(ctx context.Context) tea.Cmd {
	gate := s.tab.session
	return inBackground(func() then {
		err := gate.Logout(ctx)
		return func() tea.Cmd {
			if err != nil {
				return s.tab.say("signing out failed: " + err.Error())
			}
			return s.tab.say("signed out")
		}
	})
}
