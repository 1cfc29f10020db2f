// Package terminal serves ACP's terminal/* methods from the local machine.
//
// A Manager runs commands, each on a pty and in a session of its own, keeps the end of
// their output, and ends them together with all their descendants. Unix has ptys,
// Windows has ConPTY.
//
// A Guest is a program of the user's that is shown in place of parley.
//
// Package terminal/screen turns the output into what a terminal would show, and into
// plain text.
package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/terminal/screen"
)

// Bounds of the output that is kept for terminal/output, in bytes.
const (
	DefaultOutputLimit = 1 << 20
	MaxOutputLimit     = 16 << 20
)

// MaxRunning limits the commands that run at the same time.
const MaxRunning = 1024

// defaultGrace is how long a command has to end after SIGTERM.
const defaultGrace = 2 * time.Second

var (
	// ErrUnknownTerminal means that an id was never assigned, or was released.
	ErrUnknownTerminal = errors.New("there is no such terminal")
	// ErrTooMany means that MaxRunning commands are running.
	ErrTooMany = errors.New("too many commands are running")
	// ErrClosed means that the manager is closed.
	ErrClosed = errors.New("terminals are closed")
)

// Options configures a Manager. The zero value is usable.
type Options struct {
	// Grace is the time between SIGTERM and SIGKILL; 0 means two seconds.
	Grace time.Duration
	// Wrap, if not nil, returns the program and arguments that run a program inside a
	// sandbox. env holds the variables of the request, which that program gets too; an
	// error refuses them. Wrap must be safe for concurrent use.
	Wrap func(program string, args, env []string) (string, []string, error)
}

// Spec says what to run and how (ACP CreateTerminalRequest). The output goes to a pty,
// so that programs show colours and progress.
type Spec struct {
	// Command is a program: a name that is looked up on PATH, or a path relative to
	// Cwd. Some agents send a whole shell line instead: if it contains white space,
	// Args is empty and no such program exists, it runs as sh -c.
	Command string
	Args    []string
	// Env adds to our environment, as NAME=value; the last value of a name wins.
	Env []string
	// Cwd is an absolute path; empty means our own directory.
	Cwd string
	// OutputByteLimit limits what Output returns; nil means DefaultOutputLimit. The
	// maximum is MaxOutputLimit.
	OutputByteLimit *uint64
	// Cols and Rows are the size of the pty; 0 means 80 by 24.
	Cols, Rows int
	// Input connects the command's input to Write. Without it the command reads end of
	// file instead of waiting forever.
	Input bool
	// Personal marks a command of the user's own: it gets our environment unchanged
	// except for the terminal type, and so the user's pager.
	Personal bool

	// OnOutput receives raw output in order, from one goroutine per terminal, in pieces
	// of up to 32 KB that may split characters. While it blocks, the command blocks
	// once the pty is full. data is valid only during the call.
	OnOutput func(id string, data []byte)
	// OnHidden is called when the command begins to read a line unseen, as programs do
	// for a password, and when it ends that. It is never called while OnOutput is.
	OnHidden func(id string, hidden bool)
	// OnExit is called once, from the same goroutine, after the output of the command.
	// Processes that the command leaves behind may still write to OnOutput later.
	OnExit func(id string, status ExitStatus)
}

// ExitStatus says how a command ended; one of its fields is set (ACP
// TerminalExitStatus).
type ExitStatus struct {
	ExitCode *uint32
	Signal   *string // such as SIGKILL
}

// String describes the status: "exit code 1", "killed by SIGKILL".
func (s ExitStatus) String() string {
	if s.Signal != nil {
		return "killed by " + *s.Signal
	}
	return fmt.Sprintf("exit code %d", *s.ExitCode)
}

// Manager runs commands for agents, each on a pty in a session of its own. All methods
// are safe for concurrent use, also from the callbacks of a Spec, but a callback must
// not wait for the end of its own terminal.
type Manager struct {
	grace      time.Duration
	maxRunning int
	wrap       func(program string, args, env []string) (string, []string, error)
	budget     budget

	mu        sync.Mutex
	closed    bool
	created   int // number of commands started
	terminals map[string]*terminal
}

// NewManager returns a manager without terminals.
func NewManager(o Options) *Manager {
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	return &Manager{
		grace: o.Grace, wrap: o.Wrap, maxRunning: MaxRunning, budget: budget{limit: MaxKept}, terminals: map[string]*terminal{},
	}
}

// Create starts a command and returns the terminal's id at once. ctx covers only the
// start: the command runs until it ends or until Kill, Release, ReleaseAll or Close
// ends it. Callbacks may run before Create returns.
func (m *Manager) Create(ctx context.Context, spec Spec) (string, error) {
	c, err := resolve(spec)
	if err != nil {
		return "", err
	}
	if m.wrap != nil {
		program, args, err := m.wrap(c.path, c.argv[1:], spec.Env)
		if err != nil {
			return "", fmt.Errorf("cannot run %q: %w", spec.Command, err)
		}
		c.path, c.argv = program, append([]string{program}, args...)
	}
	spec.Cols, spec.Rows = screen.Size(spec.Cols, spec.Rows)

	// Starting under the lock takes about a millisecond; in return, no command slips
	// past Close, or past ReleaseAll for an agent that is gone.
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refusal(ctx); err != nil {
		return "", fmt.Errorf("cannot run %q: %w", spec.Command, err)
	}
	p, err := start(c, spec.Cols, spec.Rows, spec.Input)
	if err != nil {
		return "", err
	}
	m.created++
	t := newTerminal(m, m.created, p, spec)
	m.terminals[t.id] = t
	return t.id, nil
}

