package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley/terminal/screen"
)

// After the command has ended, its last output is still in the pty. It is complete when
// every process has closed the pty, or when the pty has been silent for drainQuiet. If
// a process that was left behind keeps writing, reading stops after drainLimit or
// drainBytes, which is more than a pty can hold.
const (
	drainQuiet = 100 * time.Millisecond
	drainLimit = time.Second
	drainBytes = 1 << 20
)

// readSize limits what OnOutput gets at once.
const readSize = 32 << 10

// terminal is one command on its pty. It has two goroutines: one reads the pty, keeps
// the output and runs the callbacks; the other waits for the command.
type terminal struct {
	id      string
	number  int // numbers the terminals of the manager
	manager *Manager
	proc    *child
	spec    Spec
	input   input

	status   ExitStatus    // valid once exited is closed
	exited   chan struct{} // the command itself has ended
	drained  chan struct{} // its output is complete, and OnExit has returned
	done     chan struct{} // drained, or given up because a viewer blocks for too long
	readDone chan struct{} // reading has ended
	ended    atomic.Int64  // end time in nanoseconds since 1970; 0 while running

	hidden hidden

	mu   sync.Mutex
	kept *screen.Retained
	// cols and rows are the largest size that the terminal has had.
	cols, rows int
}

func newTerminal(m *Manager, number int, p *child, spec Spec) *terminal {
	limit := uint64(DefaultOutputLimit)
	if spec.OutputByteLimit != nil {
		limit = min(*spec.OutputByteLimit, MaxOutputLimit)
	}
	t := &terminal{
		id: "term_" + rand.Text()[:16], number: number, manager: m, proc: p, spec: spec, cols: spec.Cols, rows: spec.Rows,
		exited: make(chan struct{}), drained: make(chan struct{}),
		done: make(chan struct{}), readDone: make(chan struct{}),
		kept: screen.NewRetained(int(limit)),
	}
	go t.readAll()
	go t.await()
	go t.lookForHidden()
	return t
}

// hidden is whether a command reads a line unseen. No event tells: parley looks after each
// output and input, and a few times behind that.
type hidden struct {
	mu    sync.Mutex
	now   bool
	looks int // since the last output or input
	timer *time.Timer
}

// hiddenLooks are the pauses before the looks after an output or input.
var hiddenLooks = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond}

// lookForHidden looks now, and again.
func (t *terminal) lookForHidden() {
	if t.spec.OnHidden == nil {
		return
	}
	h := &t.hidden
	h.mu.Lock()
	h.looks = 0
	h.mu.Unlock()
	t.look()
}

func (t *terminal) look() {
	h := &t.hidden
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
	}
	if !t.running() {
		return
	}
	if now := t.proc.hidesInput(); now != h.now {
		h.now = now
		t.spec.OnHidden(t.id, now)
	}
	if h.looks < len(hiddenLooks) {
		h.timer = time.AfterFunc(hiddenLooks[h.looks], t.look)
		h.looks++
	}
}

func (t *terminal) await() {
	t.status = t.proc.wait()
	t.proc.stopReadingIn(drainQuiet)
	t.ended.Store(time.Now().UnixNano())
	close(t.exited)
	limit := time.NewTimer(2 * drainLimit)
	defer limit.Stop()
	select {
	case <-t.drained:
	case <-limit.C:
	}
	close(t.done)
	// Look for processes that the command has left behind while its id cannot be reused
	// yet. If there are none, there is no need to look later.
	t.proc.tree.Note()
}

// readAll reads until one side of the pty is closed: by all processes that had it, or
// by release.
func (t *terminal) readAll() {
	defer close(t.readDone)
	defer t.proc.hangUp()
	buf := make([]byte, readSize)
	if t.readWhileRunning(buf) && t.drain(buf) {
		t.finish()
		t.readLeftovers(buf)
		return
	}
	t.finish()
}

