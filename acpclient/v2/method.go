package v2

import "parley/acpclient"

// Version is the version of the protocol that this package speaks.
const Version = 2

type (
	// Field is a field of an update that changes something: absent leaves alone, null
	// clears, a value replaces.
	Field[T any] = acpclient.Field[T]
	// Meta is the _meta of a protocol object.
	Meta = acpclient.Meta
	// Marker advertises something by being there.
	Marker = acpclient.Supported
	// Empty is an answer that says nothing but that it was done.
	Empty struct {
		Meta Meta `json:"_meta,omitempty"`
	}
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
