//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process can be started by another in the moment in which that one is
// killed, so SIGKILL is sent up to killTries times, killPause apart.
const (
	killPause = 200 * time.Millisecond
	killTries = 10
)

// Lead makes a command that was not started yet the leader of a new session,
// and so of a new process group: the signals of our terminal do not reach it. On
// Linux the kernel kills it when this process is gone, however that came about, and
// what it starts is never spared (see SpareMark). Its environment must be set before.
func Lead(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	setDeathSignal(cmd)
	mark(cmd)
}

// mark takes SpareMark out of a command's environment, and puts OwnerMark in.
func mark(cmd *exec.Cmd) {
	owner, marked := os.LookupEnv(SpareMark)
	if !marked {
		return
	}
	cmd.Env = slices.DeleteFunc(slices.Clone(cmd.Environ()), func(v string) bool {
		return strings.HasPrefix(v, SpareMark+"=") || strings.HasPrefix(v, OwnerMark+"=")
	})
	cmd.Env = append(cmd.Env, OwnerMark+"="+owner)
}

// Tree is a process and everything that it has started. Its methods may be
// called from any goroutine.
type Tree struct {
	leader int
	table  *sharedTable

	mu     sync.Mutex
	seen   map[int]uint64 // the living members at the last look: id and time of start
	reaped bool           // the kernel may give the leader's id to another process
	over   bool           // nothing was left at the last look, so there never will be
}

// New returns the tree of the process with this id, which leads a session of its
// own and was not waited for yet.
func NewTree(leader int) *Tree { return &Tree{leader: leader, table: &theTable} }

// Reaped says that the leader has ended and was waited for. It must be called
// right after that, because the leader's id may belong to another process soon.
func (t *Tree) Reaped() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reaped = true
}

// Note remembers the processes that belong to the tree now. It is worth calling
// before their parents may end: afterwards those in sessions of their own can no
// longer be told from strangers.
func (t *Tree) Note() { t.look() }

// Alive reports whether any process of the tree is still there. Processes that
// have ended and were not waited for by their parents do not count: where nobody
// does that they stay for good.
func (t *Tree) Alive() bool {
	members, known := t.look()
	if known {
		return len(members) > 0
	}
	return t.leads() && syscall.Kill(-t.leader, 0) == nil
}

// Terminate sends SIGTERM to every process of the tree, once: many programs take
// a second one for an order to drop everything. It reports whether there was any.
func (t *Tree) Terminate() bool { return t.signal(syscall.SIGTERM) }

// Kill sends SIGKILL to every process of the tree and waits until they are gone.
// It returns ErrAlive if some are still there after about two seconds.
func (t *Tree) Kill() error {
	for range killTries {
		if !t.signal(syscall.SIGKILL) {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), killPause)
		gone := t.Gone(ctx)
		cancel()
		if gone {
			return nil
		}
	}
	return ErrAlive
}

// signal sends the signal to each group of the tree once, beginning with the
// leader's, and reports whether there was anybody to get it. A group gets it as
// a whole, so that nobody in it can start another process meanwhile, and lies in
// one session, so that all of it is ours.
func (t *Tree) signal(sig syscall.Signal) (reached bool) {
	members, known := t.look()
	done := map[int]bool{}
	if t.leads() {
		done[t.leader] = true
		err := syscall.Kill(-t.leader, sig)
		reached = err == nil && !known // those that are known may all have ended
	}
	for _, p := range members {
		now, ok := readProcess(p.pid)
		switch {
		case !ok || now.started != p.started: // it has ended meanwhile
		case now.group <= 1: // its group cannot be seen from here
			_ = syscall.Kill(p.pid, sig)
		case !done[now.group]:
			done[now.group] = true
			_ = syscall.Kill(-now.group, sig)
		}
	}
	return reached || len(members) > 0
}

// leads reports whether the leader's id still means the leader, its session and
// its group. As long as any process is in these, the kernel gives the id to
// nobody, even if the leader itself is gone.
func (t *Tree) leads() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leadsLocked()
}

func (t *Tree) leadsLocked() bool {
	if t.over {
		return false
	}
	return !t.reaped || errors.Is(syscall.Kill(t.leader, 0), syscall.ESRCH)
}

// look finds the living members of the tree and remembers them. known is false
// where the system does not tell who belongs to whom.
func (t *Tree) look() (members []process, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, true
	}
	all := t.table.take()
	if all == nil {
		return nil, false
	}
	session := 0
	if t.leadsLocked() {
		session = t.leader
	}
	members = all.members(session, t.seen)
	t.seen = make(map[int]uint64, len(members))
	for _, p := range members {
		t.seen[p.pid] = p.started
	}
	// A process that was started while the others were being read may be missing
	// in the table, so the leader's group is asked for too.
	t.over = t.reaped && len(members) == 0 && errors.Is(syscall.Kill(-t.leader, 0), syscall.ESRCH)
	return members, true
}
