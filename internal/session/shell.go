package session

import (
	"context"

	"parley/acpclient"
	"parley/internal/conversation"
)

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

// StartShell starts a command of the user's own; see Shells.
func (s *Session) StartShell(spec ShellSpec) (acpclient.TerminalID, error) {
	return s.machine.StartShell(s.ctx, spec)
}

// TypeInto types into a terminal; see Shells.
func (s *Session) TypeInto(id acpclient.TerminalID, data []byte) error {
	return s.machine.TypeInto(id, data)
}

// ResizeTerminal changes the size of a terminal; see Shells.
func (s *Session) ResizeTerminal(id acpclient.TerminalID, cols, rows int) error {
	return s.machine.ResizeTerminal(id, cols, rows)
}

// EndTerminal ends a command, and waits for that; see Shells.
func (s *Session) EndTerminal(id acpclient.TerminalID) error { return s.machine.EndTerminal(id) }

func (w streamObserver) ShellStarted(id acpclient.TerminalID, command, cwd string, lasts bool) {
	w.s.stream.post(conversation.ShellStarted{ID: id, Command: command, Cwd: cwd, Lasts: lasts, At: w.s.opt.Now()})
}