// readWhileRunning returns when the command has ended. open reports whether there may
// be more to read.
func (t *terminal) readWhileRunning(buf []byte) (open bool) {
	for {
		n, err := t.proc.read(buf)
		t.take(buf[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			<-t.exited // it has set the deadline
			return true
		case err != nil:
			<-t.exited // a command can close its terminal and keep running
			return false
		}
		select {
		case <-t.exited:
			return true
		default:
		}
	}
}

// drain reads what the command has left in the pty.
func (t *terminal) drain(buf []byte) (open bool) {
	var waited time.Duration // time spent in callbacks does not count
	for total := 0; total < drainBytes && waited < drainLimit; {
		t.proc.stopReadingIn(drainQuiet)
		before := time.Now()
		n, err := t.proc.read(buf)
		waited += time.Since(before)
		total += n
		t.take(buf[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return true
		case err != nil:
			return false
		}
	}
	return true
}

func (t *terminal) finish() {
	if t.spec.OnExit != nil {
		t.spec.OnExit(t.id, t.status)
	}
	close(t.drained)
}

// readLeftovers reads the output of processes that have outlived the command, such as a
// background server: unread, they would block.
func (t *terminal) readLeftovers(buf []byte) {
	for {
		t.proc.stopReadingIn(0)
		n, err := t.proc.read(buf)
		t.take(buf[:n])
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

func (t *terminal) running() bool {
	select {
	case <-t.exited:
		return false
	default:
		return true
	}
}

func (t *terminal) take(data []byte) {
	if len(data) == 0 {
		return
	}
	t.manager.keep(t, data)
	if t.spec.OnOutput != nil {
		t.spec.OnOutput(t.id, data)
	}
	t.lookForHidden()
}

// kill ends the whole process tree and waits for the last output.
func (t *terminal) kill(grace time.Duration) error {
	tree := t.proc.tree
	if tree.Terminate() && !t.goneWithin(grace) {
		if err := tree.Kill(); err != nil {
			return fmt.Errorf("cannot end the command of terminal %s: %w", t.id, err)
		}
	}
	<-t.done
	return nil
}

// goneWithin waits up to d for the command and all its descendants to end. It looks for
// descendants only once the command itself has ended.
func (t *terminal) goneWithin(d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	select {
	case <-t.exited:
		return t.proc.tree.Gone(ctx)
	case <-ctx.Done():
		return false
	}
}

// release ends everything and closes the pty. It does not wait forever for a viewer
// that blocks in a callback, because that may be waiting for release.
func (t *terminal) release() error {
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.manager.budget.total.Add(-int64(t.kept.Size()))
		t.kept.Close()
	}()
	err := t.kill(t.manager.grace)
	t.proc.hangUp()
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	select {
	case <-t.readDone:
	case <-limit.C:
	}
	return err
}

// maxInput limits the input in bytes that waits for a command that does not read:
// enough for a long paste.
const maxInput = 1 << 20

var (
	// ErrNoInput means that the command's Spec has no Input.
	ErrNoInput = errors.New("the command takes no input")
	// ErrEnded means that the command has ended.
	ErrEnded = errors.New("the command has ended")
	// ErrNotReading means that the command has not read its earlier input.
	ErrNotReading = errors.New("the command does not read what was typed")
)

// input queues what the user types into a terminal. One goroutine writes it, and runs
// only while there is something to write, so a command that does not read blocks only
// itself. Written input is wiped, since it may be a password.
type input struct {
	mu      sync.Mutex
	waiting []byte
	writing bool
}

func (in *input) writeTo(p *child) {
	for {
		in.mu.Lock()
		next := in.waiting
		in.waiting = nil
		in.writing = len(next) > 0
		in.mu.Unlock()
		if len(next) == 0 {
			return
		}
		_ = p.write(next) // fails only on a closed pty
		clear(next)
	}
}

// Write types data into the terminal as a user would: ctrl+c is byte 3. It returns at
// once; data is written in order and not stored.
func (m *Manager) Write(id string, data []byte) error {
	t, err := m.find(id)
	switch {
	case err != nil:
		return err
	case !t.spec.Input:
		return fmt.Errorf("type into terminal %s: %w", id, ErrNoInput)
	case !t.running():
		return fmt.Errorf("type into terminal %s: %w", id, ErrEnded)
	}
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.waiting)+len(data) > maxInput {
		return fmt.Errorf("type into terminal %s: %w", id, ErrNotReading)
	}
	in.waiting = append(in.waiting, data...)
	if !in.writing {
		in.writing = true
		go in.writeTo(t.proc)
	}
	go t.lookForHidden()
	return nil
}

// Resize changes the size of the terminal and notifies its programs. screen.Size bounds
// the size.
func (m *Manager) Resize(id string, cols, rows int) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	cols, rows = screen.Size(cols, rows)
	t.mu.Lock()
	t.cols, t.rows = max(t.cols, cols), max(t.rows, rows)
	t.mu.Unlock()
	if err := t.proc.resize(cols, rows); err != nil && t.running() {
		return fmt.Errorf("resize terminal %s: %w", id, err)
	}
	return nil
}
