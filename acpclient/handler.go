package acpclient

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
)

// Handler handles the updates of an agent, and its other notifications and requests if it
// is a PermissionHandler, FileHandler, TerminalHandler or ElicitationHandler, too. Requests
// that it does not handle are answered "method not found".
//
// Its methods are called one at a time, in the order of the wire. A method that answers
// a request blocks the messages after it until it returns or calls Async, which it must
// do before it waits for the user or a program. The context ends when the agent cancels
// the request or the connection ends. An *Error is sent as the answer.
type Handler interface {
	// SessionUpdate is called for every update, including those of unknown sessions.
	// The agent waits until it returns.
	SessionUpdate(ctx context.Context, n *SessionNotification)
}

// PermissionHandler asks the user for permission.
type PermissionHandler interface {
	// RequestPermission asks the user. If the turn is cancelled meanwhile it
	// must answer PermissionCancelled.
	RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error)
}

// ElicitationHandler asks the user for input.
type ElicitationHandler interface {
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
	requestMethod(SessionRequestPermission, PermissionHandler.RequestPermission, always),

	requestMethod(FSReadTextFile, FileHandler.ReadTextFile, func(c *ClientCapabilities) bool { return c.FS.ReadTextFile }),
	requestMethod(FSWriteTextFile, FileHandler.WriteTextFile, func(c *ClientCapabilities) bool { return c.FS.WriteTextFile }),

	requestMethod(TerminalCreate, TerminalHandler.CreateTerminal, runsCommands),
	requestMethod(TerminalOutput, TerminalHandler.TerminalOutput, runsCommands),
	requestMethod(TerminalWaitForExit, TerminalHandler.WaitForTerminalExit, runsCommands),
	requestMethod(TerminalKill, TerminalHandler.KillTerminal, runsCommands),
	requestMethod(TerminalRelease, TerminalHandler.ReleaseTerminal, runsCommands),

	requestMethod(ElicitationCreate, ElicitationHandler.CreateElicitation, func(c *ClientCapabilities) bool { return c.Elicitation != nil }),
	notificationMethod(ElicitationComplete, ElicitationHandler.CompleteElicitation),
)

func always(*ClientCapabilities) bool { return true }

func runsCommands(c *ClientCapabilities) bool { return c.Terminal }

// UnofferedHandler is a Handler that is notified of requests beyond the advertised
// capabilities, which are answered "method not found".
type UnofferedHandler interface {
	// Unoffered is called in the order of the wire. It must not wait.
	Unoffered(method string)
}

// clientMethod is one entry of the table of client methods.
type clientMethod struct {
	name           string
	params, result reflect.Type // result is nil for a notification
	// offered reports whether a client with these capabilities takes it.
	offered func(*ClientCapabilities) bool
	// take decodes the params, valid JSON or empty, and calls the handler's method.
	take func(ctx context.Context, h Handler, params json.RawMessage) (any, error)
}

// requestMethod returns the entry of a request that a method of an H answers.
func requestMethod[P, R, H any](
	m Method[P, R],
	answer func(H, context.Context, *P) (*R, error),
	offered func(*ClientCapabilities) bool,
) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, invalidParams(m.Name, err)
		}
		answers, ok := h.(H)
		if !ok {
			return nil, MethodNotFoundError(m.Name)
		}
		result, err := answer(answers, ctx, p)
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

// notificationMethod returns the entry of a notification that a method of an H handles. It
// needs no capability.
func notificationMethod[P, H any](n Notification[P], tell func(H, context.Context, *P)) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		if hears, ok := h.(H); ok {
			tell(hears, ctx, p)
		}
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

// Answering returns a function that decodes the params of a request for the one that answers it, for a
// table of the methods that a peer has.
func Answering[T, P any](answer func(T, context.Context, *P) (any, error)) func(T, context.Context, json.RawMessage) (any, error) {
	return func(t T, ctx context.Context, params json.RawMessage) (any, error) {
		p := new(P)
		if err := Unmarshal(params, p); err != nil {
			return nil, &Error{Code: CodeInvalidParams, Message: err.Error()}
		}
		return answer(t, ctx, p)
	}
}

// Answers answers a client's requests by a table of methods: none before initialize, and none after End.
type Answers[T any] struct {
	// Methods are functions of Answering.
	Methods map[string]func(T, context.Context, json.RawMessage) (any, error)

	mu           sync.Mutex
	begun, ended bool
	open         sync.WaitGroup // requests being answered; added to with mu held
}

// Request has t answer a request.
func (a *Answers[T]) Request(ctx context.Context, t T, name string, params json.RawMessage) (result any, err error) {
	a.mu.Lock()
	begun, ended := a.begun, a.ended
	if !ended {
		a.open.Add(1)
	}
	a.mu.Unlock()
	if ended {
		return nil, ErrClosed
	}
	defer a.open.Done()
	switch answer := a.Methods[name]; {
	case !begun && name != Initialize.Name:
		return nil, &Error{Code: CodeInvalidRequest, Message: "initialize comes first"}
	case answer == nil:
		return nil, MethodNotFoundError(name)
	default:
		result, err = answer(t, ctx, params)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = a.begun || err == nil
	return result, err
}

// End lets no more requests be answered, and waits for those that are.
func (a *Answers[T]) End() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.open.Wait()
}
