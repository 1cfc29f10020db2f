//go:build unix

package process

import (
	"errors"
	"os"
	"sync"
)

// leaders remembers the leaders of trees and when they started: a process that has lost its
// parents still has their session.
var leaders = struct {
	sync.Mutex
	started map[int]uint64
}{started: map[int]uint64{}}

func noteLeader(pid int) {
	p, ok := readProcess(pid)
	if !ok {
		return // it has ended, or processes cannot be read here
	}
	leaders.Lock()
	defer leaders.Unlock()
	leaders.started[pid] = p.started
}

// forgetLeader forgets a leader when nothing is left of its session.
func forgetLeader(pid int) {
	leaders.Lock()
	defer leaders.Unlock()
	delete(leaders.started, pid)
}

// leads reports whether a session is that of the leader of a tree, even if that has ended.
func leads(session int) bool {
	leaders.Lock()
	started, is := leaders.started[session]
	leaders.Unlock()
	if !is {
		return false
	}
	// While a session exists, the kernel gives its id to no new process.
	p, lives := readProcess(session)
	return !lives || p.started == started
}

// Started returns when a process began, in a unit of the system's: another process with the same id began
// at another time. It returns false if there is no such process, or the system does not say.
func Started(pid int) (at uint64, ok bool) {
	p, ok := readProcess(pid)
	return p.started, ok
}

// errUnknown means that the system does not tell from whom a process descends.
var errUnknown = errors.New("the system does not say which process started it")

// mostAncestors bounds how far Child looks up.
const mostAncestors = 4096

// Child returns the child of this process that a process is or descends from, also when its
// parents have ended: see [Supervision]. Where only its session tells, that is the leader of a
// [Tree]. It returns 0 for a process of somebody else's, and an error if it cannot be told:
// the process has ended, for instance.
func Child(pid int) (child int, err error) {
	self := os.Getpid()
	p, ok := readProcess(pid)
	if !ok {
		return 0, errUnknown
	}
	for range mostAncestors {
		switch {
		case p.pid == self:
			return 0, nil
		case p.parent == self:
			return p.pid, nil
		}
		if leads(p.session) {
			return p.session, nil
		}
		if p.parent <= 0 {
			return 0, nil
		}
		parent, lives := readProcess(p.parent)
		now, same := readProcess(p.pid)
		switch {
		case !same || now.started != p.started:
			return 0, errUnknown
		case !lives || now.parent != p.parent: // it was given to another one meanwhile
			p = now
		default:
			p = parent
		}
	}
	return 0, errUnknown
}
