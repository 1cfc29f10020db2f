package v2

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"parley/acpclient"
)

// Client is acpclient.Client for an agent that speaks version 2, with the same types. It
// is safe for concurrent use.
type Client struct {
	conn    *acpclient.Conn
	handler acpclient.Handler
	offered acpclient.ClientCapabilities
	log     *slog.Logger

	mu    sync.Mutex
	turns map[acpclient.SessionID]*turns
}

var _ acpclient.Requester = (*Client)(nil)

// Conn returns the underlying connection.
func (c *Client) Conn() *acpclient.Conn { return c.conn }

// Cancel asks the agent to cancel the prompt. It does not wait.
func (c *Client) Cancel(n *acpclient.CancelNotification) error {
	return c.conn.Notify(SessionCancel.Name, n)
}

// Logout signs out.
func (c *Client) Logout(ctx context.Context, r *acpclient.LogoutRequest) (*acpclient.LogoutResponse, error) {
	answer, err := acpclient.Call(ctx, c.conn, AuthLogout, r)
	return (*acpclient.LogoutResponse)(answer), err
}

// ListSessions returns one page of the agent's sessions.
func (c *Client) ListSessions(ctx context.Context, r *acpclient.ListSessionsRequest) (*acpclient.ListSessionsResponse, error) {
	return acpclient.Call(ctx, c.conn, SessionList, r)
}

// DeleteSession deletes a session.
func (c *Client) DeleteSession(ctx context.Context, r *acpclient.DeleteSessionRequest) (*acpclient.DeleteSessionResponse, error) {
	answer, err := acpclient.Call(ctx, c.conn, SessionDelete, r)
	return (*acpclient.DeleteSessionResponse)(answer), err
}

// CancelToolCall asks the agent to cancel a tool call. It needs the call's cancel
// capability.
func (c *Client) CancelToolCall(ctx context.Context, session acpclient.SessionID, id acpclient.ToolCallID) error {
	_, err := acpclient.Call(ctx, c.conn, ToolCallCancel, &CancelToolCallRequest{SessionID: session, ToolCallID: id})
	return err
}

// CancelTerminal asks the agent to end a terminal's command. It needs the terminal's
// cancel capability.
func (c *Client) CancelTerminal(ctx context.Context, session acpclient.SessionID, id acpclient.TerminalID) error {
	_, err := acpclient.Call(ctx, c.conn, TerminalCancel, &CancelTerminalRequest{SessionID: session, TerminalID: id})
	return err
}

// Request implements acpclient.Requester. For methods that version 2 lacks, the error is
// acpclient.CodeMethodNotFound.
func (c *Client) Request(method string, params, result any, done func(error)) {
	for _, t := range translations {
		if t(c, params, result, done) {
			return
		}
	}
	done(acpclient.MethodNotFoundError(method))
}

// translation sends a request of version 1 as one of version 2. It reports false for another
// request.
type translation func(c *Client, params, result any, done func(error)) bool

// from is the translation of the requests of a method.
func from[P, R any](_ acpclient.Method[P, R], send func(c *Client, params *P, result *R, done func(error))) translation {
	return func(c *Client, params, result any, done func(error)) bool {
		p, ok := params.(*P)
		if !ok {
			return false
		}
		r, ok := result.(*R)
		if !ok {
			r = new(R) // nobody wants it
		}
		send(c, p, r, done)
		return true
	}
}

