package acpclient

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"sync/atomic"
)

// Handler handles the notifications and requests of an agent.
//
// Its methods are called one at a time, in the order of the wire. A method that answers
// a request blocks the messages after it until it returns or calls Async, which it must
// do before it waits for the user or a program. The context ends when the agent cancels
// the request or the connection ends.
//
// An *Error is sent as the answer. Embed UnimplementedHandler to answer all other
// requests "method not found".
type Handler interface {
	// SessionUpdate is called for every update, including those of unknown sessions.
	// The agent waits until it returns.
	SessionUpdate(ctx context.Context, n *SessionNotification)

	// RequestPermission asks the user. If the turn is cancelled meanwhile it
	// must answer PermissionCancelled.
	RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error)

	FileHandler
	TerminalHandler

	CreateElicitation(ctx context.Context, r *CreateElicitationRequest) (*CreateElicitationResponse, error)
	// CompleteElicitation is called when the agent completes a URL elicitation.
	CompleteElicitation(ctx context.Context, n *CompleteElicitationNotification)
}

// FileHandler serves files: the methods fs/*. A missing file is NotFoundError.
type FileHandler interface {
	ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (*ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, r *WriteTextFileRequest) (*WriteTextFileResponse, error)
}

// TerminalHandler runs commands: the methods terminal/*.
type TerminalHandler interface {
	// CreateTerminal starts a command and does not wait for it.
	CreateTerminal(ctx context.Context, r *CreateTerminalRequest) (*CreateTerminalResponse, error)
	// TerminalOutput answers at once, with what there is so far.
	TerminalOutput(ctx context.Context, r *TerminalOutputRequest) (*TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, r *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error)
	// KillTerminal ends the command; its id stays valid until ReleaseTerminal.
	KillTerminal(ctx context.Context, r *KillTerminalRequest) (*KillTerminalResponse, error)
	ReleaseTerminal(ctx context.Context, r *ReleaseTerminalRequest) (*ReleaseTerminalResponse, error)
}

// clientMethods maps each message of an agent to the method that handles it and to the
// capability that it needs. A new message needs an entry here and a method in one of
// the interfaces above.
var clientMethods = tableOf(
	notificationMethod(SessionUpdateNotification, Handler.SessionUpdate),
	requestMethod(SessionRequestPermission, Handler.RequestPermission, always),

	requestMethod(FSReadTextFile, Handler.ReadTextFile, func(c *ClientCapabilities) bool { return c.FS.ReadTextFile }),
	requestMethod(FSWriteTextFile, Handler.WriteTextFile, func(c *ClientCapabilities) bool { return c.FS.WriteTextFile }),

	requestMethod(TerminalCreate, Handler.CreateTerminal, runsCommands),
	requestMethod(TerminalOutput, Handler.TerminalOutput, runsCommands),
	requestMethod(TerminalWaitForExit, Handler.WaitForTerminalExit, runsCommands),
	requestMethod(TerminalKill, Handler.KillTerminal, runsCommands),
	requestMethod(TerminalRelease, Handler.ReleaseTerminal, runsCommands),

	requestMethod(ElicitationCreate, Handler.CreateElicitation, func(c *ClientCapabilities) bool { return c.Elicitation != nil }),
	notificationMethod(ElicitationComplete, Handler.CompleteElicitation),
)

func always(*ClientCapabilities) bool { return true }

func runsCommands(c *ClientCapabilities) bool { return c.Terminal }

// UnofferedHandler is a Handler that is notified of requests beyond the advertised
// capabilities, which are answered "method not found".
type UnofferedHandler interface {
	// Unoffered is called in the order of the wire. It must not wait.
	Unoffered(method string)
}

// UnimplementedHandler implements Handler: it ignores notifications and answers
// every request "method not found".
type UnimplementedHandler struct{}

var _ Handler = UnimplementedHandler{}

// SessionUpdate implements Handler, as the methods below do.
func (UnimplementedHandler) SessionUpdate(context.Context, *SessionNotification) {}

func (UnimplementedHandler) RequestPermission(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
	return nil, MethodNotFoundError(SessionRequestPermission.Name)
}

