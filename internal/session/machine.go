package session

import (
	"path/filepath"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Machine serves what the agent asks of the local machine. Errors of type
// *acpclient.Error are answered as they are. It tells everything that it does to
// the Witness that it was made with. Its methods may be called from any goroutine.
type Machine interface {
	acpclient.FileHandler
	acpclient.TerminalHandler
	Shells
	// EndTerminals ends every program that runs for the agent now, and waits for
	// it. It is called when the agent is gone.
	EndTerminals()
	// Close ends every program that runs for the session.
	Close()
}

// Witness is told what a Machine does. Its methods may be called from any
// goroutine, and wait while the session's stream is full.
type Witness interface {
	FileWritten(path string, before *string, after string)
	// FileDecoded is told once for each file that is not stored as UTF-8.
	FileDecoded(path, encoding string)
	TerminalCreated(id acpclient.TerminalID, command, cwd string)
	ShellStarted(id acpclient.TerminalID, command, cwd string, lasts bool)
	TerminalOutput(id acpclient.TerminalID, data []byte)
	TerminalExited(id acpclient.TerminalID, status acpclient.TerminalExitStatus)
}

// streamWitness is the Witness of a session: it turns what the machine does into events.
type streamWitness struct{ s *Session }

func (w streamWitness) FileWritten(path string, before *string, after string) {
	w.s.stream.push(w.s.ctx, conversation.FileWritten{Path: path, Before: before, After: after})
}

func (w streamWitness) FileDecoded(path, encoding string) {
	name := path
	if rel, err := filepath.Rel(w.s.opt.Cwd, path); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	w.s.stream.push(w.s.ctx, conversation.Said{
		Severity: acpclient.NoticeInfo, Title: name + " is stored as " + encoding,
		Detail: "The agent reads it as UTF-8. What it writes to the file is stored as before, with the byte order mark.",
	})
}

func (w streamWitness) TerminalCreated(id acpclient.TerminalID, command, cwd string) {
	w.s.stream.push(w.s.ctx, conversation.TerminalCreated{ID: id, Command: command, Cwd: cwd})
}

func (w streamWitness) TerminalOutput(id acpclient.TerminalID, data []byte) {
	w.s.stream.push(w.s.ctx, conversation.TerminalOutput{ID: id, Data: data})
}

func (w streamWitness) TerminalExited(id acpclient.TerminalID, status acpclient.TerminalExitStatus) {
	w.s.stream.push(w.s.ctx, conversation.TerminalExited{ID: id, Status: status})
}
