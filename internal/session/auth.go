package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/sandbox"
)

// block keeps a call until the person has signed in, and asks them to sign in;
// s.mu is held. They are asked once, however many calls wait.
func (s *Session) block(err error, c blockedCall) {
	s.blocked = append(s.blocked, c)
	if s.askedToSignIn {
		return
	}
	s.askedToSignIn = true
	e := conversation.AuthRequired{Err: err}
	var answer *acpclient.Error
	if errors.As(err, &answer) {
		e.Message = answer.Message
	}
	s.stream.post(e)
}

// takeBlocked empties the list of the calls that wait for the person to sign in;
// s.mu is held.
func (s *Session) takeBlocked() []blockedCall {
	calls := s.blocked
	s.blocked, s.askedToSignIn = nil, false
	return calls
}

// dropBlocked gives up the calls that wait for the person to sign in; s.mu is held.
func (s *Session) dropBlocked() {
	calls := s.takeBlocked()
	if len(calls) == 0 {
		return
	}
	s.stream.post(conversation.AuthDone{})
	for _, c := range calls {
		c.giveUp()
	}
}

// Authenticate signs in with a method that the agent carries out itself. When that
// has succeeded, the calls that waited for it are made again, and a session that
// could not be opened before is opened.
func (s *Session) Authenticate(id acpclient.AuthMethodID) {
	s.mu.Lock()
	defer s.unlock()
	if !s.connected() {
		return
	}
	request(s, acpclient.Authenticate,
		func() *acpclient.AuthenticateRequest { return &acpclient.AuthenticateRequest{MethodID: id} },
		func(_ *acpclient.AuthenticateResponse, err error) {
			s.stream.post(conversation.AuthDone{Method: id, Err: err})
			if err != nil {
				return
			}
			for _, c := range s.takeBlocked() {
				c.again()
			}
			if !s.ready && !s.opening {
				s.open(false)
			}
		})
}

// DismissAuth gives up the calls that wait for the person to sign in.
func (s *Session) DismissAuth() {
	s.mu.Lock()
	defer s.unlock()
	if len(s.blocked) == 0 {
		s.stream.post(conversation.AuthDone{})
	}
	s.dropBlocked()
}

// TerminalAuth returns the program that signs in with a method of the type
// AuthMethodTerminal: the agent's own command with the method's arguments and
// environment added. Run it in the person's terminal; if it ends well, call
// Reconnect, and otherwise tell the person that they are not signed in.
func (s *Session) TerminalAuth(id acpclient.AuthMethodID) (acpclient.Command, error) {
	s.mu.Lock()
	defer s.unlock()
	if !s.connected() {
		return acpclient.Command{}, errNoAgent
	}
	for _, m := range s.agent.info().AuthMethods {
		if m.ID != id {
			continue
		}
		if m.Type != acpclient.AuthMethodTerminal {
			return acpclient.Command{}, fmt.Errorf("%s is not done on a terminal", m.Name)
		}
		if s.opt.Remote.listens() {
			return acpclient.Command{}, fmt.Errorf("%s is done in a terminal of the machine that the agent runs on", m.Name)
		}
		return TerminalAuthCommand(s.opt.Command, m)
	}
	return acpclient.Command{}, fmt.Errorf("the agent has no way to sign in called %q", id)
}

// TerminalAuthCommand is the agent's command with what a method of the type
// AuthMethodTerminal adds to it.
func TerminalAuthCommand(agent acpclient.Command, m acpclient.AuthMethod) (acpclient.Command, error) {
	c := agent
	c.Args = slices.Concat(c.Args, m.Args)
	c.Env = slices.Clone(c.Env)
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		c.Env = append(c.Env, name+"="+m.Env[name]) // of variables with the same name, the last one counts
	}
	if c.Runs == nil { // it is not in a sandbox
		return c, nil
	}
	if err := sandbox.CheckEnv(c.Env[len(agent.Env):]); err != nil {
		return acpclient.Command{}, fmt.Errorf("%s: %w", m.Name, err)
	}
	return c, nil
}

// Logout signs out. The error wraps ErrUnsupported if the agent does not offer
// that.
func (s *Session) Logout(ctx context.Context) error {
	_, err := ask(ctx, s, "sign out", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.Auth.Logout != nil
	}, func(ctx context.Context, c client) (*acpclient.LogoutResponse, error) {
		return c.Logout(ctx, &acpclient.LogoutRequest{})
	})
	return err
}