func (UnimplementedHandler) ReadTextFile(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
	return nil, MethodNotFoundError(FSReadTextFile.Name)
}

func (UnimplementedHandler) WriteTextFile(context.Context, *WriteTextFileRequest) (*WriteTextFileResponse, error) {
	return nil, MethodNotFoundError(FSWriteTextFile.Name)
}

func (UnimplementedHandler) CreateTerminal(context.Context, *CreateTerminalRequest) (*CreateTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalCreate.Name)
}

func (UnimplementedHandler) TerminalOutput(context.Context, *TerminalOutputRequest) (*TerminalOutputResponse, error) {
	return nil, MethodNotFoundError(TerminalOutput.Name)
}

func (UnimplementedHandler) WaitForTerminalExit(context.Context, *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error) {
	return nil, MethodNotFoundError(TerminalWaitForExit.Name)
}

func (UnimplementedHandler) KillTerminal(context.Context, *KillTerminalRequest) (*KillTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalKill.Name)
}

func (UnimplementedHandler) ReleaseTerminal(context.Context, *ReleaseTerminalRequest) (*ReleaseTerminalResponse, error) {
	return nil, MethodNotFoundError(TerminalRelease.Name)
}

func (UnimplementedHandler) CreateElicitation(context.Context, *CreateElicitationRequest) (*CreateElicitationResponse, error) {
	return nil, MethodNotFoundError(ElicitationCreate.Name)
}

func (UnimplementedHandler) CompleteElicitation(context.Context, *CompleteElicitationNotification) {}

// clientMethod is one entry of the table of client methods.
type clientMethod struct {
	name           string
	params, result reflect.Type // result is nil for a notification
	// offered reports whether a client with these capabilities takes it.
	offered func(*ClientCapabilities) bool
	// take decodes the params, valid JSON or empty, and calls the handler's method.
	take func(ctx context.Context, h Handler, params json.RawMessage) (any, error)
}

// requestMethod returns the entry of a request that a method of Handler answers.
func requestMethod[P, R any](
	m Method[P, R],
	answer func(Handler, context.Context, *P) (*R, error),
	offered func(*ClientCapabilities) bool,
) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, invalidParams(m.Name, err)
		}
		result, err := answer(h, ctx, p)
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = new(R)
		}
		return result, nil
	}
	return clientMethod{name: m.Name, params: reflect.TypeFor[P](), result: reflect.TypeFor[R](), offered: offered, take: take}
}

// notificationMethod returns the entry of a notification that a method of Handler
// handles. It needs no capability.
func notificationMethod[P any](n Notification[P], tell func(Handler, context.Context, *P)) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		tell(h, ctx, p)
		return nil, nil
	}
	return clientMethod{name: n.Name, params: reflect.TypeFor[P](), offered: always, take: take}
}

func tableOf(methods ...clientMethod) map[string]clientMethod {
	table := make(map[string]clientMethod, len(methods))
	for _, m := range methods {
		table[m.name] = m
	}
	return table
}

// dispatcher hands what an agent sends to a Handler.
type dispatcher struct {
	handler Handler
	offered atomic.Pointer[ClientCapabilities]
	log     *slog.Logger
}

// HandleNotification implements Receiver.
func (d *dispatcher) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	m, known := clientMethods[method]
	if !known {
		return
	}
	if m.result != nil {
		d.log.Warn("ignored a request without an id", "method", method)
		return
	}
	if _, err := m.take(ctx, d.handler, params); err != nil {
		d.log.Warn("ignored a notification", "method", method, "error", err)
	}
}

// HandleRequest implements Receiver. It accepts a notification that has an id, such as
// null.
func (d *dispatcher) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	m, known := clientMethods[method]
	switch {
	case known && m.result != nil && m.offered(d.offered.Load()):
		return m.take(ctx, d.handler, params)
	case known && m.result == nil:
		d.HandleNotification(ctx, method, params)
		return nil, nil
	case known:
		if x, ok := d.handler.(UnofferedHandler); ok {
			x.Unoffered(method)
		}
	}
	return nil, MethodNotFoundError(method)
}
