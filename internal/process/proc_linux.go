package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// statSize exceeds the size of any /proc/PID/stat: a name of at most 64 bytes and about
// fifty numbers.
const statSize = 2 << 10

// readTable reads the processes of the machine; nil without /proc.
func readTable() *table {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	all := make([]process, 0, len(names))
	buf := make([]byte, statSize)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := parseStat(pid, readStat(pid, buf)); ok { // else it has ended meanwhile
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil // a /proc without processes is not usable
	}
	return newTable(all)
}

// readProcess reads one process; ok is false if it has ended.
func readProcess(pid int) (p process, ok bool) {
	return parseStat(pid, readStat(pid, make([]byte, statSize)))
}

// readStat returns the contents of /proc/PID/stat, nothing if there is no such process.
// It is called thousands of times, and os.ReadFile takes more than twice as many system
// calls.
func readStat(pid int, buf []byte) []byte {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	fd, err := uninterrupted(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	n, err := uninterrupted(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return nil
	}
	return buf[:n]
}

// uninterrupted repeats a system call while signals interrupt it.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

// parseStat parses "pid (name) state ppid pgrp session … starttime …", see
// proc_pid_stat(5). The name may contain spaces and parentheses; the last parenthesis
// ends it.
func parseStat(pid int, stat []byte) (process, bool) {
	const state, parent, group, session, started = 0, 1, 2, 3, 19 // counted from the end of the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= started {
		return process{}, false
	}
	p := process{pid: pid, zombie: fields[state][0] == 'Z' || fields[state][0] == 'X'}
	var errs [4]error
	p.parent, errs[0] = strconv.Atoi(string(fields[parent]))
	p.group, errs[1] = strconv.Atoi(string(fields[group]))
	p.session, errs[2] = strconv.Atoi(string(fields[session]))
	p.started, errs[3] = strconv.ParseUint(string(fields[started]), 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// setDeathSignal makes the kernel kill the command when this process ends in any way.
func setDeathSignal(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// LimitMemory bounds the memory that a process and what it starts allocate from now on, in bytes
// for each, where the system can: on Linux. Beyond it, they get none.
func LimitMemory(pid int, most uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil) // it has ended, or has less
}

// endBelow kills all descendants of this process that are not spared (see spareMark).
// It returns nil when they are gone, or errAlive when ctx ends first. If the process is
// a subreaper, which orphans return to, only processes that it may not signal escape.
func endBelow(ctx context.Context) error {
	var mark []byte // the environment entry of spared processes
	if value, ok := os.LookupEnv(spareMark); ok {
		mark = []byte(spareMark + "=" + value)
	}
	for {
		below := newcomers(readTable(), mark)
		if len(below) == 0 {
			return nil
		}
		for _, p := range below {
			if now, ok := readProcess(p.pid); ok && now.started == p.started {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // the next look shows whether it worked
			}
		}
		pause := time.NewTimer(pollPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return errAlive
		}
	}
}

// newcomers returns the living descendants of this process, except those that carry the
// mark and their descendants.
func newcomers(t *table, mark []byte) (living []process) {
	if t == nil {
		return nil
	}
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, i := range t.byParent[parent] {
			p := t.all[i]
			if spared(p.pid, mark) {
				continue
			}
			queue = append(queue, p.pid)
			if !p.zombie {
				living = append(living, p)
			}
		}
	}
	return living
}

// spared reports whether a process carries the mark. A process whose environment cannot
// be read does not.
func spared(pid int, mark []byte) bool {
	if mark == nil {
		return false
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(v, mark) {
			return true
		}
	}
	return false
}
