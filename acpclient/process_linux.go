package acpclient

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// processRef names a process for good: its id may be given to another one when
// it has ended, but not together with the time of its start.
type processRef struct {
	pid   int
	start string
}

// procStat is what /proc/PID/stat says of a process; see proc_pid_stat(5).
type procStat struct {
	processRef
	parent, session int
}

// descendants finds the processes below a process and those of its session,
// which are its own even when it has ended and they were handed to another
// parent. Programs that call setsid leave the process group, and so its signals,
// but not the tree.
func descendants(pid int) []processRef {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	children := map[int][]procStat{}
	var found []procStat
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil || id == pid {
			continue
		}
		s, ok := readStat(id)
		switch {
		case !ok:
		case s.session == pid:
			found = append(found, s)
		default:
			children[s.parent] = append(children[s.parent], s)
		}
	}
	found = append(found, children[pid]...)
	var refs []processRef
	for i := 0; i < len(found); i++ { // found grows meanwhile
		refs = append(refs, found[i].processRef)
		found = append(found, children[found[i].pid]...)
	}
	return refs
}

func readStat(pid int) (procStat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	// The program's name, in parentheses, may have any character in it.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return procStat{}, false
	}
	parent, _ := strconv.Atoi(string(f[1]))
	session, _ := strconv.Atoi(string(f[3]))
	return procStat{processRef{pid, string(f[19])}, parent, session}, true
}

// killRefs kills those of the processes that are still the same.
func killRefs(refs []processRef) {
	for _, r := range refs {
		if s, ok := readStat(r.pid); ok && s.processRef == r {
			_ = syscall.Kill(r.pid, syscall.SIGKILL)
		}
	}
}
