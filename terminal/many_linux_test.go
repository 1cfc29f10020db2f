package terminal

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Many terminals, of which some end, some are killed and some are typed into,
// leave no process and no descriptor behind; TestMain sees to the goroutines.
func TestManyTerminalsLeaveNothing(t *testing.T) {
	const n = 250
	m := openManager(t)
	warm := create(t, m, Spec{Command: "true"})
	wait(t, m, warm)
	if err := m.Release(warm); err != nil {
		t.Fatal(err)
	}
	descriptors := openDescriptors(t)

	var mu sync.Mutex
	var pids []int
	var ready, all sync.WaitGroup
	ready.Add(n)
	for i := range n {
		var once sync.Once
		id := create(t, m, Spec{
			Command: "sh", Args: []string{"-c", `sleep 1000 & echo "pids $$ $!."; read x; exit`}, Input: true,
			OnOutput: func(_ string, data []byte) {
				// One line of a few bytes comes whole.
				line, ok := strings.CutPrefix(string(data), "pids ")
				if !ok {
					return
				}
				once.Do(func() {
					mu.Lock()
					defer mu.Unlock()
					line, _, _ = strings.Cut(line, ".")
					for _, word := range strings.Fields(line) {
						if pid, err := strconv.Atoi(word); err == nil {
							pids = append(pids, pid)
						}
					}
					ready.Done()
				})
			},
		})
		all.Go(func() {
			ready.Wait()
			var err error
			switch i % 3 {
			case 0:
				err = m.Kill(id)
			case 1:
				if err = m.Write(id, []byte("\r")); err == nil {
					_, err = m.WaitForExit(t.Context(), id)
				}
			}
			if err != nil {
				t.Error(err)
			}
			if err := m.Release(id); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(pids) != 2*n {
		t.Errorf("%d processes have told their ids", len(pids))
	}
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if now := openDescriptors(t); now > descriptors {
		t.Errorf("%d descriptors were open before, %d are now", descriptors, now)
	}
}

// Commands that have ended hold no descriptor, though nobody has released them.
func TestEndedCommandsHoldNoDescriptor(t *testing.T) {
	m := openManager(t)
	wait(t, m, create(t, m, Spec{Command: "true"}))
	before := openDescriptors(t)
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = create(t, m, Spec{Command: "echo", Args: []string{"kept"}})
		wait(t, m, ids[i])
		<-m.terminals[ids[i]].readDone
	}
	if now := openDescriptors(t); now > before {
		t.Errorf("%d descriptors were open before, %d are now", before, now)
	}
	if text, _, _, err := m.Output(ids[0]); text != "kept\n" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

// openDescriptors counts the descriptors of this process, but for those with which
// somebody looks at processes just now.
func openDescriptors(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if file, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.HasPrefix(file, "/proc") {
			n++
		}
	}
	return n
}
