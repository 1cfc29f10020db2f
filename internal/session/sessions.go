package session

import (
	"context"
	"errors"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// ListSessions returns one page of the agent's sessions in this session's directory;
// cursor is the NextCursor of the previous page, empty for the first. The error wraps
// ErrUnsupported if the agent does not offer that.
func (s *Session) ListSessions(ctx context.Context, cursor string) (*acpclient.ListSessionsResponse, error) {
	return ask(ctx, s, "list the sessions", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.SessionCapabilities.List != nil
	}, func(ctx context.Context, c v2.Negotiated) (*acpclient.ListSessionsResponse, error) {
		return c.ListSessions(ctx, &acpclient.ListSessionsRequest{Cwd: s.opt.Cwd, Cursor: cursor})
	})
}

// DeleteSession deletes one of the agent's sessions, except the open one. The error
// wraps ErrUnsupported if the agent does not offer that.
func (s *Session) DeleteSession(ctx context.Context, id acpclient.SessionID) error {
	s.mu.Lock()
	open := s.ready && s.id == id
	s.unlock()
	if open {
		return errors.New("this session is open: open another one first")
	}
	_, err := ask(ctx, s, "delete a session", func(i *acpclient.InitializeResponse) bool {
		return i.AgentCapabilities.SessionCapabilities.Delete != nil
	}, func(ctx context.Context, c v2.Negotiated) (*acpclient.DeleteSessionResponse, error) {
		return c.DeleteSession(ctx, &acpclient.DeleteSessionRequest{SessionID: id})
	})
	return err
}
