package acpclient

import (
	"context"
)

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

// The requests that a client sends to an agent, by Call or Go.
var (
	Initialize             = Method[InitializeRequest, InitializeResponse]{"initialize"}
	Authenticate           = Method[AuthenticateRequest, AuthenticateResponse]{"authenticate"}
	Logout                 = Method[LogoutRequest, LogoutResponse]{"logout"}
	SessionNew             = Method[NewSessionRequest, NewSessionResponse]{"session/new"}
	SessionLoad            = Method[LoadSessionRequest, LoadSessionResponse]{"session/load"}
	SessionResume          = Method[ResumeSessionRequest, ResumeSessionResponse]{"session/resume"}
	SessionList            = Method[ListSessionsRequest, ListSessionsResponse]{"session/list"}
	SessionDelete          = Method[DeleteSessionRequest, DeleteSessionResponse]{"session/delete"}
	SessionClose           = Method[CloseSessionRequest, CloseSessionResponse]{"session/close"}
	SessionPrompt          = Method[PromptRequest, PromptResponse]{"session/prompt"}
	SessionSetMode         = Method[SetSessionModeRequest, SetSessionModeResponse]{"session/set_mode"}
	SessionSetConfigOption = Method[SetSessionConfigOptionRequest, SetSessionConfigOptionResponse]{"session/set_config_option"}

	// Unstable additions that some agents have.
	SessionFork     = Method[ForkSessionRequest, ForkSessionResponse]{"session/fork"}
	SessionSetTitle = Method[SetSessionTitleRequest, SetSessionTitleResponse]{"session/set_title"}
	SessionSetModel = Method[SetSessionModelRequest, SetSessionModelResponse]{"session/set_model"}
)

// The requests that an agent sends to a client. Handler has a method for each.
var (
	SessionRequestPermission = Method[RequestPermissionRequest, RequestPermissionResponse]{"session/request_permission"}
	FSReadTextFile           = Method[ReadTextFileRequest, ReadTextFileResponse]{"fs/read_text_file"}
	FSWriteTextFile          = Method[WriteTextFileRequest, WriteTextFileResponse]{"fs/write_text_file"}
	TerminalCreate           = Method[CreateTerminalRequest, CreateTerminalResponse]{"terminal/create"}
	TerminalOutput           = Method[TerminalOutputRequest, TerminalOutputResponse]{"terminal/output"}
	TerminalWaitForExit      = Method[WaitForTerminalExitRequest, WaitForTerminalExitResponse]{"terminal/wait_for_exit"}
	TerminalKill             = Method[KillTerminalRequest, KillTerminalResponse]{"terminal/kill"}
	TerminalRelease          = Method[ReleaseTerminalRequest, ReleaseTerminalResponse]{"terminal/release"}
	ElicitationCreate        = Method[CreateElicitationRequest, CreateElicitationResponse]{"elicitation/create"}
)

// The notifications of the protocol.
var (
	SessionCancel             = Notification[CancelNotification]{"session/cancel"}
	SessionUpdateNotification = Notification[SessionNotification]{"session/update"}
	ElicitationComplete       = Notification[CompleteElicitationNotification]{"elicitation/complete"}
)
