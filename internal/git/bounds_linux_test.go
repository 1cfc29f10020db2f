package git

import (
	"bytes"
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

// The copy of a file that is mostly holes, such as the image of a disk, takes no more of the disk than the file.
func TestBringKeepsHoles(t *testing.T) {
	dir, _ := test.New(t, map[string]string{".gitignore": "*.img\n"})
	f, err := os.Create(filepath.Join(dir, "disk.img"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int64{1 << 20, copiedAtOnce + 1, 2*copiedAtOnce - 1} {
		if _, err := f.WriteAt([]byte("data"), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(3*copiedAtOnce + 1); err != nil {
		t.Fatal(err)
	}
	tree, err := CreateWorktree(t.Context(), dir, WorktreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Bring(t.Context(), dir, []string{"disk.img"}, func(string) bool { return false }, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	was, _ := os.ReadFile(f.Name())
	is, err := os.ReadFile(filepath.Join(tree.Path, "disk.img"))
	if !bytes.Equal(is, was) {
		t.Errorf("the copy of %d bytes has %d, or others, %v", len(was), len(is), err)
	}
	var of, in syscall.Stat_t
	if err := errors.Join(syscall.Stat(f.Name(), &of), syscall.Stat(filepath.Join(tree.Path, "disk.img"), &in)); err != nil || in.Blocks > 2*of.Blocks {
		t.Errorf("it takes %d blocks, not %d, %v", in.Blocks, of.Blocks, err)
	}
}
