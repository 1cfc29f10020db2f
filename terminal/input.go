package terminal

import (
	"errors"
	"fmt"
	"sync"

	"parley/terminal/screen"
)

// maxInput is how many bytes of what a person types may wait for a command that
// does not read: far more than anybody types, and enough for a long paste.
const maxInput = 1 << 20

var (
	// ErrNoInput says that a command takes no input: its Spec does not say so.
	ErrNoInput = errors.New("the command takes no input")
	// ErrEnded says that a command has ended.
	ErrEnded = errors.New("the command has ended")
	// ErrNotReading says that a command does not read what was typed so far.
	ErrNotReading = errors.New("the command does not read what was typed")
)

// input is what a person types into a terminal. One goroutine writes it, and only
// while there is something to write: a command that does not read holds up nobody
// but itself. What was written is wiped, since it may be a password.
type input struct {
	mu      sync.Mutex
	waiting []byte
	writing bool
}

// add queues what is to be written to p.
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

// writeTo writes until nothing is left, or the pty is closed.
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
		_ = p.write(next) // fails only on a closed pty, which nobody reads from
		clear(next)
	}
}

// Write types data into the terminal, as a person would: ctrl+c is the byte 3. It
// returns at once; data is written in order, and kept nowhere.
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

// Resize gives the terminal another size, of which its programs are told. It is
// brought into its bounds as screen.Size says.
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
