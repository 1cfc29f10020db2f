package acpclient

import "context"

// Client is the client's side of a connection to one agent: a typed call for
// every method that an agent has. It may be used from any goroutine. A call
// that the agent refuses returns an *Error; one that the agent cannot answer
// any more returns an error that wraps ErrClosed; one whose context ends is
// cancelled at the agent.
type Client struct {
	conn     *Conn
	dispatch *dispatcher
}

// NewClient speaks to an agent over t, for instance over the lines of a
// Process's Stdout and Stdin. Calls of handler begin at once.
func NewClient(t Transport, handler Handler, opt ConnOptions) *Client {
	log := opt.logger()
	d := &dispatcher{handler: handler, log: log}
	d.offered.Store(&ClientCapabilities{})
	return &Client{conn: NewConn(t, d, opt), dispatch: d}
}

// Conn is the connection beneath, for methods outside the protocol and for Go.
func (c *Client) Conn() *Conn { return c.conn }

// Request sends a request of any method; done gets the error of its answer, in the order
// of the wire. It may be called concurrently.
func (c *Client) Request(method string, params, result any, done func(error)) {
	c.conn.Request(method, params, result, done)
}

// Offer says what of the agent's requests reaches the handler, as Initialize does,
// for a connection that was opened by other means.
func (c *Client) Offer(offered ClientCapabilities) { c.dispatch.offered.Store(&offered) }

// Initialize opens the connection: it must be the first call. The version is
// filled in; the capabilities decide which of the agent's requests reach the
// handler, the others are answered "method not found". If the agent speaks
// another version the error is a *VersionError.
func (c *Client) Initialize(ctx context.Context, r *InitializeRequest) (*InitializeResponse, error) {
	req := *r
	req.ProtocolVersion = ProtocolVersion
	c.dispatch.offered.Store(&req.ClientCapabilities)
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

// LoadSession opens an old session. Its history comes as updates, most of them
// before the answer.
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

// Prompt runs a turn and returns when it has ended. To cancel the turn call
// Cancel and wait on: an agent answers the prompt of a cancelled turn too. Ending
// ctx is something else: it gives up the request itself.
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
