package process

import (
	"context"
	"errors"
	"time"
)

// ErrAlive says that processes of a tree are still there although they were
// killed. The kernel holds them, for instance in a read from a disk that does
// not answer.
var ErrAlive = errors.New("there are still processes that could not be ended")

// SpareMark is an environment variable. A program that ends all its descendants
// (EndBelow) has it in its own environment, and so do all commands that it starts
// for the person, such as an editor, a browser, or what holds the clipboard: these
// are spared. Lead takes it out of the environment of all others.
const SpareMark = "PARLEY_SPARES"

// OwnerMark is an environment variable too. Where SpareMark is set, Lead gives it to
// commands with the same value: all that they start can be found by it when the
// program was killed and nobody knows who descended from it.
const OwnerMark = "PARLEY_OWNER"

// pollPause is the shortest time between two looks for what is left of a tree:
// nobody tells when the last of its processes ends.
const pollPause = 10 * time.Millisecond

// Gone waits until no process of the tree is left and returns true, or until ctx
// ends and returns false.
func (t *Tree) Gone(ctx context.Context) bool {
	for {
		began := time.Now()
		if !t.Alive() {
			return true
		}
		// On a machine with very many processes a look takes long. Half of the
		// time at least is left to those that are about to end.
		pause := time.NewTimer(max(pollPause, time.Since(began)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return false
		}
	}
}
