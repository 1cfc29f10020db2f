package process

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// setDeathSignal makes the kernel kill the command when this process ends in any way.
func setDeathSignal(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// EndBelow kills all descendants of this process that are not spared (see SpareMark).
// It returns nil when they are gone, or ErrAlive when ctx ends first. If the process is
// a subreaper, which orphans return to, only processes that it may not signal escape.
func EndBelow(ctx context.Context) error {
	mark := spareMark()
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
			return ErrAlive
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

// spareMark returns the environment entry of spared processes, nil if there is none.
func spareMark() []byte {
	value, ok := os.LookupEnv(SpareMark)
	if !ok {
		return nil
	}
	return []byte(SpareMark + "=" + value)
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
