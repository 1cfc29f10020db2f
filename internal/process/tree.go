// Package process starts, finds and ends whole trees of processes. On Linux it also
// supervises parley, so that nothing an agent has started outlives it. And it makes a
// terminal raw (see MakeRaw).
//
// A Tree begins with its leader, a process that was started in a session of its own
// (see Lead). To the tree belong
//
//   - every process of the leader's session, including process groups that a shell with job control creates in it,
//   - every descendant of a process of the tree, also in a session of its own, and every other process of that session,
//   - every process that was found to belong to the tree before, even if its parent has ended since. It is identified by its id and start time, so that a reused id is never mistaken for it.
//
// A Tree does not find a daemon that left both its session and its parent before the
// first look. When the whole program ends, endBelow finds that too, on Linux, because
// it descends from a subreaper.
//
// All this works on Linux, through /proc. On other Unix systems, and without /proc, the
// tree is the leader's process group; on Windows it is a job object.
//
// A look at /proc costs about ten microseconds per process of the machine. Trees that
// look at the same time share one look, so that ending a thousand trees costs as much
// as ending one.
//
// # Supervision
//
// On Linux the program becomes a subreaper (see Supervise): a process whose parent has
// ended becomes its child, so that it still finds a daemon that has left its parent,
// its group and its session.
//
//   - When parley ends by itself, it kills all its remaining descendants.
//   - When it is killed (SIGKILL, SIGQUIT, a fatal error), a shell does that, which waits for the end of a pipe that only parley holds open. It finds what agents and terminals have started by the mark in their environment (see ownerMark).
//   - When it was asked to end and has not after some seconds, it kills itself.
//
// What was started for the user is spared: see spareMark. Processes of other users, and
// those that another program started on request (a container, a systemd unit, a cron
// job), are out of reach; after parley was killed, so are those that have left their
// parents and changed their environment.
//
// Other systems have no supervision: if parley is killed there, processes remain that
// do not end by themselves when their pipes and terminals are closed.
package process

import (
	"context"
	"errors"
	"time"
)

// errAlive means that processes of a tree still exist after being killed, for instance
// because the kernel holds them in a read from an unresponsive disk.
var errAlive = errors.New("some processes could not be ended")

// spareMark is an environment variable. A program that ends all its descendants
// (endBelow) has it in its own environment and passes it to the commands that it starts
// for the user, such as an editor, a browser, or the owner of the clipboard: these are
// spared. Lead removes it from the environment of all others.
const spareMark = "PARLEY_SPARES"

// ownerMark is an environment variable with the value of spareMark. Lead sets it for
// commands, so that everything they start can be found after the program was killed.
const ownerMark = "PARLEY_OWNER"

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