var translations = []translation{
	from(acpclient.SessionPrompt, (*Client).prompt),
	from(acpclient.Authenticate, func(c *Client, p *acpclient.AuthenticateRequest, _ *acpclient.AuthenticateResponse, done func(error)) {
		send(c, AuthLogin, p, done, func(*Empty) {})
	}),
	from(acpclient.SessionSetConfigOption, func(c *Client, p *acpclient.SetSessionConfigOptionRequest, result *acpclient.SetSessionConfigOptionResponse, done func(error)) {
		r := &SetConfigOptionRequest{SessionID: p.SessionID, ConfigID: p.ConfigID, Type: "id", Value: p.Value, Meta: p.Meta}
		if p.Value.IsBool {
			r.Type = string(acpclient.ConfigBoolean)
		}
		send(c, SessionSetConfigOption, r, done, func(a *SetConfigOptionResponse) {
			result.ConfigOptions, result.Meta = options(a.ConfigOptions), a.Meta
		})
	}),
	from(acpclient.SessionClose, func(c *Client, p *acpclient.CloseSessionRequest, _ *acpclient.CloseSessionResponse, done func(error)) {
		send(c, SessionClose, p, done, func(*Empty) {})
	}),
	from(acpclient.SessionSetTitle, func(c *Client, p *acpclient.SetSessionTitleRequest, result *acpclient.SetSessionTitleResponse, done func(error)) {
		send(c, SessionSetTitle, p, done, func(r *acpclient.SetSessionTitleResponse) { *result = *r })
	}),
	from(acpclient.SessionNew, func(c *Client, p *acpclient.NewSessionRequest, result *acpclient.NewSessionResponse, done func(error)) {
		send(c, SessionNew, &NewSessionRequest{
			Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories, MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, done, func(r *NewSessionResponse) {
			*result = acpclient.NewSessionResponse{SessionID: r.SessionID, SessionState: state(r.ConfigOptions, r.Meta)}
			c.updateCommands(r.SessionID, r.AvailableCommands)
		})
	}),
	from(acpclient.SessionLoad, func(c *Client, p *acpclient.LoadSessionRequest, result *acpclient.LoadSessionResponse, done func(error)) {
		c.resume(&ResumeSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta, ReplayFrom: &ReplayFrom{Type: ReplayStart},
		}, &result.SessionState, done)
	}),
	from(acpclient.SessionResume, func(c *Client, p *acpclient.ResumeSessionRequest, result *acpclient.ResumeSessionResponse, done func(error)) {
		c.resume(&ResumeSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, &result.SessionState, done)
	}),
	from(acpclient.SessionFork, func(c *Client, p *acpclient.ForkSessionRequest, result *acpclient.ForkSessionResponse, done func(error)) {
		send(c, SessionFork, &ForkSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, done, func(r *NewSessionResponse) {
			*result = acpclient.ForkSessionResponse{SessionID: r.SessionID, SessionState: state(r.ConfigOptions, r.Meta)}
			c.updateCommands(r.SessionID, r.AvailableCommands)
		})
	}),
}

func (c *Client) resume(r *ResumeSessionRequest, into *acpclient.SessionState, done func(error)) {
	send(c, SessionResume, r, done, func(a *ResumeSessionResponse) {
		*into = state(a.ConfigOptions, a.Meta)
		c.updateCommands(r.SessionID, a.AvailableCommands)
	})
}

// updateCommands passes on the commands in a response that opens a session. Version 1
// sends an update instead.
func (c *Client) updateCommands(id acpclient.SessionID, all []AvailableCommand) {
	if all == nil {
		return
	}
	u := &acpclient.AvailableCommandsUpdate{AvailableCommands: commands(all)}
	c.handler.SessionUpdate(context.Background(), v1Notification(id, u, nil))
}

func state(all []ConfigOption, meta Meta) acpclient.SessionState {
	return acpclient.SessionState{ConfigOptions: options(all), Meta: meta}
}

// send sends a request. It calls take with the answer, then done.
func send[P, R any](c *Client, m acpclient.Method[P, R], params *P, done func(error), take func(*R)) {
	acpclient.Go(c.conn, m, params, func(r *R, err error) {
		if err == nil {
			take(r)
		}
		done(err)
	})
}

// Negotiated is a client of whichever version the agent has chosen.
type Negotiated interface {
	acpclient.Requester
	Conn() *acpclient.Conn
	Cancel(n *acpclient.CancelNotification) error
	Logout(ctx context.Context, r *acpclient.LogoutRequest) (*acpclient.LogoutResponse, error)
	ListSessions(ctx context.Context, r *acpclient.ListSessionsRequest) (*acpclient.ListSessionsResponse, error)
	DeleteSession(ctx context.Context, r *acpclient.DeleteSessionRequest) (*acpclient.DeleteSessionResponse, error)
}

// Negotiate initializes the connection of first, which must be new, offering version 2.
// If the agent chooses version 1, it returns first, else a Client that calls h. For any
// other version, the error is an *acpclient.VersionError.
func Negotiate(ctx context.Context, first *acpclient.Client, h acpclient.Handler, r *acpclient.InitializeRequest, log *slog.Logger) (Negotiated, *acpclient.InitializeResponse, error) {
	n := &negotiation{first: first, handler: h, request: r, log: log, done: make(chan error, 1)}
	acpclient.Go(first.Conn(), chosen, offer(r), n.answered)
	select {
	case err := <-n.done:
		return n.client, n.info, err
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("initialize: %w", ctx.Err())
	}
}

// Version is the version of the protocol that this package speaks.
const Version = 2

// The types that both versions share.
type (
	Field[T any] = acpclient.Field[T]
	Meta         = acpclient.Meta
	Marker       = acpclient.Supported
	Empty        = acpclient.Empty
)

