package process

import (
	"context"
	"errors"
	"time"
)

// ErrAlive means that processes of a tree still exist after being killed, for instance
// because the kernel holds them in a read from an unresponsive disk.
var ErrAlive = errors.New("some processes could not be ended")

// SpareMark is an environment variable. A program that ends all its descendants
// (EndBelow) has it in its own environment and passes it to the commands that it starts
// for the user, such as an editor, a browser, or the owner of the clipboard: these are
// spared. Lead removes it from the environment of all others.
const SpareMark = "PARLEY_SPARES"

// OwnerMark is an environment variable with the value of SpareMark. Lead sets it for
// commands, so that all that they start can be found after the program was killed.
const OwnerMark = "PARLEY_OWNER"

// pollPause is the shortest time between two looks at a tree, because nothing reports
// the end of its last process.
const pollPause = 10 * time.Millisecond

// Gone waits until no process of the tree is left and returns true, or until ctx ends
// and returns false.
func (t *Tree) Gone(ctx context.Context) bool {
	for {
		began := time.Now()
		if !t.Alive() {
			return true
		}
		// With very many processes a look takes long. Leave at least half of the time
		// to the processes that are ending.
		pause := time.NewTimer(max(pollPause, time.Since(began)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return false
		}
	}
}
