package acpclient

import "context"

// Client is the client's side of a connection to one agent. It is safe for concurrent
// use. Call and Go make any other call over its Conn. A call that the agent refuses
// returns an *Error; one that the agent can no longer answer returns an error that wraps
// ErrClosed; one whose context ends is cancelled at the agent.
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

// Logout signs out.
func (c *Client) Logout(ctx context.Context, r *LogoutRequest) (*LogoutResponse, error) {
	return Call(ctx, c.conn, Logout, r)
}

// ListSessions returns one page of the agent's sessions.
func (c *Client) ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error) {
	return Call(ctx, c.conn, SessionList, r)
}

// DeleteSession deletes a session.
func (c *Client) DeleteSession(ctx context.Context, r *DeleteSessionRequest) (*DeleteSessionResponse, error) {
	return Call(ctx, c.conn, SessionDelete, r)
}

// Cancel asks the agent to end the running turn. It does not wait.
func (c *Client) Cancel(n *CancelNotification) error {
	return c.conn.Notify(SessionCancel.Name, n)
}
