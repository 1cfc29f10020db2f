//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// family is a running shell script, the leader of its tree.
type family struct {
	*Tree
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader

	reaping sync.Once
}

// begin runs a script. Whatever it tells as "child PID" is killed at the end of
// the test, if nobody has done that.
func begin(t *testing.T, script string) *family {
	t.Helper()
	f := &family{t: t, cmd: exec.Command("sh", "-c", script)}
	Lead(f.cmd)
	in, err := f.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A pipe made by hand: that of exec.Cmd is closed by Wait, also when children
	// still write to it.
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f.cmd.Stdout = w
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	f.Tree, f.stdin, f.lines = NewTree(f.cmd.Process.Pid), in, bufio.NewReader(out)
	t.Cleanup(func() {
		if err := f.Kill(); err != nil {
			t.Error(err)
		}
		f.reap()
		_ = errors.Join(in.Close(), out.Close())
	})
	return f
}

// reap waits for the leader. It may be called again, also meanwhile.
func (f *family) reap() {
	f.reaping.Do(func() {
		_ = f.cmd.Wait() // that it was killed is no error here
		f.Reaped()
	})
}

// expect returns what follows the word on the next line.
func (f *family) expect(word string) string {
	f.t.Helper()
	line, err := f.lines.ReadString('\n')
	rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), word)
	if err != nil || !ok {
		f.t.Fatalf("the script says %q, %v; want %s", line, err, word)
	}
	return strings.TrimSpace(rest)
}

// children reads the ids of n children.
func (f *family) children(n int) []int {
	f.t.Helper()
	var pids []int
	for range n {
		pid, err := strconv.Atoi(f.expect("child"))
		if err != nil {
			f.t.Fatal(err)
		}
		pids = append(pids, pid)
		f.t.Cleanup(func() { _ = errors.Join(syscall.Kill(-pid, syscall.SIGKILL), syscall.Kill(pid, syscall.SIGKILL)) })
	}
	return pids
}

func (f *family) assertGone(pids []int) {
	f.t.Helper()
	for _, pid := range pids {
		if lives(pid) {
			f.t.Errorf("process %d is still there", pid)
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
		return readTable() == nil
	}
	return !strings.Contains(string(stat), ") Z ")
}

// needTable skips a test where the system does not tell who belongs to whom.
func needTable(t *testing.T) {
	t.Helper()
	if readTable() == nil {
		t.Skip("processes outside the leader's group are known on Linux only")
	}
}

// Scripts of children that tell their ids and then live for long. A stubborn one
// is deaf to whatever can be ignored.
const (
	child    = ` sh -c 'echo child $$; while :; do sleep 1000; done' `
	stubborn = ` sh -c 'trap "" TERM HUP INT; echo child $$; while :; do sleep 1000; done' `
)

func TestTheWholeTreeEnds(t *testing.T) {
	tests := []struct {
		name, script string
		children     int
		linux        bool // only there is it seen
	}{
		{"a child", "CHILD & wait", 1, false},
		{"an orphan in the group", "(CHILD &) ; sleep 1000", 1, false},
		{"forked twice", "sh -c 'sh -c \"exec sleep 1000\" & echo child $!' ; CHILD & wait", 2, false},
		{"a group of its own", "set -m; CHILD & wait", 1, true},
		{"an orphan in a group of its own", "set -m; (CHILD &) ; sleep 1000", 1, true},
		{"a session of its own", "setsid CHILD & wait", 1, true},
		{"a session in a session", "setsid sh -c 'echo child $$; setsid sh -c \"echo child \\$\\$; sleep 1000\" & wait' & wait", 2, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.linux {
				needTable(t)
			}
			t.Run("asked", func(t *testing.T) {
				f := begin(t, strings.ReplaceAll(tt.script, "CHILD", child))
				pids := f.children(tt.children)
				if !f.Alive() || !f.Terminate() {
					t.Error("it is not alive")
				}
				f.reap()
				if !f.Gone(t.Context()) {
					t.Error("it is not gone")
				}
				f.assertGone(pids)
			})
			t.Run("killed", func(t *testing.T) {
				f := begin(t, "trap '' TERM HUP INT; "+strings.ReplaceAll(tt.script, "CHILD", stubborn))
				pids := f.children(tt.children)
				f.Terminate()
				ended, end := context.WithCancel(t.Context())
				end()
				if f.Gone(ended) {
					t.Error("it is gone although it ignores SIGTERM")
				}
				go f.reap()
				if err := f.Kill(); err != nil {
					t.Error(err)
				}
				f.assertGone(pids)
			})
		})
	}
}

