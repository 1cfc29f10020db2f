package session

import (
	"context"
	"errors"
	"fmt"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// ErrUnsupported means that the agent does not offer a method or feature.
var ErrUnsupported = errors.New("the agent does not offer it")

// errNoAgent means that no agent is running.
var errNoAgent = errors.New("the agent is not running")

// ask makes a call and waits for its answer. If the agent requires signing in first,
// ask waits for that too, and repeats the call. offered reports whether the agent has
// the method.
func ask[R any](
	ctx context.Context, s *Session, what string,
	offered func(*acpclient.InitializeResponse) bool,
	do func(context.Context, v2.Negotiated) (*R, error),
) (*R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	for signedIn := false; ; signedIn = true {
		s.mu.Lock()
		if !s.connected() {
			s.unlock()
			return nil, fmt.Errorf("%s: %w", what, errNoAgent)
		}
		a := s.agent
		s.unlock()
		if !offered(a.info()) {
			return nil, fmt.Errorf("%s: %w", what, ErrUnsupported)
		}
		r, err := do(ctx, a.client)
		if err == nil {
			return r, nil
		}
		if signedIn || !acpclient.IsCode(err, acpclient.CodeAuthRequired) || !s.waitForAuth(ctx, err) {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
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

// connected reports whether an agent runs and has answered initialize. s.mu must be
// held.
func (s *Session) connected() bool {
	return !s.closed && s.agent != nil && s.agent.info() != nil && s.agent.conn.Err() == nil
}
