//go:build unix

package terminal

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestKillKeepsTheTerminal(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := create(t, m, w.spec("sh", "-c", "echo started; sleep 1000"))
	w.waitFor(t, "started")
	for range 2 { // the second finds it ended
		if err := m.Kill(id); err != nil {
			t.Fatal(err)
		}
		text, _, status, err := m.Output(id)
		if text != "started\n" || status == nil || status.String() != "killed by SIGTERM" || err != nil {
			t.Fatalf("Output = %q, %v, %v", text, status, err)
		}
	}
}

// stubbornTree is a script of a tree that does not want to end, and how many
// children it has: all ignore SIGTERM. Where Linux tells who belongs to whom,
// one has a process group of its own, and one a session.
func stubbornTree() (script string, children int) {
	const child = ` sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1000; done' &
`
	script, children = "trap '' TERM HUP\n"+child, 1
	if runtime.GOOS == "linux" {
		script += "setsid" + child + "set -m\n" + child + "set +m\n"
		children = 3
	}
	return script + "while :; do sleep 1000; done", children
}

func TestNothingSurvives(t *testing.T) {
	for name, end := range map[string]func(*Manager, string) error{
		"kill":    (*Manager).Kill,
		"release": (*Manager).Release,
		"close":   func(m *Manager, _ string) error { return m.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			m := openManagerWithGrace(t, 50*time.Millisecond)
			var w watcher
			script, children := stubbornTree()
			id := create(t, m, w.spec("sh", "-c", script))
			pids := childrenOf(t, &w, children)
			if err := end(m, id); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				if lives(pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
		})
	}
}

// childrenOf waits until n children have told their ids.
func childrenOf(t *testing.T, w *watcher, n int) []int {
	t.Helper()
	for {
		w.waitFor(t, "child ")
		w.mu.Lock()
		lines := strings.Split(w.output.String(), "\r\n")
		w.mu.Unlock()
		var pids []int
		for _, l := range lines[:len(lines)-1] {
			if pid, err := strconv.Atoi(strings.TrimPrefix(l, "child ")); err == nil {
				pids = append(pids, pid)
			}
		}
		if len(pids) >= n {
			return pids
		}
		select {
		case <-w.changed:
		case <-t.Context().Done():
			t.Fatal("the children did not come")
		}
	}
}

// lives reports whether a process runs; a zombie does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil { // it has ended meanwhile, or nothing can be read of any process
		return !exists("/proc/self/stat")
	}
	return !strings.Contains(string(stat), ") Z ")
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

func TestChildThatKeepsThePTYOpenDoesNotBlock(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := create(t, m, w.spec("sh", "-c", `
		trap '' HUP
		sh -c 'echo child $$; while :; do sleep 1000; done' &
		echo last; exit 5`))
	if status := wait(t, m, id); status.String() != "exit code 5" {
		t.Errorf("got %v", status)
	}
	text, _, status, _ := m.Output(id)
	if !strings.Contains(text, "last\n") || status == nil {
		t.Errorf("Output = %q, %v", text, status)
	}
	pid := childrenOf(t, &w, 1)[0]
	if !lives(pid) {
		t.Error("the child is gone before its terminal was released")
	}
	if err := m.Release(id); err != nil {
		t.Fatal(err)
	}
	if lives(pid) {
		t.Error("the child is still there")
	}
}

func TestLeftoverOutputIsStillRead(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := create(t, m, w.spec("sh", "-c", `
		trap '' HUP
		gate=$(mktemp -u); mkfifo $gate; echo gate $gate.
		sh -c "read x <$gate; echo late; rm $gate" &
		exit 0`))
	wait(t, m, id)
	_, gate, _ := strings.Cut(w.waitFor(t, ".\r\n"), "gate ")
	gate, _, _ = strings.Cut(gate, ".\r\n")
	gate = strings.ReplaceAll(gate, "\r\n", "")
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	w.waitFor(t, "late")
}
