package git

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test"
)

// Links of the user stay as they are, and come back; what is no file and what has another
// name goes, but for objects, which git never writes to.
func TestCleanLeavesWhatIsTheUsers(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": "poem\n"})
	git := filepath.Join(dir, ".git")
	at := func(name string) string { return filepath.Join(git, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	must(os.WriteFile(outside, []byte("kept\n"), 0o600))
	must(os.Symlink(outside, at("logs/mine")))
	must(os.Symlink(outside, at("logs/moved")))
	must(os.Link(at("COMMIT_EDITMSG"), outside+".backup"))
	g, err := GuardOf(t.Context(), dir)
	must(err)
	if removed, err := g.Clean(); len(removed) > 0 || err != nil {
		t.Errorf("at the beginning: %q, %v", removed, err)
	}

	must(os.Remove(at("logs/mine")))
	if removed, err := g.Clean(); len(removed) > 0 || err != nil { // it comes back, see below
		t.Errorf("a link that is gone: %q, %v", removed, err)
	}
	must(os.Remove(at("logs/moved")))
	must(os.Symlink("/nowhere", at("logs/moved")))
	must(os.Link(outside, at("MERGE_MSG")))
	must(os.Symlink(outside, at("TAG_EDITMSG")))
	must(os.Symlink(filepath.Dir(outside), at("refs/tags/more")))
	must(syscall.Mkfifo(at("SQUASH_MSG"), 0o600))
	must(os.Mkdir(at("logs/deep"), 0o700))
	must(os.Link(outside, at("logs/deep/objects")))
	must(os.Link(outside, at("objects/shared")))
	must(os.Symlink(outside, at("objects/linked")))
	l, err := net.Listen("unix", at(ipcSocket))
	must(err)
	defer l.Close()
	must(os.Symlink("../../poem.txt", at("hooks/mine"))) // not the agent's
	removed, err := g.Clean()
	want := []string{at("MERGE_MSG"), at("SQUASH_MSG"), at("TAG_EDITMSG"), at("logs/deep/objects"), at("logs/moved"), at("objects/linked"), at("refs/tags/more")}
	if slices.Sort(want); !slices.Equal(removed, want) || err != nil {
		t.Errorf("removed %q, %v; want %q", removed, err, want)
	}
	for name, want := range map[string]string{"logs/mine": outside, "logs/moved": outside, "hooks/mine": "../../poem.txt"} {
		if target, err := os.Readlink(at(name)); target != want {
			t.Errorf("%s leads to %q, %v", name, target, err)
		}
	}
	for _, name := range []string{"objects/shared", ipcSocket, "COMMIT_EDITMSG"} {
		if _, err := os.Lstat(at(name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(outside); string(text) != "kept\n" {
		t.Errorf("the file outside has %q, %v", text, err)
	}
	if removed, err := g.Clean(); len(removed) > 0 || err != nil {
		t.Errorf("a second time: %q, %v", removed, err)
	}
	run(dir, "commit", "-q", "--allow-empty", "-m", "second")
}

// An index and packed refs that the agent has moved behind links are files again: without
// them, git takes every file for deleted, and every branch. What else such a link leads to
// does not get into the repository.
func TestCleanKeepsTheIndex(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": "poem\n"})
	run(dir, "pack-refs", "--all")
	git := filepath.Join(dir, ".git")
	g, err := GuardOf(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]string{"index": "index.moved", "packed-refs": filepath.Join(git, "packed-refs.moved")} {
		before, err := os.ReadFile(filepath.Join(git, name))
		old := time.Now().Add(-time.Hour).Truncate(time.Hour) // git reads files again that are as young as its index
		if err == nil {
			err = os.Chtimes(filepath.Join(git, name), old, old)
		}
		if err == nil {
			err = os.Rename(filepath.Join(git, name), filepath.Join(git, name+".moved"))
		}
		if err == nil {
			err = os.Symlink(link, filepath.Join(git, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		if removed, err := g.Clean(); !slices.Equal(removed, []string{filepath.Join(git, name)}) || err != nil {
			t.Errorf("%s: removed %q, %v", name, removed, err)
		}
		info, err := os.Lstat(filepath.Join(git, name))
		after, _ := os.ReadFile(filepath.Join(git, name))
		if err != nil || !info.Mode().IsRegular() || string(after) != string(before) || !info.ModTime().Equal(old) {
			t.Errorf("%s is %v with %d bytes, %v; it had %d", name, info, len(after), err, len(before))
		}
	}
	// Also those that are moved into the work tree, and branches.
	branch := filepath.Join("refs", "heads", "side")
	run(dir, "branch", "side")
	for _, name := range []string{"index", branch} {
		moved := filepath.Join(dir, filepath.Base(name)+".moved")
		if err := errors.Join(os.Rename(filepath.Join(git, name), moved), os.Symlink(moved, filepath.Join(git, name))); err != nil {
			t.Fatal(err)
		}
		if removed, err := g.Clean(); !slices.Equal(removed, []string{filepath.Join(git, name)}) || err != nil {
			t.Errorf("%s: removed %q, %v", name, removed, err)
		}
		if info, err := os.Lstat(filepath.Join(git, name)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	run(dir, "diff", "--cached", "--quiet")
	run(dir, "rev-parse", "--verify", "-q", "HEAD")
	run(dir, "rev-parse", "--verify", "-q", "side")

	for target, text := range map[string]string{"secret": "secret\n", filepath.Join(t.TempDir(), "index"): "DIRC of another\n"} {
		path := target
		if !filepath.IsAbs(path) {
			path = filepath.Join(git, target)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(git, "index"))
		if err := os.Symlink(target, filepath.Join(git, "index")); err != nil {
			t.Fatal(err)
		}
		if removed, err := g.Clean(); len(removed) != 1 || err != nil {
			t.Errorf("removed %q, %v", removed, err)
		}
		if text, err := os.ReadFile(filepath.Join(git, "index")); err == nil {
			t.Errorf("the index has %q", text)
		}
	}
}

// What cannot be removed is told.
func TestCleanTellsWhatItLeaves(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "poem\n"})
	g, err := GuardOf(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	logs := filepath.Join(dir, ".git", "logs")
	if err := os.Symlink("/nowhere", filepath.Join(logs, "link")); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		for up := dir; up != os.TempDir(); up = filepath.Dir(up) {
			if err := os.Chmod(up, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		runtime.LockOSThread()
		if err := syscall.Setfsuid(12345); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	} else {
		if err := os.Chmod(logs, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(logs, 0o700)
	}
	if removed, err := g.Clean(); err == nil || len(removed) > 0 {
		t.Errorf("removed %q, %v", removed, err)
	}
}

// Where git waits for a named pipe, a guard is refused instead of made without what git would
// have said, or never.
func TestGuardOfRefusesPipes(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "poem\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, ".gitmodules"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := GuardOf(ctx, dir)
		done <- err
	}()
	writer, err := os.OpenFile(filepath.Join(dir, ".gitmodules"), os.O_WRONLY, 0) // until git reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	cancel() // as the time would
	if err := <-done; err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("got %v", err)
	}
}
