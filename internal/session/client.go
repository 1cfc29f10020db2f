package session

import (
	"context"
	"fmt"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/conversation"
)

// client makes the calls of an agent, in whichever version of the protocol the
// connection speaks. It is there once the agent has answered initialize.
type client interface {
	acpclient.Requester
	Cancel(n *acpclient.CancelNotification) error
	Logout(ctx context.Context, r *acpclient.LogoutRequest) (*acpclient.LogoutResponse, error)
	ListSessions(ctx context.Context, r *acpclient.ListSessionsRequest) (*acpclient.ListSessionsResponse, error)
	DeleteSession(ctx context.Context, r *acpclient.DeleteSessionRequest) (*acpclient.DeleteSessionResponse, error)
}

// canceller is a client that can cancel a single piece of a turn.
type canceller interface {
	CancelToolCall(ctx context.Context, session acpclient.SessionID, id acpclient.ToolCallID) error
	CancelTerminal(ctx context.Context, session acpclient.SessionID, id acpclient.TerminalID) error
}

// Protocol says which versions of the protocol an agent is offered.
type Protocol string

// The choices of a protocol.
const (
	// ProtocolV1 offers the first version.
	ProtocolV1 Protocol = "v1"
	// ProtocolAuto offers the second one, and goes on with the first where the agent
	// knows only that.
	ProtocolAuto Protocol = "auto"
)

// VersionMemory remembers which agents fail when they are offered the second version
// of the protocol. It is called beside the session, and may take its time.
type VersionMemory interface {
	// Fails reports whether the agent of this session is known to.
	Fails() bool
	// Failed remembers it.
	Failed() error
}

// initialize introduces the client to the agent, and settles which version of the
// protocol the connection speaks.
func (a *agent) initialize(ctx context.Context) error {
	r := &acpclient.InitializeRequest{ClientInfo: &a.owner.opt.Client, ClientCapabilities: a.owner.capabilities()}
	var c client = a.first
	var info *acpclient.InitializeResponse
	var err error
	if a.offersV2 {
		c, info, err = v2.Negotiate(ctx, a.first, a, r, a.log)
	} else {
		info, err = a.first.Initialize(ctx, r)
	}
	if err != nil {
		return err
	}
	a.client = c
	a.hello.Store(info)
	return nil
}

// offers reports whether the next agent is offered the second version.
func (s *Session) offers() bool {
	if s.opt.Protocol != ProtocolAuto {
		return false
	}
	s.mu.Lock()
	failed := s.failedOnV2
	s.unlock()
	return failed == nil && (s.opt.Versions == nil || !s.opt.Versions.Fails())
}

// fallBack starts an agent again, with the first version, that has failed when it was
// offered the second. It reports false if that is not so; s.mu is held.
func (s *Session) fallBack(a *agent, err error) bool {
	if s.agent != a || s.closed || !a.offersV2 || a.info() != nil {
		return false
	}
	s.failedOnV2 = err
	s.closeQuestions()
	a.retire()
	s.agent, s.ready, s.opening = nil, false, false
	s.replaceAgent(a)
	return true
}

// fellBack says that the agent works with the first version only, once it has been
// seen to; s.mu is held.
func (s *Session) fellBack() {
	err := s.failedOnV2
	if err == nil || s.toldFallback {
		return
	}
	s.toldFallback = true
	s.Said(acpclient.NoticeWarning, "The agent failed when it was offered version 2 of the protocol",
		"It was started again with version 1, and will be from now on: "+err.Error())
	if s.opt.Versions == nil {
		return
	}
	s.work.Go(func() {
		if err := s.opt.Versions.Failed(); err != nil {
			s.opt.Log.Warn("could not remember which version the agent takes", "error", err)
		}
	})
}

// CancelPiece asks the agent to end one piece of its work, and leave the rest of the
// turn alone. The error wraps ErrUnsupported if the agent cannot do that.
func (s *Session) CancelPiece(ctx context.Context, p conversation.Piece) error {
	s.mu.Lock()
	a, id, ready := s.agent, s.id, s.ready
	s.unlock()
	if !ready || a == nil {
		return errNotOpen
	}
	c, ok := a.client.(canceller)
	switch {
	case !ok:
		return fmt.Errorf("cancel a single call: %w", ErrUnsupported)
	case p.Terminal != "":
		return c.CancelTerminal(ctx, id, p.Terminal)
	}
	return c.CancelToolCall(ctx, id, p.Call.ID)
}
