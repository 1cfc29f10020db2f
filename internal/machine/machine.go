// Package machine serves the agent's requests for this machine: fs/* with package fs,
// terminal/* with package terminal. It translates between them and the protocol's types
// and errors.
//
// fs/* works inside the session's roots. About files outside, and about those that
// policy.SensitiveFiles lists, it asks the user (gate.go). Such questions look like
// permissions, marked on the event (conversation.FileQuestion); rules do not answer
// them. One is open at a time, and holds no memory of the budget for requests.
package machine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/journal"
	"parley/internal/policy"
	"parley/internal/session"
	"parley/terminal"
)

// Machine implements session.Machine. It is safe for concurrent use.
type Machine struct {
	fs        *fs.FS
	gate      *gate
	terminals *terminal.Manager // the agent's
	own       *terminal.Manager // the user's
	observer  session.Observer
	cwd       string
	inFlight  *budget
	// unattended means that nobody can type into the agent's commands.
	unattended bool
	journaled  bool // the journal closes fs
}

var _ session.Machine = (*Machine)(nil)

// Options configure a Machine. The zero value is usable.
type Options struct {
	// Wrap confines the agent's commands, see [terminal.Options].
	Wrap func(program string, args, env []string) (string, []string, error)
	// Asker asks the user. Without one, files that need a question are refused.
	Asker session.Asker
	// Sensitive are the files to ask about even inside the roots; it may be nil.
	Sensitive *policy.SensitiveFiles
	// Unattended means that no user is there: the agent's commands read end of file, and
	// a file that has changed on disk is not written without another reading.
	Unattended bool
}

// New returns a Machine that serves the files inside the roots. The first root is the
// working directory of commands.
func New(observer session.Observer, opt Options, roots ...string) (*Machine, error) {
	if len(roots) == 0 {
		return nil, errors.New("a session needs a working directory")
	}
	if opt.Sensitive == nil {
		opt.Sensitive = new(policy.SensitiveFiles)
	}
	files, err := fs.New(roots...)
	if err != nil {
		return nil, err
	}
	return &Machine{
		fs: files, gate: newGate(opt),
		terminals: terminal.NewManager(terminal.Options{Wrap: opt.Wrap}), own: terminal.NewManager(terminal.Options{}),
		observer: observer, cwd: roots[0], inFlight: newBudget(maxInFlight), unattended: opt.Unattended,
	}, nil
}

// Close ends all commands and closes the roots.
func (m *Machine) Close() {
	var both sync.WaitGroup
	both.Go(func() { _ = m.terminals.Close() })
	both.Go(func() { _ = m.own.Close() })
	both.Wait()
	if !m.journaled {
		_ = m.fs.Close()
	}
}

// Journal makes a journal record every write. Call it before the machine is used; from
// then on the journal closes the roots.
func (m *Machine) Journal(j *journal.Journal) {
	j.Serve(m.fs)
	m.journaled = true
}

// EndTerminals ends all current commands of the agent.
func (m *Machine) EndTerminals() { _ = m.terminals.ReleaseAll() }

func invalid(why string) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: why}
}

// CreateTerminal serves terminal/create.
func (m *Machine) CreateTerminal(ctx context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	told := make(chan struct{}) // closed when the observer knows of the terminal
	spec := terminal.Spec{
		Command: r.Command, Args: r.Args, Cwd: r.Cwd, OutputByteLimit: r.OutputByteLimit, Input: !m.unattended,
		OnOutput: func(id string, data []byte) {
			<-told
			m.observer.TerminalOutput(acpclient.TerminalID(id), data)
		},
		OnExit: func(id string, s terminal.ExitStatus) {
			<-told
			m.observer.TerminalExited(acpclient.TerminalID(id), exitStatus(s))
		},
	}
	switch {
	case spec.Cwd == "":
		spec.Cwd = m.cwd
	case !filepath.IsAbs(spec.Cwd):
		return nil, invalid(fmt.Sprintf("the working directory %q is not absolute", spec.Cwd))
	}
	for _, e := range r.Env {
		spec.Env = append(spec.Env, e.Name+"="+e.Value)
	}
	id, err := m.terminals.Create(ctx, spec)
	if err != nil {
		return nil, err
	}
	m.observer.TerminalCreated(acpclient.TerminalID(id), commandLine(r.Command, r.Args), spec.Cwd)
	close(told)
	return &acpclient.CreateTerminalResponse{TerminalID: acpclient.TerminalID(id)}, nil
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
