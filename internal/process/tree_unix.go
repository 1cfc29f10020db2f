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

// A process can be started while its parent is being killed, so SIGKILL is sent up to
// killTries times, killPause apart.
const (
	killPause = 200 * time.Millisecond
	killTries = 10
)

// Lead makes a command the leader of a new session, and so of a new process group,
// which signals of our terminal do not reach. On Linux the kernel kills it when this
// process ends in any way, and its children are never spared (see spareMark). Call it
// before starting the command and after setting its environment.
func Lead(cmd *exec.Cmd) {
	Bind(cmd)
	cmd.SysProcAttr.Setsid = true
	if owner, marked := os.LookupEnv(spareMark); marked {
		cmd.Env = slices.DeleteFunc(slices.Clone(cmd.Environ()), func(v string) bool {
			return strings.HasPrefix(v, spareMark+"=") || strings.HasPrefix(v, ownerMark+"=")
		})
		cmd.Env = append(cmd.Env, ownerMark+"="+owner)
	}
}

// Bind has the kernel kill a command when this process ends in any way, where it can: on Linux. Call
// it before starting the command.
func Bind(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	setDeathSignal(cmd)
}

// Tree is a process and everything that it has started. It is safe for concurrent use.
type Tree struct {
	leader int
	table  *sharedTable

	mu     sync.Mutex
	seen   map[int]uint64 // the living members at the last look: id and start time
	reaped bool           // the leader's id may be reused
	over   bool           // the last look found nothing, so nothing will come
}

// NewTree returns the tree of the process with this id, which must lead a session of
// its own and not have been waited for yet.
func NewTree(leader int) *Tree {
	noteLeader(leader)
	return &Tree{leader: leader, table: &theTable}
}

// Reaped records that the leader has ended and was waited for. Call it right after
// that, because the leader's id may be reused soon.
func (t *Tree) Reaped() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reaped = true
}

// Note records the current processes of the tree. Call it before their parents may end:
// afterwards, those in sessions of their own cannot be recognised.
func (t *Tree) Note() { t.look() }

// Alive reports whether any process of the tree exists. Zombies do not count, since
// they may remain forever.
func (t *Tree) Alive() bool {
	members, known := t.look()
	if known {
		return len(members) > 0
	}
	return t.leads() && syscall.Kill(-t.leader, 0) == nil
}

// Terminate sends SIGTERM to every process of the tree, once: many programs treat a
// second one as an order to drop everything. It reports whether there was any.
func (t *Tree) Terminate() bool { return t.signal(syscall.SIGTERM) }

// Kill sends SIGKILL to every process of the tree and waits until they are gone. It
// returns errAlive if some remain after about two seconds.
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
	return errAlive
}

// signal sends the signal to each group of the tree once, beginning with the leader's,
// and reports whether any process got it. It signals whole groups, so that no member
// can start another process meanwhile; a group lies in one session, so all of it is
// ours.
func (t *Tree) signal(sig syscall.Signal) (reached bool) {
	members, known := t.look()
	done := map[int]bool{}
	if t.leads() {
		done[t.leader] = true
		err := syscall.Kill(-t.leader, sig)
		reached = err == nil && !known // the known ones may all have ended
	}
	for _, p := range members {
		now, ok := readProcess(p.pid)
		switch {
		case !ok || now.started != p.started: // it has ended meanwhile
		case now.group <= 1: // its group is invisible from here
			_ = syscall.Kill(p.pid, sig)
		case !done[now.group]:
			done[now.group] = true
			_ = syscall.Kill(-now.group, sig)
		}
	}
	return reached || len(members) > 0
}

// leads reports whether the leader's id still means the leader, its session and its
// group. The kernel does not reuse the id while these contain any process, even without
// the leader.
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

// look finds the living members of the tree and records them. known is false where the
// system does not tell which process belongs to which.
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
	// The table may miss a process that was started during the reading, so ask for the
	// leader's group too.
	if t.over = t.reaped && len(members) == 0 && errors.Is(syscall.Kill(-t.leader, 0), syscall.ESRCH); t.over {
		forgetLeader(t.leader)
	}
	return members, true
}

// process describes a process. Its id and start time together identify it for good.
type process struct {
	pid, parent, group, session int

	started uint64 // in clock ticks since boot
	zombie  bool   // it has ended, and its parent has not waited for it yet
}

// table holds all processes at one moment.
type table struct {
	all       []process
	byPID     map[int]int   // indexes into all
	byParent  map[int][]int // likewise
	bySession map[int][]int // likewise
}

func newTable(all []process) *table {
	t := &table{
		all:       all,
		byPID:     make(map[int]int, len(all)),
		byParent:  make(map[int][]int, len(all)),
		bySession: make(map[int][]int, len(all)),
	}
	for i, p := range all {
		t.byPID[p.pid] = i
		t.byParent[p.parent] = append(t.byParent[p.parent], i)
		if p.session != 0 { // 0 is a session that is invisible from here
			t.bySession[p.session] = append(t.bySession[p.session], i)
		}
	}
	return t
}

// members returns the living processes of the session (0 for none), those seen before,
// all their descendants, and every process that shares a session with one of them. The
// last is safe: a process is born into its parent's session and can leave it only for one
// that it creates, so a member has created the session of each member.
func (t *table) members(session int, seen map[int]uint64) []process {
	found := map[int]bool{} // by index
	var queue []int
	add := func(indexes ...int) {
		for _, i := range indexes {
			if !found[i] {
				found[i] = true
				queue = append(queue, i)
			}
		}
	}
	add(t.bySession[session]...)
	for pid, started := range seen {
		if i, ok := t.byPID[pid]; ok && t.all[i].started == started {
			add(i)
		}
	}
	var living []process
	for len(queue) > 0 {
		p := t.all[queue[0]]
		queue = queue[1:]
		add(t.byParent[p.pid]...)
		add(t.bySession[p.session]...)
		if !p.zombie {
			living = append(living, p)
		}
	}
	return living
}

// sharedTable reads the table of processes for concurrent callers. Calls during a
// reading share the next one, so that no result is older than its call, and a thousand
// concurrent calls cost one or two readings. read reads the table.
type sharedTable struct {
	read func() *table

	mu      sync.Mutex
	next    *reading // requested and not begun, or nil
	running bool     // a goroutine is reading
}

// reading is one reading of the table. taken is set before done is closed.
type reading struct {
	done  chan struct{}
	taken *table
}

var theTable = sharedTable{read: readTable}

// take returns a table that was read after the call began, or nil where there is none.
// It must not be changed.
func (s *sharedTable) take() *table {
	s.mu.Lock()
	if s.next == nil {
		s.next = &reading{done: make(chan struct{})}
	}
	mine := s.next
	if !s.running {
		s.running = true
		go s.run()
	}
	s.mu.Unlock()
	<-mine.done
	return mine.taken
}

// run reads until there are no more requests.
func (s *sharedTable) run() {
	for {
		s.mu.Lock()
		r := s.next
		s.next = nil
		s.running = r != nil
		s.mu.Unlock()
		if r == nil {
			return
		}
		r.taken = s.read()
		close(r.done)
	}
}
