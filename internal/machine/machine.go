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
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

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
	editor    Editor // never nil
	// unattended means that no user can type into the agent's commands.
	unattended bool
	journal    *journal.Journal // closes fs; may be nil
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
	// Editor is asked for unsaved text; nil asks nobody.
	Editor Editor
	// Unattended means that no user is present: the agent's commands read end of file, and
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
	if opt.Editor == nil {
		opt.Editor = func() func(context.Context, string) (string, error) { return nil }
	}
	files, err := fs.New(roots...)
	if err != nil {
		return nil, err
	}
	return &Machine{
		fs: files, gate: &gate{asker: opt.Asker, table: opt.Sensitive, asking: make(chan struct{}, 1), granted: map[grant]bool{}},
		terminals: terminal.NewManager(terminal.Options{Wrap: opt.Wrap}), own: terminal.NewManager(terminal.Options{}),
		observer: observer, cwd: roots[0], inFlight: newBudget(maxInFlight), unattended: opt.Unattended, editor: opt.Editor,
	}, nil
}

// Close ends all commands and closes the roots.
func (m *Machine) Close() {
	var both sync.WaitGroup
	both.Go(func() { _ = m.terminals.Close() })
	both.Go(func() { _ = m.own.Close() })
	both.Wait()
	if m.journal == nil {
		_ = m.fs.Close()
	}
}

// Journal makes a journal record every write. Call it before the machine is used; from
// then on the journal closes the roots.
func (m *Machine) Journal(j *journal.Journal) {
	j.Serve(m.fs, writeGate{m})
	m.journal = j
}

// EndTerminals ends all current commands of the agent.
func (m *Machine) EndTerminals() { _ = m.terminals.ReleaseAll() }

func invalid(why string) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: why}
}

const (
	// maxInFlight limits the bytes of files and output in requests that are not
	// answered yet. A request that needs more waits until it is the only one.
	maxInFlight = fs.MaxBytes
	// largeRequest is the size in bytes from which memory is collected before the next
	// such request, to free what the last one used.
	largeRequest = 8 << 20
	// outputCost is how many bytes it takes to turn a byte of output into text.
	outputCost = 4
)

// budget limits the bytes that requests hold. It is safe for concurrent use.
type budget struct {
	size    int64
	free    *semaphore.Weighted
	garbage atomic.Bool // a large request was answered since memory was collected
}

func newBudget(size int64) *budget {
	return &budget{size: size, free: semaphore.NewWeighted(size)}
}

// take waits until the request with ctx may hold n bytes, or ctx ends. They are
// released when its answer is written; without an answer, when the handler calls done
// at its end.
func (b *budget) take(ctx context.Context, n int64) (done func(), err error) {
	release, err := b.borrow(ctx, n)
	if err == nil && acpclient.OnAnswered(ctx, release) {
		return func() {}, nil
	}
	return release, err
}

// borrow waits until a request may hold n bytes, or ctx ends. release frees them.
func (b *budget) borrow(ctx context.Context, n int64) (release func(), err error) {
	held := min(n, b.size)
	if err := b.free.Acquire(ctx, held); err != nil {
		return nil, fmt.Errorf("wait for other requests to be answered: %w", err)
	}
	if held >= largeRequest && b.garbage.Swap(false) {
		runtime.GC()
	}
	return func() {
		if held >= largeRequest {
			b.garbage.Store(true)
		}
		b.free.Release(held)
	}, nil
}

// fileSize returns the approximate size of a file to read or replace; 0 on error, which
// reading or writing will report.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return min(info.Size(), fs.MaxBytes)
}
