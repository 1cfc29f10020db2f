package session

import (
	"context"
	"errors"
	"fmt"

	"parley/acpclient"
	"parley/internal/conversation"
)

// ErrUnsupported says that the agent does not offer what was asked of it.
var ErrUnsupported = errors.New("the agent does not offer it")

// errNoAgent says that there is nobody to ask.
var errNoAgent = errors.New("the agent is not running")

// ListSessions returns one page of the agent's sessions in this session's
// directory; cursor is the NextCursor of the page before, empty for the first.
// The error wraps ErrUnsupported if the agent does not offer that.
func (s *Session) ListSessions(ctx context.Context, cursor string) (*acpclient.ListSessionsResponse, error) {
	return ask(ctx, s, "list the sessions", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.SessionCapabilities.List != nil
	}, func(ctx context.Context, c *acpclient.Client) (*acpclient.ListSessionsResponse, error) {
		return c.ListSessions(ctx, &acpclient.ListSessionsRequest{Cwd: s.opt.Cwd, Cursor: cursor})
	})
}

// DeleteSession deletes one of the agent's sessions. The one that is open cannot
// be deleted. The error wraps ErrUnsupported if the agent does not offer that.
func (s *Session) DeleteSession(ctx context.Context, id acpclient.SessionID) error {
	s.mu.Lock()
	open := s.ready && s.id == id
	s.unlock()
	if open {
		return errors.New("this session is open: open another one first")
	}
	_, err := ask(ctx, s, "delete a session", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.SessionCapabilities.Delete != nil
	}, func(ctx context.Context, c *acpclient.Client) (*acpclient.DeleteSessionResponse, error) {
		return c.DeleteSession(ctx, &acpclient.DeleteSessionRequest{SessionID: id})
	})
	return err
}

// ask makes a call and waits for its answer. If the agent wants the person to
// sign in first, it waits for that too, and asks once more.
func ask[R any](
	ctx context.Context, s *Session, what string,
	offered func(*acpclient.InitializeResponse) bool,
	do func(context.Context, *acpclient.Client) (*R, error),
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

// waitForAuth waits until the person has signed in, and reports whether they did.
func (s *Session) waitForAuth(ctx context.Context, err error) bool {
	done := make(chan bool, 1)
	s.mu.Lock()
	if !s.connected() {
		s.unlock()
		return false
	}
	giveUp := func() { done <- false }
	s.block(err, blockedCall{again: func() { done <- true }, giveUp: giveUp, callKind: callKind{gone: giveUp}})
	s.unlock()
	select {
	case ok := <-done:
		return ok
	case <-ctx.Done():
		return false
	}
}

// connected reports that an agent runs and has answered initialize; s.mu is
// held.
func (s *Session) connected() bool {
	return !s.closed && s.agent != nil && s.agent.info() != nil && s.agent.client.Conn().Err() == nil
}

// SetTitle renames the session where the agent offers that (unstable). The error
// wraps ErrUnsupported if it does not.
func (s *Session) SetTitle(title string) error {
	s.mu.Lock()
	defer s.unlock()
	if !s.ready {
		return errNotOpen
	}
	if s.agent.info().AgentCapabilities.SessionCapabilities.Title == nil {
		return fmt.Errorf("rename the session: %w", ErrUnsupported)
	}
	call(s, acpclient.SessionSetTitle,
		func() *acpclient.SetSessionTitleRequest {
			return &acpclient.SetSessionTitleRequest{SessionID: s.id, Title: title}
		},
		func(r *acpclient.SetSessionTitleResponse, err error) {
			if err != nil {
				s.Said(acpclient.NoticeError, "The session was not renamed", err.Error())
				return
			}
			if r.Title != "" { // as the agent took it
				title = r.Title
			}
			s.stream.post(conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &title}}})
		},
		callKind{})
	return nil
}
