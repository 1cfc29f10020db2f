//go:build unix

package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/fs"
	"parley/internal/git"
	apart "parley/internal/test"
)

// repository makes one, with a file that was committed, and returns its folder
// and a function that runs git there as its owner would.
func repository(t *testing.T) (dir string, run func(args ...string) string) {
	t.Helper()
	apart.Apart(t)
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	write(t, filepath.Join(dir, "sub", "file"), "text\n")
	write(t, filepath.Join(dir, "other", "file"), "other text\n")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	return dir, run
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// trap is a program that leaves a trace when it is run.
func trap(t *testing.T) (program string, sprung func() bool) {
	dir := t.TempDir()
	program, trace := filepath.Join(dir, "trap"), filepath.Join(dir, "trace")
	write(t, program, "#!/bin/sh\ntouch "+trace+"\nexit 1\n")
	return program, func() bool {
		_, err := os.Stat(trace)
		return err == nil
	}
}

// A repository that runs a program when its files are listed: by its monitor, or
// by fetching an object that a sparse index needs from a remote that is a
// program.
func TestListingRunsNothing(t *testing.T) {
	for name, set := range map[string]func(t *testing.T, dir string, run func(...string) string, program string){
		"fsmonitor": func(_ *testing.T, _ string, run func(...string) string, program string) {
			run("config", "core.fsmonitor", program)
		},
		"lazy fetch": func(t *testing.T, dir string, run func(...string) string, program string) {
			run("config", "index.sparse", "true")
			run("sparse-checkout", "init", "--cone", "--sparse-index")
			run("sparse-checkout", "set", "sub")
			tree := run("rev-parse", "HEAD:other")
			run("remote", "add", "origin", dir)
			run("config", "remote.origin.promisor", "true")
			run("config", "remote.origin.uploadpack", program)
			run("config", "core.repositoryFormatVersion", "1")
			run("config", "extensions.partialClone", "origin")
			if err := os.Remove(filepath.Join(dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
				t.Fatal(err)
			}
		},
		"pager and alias": func(_ *testing.T, _ string, run func(...string) string, program string) {
			run("config", "core.pager", program)
			run("config", "pager.ls-files", program)
			run("config", "alias.ls-files", "!"+program)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := repository(t)
			program, sprung := trap(t)
			set(t, dir, run, program)
			_, _ = git.Command(t.Context(), dir, "ls-files", "-co", "--exclude-standard", "-z").CombinedOutput()
			if sprung() {
				t.Fatal("listing the files has run a program of the repository's choice")
			}
			if name == "pager and alias" {
				return // git itself never runs these here
			}
			plain := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
			plain.Dir = dir
			_, _ = plain.CombinedOutput()
			if !sprung() {
				t.Skip("this git does not fall into the trap even without protection: the test says nothing")
			}
		})
	}
}

func TestCommandIsNotLedAstray(t *testing.T) {
	dir, _ := repository(t)
	other, _ := repository(t)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_COMMON_DIR", filepath.Join(t.TempDir(), "nowhere"))
	program, sprung := trap(t)
	t.Setenv("GIT_EXTERNAL_DIFF", program)
	out, err := git.Command(t.Context(), dir, "rev-parse", "--show-toplevel").Output()
	want, _ := filepath.EvalSymlinks(dir)
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("git works in %q, %v; want %q", got, err, want)
	}
	write(t, filepath.Join(dir, "sub", "file"), "other\n")
	if out, err := git.Command(t.Context(), dir, "diff", "--no-ext-diff", "--no-textconv").CombinedOutput(); err != nil || !strings.Contains(string(out), "+other") || sprung() {
		t.Errorf("diff: %v: %s", err, out)
	}
}

func TestBranch(t *testing.T) {
	dir, run := repository(t)
	if got := git.Branch(filepath.Join(dir, "sub")); got != "main" {
		t.Errorf("branch %q", got)
	}
	run("worktree", "add", "-q", "-b", "topic/x", "tree")
	if got := git.Branch(filepath.Join(dir, "tree")); got != "topic/x" {
		t.Errorf("branch of a worktree %q", got)
	}
	commit := run("rev-parse", "HEAD")
	run("checkout", "-q", "--detach")
	if got := git.Branch(dir); got != commit[:8] {
		t.Errorf("without a branch %q, want %q", got, commit[:8])
	}
}

// Whatever stands at .git and .git/HEAD, reading it ends, and takes little.
func TestBranchOfHostileRepositories(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, set := range map[string]func(git string){
		"huge head": func(git string) {
			must(os.Mkdir(git, 0o755))
			f, err := os.Create(filepath.Join(git, "HEAD"))
			must(err)
			must(f.Truncate(1 << 40))
			must(f.Close())
		},
		"endless head": func(git string) {
			must(os.Mkdir(git, 0o755))
			must(os.Symlink("/dev/zero", filepath.Join(git, "HEAD")))
		},
		"terminal as head": func(git string) {
			must(os.Mkdir(git, 0o755))
			must(os.Symlink("/dev/tty", filepath.Join(git, "HEAD")))
		},
		"pipe as head": func(git string) {
			must(os.Mkdir(git, 0o755))
			must(syscall.Mkfifo(filepath.Join(git, "HEAD"), 0o600))
		},
		"pipe":         func(git string) { must(syscall.Mkfifo(git, 0o600)) },
		"endless":      func(git string) { must(os.Symlink("/dev/zero", git)) },
		"no gitdir":    func(git string) { must(os.WriteFile(git, []byte("hello"), 0o600)) },
		"broken link":  func(git string) { must(os.Symlink("nowhere", git)) },
		"link to self": func(git string) { must(os.Symlink(".git", git)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			set(filepath.Join(dir, ".git"))
			if got := git.Branch(dir); strings.Trim(got, "\ufffd") != "" && len(got) > 8 {
				t.Errorf("branch %q", got)
			}
		})
	}
}

// That git does not list a file says that it was not there, unless git ignored it, or is not to
// look there.
func TestWhatWasNotThere(t *testing.T) {
	dir, run := repository(t)
	for path, text := range map[string]string{".gitignore": "*.log\nout/\n", "a.log": "", "out/x": "", "nested/x": ""} {
		write(t, filepath.Join(dir, path), text)
	}
	run("-C", "nested", "init", "-q")
	status, err := git.StatusOf(t.Context(), dir, filepath.Join(t.TempDir(), "index"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".gitignore"), "") // since
	for path, want := range map[string]bool{
		"sub/file": false, "a.log": false, "out": false, "out/x": false, "nested/x": false, ".git/x": false,
		"new.go": true, "new.log": true, "sub/new/file": true,
	} {
		got := false
		err := status.Clean(t.Context(), []string{filepath.Join(dir, path)}, 1<<20, func(_ string, was *fs.Snapshot, known bool) { got = known && was == nil })
		if got != want || err != nil {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
}
