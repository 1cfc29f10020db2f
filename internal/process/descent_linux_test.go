package process

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What the leader of a tree has started descends from it, whatever it leaves.
func TestWhoDescendsFromThisProcess(t *testing.T) {
	for _, orphans := range []bool{true, false} {
		t.Run(fmt.Sprintf("orphans return here: %v", orphans), func(t *testing.T) {
			if orphans {
				if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
			}
			f := begin(t, child+`& `+detaching)
			pids := f.children(2)
			for _, pid := range append(pids, f.leader) {
				if top, err := Child(pid); top != f.leader || err != nil {
					t.Errorf("process %d descends by %d, %v; want %d", pid, top, err, f.leader)
				}
			}
			fmt.Fprintln(f.stdin)
			f.expect("detached")
			for _, pid := range pids {
				session, err := unix.Getsid(pid)
				if err != nil {
					t.Fatal(err)
				}
				top, err := Child(pid)
				switch {
				case err != nil:
					t.Errorf("process %d: %v", pid, err)
				case session == f.leader && top != f.leader:
					t.Errorf("process %d of the leader's session descends by %d", pid, top)
				case session != f.leader && orphans && top != pid:
					t.Errorf("the orphan %d descends by %d", pid, top)
				case session != f.leader && !orphans && top != 0:
					t.Errorf("the orphan %d, which has left all that tells, descends by %d", pid, top)
				}
			}
			if err := f.Kill(); err != nil {
				t.Error(err)
			}
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				if orphans {
					_, _ = syscall.Wait4(pid, nil, 0, nil)
				}
			}
		})
	}
}

// A session outlives its leader, and still tells whose it is.
func TestTheSessionTellsAfterItsLeader(t *testing.T) {
	f := begin(t, child+`& read line`)
	pid := f.children(1)[0]
	fmt.Fprintln(f.stdin)
	f.reap()
	if top, err := Child(pid); top != f.leader || err != nil {
		t.Errorf("it descends by %d, %v; want %d", top, err, f.leader)
	}
	// Its id may be given to another process once nothing is left of the session.
	if err := f.Kill(); err != nil {
		t.Fatal(err)
	}
	for leads(f.leader) && t.Context().Err() == nil {
		f.Alive() // until nothing is left to wait for either
	}
}

func TestWhoDoesNotDescendFromThisProcess(t *testing.T) {
	for name, pid := range map[string]int{"itself": os.Getpid(), "its parent": os.Getppid(), "the first process": 1} {
		if top, err := Child(pid); top != 0 || err != nil {
			t.Errorf("%s descends by %d, %v", name, top, err)
		}
	}
	f := begin(t, "read line")
	fmt.Fprintln(f.stdin)
	f.reap()
	if top, err := Child(f.leader); err == nil {
		t.Errorf("a process that has ended descends by %d", top)
	}
	noteLeader(os.Getpid())
	leaders.Lock()
	leaders.started[os.Getpid()]-- // as if another process had had the id
	leaders.Unlock()
	defer forgetLeader(os.Getpid())
	if leads(os.Getpid()) {
		t.Error("a reused id is taken for the leader")
	}
}
