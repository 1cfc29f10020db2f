//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"parley/internal/test"
)

// The built program has its tables made without a collection of garbage but the one that
// the ballast itself brings about. What is linked in decides on the order in which
// packages are initialised, so this can be lost by a change elsewhere.
func TestAStartCollectsNoGarbage(t *testing.T) {
	version := exec.Command(test.Parley(t), "--version")
	version.Env = append(os.Environ(), "GOGC=100", "GODEBUG=gctrace=1")
	var trace bytes.Buffer
	version.Stderr = &trace
	if err := version.Run(); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(trace.Bytes(), []byte(" ms clock")); n != 1 {
		t.Errorf("garbage was collected %d times:\n%s", n, &trace)
	}
}
