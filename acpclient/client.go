package acpclient

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
)

// Client is the client's side of a connection to one agent: a typed call for
// every method that an agent has. It may be used from any goroutine. A call
// that the agent refuses returns an *Error; one that the agent cannot answer
// any more returns an error that wraps ErrClosed; one whose context ends is
// cancelled at the agent.
type Client struct {
	conn    *Conn
	handler Handler
	offered atomic.Pointer[ClientCapabilities]
}

// NewClient speaks to an agent that writes to r and reads from w, for instance
// a Process's Stdout and Stdin. Calls of handler begin at once.
func NewClient(r io.Reader, w io.Writer, handler Handler, opt ConnOptions) *Client {
	c := &Client{handler: handler}
	c.offered.Store(&ClientCapabilities{})
	opt.fast = func(ctx context.Context, line []byte) bool {
		n, ok := fastUpdate(line)
		if ok {
			c.update(ctx, n)
		}
		return ok
	}
	c.conn = newConn(clientReceiver{c}, opt)
	c.conn.run(r, w)
	return c
}

// Conn is the connection beneath, for methods outside the protocol and for Go.
func (c *Client) Conn() *Conn { return c.conn }

// Initialize opens the connection: it must be the first call. The version is
// filled in; the capabilities decide which of the agent's requests reach the
// handler, the others are answered "method not found". If the agent speaks
// another version the error is a *VersionError.
func (c *Client) Initialize(ctx context.Context, r *InitializeRequest) (*InitializeResponse, error) {
	req := *r
	req.ProtocolVersion = ProtocolVersion
	c.offered.Store(&req.ClientCapabilities)
	res, err := Call(ctx, c.conn, Initialize, &req)
	if err != nil {
		return nil, err
	}
	if res.ProtocolVersion != ProtocolVersion {
		return nil, &VersionError{Agent: res.ProtocolVersion}
	}
	return res, nil
}

// Authenticate signs in with one of the agent's methods.
func (c *Client) Authenticate(ctx context.Context, r *AuthenticateRequest) (*AuthenticateResponse, error) {
	return Call(ctx, c.conn, Authenticate, r)
}

// Logout signs out.
func (c *Client) Logout(ctx context.Context, r *LogoutRequest) (*LogoutResponse, error) {
	return Call(ctx, c.conn, Logout, r)
}

// NewSession starts a session.
func (c *Client) NewSession(ctx context.Context, r *NewSessionRequest) (*NewSessionResponse, error) {
	return Call(ctx, c.conn, SessionNew, r)
}

// LoadSession opens an old session; its history comes as updates, mostly before
// the answer.
func (c *Client) LoadSession(ctx context.Context, r *LoadSessionRequest) (*LoadSessionResponse, error) {
	return Call(ctx, c.conn, SessionLoad, r)
}

// ResumeSession opens an old session without its history.
func (c *Client) ResumeSession(ctx context.Context, r *ResumeSessionRequest) (*ResumeSessionResponse, error) {
	return Call(ctx, c.conn, SessionResume, r)
}

// ForkSession starts a session that continues a copy of another (unstable).
func (c *Client) ForkSession(ctx context.Context, r *ForkSessionRequest) (*ForkSessionResponse, error) {
	return Call(ctx, c.conn, SessionFork, r)
}

// ListSessions returns one page of the agent's sessions.
func (c *Client) ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error) {
	return Call(ctx, c.conn, SessionList, r)
}

// DeleteSession deletes a session.
func (c *Client) DeleteSession(ctx context.Context, r *DeleteSessionRequest) (*DeleteSessionResponse, error) {
	return Call(ctx, c.conn, SessionDelete, r)
}

// CloseSession ends a session's work and frees it.
func (c *Client) CloseSession(ctx context.Context, r *CloseSessionRequest) (*CloseSessionResponse, error) {
	return Call(ctx, c.conn, SessionClose, r)
}

// Prompt runs a turn and returns when it has ended. To cancel it call Cancel
// and go on waiting: cancelling ctx gives up the request, which is not the same.
func (c *Client) Prompt(ctx context.Context, r *PromptRequest) (*PromptResponse, error) {
	return Call(ctx, c.conn, SessionPrompt, r)
}

