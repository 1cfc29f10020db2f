package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/git"
	"parley/internal/test"
)

// Where the disk was full, the next session prepares the worktree again.
func TestPrepareOnAFullDisk(t *testing.T) {
	const small = "PARLEY_TEST_SMALL_DISK"
	disk := os.Getenv(small)
	if disk == "" {
		cmd := exec.Command("bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--size", "1000000", "--tmpfs", "/mnt", "--setenv", small, "/mnt",
			os.Args[0], "-test.run=^TestPrepareOnAFullDisk$", "-test.v")
		out, err := cmd.CombinedOutput()
		switch {
		case strings.Contains(string(out), "bwrap: ") || err != nil && len(out) == 0:
			t.Skipf("no small disk: %v\n%s", err, out)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n", ".gitignore": "*.bin\n", git.IncludeFile: "*.bin\n"})
	for i := range 4 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".bin")), make([]byte, 100_000), 0o600))
	}
	filler := filepath.Join(disk, "filler")
	must(t, os.WriteFile(filler, make([]byte, 700_000), 0o600))
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Parent: disk})
	must(t, err)
	l := &Launcher{Config: &config.Config{}}
	defer l.Close()
	prepare := func() (said string) {
		for _, n := range l.Prepare(t.Context(), Spec{Agent: &config.Agent{ID: "a"}, Cwd: tree.Path}, func(string, string) bool { return false }) {
			said += n.Title + ": " + n.Detail + "\n"
		}
		return said
	}
	if said := prepare(); !strings.Contains(said, "no space left on device") || !strings.Contains(said, "The next session prepares the worktree again: the disk is full") {
		t.Errorf("it says\n%s", said)
	}
	must(t, os.Remove(filler))
	if said := prepare(); !strings.Contains(said, "Copied into the worktree: ") || strings.Contains(said, "again") {
		t.Errorf("with room it says\n%s", said)
	}
	for i := range 4 {
		if info, err := os.Stat(filepath.Join(tree.Path, fmt.Sprint(i, ".bin"))); err != nil || info.Size() != 100_000 {
			t.Errorf("%d: %v", i, err)
		}
	}
	if work, err := git.WorktreeAt(tree.Path).Work(t.Context()); err != nil || len(work.Ignored) > 0 {
		t.Errorf("copies count as work: %v, %v", work, err)
	}
}
