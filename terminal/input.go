package terminal

import (
	"errors"
	"fmt"
	"sync"

	"parley/terminal/screen"
)

// maxInput bounds the input in bytes that waits for a command that does not read:
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

// add queues data to be written to p.
func (in *input) add(p *child, data []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.waiting)+len(data) > maxInput {
		return ErrNotReading
	}
	in.waiting = append(in.waiting, data...)
	if !in.writing {
		in.writing = true
		go in.writeTo(p)
	}
	return nil
}

// writeTo writes until the queue is empty or the pty is closed.
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
	if err := t.input.add(t.proc, data); err != nil {
		return fmt.Errorf("type into terminal %s: %w", id, err)
	}
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
