//go:build unix

package process

import "sync"

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
// all their descendants, and whoever shares a session with one of them. The latter is
// safe: a process is born into its parent's session and can leave it only for one that
// it creates, so the session of a member was created by a member.
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

// theTable is the table of the machine's processes.
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
