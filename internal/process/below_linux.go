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

// setDeathSignal has the kernel end the command when this process is gone, however
// that came about.
func setDeathSignal(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// EndBelow kills everything that descends from this process and is not spared (see
// SpareMark), and returns nil when all of it is gone, or ErrAlive when ctx ends
// before. If the process is a subreaper, which orphans return to, nothing escapes
// but what it may not signal.
func EndBelow(ctx context.Context) error {
	mark := spareMark()
	for {
		below := newcomers(readTable(), mark)
		if len(below) == 0 {
			return nil
		}
		for _, p := range below {
			if now, ok := readProcess(p.pid); ok && now.started == p.started {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // whether it helped, the next look tells
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

// newcomers are the living processes that descend from this one, but for what
// carries the mark and what descends from that.
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

// spareMark is what stands in the environment of what is spared, nil if nothing is.
func spareMark() []byte {
	value, ok := os.LookupEnv(SpareMark)
	if !ok {
		return nil
	}
	return []byte(SpareMark + "=" + value)
}

// spared reports whether a process carries the mark. One whose environment cannot
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
