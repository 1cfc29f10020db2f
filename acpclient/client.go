package acpclient

import (
	"context"
)

// Client is the client's side of a connection to one agent. It is safe for concurrent
// use. For all other methods use Call, Go and Notify with its Conn. A call returns an *Error if
// the agent rejects it, and an error that wraps ErrClosed if the connection ends first.
// When its context ends, the request is cancelled.
type Client struct {
	conn     *Conn
	dispatch *dispatcher
}

// NewClient returns a client that uses t, for instance the Lines of a Process. It may
// call handler at once.
func NewClient(t Transport, handler Handler, opt ConnOptions) *Client {
	log := opt.logger()
	d := &dispatcher{handler: handler, log: log}
	d.offered.Store(&ClientCapabilities{})
	opt.uncancellable = Initialize.Name
	return &Client{conn: NewConn(t, d, opt), dispatch: d}
}

// Conn returns the underlying connection.
func (c *Client) Conn() *Conn { return c.conn }

// Receiver returns what hands requests and notifications to the handler.
func (c *Client) Receiver() Receiver { return c.dispatch }

// Offer sets the capabilities that decide which requests reach the handler. Initialize
// does so itself; use Offer only for a connection that was initialized otherwise.
func (c *Client) Offer(offered ClientCapabilities) { c.dispatch.offered.Store(&offered) }

// Initialize initializes the connection; it must be the first call. It sets the
// version of the request. Requests that the capabilities do not cover are answered
// "method not found" without the handler. If the agent speaks another version, the
// error is a *VersionError.
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
	SessionSetModel = Method[SetSessionModelRequest, SetSessionModelResponse]{"session/set_model"}

	// SessionSteering is an extension of agents whose answer to initialize has
	// _meta.steering.supported.
	SessionSteering = Method[SteeringRequest, SteeringResponse]{"_session/steering"}
	// SessionStopTask is an extension of agents that tell of tasks in the background.
	SessionStopTask = Method[StopTaskRequest, StopTaskResponse]{"_session/async_task/stop"}
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

// Empty is a response without content.
type Empty struct {
	Meta Meta `json:"_meta,omitempty"`
}

// The responses without content.
type (
	AuthenticateResponse    Empty
	LogoutResponse          Empty
	WriteTextFileResponse   Empty
	SetSessionModeResponse  Empty
	SetSessionModelResponse Empty
	DeleteSessionResponse   Empty
	CloseSessionResponse    Empty
	KillTerminalResponse    Empty
	ReleaseTerminalResponse Empty
)
