//go:build unix

package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test"
)

// Git waits for ever where a file of its own is a named pipe, which an agent can make: it is ended,
// and the user is told where to look.
func TestNamedPipe(t *testing.T) {
	was := readTime
	readTime = 2 * time.Second
	defer func() { readTime = was }()
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := CreateWorktree(t.Context(), dir, WorktreeOptions{Name: "wren"})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(tree.Path, ".gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(lesser(t, dir), "gitdir"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Worktrees(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("list: %v", err)
	}
	for name, do := range map[string]func() error{
		"work": func() error { _, err := tree.Work(t.Context()); return err },
		"drop": func() error { _, err := tree.Drop(t.Context()); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "named pipe") || !strings.Contains(err.Error(), tree.Path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Patterns that git would compare for years are named as what they are.
func TestSlowPatterns(t *testing.T) {
	was := readTime
	readTime = 2 * time.Second
	defer func() { readTime = was }()
	deep := strings.Repeat("a/", 40) + "f"
	dir, _ := test.New(t, map[string]string{"a/tracked": "", ".gitignore": "f\n", IncludeFile: strings.Repeat("a/**/", 12) + "b\n"})
	tree, err := CreateWorktree(t.Context(), dir, WorktreeOptions{Name: "wren"})
	if err = errors.Join(err, os.MkdirAll(filepath.Join(dir, filepath.Dir(deep)), 0o700), os.WriteFile(filepath.Join(dir, deep), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	no := func(string) bool { return false }
	if _, err := tree.Bring(t.Context(), dir, nil, no, no); err == nil || !strings.Contains(err.Error(), "use fewer wildcards") {
		t.Error(err)
	}
}

// What is no file among the objects of Git LFS leads to none, though it was one a moment before.
func TestObjectsOfGitLFSAreFiles(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("elsewhere")))
	object, file := filepath.Join("lfs", "objects", sum[:2], sum[2:4], sum), filepath.Join(t.TempDir(), "file")
	err := errors.Join(os.WriteFile(file, []byte("elsewhere"), 0o600), os.MkdirAll(filepath.Join(from, filepath.Dir(object)), 0o700), os.Symlink(file, filepath.Join(from, object)))
	if err != nil {
		t.Fatal(err)
	}
	if err := bringLFS(t.Context(), from, to); err == nil {
		t.Error("copied")
	}
	if _, err := os.Stat(filepath.Join(to, object)); err == nil {
		t.Error("the object is there")
	}
}

// lesser makes git's own directory of a worktree that has no gitdir yet.
func lesser(t *testing.T, dir string) string {
	t.Helper()
	admin := filepath.Join(dir, ".git", "worktrees", "odd")
	err := os.Mkdir(admin, 0o700)
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/odd\n", "commondir": "../..\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(admin, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return admin
}
