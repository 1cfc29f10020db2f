package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/conversation"
	"parley/internal/sandbox"
)

// block holds a call until the user has signed in, and asks for that once, however many
// calls wait. s.mu must be held.
func (s *Session) block(err error, c blockedCall) {
	s.blocked = append(s.blocked, c)
	asked := false
	s.stream.read(func(st *conversation.State) { asked = st.AuthError != nil })
	if asked && len(s.blocked) > 1 {
		return
	}
	e := conversation.AuthRequired{Err: err}
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		e.Message = answer.Message
	}
	s.stream.post(e)
}

// takeBlocked removes and returns the calls that wait for signing in. s.mu must be
// held.
func (s *Session) takeBlocked() []blockedCall {
	calls := s.blocked
	s.blocked = nil
	return calls
}

// dropBlocked gives up the calls that wait for signing in. s.mu must be held.
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

// Authenticate signs in with a method that the agent carries out itself. On success it
// repeats the calls that waited for it, and opens a session that could not be opened
// before.
type Authenticate struct{ ID acpclient.AuthMethodID }

var authenticateKind = KindOf[Authenticate]("Authenticate", Posts)

func (Authenticate) Kind() *Kind { return authenticateKind }

func (a Authenticate) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	if !s.connected() {
		return None{}, nil
	}
	request(s, acpclient.Authenticate,
		func() *acpclient.AuthenticateRequest { return &acpclient.AuthenticateRequest{MethodID: a.ID} },
		func(_ *acpclient.AuthenticateResponse, err error) {
			s.stream.post(conversation.AuthDone{Method: a.ID, Err: err})
			if err != nil {
				return
			}
			for _, c := range s.takeBlocked() {
				c.again()
			}
			if !s.ready() && !s.stream.opening() {
				s.open(false)
			}
		})
	return None{}, nil
}

// DismissAuth gives up the calls that wait for signing in.
type DismissAuth struct{}

var dismissAuthKind = KindOf[DismissAuth]("DismissAuth", Posts)

func (DismissAuth) Kind() *Kind { return dismissAuthKind }

func (DismissAuth) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	if len(s.blocked) == 0 {
		s.stream.post(conversation.AuthDone{})
	}
	s.dropBlocked()
	return None{}, nil
}

// TerminalAuth asks for the program that signs in with a method of type
// AuthMethodTerminal: the agent's own command with the method's arguments and
// environment added. Run it in the user's terminal and do [Reconnect] if it succeeds.
type TerminalAuth struct{ ID acpclient.AuthMethodID }

var terminalAuthKind = KindOf[TerminalAuth]("TerminalAuth", Answers)

func (TerminalAuth) Kind() *Kind { return terminalAuthKind }

func (a TerminalAuth) Do(_ context.Context, s *Session) (acpclient.Command, error) {
	s.mu.Lock()
	defer s.unlock()
	if !s.connected() {
		return acpclient.Command{}, errNoAgent
	}
	for _, m := range s.agent.hello.Load().AuthMethods {
		if m.ID != a.ID {
			continue
		}
		if m.Type != acpclient.AuthMethodTerminal {
			return acpclient.Command{}, fmt.Errorf("%s does not run in a terminal", m.Name)
		}
		if s.opt.Remote.listens() {
			return acpclient.Command{}, fmt.Errorf("%s runs in a terminal on the agent's machine", m.Name)
		}
		return TerminalAuthCommand(s.opt.Command, m)
	}
	return acpclient.Command{}, fmt.Errorf("the agent has no sign-in method %q", a.ID)
}

// TerminalAuthCommand returns the agent's command with the arguments and environment
// of a method of type AuthMethodTerminal.
func TerminalAuthCommand(agent acpclient.Command, m acpclient.AuthMethod) (acpclient.Command, error) {
	c := agent
	c.Args = slices.Concat(c.Args, m.Args)
	c.Env = slices.Clone(c.Env)
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		c.Env = append(c.Env, name+"="+m.Env[name]) // the last value of a variable wins
	}
	if c.Runs == nil { // no sandbox
		return c, nil
	}
	if err := sandbox.CheckEnv(c.Env[len(agent.Env):]); err != nil {
		return acpclient.Command{}, fmt.Errorf("%s: %w", m.Name, err)
	}
	return c, nil
}

// Logout signs out. The error wraps ErrUnsupported if the agent does not offer that.
type Logout struct{}

var logoutKind = KindOf[Logout]("Logout", Lasts)

func (Logout) Kind() *Kind { return logoutKind }

func (Logout) Do(ctx context.Context, s *Session) (None, error) {
	_, err := ask(ctx, s, "sign out", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.Auth.Logout != nil
	}, func(ctx context.Context, c v2.Negotiated) (*acpclient.LogoutResponse, error) {
		return c.Logout(ctx, &acpclient.LogoutRequest{})
	})
	return None{}, err
}

// waitForAuth waits until the user has signed in, and reports whether that happened.
func (s *Session) waitForAuth(ctx context.Context, err error) bool {
	done := make(chan bool, 1)
	s.mu.Lock()
	if !s.connected() {
		s.unlock()
		return false
	}
	giveUp := func() { done <- false }
	s.block(err, blockedCall{again: func() { done <- true }, giveUp: giveUp, callHooks: callHooks{agentGone: giveUp}})
	s.unlock()
	select {
	case ok := <-done:
		return ok
	case <-ctx.Done():
		return false
	}
}
