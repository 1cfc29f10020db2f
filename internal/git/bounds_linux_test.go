package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test"
)

// Git that reads for ever takes no more than its memory.
func TestEndlessFile(t *testing.T) {
	was := maxMemory
	maxMemory = 64 << 20
	defer func() { maxMemory = was }()
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	if _, err := CreateWorktree(t.Context(), dir, WorktreeOptions{Name: "wren"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(lesser(t, dir), "gitdir")); err != nil {
		t.Fatal(err)
	}
	if _, err := Worktrees(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("%v", err)
	}
}

// Git ends with the process that has started it.
func TestGitEndsWithItsParent(t *testing.T) {
	const mark = "PARLEY_TEST_REPOSITORY"
	if dir := os.Getenv(mark); dir != "" {
		_, _ = Worktrees(t.Context(), dir) // waits for the pipe
		return
	}
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	if _, err := CreateWorktree(t.Context(), dir, WorktreeOptions{Name: "wren"}); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(lesser(t, dir), "gitdir")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0], "-test.run=^TestGitEndsWithItsParent$")
	parent.Env = append(os.Environ(), mark+"="+dir)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for git
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_ = parent.Process.Kill()
	_ = parent.Wait()
	for range 1000 { // git that lives reads it all
		if _, err = w.Write(make([]byte, 64<<10)); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EPIPE) {
		t.Errorf("git is still there: %v", err)
	}
}