// A second SIGTERM means to many programs that they are to drop everything.
func TestTerminateReachesEverybodyOnce(t *testing.T) {
	const counts = `n=0; trap "n=\$((n+1)); echo term \$n" TERM; trap "echo count \$n" USR1; echo child $$; while :; do sleep 0.01; done`
	for name, script := range map[string]string{
		"in the leader's group":   "trap : TERM; sh -c '" + counts + "' & while :; do wait; done",
		"in a group of its own":   "trap : TERM; set -m; sh -c '" + counts + "' & while :; do wait; done",
		"in a session of its own": "trap : TERM; setsid sh -c '" + counts + "' & while :; do wait; done",
	} {
		t.Run(name, func(t *testing.T) {
			needTable(t)
			f := begin(t, script)
			pid := f.children(1)[0]
			f.Terminate()
			f.expect("term 1")
			if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			f.expect("count 1")
		})
	}
}

// detaching is a child that makes a session of its own and loses its parent when
// a line comes.
const detaching = `sh -c 'setsid` + ` sh -c "trap \"\" TERM HUP; echo child \$\$; while :; do sleep 1000; done" & read line'; echo detached; sleep 1000`

func TestRememberedAlthoughDetached(t *testing.T) {
	needTable(t)
	f := begin(t, detaching)
	pids := f.children(1)
	f.Note()
	fmt.Fprintln(f.stdin)
	f.expect("detached")
	go f.reap()
	if err := f.Kill(); err != nil {
		t.Error(err)
	}
	f.assertGone(pids)
}

func TestDaemonIsLeftAlone(t *testing.T) {
	needTable(t)
	f := begin(t, detaching)
	pid := f.children(1)[0]
	fmt.Fprintln(f.stdin)
	f.expect("detached")
	go f.reap()
	if err := f.Kill(); err != nil {
		t.Error(err)
	}
	if !lives(pid) {
		t.Error("what detached itself before anybody looked was ended")
	}
}

// bystander is a process that nobody has a reason to end.
func bystander(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd.Process.Pid
}

// An id that has passed to another process is not what was remembered.
func TestReusedIDsAreLeftAlone(t *testing.T) {
	needTable(t)
	pid := bystander(t)
	now, ok := readProcess(pid)
	if !ok {
		t.Fatal("the process cannot be read")
	}
	f := begin(t, "exit 0")
	f.reap()
	f.seen = map[int]uint64{pid: now.started - 1}
	if f.Alive() {
		t.Error("another process is taken for the tree")
	}

	late := begin(t, "exit 0") // the id passes to the other process after the look
	late.reap()
	was := now
	was.started--
	late.table = &sharedTable{read: func() *table { return newTable([]process{was}) }}
	late.seen = map[int]uint64{pid: was.started}
	late.Terminate()
	late.table = &theTable

	reused := NewTree(pid) // the leader's id is the other process's now
	reused.Reaped()
	reused.Terminate()
	if err := reused.Kill(); err != nil {
		t.Error(err)
	}
	if !lives(pid) {
		t.Error("another process was ended")
	}
}

// When nothing is left, nobody looks any more: from then on the ids may be those
// of other processes.
func TestOverIsOver(t *testing.T) {
	needTable(t)
	f := begin(t, "exit 0")
	looks := 0
	f.table = &sharedTable{read: func() *table { looks++; return readTable() }}
	f.reap()
	if f.Alive() || looks != 1 {
		t.Errorf("alive after its end, or %d looks", looks)
	}
	if err := f.Kill(); err != nil || f.Terminate() || f.Alive() || !f.Gone(t.Context()) || looks != 1 {
		t.Errorf("%d looks, %v", looks, err)
	}
}

// Where the system does not tell who belongs to whom, the group is the tree.
func TestWithoutATable(t *testing.T) {
	// It waits for its only child, so that no zombie stays in the group: not every system
	// has somebody who waits for orphans.
	f := begin(t, "trap 'wait; exit' TERM; sh -c 'echo child $$; exec sleep 1000' & wait")
	f.table = &sharedTable{read: func() *table { return nil }}
	pids := f.children(1)
	f.Note()
	if !f.Alive() || !f.Terminate() {
		t.Error("it is not alive")
	}
	f.reap()
	if !f.Gone(t.Context()) {
		t.Error("it is not gone")
	}
	f.assertGone(pids)
}