// Cancel asks the agent to end the running turn. It does not wait.
func (c *Client) Cancel(n *CancelNotification) error {
	return c.conn.Notify(SessionCancel.Name, n)
}

// SetSessionMode switches the mode.
func (c *Client) SetSessionMode(ctx context.Context, r *SetSessionModeRequest) (*SetSessionModeResponse, error) {
	return Call(ctx, c.conn, SessionSetMode, r)
}

// SetSessionConfigOption sets a config option and returns the state of all.
func (c *Client) SetSessionConfigOption(ctx context.Context, r *SetSessionConfigOptionRequest) (*SetSessionConfigOptionResponse, error) {
	return Call(ctx, c.conn, SessionSetConfigOption, r)
}

// SetSessionModel switches the model (older, unstable).
func (c *Client) SetSessionModel(ctx context.Context, r *SetSessionModelRequest) (*SetSessionModelResponse, error) {
	return Call(ctx, c.conn, SessionSetModel, r)
}

// SetSessionTitle renames a session (unstable).
func (c *Client) SetSessionTitle(ctx context.Context, r *SetSessionTitleRequest) (*SetSessionTitleResponse, error) {
	return Call(ctx, c.conn, SessionSetTitle, r)
}

// update hands an update on; a panic stays inside.
func (c *Client) update(ctx context.Context, n *SessionNotification) {
	defer c.conn.recovered(SessionUpdateNotification.Name, nil)
	c.handler.SessionUpdate(ctx, n)
}

// clientReceiver keeps Receiver's methods out of Client's own.
type clientReceiver struct{ *Client }

// HandleNotification implements Receiver.
func (c clientReceiver) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	switch method {
	case SessionUpdateNotification.Name:
		n := new(SessionNotification)
		if err := Unmarshal(params, n); err != nil {
			c.conn.opt.Log.Warn("ignored an update", "error", err)
			return
		}
		c.handler.SessionUpdate(ctx, n)
	case ElicitationComplete.Name:
		n := new(CompleteElicitationNotification)
		if Unmarshal(params, n) == nil {
			c.handler.CompleteElicitation(ctx, n)
		}
	default:
		if x, ok := c.handler.(ExtensionHandler); ok {
			x.ExtNotification(ctx, method, params)
		}
	}
}

// HandleRequest implements Receiver.
func (c clientReceiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	h, offered := c.handler, c.offered.Load()
	switch {
	case method == SessionRequestPermission.Name:
		return serve(ctx, SessionRequestPermission, params, h.RequestPermission)
	case method == FSReadTextFile.Name && offered.FS.ReadTextFile:
		return serve(ctx, FSReadTextFile, params, h.ReadTextFile)
	case method == FSWriteTextFile.Name && offered.FS.WriteTextFile:
		return serve(ctx, FSWriteTextFile, params, h.WriteTextFile)
	case method == TerminalCreate.Name && offered.Terminal:
		return serve(ctx, TerminalCreate, params, h.CreateTerminal)
	case method == TerminalOutput.Name && offered.Terminal:
		return serve(ctx, TerminalOutput, params, h.TerminalOutput)
	case method == TerminalWaitForExit.Name && offered.Terminal:
		return serve(ctx, TerminalWaitForExit, params, h.WaitForTerminalExit)
	case method == TerminalKill.Name && offered.Terminal:
		return serve(ctx, TerminalKill, params, h.KillTerminal)
	case method == TerminalRelease.Name && offered.Terminal:
		return serve(ctx, TerminalRelease, params, h.ReleaseTerminal)
	case method == ElicitationCreate.Name && offered.Elicitation != nil:
		return serve(ctx, ElicitationCreate, params, h.CreateElicitation)
	}
	if x, ok := h.(ExtensionHandler); ok && !isClientMethod(method) {
		return x.ExtRequest(ctx, method, params)
	}
	return nil, MethodNotFoundError(method)
}

// isClientMethod reports whether a request of the protocol has this name. One
// that was not advertised is no extension.
func isClientMethod(method string) bool {
	switch method {
	case SessionRequestPermission.Name, FSReadTextFile.Name, FSWriteTextFile.Name,
		TerminalCreate.Name, TerminalOutput.Name, TerminalWaitForExit.Name, TerminalKill.Name, TerminalRelease.Name,
		ElicitationCreate.Name:
		return true
	}
	return false
}