// refusal returns why no command can be started now. m.mu must be held.
func (m *Manager) refusal(ctx context.Context) error {
	if m.closed {
		return ErrClosed
	}
	running := 0
	for _, t := range m.terminals {
		if t.running() {
			running++
		}
	}
	if running >= m.maxRunning {
		return fmt.Errorf("%w: %d of them; kill or release one first", ErrTooMany, running)
	}
	return ctx.Err()
}

// Output returns what the command has written so far, as text for a model: valid UTF-8
// without control sequences, \n at line ends, progress lines in their last state.
// truncated reports whether the start was dropped, to keep to the terminal's limit or
// to the bound for all terminals together. The status is nil while the command runs.
func (m *Manager) Output(id string) (text string, truncated bool, status *ExitStatus, err error) {
	t, err := m.find(id)
	if err != nil {
		return "", false, nil, err
	}
	select {
	case <-t.done: // first, so that the status never comes before the last output
		status = &t.status
	default:
	}
	t.mu.Lock()
	raw, limit, truncated := t.kept.Bytes(), t.kept.Limit(), t.kept.Truncated()
	cols, rows := t.cols, t.rows
	t.mu.Unlock()
	text, cut := screen.PlainText(raw, cols, rows, limit)
	return text, truncated || cut, status, nil
}

// Kept returns how many bytes of the command's output are kept now, which is roughly
// the length of Output's text.
func (m *Manager) Kept(id string) (int, error) {
	t, err := m.find(id)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept.Size(), nil
}

// WaitForExit waits for the command itself to end and for its last output, but not for
// processes that it leaves behind. Any number of callers may wait; ctx ends only the
// caller's wait.
func (m *Manager) WaitForExit(ctx context.Context, id string) (ExitStatus, error) {
	t, err := m.find(id)
	if err != nil {
		return ExitStatus{}, err
	}
	select {
	case <-t.done:
		return t.status, nil
	case <-ctx.Done():
		return ExitStatus{}, fmt.Errorf("stopped waiting for terminal %s: %w", id, ctx.Err())
	}
}

// Kill ends the command and all its descendants: SIGTERM, then SIGKILL after the grace.
// It returns when they are gone. The id stays valid, and killing a command that has
// ended succeeds. Kill spares a daemon that has detached itself from its parent and its
// session and, without /proc, processes that have left the command's process group.
func (m *Manager) Kill(id string) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	return t.kill(m.grace)
}

// Release ends the command as Kill does and frees what is kept for it. The id becomes
// unknown; pending calls of WaitForExit still get the status.
func (m *Manager) Release(id string) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.terminals, id)
	m.mu.Unlock()
	return t.release()
}

// Close releases all terminals at the same time and refuses new ones. Nothing that was
// started here outlives it.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	return m.ReleaseAll()
}

// ReleaseAll releases all current terminals at the same time.
func (m *Manager) ReleaseAll() error {
	m.mu.Lock()
	open := m.terminals
	m.terminals = map[string]*terminal{}
	m.mu.Unlock()

	errs := make(chan error, len(open))
	for _, t := range open {
		go func() { errs <- t.release() }()
	}
	var all []error
	for range len(open) {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

func (m *Manager) find(id string) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.terminals[id]; ok {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownTerminal, id)
}

// MaxKept limits the output in bytes that a Manager keeps for all its terminals
// together.
const MaxKept = 64 << 20

// budget limits the output that all terminals of a manager keep together.
type budget struct {
	limit    int64
	total    atomic.Int64
	trimming sync.Mutex
}

// keep appends output to what the terminal keeps, and trims if the total exceeds the
// bound.
func (m *Manager) keep(t *terminal, data []byte) {
	t.mu.Lock()
	before := t.kept.Size()
	t.kept.Write(data)
	grown := t.kept.Size() - before
	t.mu.Unlock()
	if m.budget.total.Add(int64(grown)) > m.budget.limit {
		m.trim()
	}
}

// trim drops the start of outputs until an eighth of the limit is free, so that it runs
// rarely: first from commands that have ended, in the order in which they ended, then
// from running ones, in the order in which they started.
func (m *Manager) trim() {
	if !m.budget.trimming.TryLock() {
		return // another goroutine is trimming
	}
	defer m.budget.trimming.Unlock()
	m.mu.Lock()
	all := make([]*terminal, 0, len(m.terminals))
	for _, t := range m.terminals {
		all = append(all, t)
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b *terminal) int {
		if x, y := a.ended.Load(), b.ended.Load(); x != y {
			// 0 means running, and comes last.
			return cmp.Compare(uint64(x-1), uint64(y-1))
		}
		return cmp.Compare(a.number, b.number)
	})
	target := m.budget.limit - m.budget.limit/8
	for _, t := range all {
		over := m.budget.total.Load() - target
		if over <= 0 {
			return
		}
		t.mu.Lock()
		before := t.kept.Size()
		t.kept.Drop(int(min(over, int64(before))))
		m.budget.total.Add(int64(t.kept.Size() - before))
		t.mu.Unlock()
	}
}
