//go:build unix

package terminal

import (
	"fmt"
	"strings"
	"testing"
)

// Outputs that are too much in all lose their beginnings: first those of commands
// that ended first.
func TestAllOutputsHaveOneBound(t *testing.T) {
	m := openManager(t)
	m.budget.limit = 512 << 10
	const each, n = 100_000, 20
	ids := make([]string, n)
	for i := range ids {
		ids[i] = create(t, m, Spec{Command: "sh", Args: []string{"-c", fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; echo; echo end %d", each, i)}})
		wait(t, m, ids[i])
	}
	sum := 0
	for i, id := range ids {
		kept, err := m.Kept(id)
		if err != nil {
			t.Fatal(err)
		}
		sum += kept
		text, truncated, _, err := m.Output(id)
		if err != nil {
			t.Fatal(err)
		}
		switch end := fmt.Sprintf("end %d\n", i); {
		case i == 0 && (text != "" || !truncated):
			t.Errorf("of the first to end %d bytes are left, truncated %v", len(text), truncated)
		case i == n-1 && (!strings.HasSuffix(text, end) || len(text) < each || truncated):
			t.Errorf("the last has %d bytes, truncated %v", len(text), truncated)
		}
	}
	if sum > 512<<10 || int64(sum) != m.budget.total.Load() {
		t.Errorf("%d bytes are kept, counted are %d", sum, m.budget.total.Load())
	}
	for _, id := range ids {
		if err := m.Release(id); err != nil {
			t.Error(err)
		}
	}
	if left := m.budget.total.Load(); left != 0 {
		t.Errorf("%d bytes are counted that nobody keeps", left)
	}
}

// What runs is only cut when nothing else is left to be.
func TestRunningCommandsAreTrimmedLast(t *testing.T) {
	m := openManager(t)
	m.budget.limit = 256 << 10
	var w watcher
	running := create(t, m, w.spec("sh", "-c", "head -c 150000 /dev/zero | tr '\\0' r; echo ready; sleep 1000"))
	w.waitFor(t, "ready")
	for range 4 {
		id := create(t, m, Spec{Command: "sh", Args: []string{"-c", "head -c 60000 /dev/zero | tr '\\0' x"}})
		wait(t, m, id)
	}
	if text, truncated, _, _ := m.Output(running); len(text) < 150_000 || truncated {
		t.Errorf("of the running command %d bytes are left", len(text))
	}
	var big watcher
	create(t, m, big.spec("sh", "-c", "head -c 250000 /dev/zero | tr '\\0' x; echo; echo end; sleep 1000"))
	big.waitFor(t, "end")
	if text, truncated, _, _ := m.Output(running); !truncated {
		t.Errorf("%d bytes, and nothing said", len(text))
	}
}
