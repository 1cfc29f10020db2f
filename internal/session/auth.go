package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/sandbox"
)

// block holds a call until the user has signed in, and asks for that once, however many
// calls wait. s.mu must be held.
func (s *Session) block(err error, c blockedCall) {
	s.blocked = append(s.blocked, c)
	if s.state.AuthError != nil && len(s.blocked) > 1 {
		return
	}
	e := conversation.AuthRequired{Err: err}
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		e.Message = answer.Message
	}
	s.post(e)
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
	s.post(conversation.AuthDone{})
	for _, c := range calls {
		c.giveUp()
	}
}

// Authenticate signs in with a method that the agent carries out itself. On success it
// repeats the calls that waited for it, and opens a session that could not be opened
// before.
type Authenticate struct{ ID acpclient.AuthMethodID }

func (a Authenticate) Do(_ context.Context, s *Session) (None, error) {
	if !s.connected() {
		return None{}, nil
	}
	request(s, acpclient.Authenticate,
		func() *acpclient.AuthenticateRequest { return &acpclient.AuthenticateRequest{MethodID: a.ID} },
		func(_ *acpclient.AuthenticateResponse, err error) {
			s.post(conversation.AuthDone{Method: a.ID, Err: err})
			if err != nil {
				return
			}
			for _, c := range s.takeBlocked() {
				c.again()
			}
			if !s.ready() && s.state.Phase != conversation.PhaseOpening {
				s.open(false)
			}
		})
	return None{}, nil
}

// DismissAuth gives up the calls that wait for signing in.
type DismissAuth struct{}

func (DismissAuth) Do(_ context.Context, s *Session) (None, error) {
	if len(s.blocked) == 0 {
		s.post(conversation.AuthDone{})
	}
	s.dropBlocked()
	return None{}, nil
}

// TerminalAuth asks for the program that signs in with a method of type
// AuthMethodTerminal, or with one that names an [AuthProgram]. Run it in the user's
// terminal and do [Reconnect] if it succeeds.
type TerminalAuth struct{ ID acpclient.AuthMethodID }

func (a TerminalAuth) Do(_ context.Context, s *Session) (acpclient.Command, error) {
	if !s.connected() {
		return acpclient.Command{}, errNoAgent
	}
	for _, m := range s.agent.hello.Load().AuthMethods {
		if m.ID != a.ID {
			continue
		}
		if !RunsInTerminal(m) {
			return acpclient.Command{}, fmt.Errorf("%s does not run in a terminal", m.Name)
		}
		if s.opt.Remote.listens() {
			return acpclient.Command{}, fmt.Errorf("%s runs in a terminal on the agent's machine", m.Name)
		}
		return TerminalAuthCommand(s.opt.Command, m)
	}
	return acpclient.Command{}, fmt.Errorf("the agent has no sign-in method %q", a.ID)
}

// TerminalAuthMeta is the key under which agents name an [AuthProgram] in the metadata of a
// sign-in method, and clients say in that of their capabilities that they run it.
const TerminalAuthMeta = "terminal-auth"

// AuthProgram is a program that signs in on the user's terminal, and that the agent chose:
// an extension of Zed's, which some agents have in place of AuthMethodTerminal. Front ends
// must not run it before the user has seen and accepted all of it.
type AuthProgram struct {
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// AuthProgramOf returns the program that a sign-in method names, nil if it names none, or
// has a type that says how to sign in.
func AuthProgramOf(m acpclient.AuthMethod) *AuthProgram {
	var meta map[string]json.RawMessage
	p := &AuthProgram{}
	if m.Type != "" && m.Type != acpclient.AuthMethodAgent || json.Unmarshal(m.Meta, &meta) != nil || json.Unmarshal(meta[TerminalAuthMeta], p) != nil || p.Command == "" {
		return nil
	}
	return p
}

// RunsInTerminal reports whether a sign-in method runs a program in the user's terminal.
func RunsInTerminal(m acpclient.AuthMethod) bool {
	return m.Type == acpclient.AuthMethodTerminal || AuthProgramOf(m) != nil
}

// withoutAuthEnv returns the metadata of a sign-in method without the values of the
// environment variables of its program.
func withoutAuthEnv(raw acpclient.Meta) acpclient.Meta {
	var meta map[string]json.RawMessage
	if json.Unmarshal(raw, &meta) != nil || meta[TerminalAuthMeta] == nil {
		return raw
	}
	var p AuthProgram
	if json.Unmarshal(meta[TerminalAuthMeta], &p) != nil {
		delete(meta, TerminalAuthMeta)
	} else {
		for name := range p.Env {
			p.Env[name] = ""
		}
		meta[TerminalAuthMeta], _ = json.Marshal(p) // strings can be encoded
	}
	raw, _ = json.Marshal(meta) // it was decoded
	return raw
}

// TerminalAuthCommand returns the program that signs in by a method that runs one: the
// agent's command with the arguments and environment of a method of type
// AuthMethodTerminal, or else the method's [AuthProgram], in the agent's sandbox and
// environment. Its Runs is the program without the sandbox, with the variables that the method
// adds.
func TerminalAuthCommand(agent acpclient.Command, m acpclient.AuthMethod) (acpclient.Command, error) {
	c, runs := agent, agent
	if agent.Runs != nil {
		runs = *agent.Runs
	}
	c.Args = slices.Concat(c.Args, m.Args)
	c.Runs = &acpclient.Command{Path: runs.Path, Args: slices.Concat(runs.Args, m.Args), Env: assignments(m.Env)}
	env := m.Env
	if p := AuthProgramOf(m); p != nil {
		path, err := exec.LookPath(p.Command)
		if err == nil && !filepath.IsAbs(path) {
			err = errors.New("it is a path relative to the project")
		}
		if err != nil {
			return acpclient.Command{}, fmt.Errorf("%s: %s: %w", m.Name, p.Command, err)
		}
		env = p.Env
		c.Path, c.Args = path, p.Args
		if agent.Runs != nil {
			wrap := len(agent.Args) - len(agent.Runs.Args) - 1 // before the program and its arguments
			c.Path, c.Args = agent.Path, slices.Concat(agent.Args[:wrap], []string{path}, p.Args)
		}
		c.Runs = &acpclient.Command{Path: path, Args: p.Args, Env: assignments(p.Env)}
	}
	c.Env = slices.Concat(c.Env, assignments(env)) // the last value of a variable wins
	if agent.Runs == nil {                         // no sandbox
		return c, nil
	}
	if err := sandbox.CheckEnv(c.Env[len(agent.Env):]); err != nil {
		return acpclient.Command{}, fmt.Errorf("%s: %w", m.Name, err)
	}
	return c, nil
}

// assignments returns variables as "NAME=value", sorted.
func assignments(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// Logout signs out. The error wraps ErrUnsupported if the agent does not offer that.
type Logout struct{}

func (Logout) Do(ctx context.Context, s *Session) (None, error) {
	_, err := ask(ctx, s, "sign out", acpclient.Logout, &acpclient.LogoutRequest{},
		func(c acpclient.AgentCapabilities) bool { return c.Auth.Logout != nil })
	return None{}, err
}

// waitForAuth waits until the user has signed in, and reports whether that happened.
func (s *Session) waitForAuth(ctx context.Context, err error) bool {
	done := make(chan bool, 1)
	s.mu.Lock()
	if !s.connected() || s.opt.SignsIn {
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
