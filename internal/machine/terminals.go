package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/terminal"
)

// CreateTerminal serves terminal/create.
func (m *Machine) CreateTerminal(ctx context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	spec := terminal.Spec{Command: r.Command, Args: r.Args, Cwd: r.Cwd, OutputByteLimit: r.OutputByteLimit, Input: !m.unattended}
	announced := m.observe(&spec)
	switch {
	case spec.Cwd == "":
		spec.Cwd = m.cwd
	case !filepath.IsAbs(spec.Cwd):
		return nil, invalid(fmt.Sprintf("the working directory %q is not absolute", spec.Cwd))
	}
	for _, e := range r.Env {
		spec.Env = append(spec.Env, e.Name+"="+e.Value)
	}
	judged, _ := filepath.EvalSymlinks(spec.Cwd) // an error is the start's, too
	if err := m.mayRun(ctx, r); err != nil {
		return nil, err
	}
	if now, _ := filepath.EvalSymlinks(spec.Cwd); now != judged {
		return nil, invalid(fmt.Sprintf("%s leads elsewhere than when the command was judged: it did not run", spec.Cwd))
	}
	id, err := m.terminals.Create(ctx, spec)
	if err != nil {
		return nil, err
	}
	m.observer(conversation.TerminalCreated{ID: acpclient.TerminalID(id), Command: commandLine(r.Command, r.Args), Cwd: spec.Cwd})
	close(announced)
	return &acpclient.CreateTerminalResponse{TerminalID: acpclient.TerminalID(id)}, nil
}

// mayRun has the rules judge a command, and asks about it if they say so.
func (m *Machine) mayRun(ctx context.Context, r *acpclient.CreateTerminalRequest) error {
	title, kind := commandLine(r.Command, r.Args), acpclient.ToolExecute
	input := map[string]any{"command": r.Command}
	if len(r.Args) > 0 {
		input["command"] = append([]string{r.Command}, r.Args...)
	}
	if r.Cwd != "" {
		input["cwd"] = r.Cwd
	}
	if len(r.Env) > 0 {
		env := map[string]string{} // as for the command, the last value counts
		for _, v := range r.Env {
			env[v.Name] = v.Value
		}
		input["env"] = env
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("describe the command: %w", err)
	}
	call := &acpclient.ToolCallUpdate{Title: &title, Kind: &kind, RawInput: raw}
	why, err := m.gate.rule(ctx, call)
	if err != nil || why == "" {
		return err
	}
	switch answer, err := m.gate.asker.Ask(ctx, conversation.PermissionOpened{Request: conversation.CommandRequest(call), Judging: true}, why); {
	case errors.Is(err, session.ErrCancelled):
		return &acpclient.Error{Code: acpclient.CodeRequestCancelled, Message: err.Error()}
	case err != nil || answer == conversation.FileOnce:
		return err
	case m.unattended:
		return invalid(fmt.Sprintf("%s needs the user's permission, but no user can be asked: %s", title, why))
	}
	return invalid("The user denied running " + title)
}

// observe reports what a command does to the observer. The caller closes announced when the
// observer knows of the terminal.
func (m *Machine) observe(spec *terminal.Spec) (announced chan struct{}) {
	announced = make(chan struct{})
	spec.OnOutput = func(id string, data []byte) {
		<-announced
		m.observer(conversation.TerminalOutput{ID: acpclient.TerminalID(id), Data: data})
	}
	if spec.Personal {
		spec.OnHidden = func(id string, hidden bool) {
			<-announced
			m.observer(conversation.TerminalHidden{ID: acpclient.TerminalID(id), Hidden: hidden})
		}
	}
	spec.OnExit = func(id string, s terminal.ExitStatus) {
		<-announced
		m.observer(conversation.TerminalExited{ID: acpclient.TerminalID(id), Status: exitStatus(s)})
	}
	return announced
}

// TerminalOutput serves terminal/output.
func (m *Machine) TerminalOutput(ctx context.Context, r *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error) {
	kept, err := m.terminals.Kept(string(r.TerminalID))
	if err != nil {
		return nil, terminalError(r.TerminalID, err)
	}
	done, err := m.inFlight.take(ctx, outputCost*int64(kept))
	if err != nil {
		return nil, err
	}
	defer done()
	text, truncated, status, err := m.terminals.Output(string(r.TerminalID))
	if err != nil {
		return nil, terminalError(r.TerminalID, err)
	}
	res := &acpclient.TerminalOutputResponse{Output: text, Truncated: truncated}
	if status != nil {
		s := exitStatus(*status)
		res.ExitStatus = &s
	}
	return res, nil
}

// WaitForTerminalExit serves terminal/wait_for_exit.
func (m *Machine) WaitForTerminalExit(ctx context.Context, r *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error) {
	status, err := m.terminals.WaitForExit(ctx, string(r.TerminalID))
	if err != nil {
		return nil, terminalError(r.TerminalID, err)
	}
	return &acpclient.WaitForTerminalExitResponse{TerminalExitStatus: exitStatus(status)}, nil
}

// KillTerminal serves terminal/kill.
func (m *Machine) KillTerminal(_ context.Context, r *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error) {
	if err := m.terminals.Kill(string(r.TerminalID)); err != nil {
		return nil, terminalError(r.TerminalID, err)
	}
	return &acpclient.KillTerminalResponse{}, nil
}

// ReleaseTerminal serves terminal/release.
func (m *Machine) ReleaseTerminal(_ context.Context, r *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error) {
	if err := m.terminals.Release(string(r.TerminalID)); err != nil {
		return nil, terminalError(r.TerminalID, err)
	}
	return &acpclient.ReleaseTerminalResponse{}, nil
}

func terminalError(id acpclient.TerminalID, err error) error {
	if errors.Is(err, terminal.ErrUnknownTerminal) {
		return &acpclient.Error{Code: acpclient.CodeResourceNotFound, Message: fmt.Sprintf("Resource not found: terminal %s", id)}
	}
	return err
}

func exitStatus(s terminal.ExitStatus) acpclient.TerminalExitStatus {
	var out acpclient.TerminalExitStatus
	if s.ExitCode != nil {
		code := int(*s.ExitCode)
		out.ExitCode = &code
	}
	if s.Signal != nil {
		out.Signal = *s.Signal
	}
	return out
}

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
	nothing := uint64(0) // the conversation keeps the output
	spec := terminal.Spec{
		Command: shell, Args: args, Cwd: m.cwd, Cols: s.Cols, Rows: s.Rows, Input: true, Personal: true, OutputByteLimit: &nothing,
	}
	announced := m.observe(&spec)
	id, err := m.own.Create(ctx, spec)
	if err != nil {
		return "", err
	}
	m.observer(conversation.ShellStarted{ID: acpclient.TerminalID(id), Command: shown, Cwd: m.cwd, Lasts: s.Line == ""})
	close(announced)
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
	return termtext.ShellWords(append([]string{command}, args...))
}