// The requests that a client sends to an agent.
var (
	Initialize             = acpclient.Method[InitializeRequest, InitializeResponse]{Name: "initialize"}
	AuthLogin              = acpclient.Method[acpclient.AuthenticateRequest, Empty]{Name: "auth/login"}
	AuthLogout             = acpclient.Method[acpclient.LogoutRequest, Empty]{Name: "auth/logout"}
	SessionNew             = acpclient.Method[NewSessionRequest, NewSessionResponse]{Name: "session/new"}
	SessionResume          = acpclient.Method[ResumeSessionRequest, ResumeSessionResponse]{Name: "session/resume"}
	SessionList            = acpclient.Method[acpclient.ListSessionsRequest, acpclient.ListSessionsResponse]{Name: "session/list"}
	SessionDelete          = acpclient.Method[acpclient.DeleteSessionRequest, Empty]{Name: "session/delete"}
	SessionClose           = acpclient.Method[acpclient.CloseSessionRequest, Empty]{Name: "session/close"}
	SessionPrompt          = acpclient.Method[acpclient.PromptRequest, PromptResponse]{Name: "session/prompt"}
	SessionSetConfigOption = acpclient.Method[SetConfigOptionRequest, SetConfigOptionResponse]{Name: "session/set_config_option"}
	ToolCallCancel         = acpclient.Method[CancelToolCallRequest, Empty]{Name: "tool_call/cancel"}
	TerminalCancel         = acpclient.Method[CancelTerminalRequest, Empty]{Name: "terminal/cancel"}

	// Proposed additions that some agents have.
	SessionFork     = acpclient.Method[ForkSessionRequest, NewSessionResponse]{Name: "session/fork"}
	SessionSetTitle = acpclient.Method[acpclient.SetSessionTitleRequest, acpclient.SetSessionTitleResponse]{Name: "session/set_title"}
)

// The requests that an agent sends to a client.
var (
	SessionRequestPermission = acpclient.Method[RequestPermissionRequest, acpclient.RequestPermissionResponse]{Name: "session/request_permission"}
	ElicitationCreate        = acpclient.ElicitationCreate
)

// The notifications.
var (
	SessionCancel       = acpclient.SessionCancel
	SessionUpdate       = acpclient.Notification[UpdateNotification]{Name: "session/update"}
	ElicitationComplete = acpclient.ElicitationComplete
)

var errNoSessions = errors.New("the agent offers no sessions")

// negotiation decides which version a connection speaks.
type negotiation struct {
	first   *acpclient.Client
	handler acpclient.Handler
	request *acpclient.InitializeRequest
	log     *slog.Logger

	client Negotiated
	info   *acpclient.InitializeResponse
	done   chan error
}

// chosen is initialize with an answer of unknown version.
var chosen = acpclient.Method[InitializeRequest, anyVersion](Initialize)

// anyVersion is the answer to initialize in any version.
type anyVersion struct {
	version uint16
	raw     json.RawMessage
}

// UnmarshalJSON keeps the answer, if it has a version.
func (a *anyVersion) UnmarshalJSON(b []byte) error {
	var head struct {
		ProtocolVersion uint16 `json:"protocolVersion" acp:"required"`
	}
	if err := acpclient.Unmarshal(b, &head); err != nil {
		return err
	}
	a.version, a.raw = head.ProtocolVersion, bytes.Clone(b)
	return nil
}

// answered handles the answer before the connection reads the next message, which is in
// the chosen version already.
func (n *negotiation) answered(a *anyVersion, err error) {
	if err == nil {
		err = n.choose(a)
	}
	n.done <- err
}

func (n *negotiation) choose(a *anyVersion) error {
	switch a.version {
	case acpclient.ProtocolVersion:
		n.first.Offer(n.request.ClientCapabilities)
		n.client, n.info = n.first, &acpclient.InitializeResponse{}
		if err := acpclient.Unmarshal(a.raw, n.info); err != nil {
			return fmt.Errorf("the answer to initialize: %w", err)
		}
		return nil
	case Version:
		var r InitializeResponse
		if err := acpclient.Unmarshal(a.raw, &r); err != nil {
			return fmt.Errorf("the answer to initialize: %w", err)
		}
		if r.Capabilities.Session == nil {
			return errNoSessions
		}
		conn := n.first.Conn()
		c := &Client{conn: conn, handler: n.handler, offered: n.request.ClientCapabilities, log: n.log, turns: map[acpclient.SessionID]*turns{}}
		go func() {
			<-conn.Done()
			c.connectionEnded()
		}()
		c.conn.Receive(&receiver{c})
		n.client, n.info = c, r.toV1()
		return nil
	}
	return &acpclient.VersionError{Agent: a.version}
}
