package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/session"
	"parley/tui/dialog"
)

// signIn signs in to the agent and out, with a dialog.
type signIn struct {
	*ui
	*app.Live
	flow   *app.SignIn
	dialog *dialog.Confirm // nil if closed
}

func (s *signIn) close() {
	if s.dialog != nil {
		s.dialogs.Close(s.dialog)
		s.dialog = nil
	}
}

// Ended closes the dialog, or shows the error.
func (s *signIn) Ended(err error) {
	if s.dialog != nil && err == nil {
		s.close()
	} else if s.dialog != nil {
		s.flow.Trying, s.flow.Err = nil, err
		s.show()
	}
}

// Ask shows the agent's methods and its message.
func (s *signIn) Ask(flow *app.SignIn) {
	s.close()
	s.flow = flow
	s.dialog, _ = s.ask(s.question()).(*dialog.Confirm)
}

func (s *signIn) question() app.Question {
	q := s.flow.Question(func(id acpclient.AuthMethodID) { s.acting.add(s.Begin(id)) })
	q.Closed = s.Dismiss
	return q
}

// show shows how signing in goes.
func (s *signIn) show() {
	if s.dialog != nil {
		s.dialog.Set(s.question())
	}
}

// Begin signs in by a method. A program is shown on the whole screen until it ends; one that
// the agent chose is asked about first.
func (s *signIn) Begin(id acpclient.AuthMethodID) tea.Cmd {
	flow := s.flow
	program, err := flow.Begin(s.program.Context, id)
	switch {
	case err != nil:
		s.Ended(err)
		return nil
	case program != nil && program.Ask != nil:
		q := *program.Ask
		q.Choices[0].Here = s.here(func() tea.Cmd { return s.run(program) })
		q.While = func() bool { return s.dialog != nil && s.flow == flow }
		s.ask(q)
		return nil
	case program != nil:
		return s.run(program)
	}
	s.show()
	return nil
}

func (s *signIn) run(program *app.SignInProgram) tea.Cmd {
	s.show()
	return s.lend(program, func(err error) tea.Msg {
		return then(func() tea.Cmd { s.Ended(s.flow.Ran(err)); return nil })
	})
}

// Dismiss closes the dialog without signing in.
func (s *signIn) Dismiss() {
	s.close()
	session.Post(s.Session, session.DismissAuth{})
}
