package session

import (
	"context"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Shells is what the person does with commands. Its methods may be called from any
// goroutine. Only EndTerminal takes time.
type Shells interface {
	// StartShell starts a command of the person's own in the session's directory, and
	// tells the Witness of it as of those of the agent. It runs until it ends, is
	// ended, or the session is closed.
	StartShell(context.Context, ShellSpec) (acpclient.TerminalID, error)
	// TypeInto types into a terminal, the agent's or the person's. What is typed is
	// kept nowhere.
	TypeInto(id acpclient.TerminalID, data []byte) error
	// ResizeTerminal gives a terminal another size, in cells.
	ResizeTerminal(id acpclient.TerminalID, cols, rows int) error
	// EndTerminal ends a command with all that it has started, and waits for that.
	EndTerminal(id acpclient.TerminalID) error
}

// ShellSpec is a command of the person's own.
type ShellSpec struct {
	// Line is a line for the person's shell; empty is the shell itself, which lasts.
	Line string
	// Cols and Rows are the size of its terminal in cells.
	Cols, Rows int
}

// StartShell starts a command of the person's own; see Shells.
func (s *Session) StartShell(spec ShellSpec) (acpclient.TerminalID, error) {
	return s.machine.StartShell(s.ctx, spec)
}

// TypeInto types into a terminal; see Shells.
func (s *Session) TypeInto(id acpclient.TerminalID, data []byte) error {
	return s.machine.TypeInto(id, data)
}

// ResizeTerminal gives a terminal another size; see Shells.
func (s *Session) ResizeTerminal(id acpclient.TerminalID, cols, rows int) error {
	return s.machine.ResizeTerminal(id, cols, rows)
}

// EndTerminal ends a command, and waits for that; see Shells.
func (s *Session) EndTerminal(id acpclient.TerminalID) error { return s.machine.EndTerminal(id) }

func (w streamWitness) ShellStarted(id acpclient.TerminalID, command, cwd string, lasts bool) {
	w.s.stream.post(conversation.ShellStarted{ID: id, Command: command, Cwd: cwd, Lasts: lasts, At: w.s.opt.Now()})
}
