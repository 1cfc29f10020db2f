package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/test"
)

// What happens before the first frame is on the terminal. The agent starts beside it;
// every other process, and whatever waits for the disk, comes after it.
func TestTheFirstFrameComesFirst(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(strace, "-f", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %s", out)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	p := Start(t, Options{
		Script: "handshake\n",
		Under:  []string{strace, "-f", "-qq", "-s", "4096", "-e", "trace=execve,openat,fsync,fdatasync,write,%%stat", "-e", "signal=none", "-o", trace},
	})
	p.Ready().Press("ctrl+d").WaitExit()
	b, err := os.ReadFile(trace)
	must(t, err)
	before, after, found := strings.Cut(string(b), `\33]2;parley\7`) // the title comes with the first frame
	if !found {
		t.Fatalf("no first frame in:\n%s", b)
	}
	if shells := executed.FindAllStringSubmatch(after, -1); len(shells) < 2 {
		t.Errorf("%d processes were started after the first frame, want the shells that clean up after parley", len(shells))
	}
	for _, program := range executed.FindAllStringSubmatch(before, -1) {
		if path := program[1]; path != test.Parley(t) && path != test.Scripted(t) {
			t.Errorf("%s was started before the first frame", path)
		}
	}
	for _, call := range []string{"fsync(", "fdatasync("} {
		if strings.Contains(before, call) {
			t.Errorf("parley waited for the disk before the first frame: %s", call)
		}
	}
	if strings.Contains(before, "history.jsonl") || !strings.Contains(after, "history.jsonl") {
		t.Error("the prompt history was not read after the first frame")
	}
	for _, file := range []string{"user-dirs.dirs", "config.toml", "saved.toml"} {
		opened := regexp.MustCompile(`openat\(.*` + regexp.QuoteMeta(file))
		if n := len(opened.FindAllString(before, -1)); n > 1 {
			t.Errorf("%s was opened %d times before the first frame", file, n)
		}
	}
}

// executed matches a program that was started, and its path.
var executed = regexp.MustCompile(`execve\("([^"]+)"`)
