package terminal

import (
	"bytes"
	"os"
	"strconv"
	"sync"
)

// tree is the family of one command: its session (groups that a shell with job
// control makes included) and every descendant, also those that have made
// sessions of their own. It remembers whom it has seen, because a descendant
// whose parent ends first can no longer be told by its parent.
//
// A daemon, which has left both its session and its parent on purpose
// (gpg-agent, a build server), is not family: other programs count on it.
type tree struct {
	leader int

	mu   sync.Mutex
	seen map[int]string // pid to start time: together they name a process for good
}

// procStat is the part of /proc/PID/stat that tells a family.
type procStat struct {
	pid, parent, session int
	zombie               bool
	started              string // in clock ticks since boot
}

// members lists the living processes of the family. Zombies do not count:
// where nobody reaps orphans they stay for good.
func (t *tree) members() []int {
	all := processes()
	t.mu.Lock()
	defer t.mu.Unlock()
	member := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !member[p.pid] && (p.session == t.leader || member[p.parent] || t.seen[p.pid] == p.started) {
				member[p.pid] = true
				grown = true
			}
		}
	}
	t.seen = make(map[int]string, len(member))
	var living []int
	for _, p := range all {
		if member[p.pid] && !p.zombie {
			living = append(living, p.pid)
			t.seen[p.pid] = p.started
		}
	}
	return living
}

func (t *tree) alive() bool { return len(t.members()) > 0 }

func processes() []procStat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	all := make([]procStat, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(pid, stat); ok {
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads "pid (name) state ppid pgrp session … starttime …" (proc(5)).
// The name may hold spaces and parentheses: the last one ends it.
func parseStat(pid int, stat []byte) (procStat, bool) {
	const state, parent, session, started = 0, 1, 3, 19
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= started {
		return procStat{}, false
	}
	p := procStat{pid: pid, started: string(fields[started])}
	p.zombie = fields[state][0] == 'Z' || fields[state][0] == 'X'
	var err1, err2 error
	p.parent, err1 = strconv.Atoi(string(fields[parent]))
	p.session, err2 = strconv.Atoi(string(fields[session]))
	return p, err1 == nil && err2 == nil
}
