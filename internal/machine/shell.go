package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/acpclient"
	"parley/internal/session"
	"parley/terminal"
)

// defaultShell runs the user's commands if the environment names no shell.
const defaultShell = "/bin/sh"

// StartShell implements session.Shells: it starts a command of the user's, or an
// interactive shell. The agent cannot reach it, and it outlives the agent.
func (m *Machine) StartShell(ctx context.Context, s session.ShellSpec) (acpclient.TerminalID, error) {
	shell := os.Getenv("SHELL")
	if !filepath.IsAbs(shell) {
		shell = defaultShell
	}
	shown, args := s.Line, []string{"-c", s.Line}
	if s.Line == "" {
		shown, args = filepath.Base(shell), nil
	}
	told := make(chan struct{}) // closed when the observer knows of the command
	nothing := uint64(0)        // the conversation keeps the output
	id, err := m.own.Create(ctx, terminal.Spec{
		Command: shell, Args: args, Cwd: m.cwd, Cols: s.Cols, Rows: s.Rows, Input: true, Personal: true, OutputByteLimit: &nothing,
		OnOutput: func(id string, data []byte) {
			<-told
			m.observer.TerminalOutput(acpclient.TerminalID(id), data)
		},
		OnExit: func(id string, status terminal.ExitStatus) {
			<-told
			m.observer.TerminalExited(acpclient.TerminalID(id), exitStatus(status))
		},
	})
	if err != nil {
		return "", err
	}
	m.observer.ShellStarted(acpclient.TerminalID(id), shown, m.cwd, s.Line == "")
	close(told)
	return acpclient.TerminalID(id), nil
}

// managerOf returns the manager of a terminal: the user's or the agent's.
func (m *Machine) managerOf(id acpclient.TerminalID) *terminal.Manager {
	if _, err := m.own.Kept(string(id)); !errors.Is(err, terminal.ErrUnknownTerminal) {
		return m.own
	}
	return m.terminals
}

// TypeInto implements session.Shells.
func (m *Machine) TypeInto(id acpclient.TerminalID, data []byte) error {
	return personal(m.managerOf(id).Write(string(id), data))
}

// ResizeTerminal implements session.Shells.
func (m *Machine) ResizeTerminal(id acpclient.TerminalID, cols, rows int) error {
	return personal(m.managerOf(id).Resize(string(id), cols, rows))
}

// EndTerminal implements session.Shells.
func (m *Machine) EndTerminal(id acpclient.TerminalID) error {
	return personal(m.managerOf(id).Kill(string(id)))
}

// personal rewords an error about a terminal for the user, without its id.
func personal(err error) error {
	for _, known := range []error{terminal.ErrEnded, terminal.ErrNoInput, terminal.ErrNotReading} {
		if errors.Is(err, known) {
			return known
		}
	}
	if errors.Is(err, terminal.ErrUnknownTerminal) {
		return fmt.Errorf("%w: the agent released it", terminal.ErrEnded)
	}
	return err
}

// commandLine returns a command as a user would type it.
func commandLine(command string, args []string) string {
	if len(args) == 0 {
		return command // perhaps a whole shell line
	}
	words := make([]string, 0, len(args)+1)
	for _, w := range append([]string{command}, args...) {
		if q, err := syntax.Quote(w, syntax.LangBash); err == nil {
			w = q
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
