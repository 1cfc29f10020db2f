//go:build !linux

package ptytest

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// leftover is a process group that outlived the program that led it.
type leftover struct{ group int }

func (p leftover) String() string { return fmt.Sprintf("process group %d", p.group) }

func (p leftover) kill() { _ = unix.Kill(-p.group, unix.SIGKILL) }

// leftovers looks at the program's own process group only: outside Linux there
// is no portable way to list a session.
func leftovers(session int, _ string, bound time.Duration) []leftover {
	deadline := time.NewTimer(bound)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !errors.Is(unix.Kill(-session, 0), unix.ESRCH) {
		select {
		case <-tick.C:
		case <-deadline.C:
			return []leftover{{session}}
		}
	}
	return nil
}
