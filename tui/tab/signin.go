// This file is where a person signs in to an agent, and out.

package tab

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// signIn is the dialog for signing in to the agent, while it is open.
type signIn struct {
	tab    *Tab
	flow   *app.SignIn
	dialog *dialog.Auth // nil if it is not open
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

// Ended takes the end of signing in: the dialog closes, or shows the error.
func (s *signIn) Ended(err error) {
	switch {
	case s.dialog == nil:
	case err != nil:
		s.dialog.Failed(err)
	default:
		s.close()
	}
}

// Ask shows the agent's methods to sign in, and its message, in the place of an earlier
// dialog.
func (s *signIn) Ask(e conversation.AuthRequired) {
	s.close()
	s.flow = app.NewSignIn(s.tab.session, s.tab.conv, e)
	s.dialog = dialog.NewAuth(s.tab.env(), s.tab.conv.Agent.Name(), s.flow.Message, s.flow.Methods)
	s.tab.dialogs.Push(s.dialog)
}

// Begin signs in by a method. A program on the terminal gets the screen until it ends.
func (s *signIn) Begin(id acpclient.AuthMethodID) tea.Cmd {
	program, err := s.flow.Begin(s.tab.program.Context, id)
	if err != nil {
		s.Ended(err)
		return nil
	}
	if s.dialog != nil && s.flow.Trying != nil {
		s.dialog.Busy(s.flow.Trying.Name)
	}
	if program == nil {
		return nil
	}
	return s.tab.exec(program, func(err error) tea.Msg {
		return then(func() tea.Cmd { s.Ended(s.flow.Ran(err)); return nil })
	})
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
