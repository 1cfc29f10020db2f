package acpclient

import (
	"crypto/rand"
)

// TerminalID identifies a terminal of the client.
type TerminalID string

// CreateTerminalRequest starts a command on the client's machine (method
// terminal/create).
type CreateTerminalRequest struct {
	SessionID SessionID     `json:"sessionId" acp:"required"`
	Command   string        `json:"command" acp:"required"`
	Args      []string      `json:"args,omitempty"`
	Env       []EnvVariable `json:"env,omitempty"`
	// Cwd is absolute; empty means the session's.
	Cwd string `json:"cwd,omitempty"`
	// OutputByteLimit is how many bytes of output to keep; the oldest are dropped.
	OutputByteLimit *uint64 `json:"outputByteLimit,omitempty"`
	Meta            Meta    `json:"_meta,omitempty"`
}

// CreateTerminalResponse has the id of the new terminal.
type CreateTerminalResponse struct {
	TerminalID TerminalID `json:"terminalId" acp:"required"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// TerminalRequest names a terminal and nothing else.
type TerminalRequest struct {
	SessionID  SessionID  `json:"sessionId" acp:"required"`
	TerminalID TerminalID `json:"terminalId" acp:"required"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// TerminalOutputRequest asks for the output so far (method terminal/output).
type TerminalOutputRequest TerminalRequest

// TerminalOutputResponse is the kept output.
type TerminalOutputResponse struct {
	Output string `json:"output"`
	// Truncated means that the beginning is missing.
	Truncated bool `json:"truncated"`
	// ExitStatus is nil while the command runs.
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitempty"`
	Meta       Meta                `json:"_meta,omitempty"`
}

// TerminalExitStatus is the exit code or signal of a command (schema type
// TerminalExitStatus).
type TerminalExitStatus struct {
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// WaitForTerminalExitRequest waits for the command's end (method
// terminal/wait_for_exit).
type WaitForTerminalExitRequest TerminalRequest

// WaitForTerminalExitResponse is how the command ended.
type WaitForTerminalExitResponse struct {
	TerminalExitStatus
}

// KillTerminalRequest ends the command and keeps the terminal (method
// terminal/kill).
type KillTerminalRequest TerminalRequest

// ReleaseTerminalRequest ends the command and frees the terminal (method
// terminal/release).
type ReleaseTerminalRequest TerminalRequest

func (r *TerminalOutputResponse) split() (text string, rest any, mark string) {
	without := *r
	without.Output = rand.Text()
	return r.Output, &without, without.Output
}
