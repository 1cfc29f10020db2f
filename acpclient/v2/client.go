package v2

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"parley/acpclient"
)

// Client is the client's side of a connection to an agent that speaks version 2. It has
// acpclient.Client's calls with the same types, and is safe for concurrent use.
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
	_, err := acpclient.Call(ctx, c.conn, AuthLogout, r)
	return &acpclient.LogoutResponse{}, err
}

// ListSessions returns one page of the agent's sessions.
func (c *Client) ListSessions(ctx context.Context, r *acpclient.ListSessionsRequest) (*acpclient.ListSessionsResponse, error) {
	return acpclient.Call(ctx, c.conn, SessionList, r)
}

// DeleteSession deletes a session.
func (c *Client) DeleteSession(ctx context.Context, r *acpclient.DeleteSessionRequest) (*acpclient.DeleteSessionResponse, error) {
	_, err := acpclient.Call(ctx, c.conn, SessionDelete, r)
	return &acpclient.DeleteSessionResponse{}, err
}

// CancelToolCall asks the agent to cancel a tool call, which the agent must have
// advertised for it.
func (c *Client) CancelToolCall(ctx context.Context, session acpclient.SessionID, id acpclient.ToolCallID) error {
	_, err := acpclient.Call(ctx, c.conn, ToolCallCancel, &CancelToolCallRequest{SessionID: session, ToolCallID: id})
	return err
}

// CancelTerminal asks the agent to end a terminal's command, which the agent must have
// advertised for it.
func (c *Client) CancelTerminal(ctx context.Context, session acpclient.SessionID, id acpclient.TerminalID) error {
	_, err := acpclient.Call(ctx, c.conn, TerminalCancel, &CancelTerminalRequest{SessionID: session, TerminalID: id})
	return err
}

// Request implements acpclient.Requester: method, params and result are those of
// acpclient. A method that this version does not have is an error of the code
// acpclient.CodeMethodNotFound.
func (c *Client) Request(method string, params, result any, done func(error)) {
	switch p := params.(type) {
	case *acpclient.PromptRequest:
		c.prompt(p, result.(*acpclient.PromptResponse), done)
	case *acpclient.AuthenticateRequest:
		send(c, AuthLogin, p, done, func(*Empty) {})
	case *acpclient.SetSessionConfigOptionRequest:
		result := result.(*acpclient.SetSessionConfigOptionResponse)
		r := &SetConfigOptionRequest{SessionID: p.SessionID, ConfigID: p.ConfigID, Type: "id", Value: p.Value, Meta: p.Meta}
		if p.Value.IsBool {
			r.Type = string(acpclient.ConfigBoolean)
		}
		send(c, SessionSetConfigOption, r, done, func(a *SetConfigOptionResponse) {
			result.ConfigOptions, result.Meta = options(a.ConfigOptions), a.Meta
		})
	case *acpclient.CloseSessionRequest:
		send(c, SessionClose, p, done, func(*Empty) {})
	case *acpclient.SetSessionTitleRequest:
		send(c, SessionSetTitle, p, done, func(r *acpclient.SetSessionTitleResponse) {
			*result.(*acpclient.SetSessionTitleResponse) = *r
		})
	default:
		c.open(method, params, result, done)
	}
}

// open makes the calls that open a session.
func (c *Client) open(method string, params, result any, done func(error)) {
	switch p := params.(type) {
	case *acpclient.NewSessionRequest:
		send(c, SessionNew, &NewSessionRequest{
			Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories, MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, done, func(r *NewSessionResponse) {
			*result.(*acpclient.NewSessionResponse) = acpclient.NewSessionResponse{SessionID: r.SessionID, SessionState: state(r.ConfigOptions, r.Meta)}
			c.toldCommands(r.SessionID, r.AvailableCommands)
		})
	case *acpclient.LoadSessionRequest:
		c.resume(&ResumeSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta, ReplayFrom: &ReplayFrom{Type: ReplayStart},
		}, &result.(*acpclient.LoadSessionResponse).SessionState, done)
	case *acpclient.ResumeSessionRequest:
		c.resume(&ResumeSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, &result.(*acpclient.ResumeSessionResponse).SessionState, done)
	case *acpclient.ForkSessionRequest:
		send(c, SessionFork, &ForkSessionRequest{
			SessionID: p.SessionID, Cwd: p.Cwd, AdditionalDirectories: p.AdditionalDirectories,
			MCPServers: servers(p.MCPServers), Meta: p.Meta,
		}, done, func(r *NewSessionResponse) {
			*result.(*acpclient.ForkSessionResponse) = acpclient.ForkSessionResponse{SessionID: r.SessionID, SessionState: state(r.ConfigOptions, r.Meta)}
			c.toldCommands(r.SessionID, r.AvailableCommands)
		})
	default:
		done(acpclient.MethodNotFoundError(method))
	}
}

func (c *Client) resume(r *ResumeSessionRequest, into *acpclient.SessionState, done func(error)) {
	send(c, SessionResume, r, done, func(a *ResumeSessionResponse) {
		*into = state(a.ConfigOptions, a.Meta)
		c.toldCommands(r.SessionID, a.AvailableCommands)
	})
}

// toldCommands hands on the commands that the answer to an opening has. In the first
// version they are told by an update.
func (c *Client) toldCommands(id acpclient.SessionID, all []AvailableCommand) {
	if all == nil {
		return
	}
	u := &acpclient.AvailableCommandsUpdate{AvailableCommands: commands(all)}
	c.handler.SessionUpdate(context.Background(), v1Notification(id, u, nil))
}

// state is what the answer to an opening says about a session. It says all: what it
// leaves out there is not.
func state(all []ConfigOption, meta Meta) acpclient.SessionState {
	return acpclient.SessionState{ConfigOptions: options(all), Meta: meta}
}

// send sends a request. take makes use of its answer before done is called.
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

// Negotiate opens the connection of first, which must be new, and offers this version
// to the agent. If the agent answers the first version, first goes on, with the
// capabilities of r; else a Client takes its place, which calls h. An agent that
// answers a version that neither knows is an *acpclient.VersionError.
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
