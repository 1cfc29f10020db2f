package acpclient

import (
	"context"
	"encoding/json"
)

// Method is a request of the protocol: its name, and the types of its params
// and its result.
type Method[Params, Result any] struct{ Name string }

// Notification is a message of the protocol that has no answer.
type Notification[Params any] struct{ Name string }

// The requests that a client sends to an agent. Client has a method for each.
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
	CancelRequest             = Notification[CancelRequestNotification]{"$/cancel_request"}
)

// Call sends a request and waits for its answer, as Conn.Call does.
func Call[P, R any](ctx context.Context, c *Conn, m Method[P, R], params *P) (*R, error) {
	result := new(R)
	if err := c.Call(ctx, m.Name, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Go sends a request and returns at once. done is called exactly once, with the
// answer or with the error that there will be none; if an answer comes, then in
// the order of the wire, after the updates before it and before those behind
// it. done must not block and must not wait for a call on the same connection.
func Go[P, R any](c *Conn, m Method[P, R], params *P, done func(*R, error)) {
	_, err := c.start(m.Name, params, func(raw json.RawMessage, err error) {
		if err != nil {
			done(nil, err)
			return
		}
		result := new(R)
		if err := decodeResult(m.Name, raw, result); err != nil {
			done(nil, err)
			return
		}
		done(result, nil)
	})
	if err != nil {
		done(nil, err)
	}
}

// serve decodes the params of a request and answers it with a handler's method.
func serve[P, R any](ctx context.Context, m Method[P, R], params json.RawMessage, handle func(context.Context, *P) (*R, error)) (any, error) {
	p := new(P)
	if err := Unmarshal(params, p); err != nil {
		return nil, invalidParams(m.Name, err)
	}
	result, err := handle(ctx, p)
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = new(R)
	}
	return result, nil
}
