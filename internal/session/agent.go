package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"parley/acpclient"
)

// Peer is a running agent: the two directions of its connection, and its life.
type Peer struct {
	In  io.Reader // what the agent says
	Out io.Writer // what the agent hears
	// Done is closed when the agent has ended; Err then says how.
	Done <-chan struct{}
	Err  func() error
	// Stderr is the tail of what it wrote there, raw.
	Stderr func() string
	// Stop ends it and waits until it has ended.
	Stop func(ctx context.Context)
}

// Spawn starts the agent of a command as a process.
func Spawn(c acpclient.Command) (*Peer, error) {
	p, err := acpclient.StartProcess(c)
	if err != nil {
		return nil, err
	}
	return &Peer{In: p.Stdout, Out: p.Stdin, Done: p.Done(), Err: p.Err, Stderr: p.Stderr, Stop: p.Stop}, nil
}

// Machine serves what the agent asks of the local machine. Errors of type
// *acpclient.Error are answered as they are. Whatever it does is told to the
// Witness that it was made with.
type Machine interface {
	ReadTextFile(ctx context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error)
	CreateTerminal(ctx context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error)
	TerminalOutput(ctx context.Context, r *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, r *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error)
	KillTerminal(ctx context.Context, r *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error)
	ReleaseTerminal(ctx context.Context, r *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error)
	// Close ends every program that runs for the session.
	Close()
}

// Witness is told what a Machine does. Its methods may wait while too much is
// waiting to be drawn.
type Witness interface {
	FileRead(path string)
	FileWritten(path string, before *string, after string)
	TerminalCreated(id acpclient.TerminalID, command, cwd string)
	TerminalOutput(id acpclient.TerminalID, data []byte)
	TerminalExited(id acpclient.TerminalID, status acpclient.TerminalExitStatus)
}

// unknownBound is how many bytes of updates are kept for sessions that nobody
// has opened yet.
const unknownBound = 16 << 20

// agent is one connection to a running agent and the sessions on it. It is the
// protocol's Handler: it knows which session a message is for.
type agent struct {
	acpclient.UnimplementedHandler
	peer   *Peer
	client *acpclient.Client
	info   *acpclient.InitializeResponse
	log    *slog.Logger

	mu       sync.Mutex
	sessions map[acpclient.SessionID]*Session
	early    map[acpclient.SessionID][]*acpclient.SessionNotification
	earlySum int
}

// connect puts a client on a running agent.
func connect(p *Peer, log *slog.Logger, tap func(sent bool, line []byte)) *agent {
	a := &agent{
		peer: p, log: log,
		sessions: map[acpclient.SessionID]*Session{},
		early:    map[acpclient.SessionID][]*acpclient.SessionNotification{},
	}
	a.client = acpclient.NewClient(p.In, p.Out, a, acpclient.ConnOptions{Log: log, Tap: tap})
	return a
}

// attach routes a session's messages to s. What came before it was known comes
// first. It must run where the order of the wire is kept: before the request
// that opens the session, or in the handling of its answer.
func (a *agent) attach(id acpclient.SessionID, s *Session) {
	a.mu.Lock()
	a.sessions[id] = s
	early := a.early[id]
	delete(a.early, id)
	for _, n := range early {
		a.earlySum -= event(n).size()
	}
	a.mu.Unlock()
	for _, n := range early {
		s.stream.post(event(n))
	}
}

func (a *agent) detach(s *Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, other := range a.sessions {
		if other == s {
			delete(a.sessions, id)
		}
	}
}

// session returns the session with an id. An agent that names one that nobody
// opened, as some do for subagents, means the only one there is.
func (a *agent) session(id acpclient.SessionID) (*Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	if len(a.sessions) == 1 {
		for _, s := range a.sessions {
			return s, nil
		}
	}
	return nil, &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf("no session %q is open", id)}
}

// SessionUpdate implements acpclient.Handler, as the methods below do.
func (a *agent) SessionUpdate(ctx context.Context, n *acpclient.SessionNotification) {
	a.mu.Lock()
	s := a.sessions[n.SessionID]
	if s == nil {
		size := event(n).size()
		if a.earlySum+size <= unknownBound {
			a.early[n.SessionID] = append(a.early[n.SessionID], n)
			a.earlySum += size
		} else {
			a.log.Warn("dropped an update of a session that is not open", "session", n.SessionID)
		}
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	s.stream.push(ctx, event(n))
}

func (a *agent) RequestPermission(ctx context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	q := s.openPermission(r)
	acpclient.Async(ctx)
	outcome, err := q.wait(ctx)
	if err != nil {
		s.closePermission(q.id, acpclient.PermissionCancelled)
		return nil, err
	}
	return &acpclient.RequestPermissionResponse{Outcome: outcome}, nil
}

func (a *agent) CreateElicitation(ctx context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	q := s.openElicitation(r)
	acpclient.Async(ctx)
	answer, err := q.wait(ctx)
	if err != nil {
		s.closeElicitation(q.id, acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel})
		return nil, err
	}
	return &answer, nil
}

func (a *agent) CompleteElicitation(_ context.Context, n *acpclient.CompleteElicitationNotification) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		s.stream.post(ElicitationCompleted{n.ElicitationID})
	}
}

func (a *agent) ReadTextFile(ctx context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	acpclient.Async(ctx)
	res, err := s.machine.ReadTextFile(ctx, r)
	if err != nil && acpclient.IsCode(err, acpclient.CodeResourceNotFound) && quirksOf(a.info).missingFileIsEmpty {
		return &acpclient.ReadTextFileResponse{}, nil
	}
	return res, err
}

func (a *agent) WriteTextFile(ctx context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.WriteTextFile)
}

func (a *agent) CreateTerminal(ctx context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.CreateTerminal)
}

func (a *agent) TerminalOutput(ctx context.Context, r *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.TerminalOutput)
}

func (a *agent) WaitForTerminalExit(ctx context.Context, r *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.WaitForTerminalExit)
}

func (a *agent) KillTerminal(ctx context.Context, r *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.KillTerminal)
}

func (a *agent) ReleaseTerminal(ctx context.Context, r *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.ReleaseTerminal)
}

// onMachine runs a request on the machine of its session, beside the stream.
func onMachine[P, R any](ctx context.Context, a *agent, id acpclient.SessionID, r P, do func(Machine, context.Context, P) (R, error)) (R, error) {
	s, err := a.session(id)
	if err != nil {
		var none R
		return none, err
	}
	acpclient.Async(ctx)
	return do(s.machine, ctx, r)
}

// lost says how the agent went: the process's end if it ended, else the
// connection's.
func (a *agent) lost() error {
	select {
	case <-a.peer.Done:
		if err := a.peer.Err(); err != nil {
			return err
		}
	default:
	}
	if err := a.client.Conn().Err(); err != nil && !errors.Is(err, acpclient.ErrClosed) {
		return err
	}
	return errors.New("the agent closed the connection")
}
