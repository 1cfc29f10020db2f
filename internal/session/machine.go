package session

import (
	"context"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Machine serves the agent's requests for files and terminals. Errors of type
// *acpclient.Error are answered unchanged. It reports everything that it does to the
// Observer that it was created with. It is safe for concurrent use.
type Machine interface {
	acpclient.FileHandler
	acpclient.TerminalHandler
	Shells
	// EndTerminals ends every program that runs for the agent, and waits for that. It
	// is called when the agent is gone.
	EndTerminals()
	// Close ends every program that runs for the session.
	Close()
}

// Observer takes what a Machine does, as events. It is safe for concurrent use, and blocks while
// the session's stream is full.
type Observer func(conversation.Event)

// observe is the Observer of a session.
func (s *Session) observe(e conversation.Event) {
	if shell, is := e.(conversation.ShellStarted); is { // the consumer of the stream may be waiting for it
		shell.At = s.opt.Now()
		e = shell
	} else {
		s.stream.room(s.ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.post(e)
}

// Shells runs the user's own commands. It is safe for concurrent use. Only EndTerminal
// blocks.
type Shells interface {
	// StartShell starts a command of the user's own in the session's directory, and
	// reports it to the Observer like those of the agent. It runs until it ends, is
	// ended, or the session is closed.
	StartShell(context.Context, ShellSpec) (acpclient.TerminalID, error)
	// TypeInto types into a terminal, the agent's or the user's. The input is not
	// stored.
	TypeInto(id acpclient.TerminalID, data []byte) error
	// ResizeTerminal changes the size of a terminal, in cells.
	ResizeTerminal(id acpclient.TerminalID, cols, rows int) error
	// EndTerminal ends a command with all its descendants, and waits for that.
	EndTerminal(id acpclient.TerminalID) error
}

// ShellSpec is a command of the user's own.
type ShellSpec struct {
	// Line is a command line for the user's shell; empty starts an interactive shell.
	Line string
	// Cols and Rows are the size of its terminal in cells.
	Cols, Rows int
}

// StartShell starts a command of the user's own; see [Shells].
type StartShell struct{ Spec ShellSpec }

func (a StartShell) Do(_ context.Context, s *Session) (acpclient.TerminalID, error) {
	id, err := s.machine.StartShell(s.ctx, a.Spec)
	if err != nil {
		s.mu.Lock()
		defer s.unlock()
		s.suspectDirectory()
	}
	return id, err
}

// TypeInto types into a terminal; see [Shells]. It may just have ended.
type TypeInto struct {
	ID   acpclient.TerminalID
	Data []byte
}

func (a TypeInto) Do(_ context.Context, s *Session) (None, error) {
	return None{}, s.machine.TypeInto(a.ID, a.Data)
}

// ResizeTerminal changes the size of a terminal; see [Shells]. It may just have ended.
type ResizeTerminal struct {
	ID         acpclient.TerminalID
	Cols, Rows int
}

func (a ResizeTerminal) Do(_ context.Context, s *Session) (None, error) {
	return None{}, s.machine.ResizeTerminal(a.ID, a.Cols, a.Rows)
}

// EndTerminal ends a command, and waits for that; see [Shells].
type EndTerminal struct{ ID acpclient.TerminalID }

func (a EndTerminal) Do(_ context.Context, s *Session) (None, error) {
	return None{}, s.machine.EndTerminal(a.ID)
}
