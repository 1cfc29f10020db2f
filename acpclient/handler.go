package acpclient

import (
	"context"
	"encoding/json"
)

// Handler is what an agent may tell and ask a client.
//
// All methods are called in the order of the wire, one after the other: a
// permission request is never seen before the tool call that it is about.
// A method that answers a request holds up what comes after it until it returns
// or calls Async; one that waits for a person or a program must call Async.
// A context ends when the agent cancels its request or the connection closes.
//
// An error of type *Error is answered as it is. Embed UnimplementedHandler to
// answer "method not found" to whatever is not implemented.
type Handler interface {
	// SessionUpdate is told every update of every session, also of sessions
	// that it has not heard of yet. While it does not return, the agent waits.
	SessionUpdate(ctx context.Context, n *SessionNotification)

	// RequestPermission asks the person. If the turn is cancelled meanwhile it
	// must answer PermissionCancelled.
	RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error)

	// ReadTextFile and WriteTextFile serve fs/*. A missing file is NotFoundError.
	ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (*ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, r *WriteTextFileRequest) (*WriteTextFileResponse, error)

	// The methods of terminal/*.
	CreateTerminal(ctx context.Context, r *CreateTerminalRequest) (*CreateTerminalResponse, error)
	TerminalOutput(ctx context.Context, r *TerminalOutputRequest) (*TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, r *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error)
	KillTerminal(ctx context.Context, r *KillTerminalRequest) (*KillTerminalResponse, error)
	ReleaseTerminal(ctx context.Context, r *ReleaseTerminalRequest) (*ReleaseTerminalResponse, error)

	// CreateElicitation asks the person for input; CompleteElicitation is told
	// that one asked by URL is done.
	CreateElicitation(ctx context.Context, r *CreateElicitationRequest) (*CreateElicitationResponse, error)
	CompleteElicitation(ctx context.Context, n *CompleteElicitationNotification)
}

// ExtensionHandler is implemented by a Handler that knows methods outside the
// protocol ("Extensibility"). Without it, unknown requests are answered "method
// not found" and unknown notifications are ignored.
type ExtensionHandler interface {
	ExtRequest(ctx context.Context, method string, params json.RawMessage) (any, error)
	ExtNotification(ctx context.Context, method string, params json.RawMessage)
}

// UnimplementedHandler implements Handler: it ignores notifications and answers
// every request "method not found".
type UnimplementedHandler struct{}

var _ Handler = UnimplementedHandler{}

// SessionUpdate ignores the update.
func (UnimplementedHandler) SessionUpdate(context.Context, *SessionNotification) {}

// RequestPermission answers "method not found", as the methods below do.
func (UnimplementedHandler) RequestPermission(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
	return nil, MethodNotFoundError(SessionRequestPermission.Name)
}

// ReadTextFile answers "method not found".
func (UnimplementedHandler) ReadTextFile(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
	return nil, MethodNotFoundError(FSReadTextFile.Name)
}

// WriteTextFile answers "method not found".
func (UnimplementedHandler) WriteTextFile(context.Context, *WriteTextFileRequest) (*WriteTextFileResponse, error) {
	return nil, MethodNotFoundError(FSWriteTextFile.Name)
}

// CreateTerminal answers "method not found".
func (UnimplementedHandler) CreateTerminal(context.Context, *CreateTerminalRequest) (*CreateTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalCreate.Name)
}

// TerminalOutput answers "method not found".
func (UnimplementedHandler) TerminalOutput(context.Context, *TerminalOutputRequest) (*TerminalOutputResponse, error) {
	return nil, MethodNotFoundError(TerminalOutput.Name)
}

// WaitForTerminalExit answers "method not found".
func (UnimplementedHandler) WaitForTerminalExit(context.Context, *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error) {
	return nil, MethodNotFoundError(TerminalWaitForExit.Name)
}

// KillTerminal answers "method not found".
func (UnimplementedHandler) KillTerminal(context.Context, *KillTerminalRequest) (*KillTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalKill.Name)
}

// ReleaseTerminal answers "method not found".
func (UnimplementedHandler) ReleaseTerminal(context.Context, *ReleaseTerminalRequest) (*ReleaseTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalRelease.Name)
}

// CreateElicitation answers "method not found".
func (UnimplementedHandler) CreateElicitation(context.Context, *CreateElicitationRequest) (*CreateElicitationResponse, error) {
	return nil, MethodNotFoundError(ElicitationCreate.Name)
}

// CompleteElicitation ignores the notification.
func (UnimplementedHandler) CompleteElicitation(context.Context, *CompleteElicitationNotification) {}
