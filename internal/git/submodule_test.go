package git_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/git"
	"parley/internal/test"
)

// withSubmodule makes a project with the submodule vendor/sm.
func withSubmodule(t *testing.T) (dir string, run func(dir string, args ...string) string) {
	dir, run = project(t)
	lib := filepath.Join(filepath.Dir(dir), "lib")
	put(t, filepath.Join(lib, "file.txt"), "first\n")
	run(lib, "init", "-q")
	run(lib, "add", ".")
	run(lib, "commit", "-q", "-m", "first")
	run(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor/sm")
	run(dir, "commit", "-q", "-m", "submodule")
	return dir, run
}

// Nothing that the configuration of a submodule names is run, which may be of a repository that an agent
// has put there; its commits count, and are kept.
func TestSubmoduleRunsNothing(t *testing.T) {
	dir, run := withSubmodule(t)
	tree := create(t, dir, "wren")
	sub, ran := filepath.Join(tree.Path, "vendor", "sm"), filepath.Join(t.TempDir(), "ran")
	run(tree.Path, "clone", "-q", filepath.Join(filepath.Dir(dir), "lib"), sub)
	run(sub, "commit", "-q", "--allow-empty", "-m", "second")
	run(sub, "config", "filter.x.clean", "touch "+ran+"; cat")
	run(sub, "config", "diff.external", "touch "+ran+"; false")
	run(dir, "config", "diff.submodule", "diff")
	put(t, filepath.Join(sub, ".git", "info", "attributes"), "* filter=x\n")
	put(t, filepath.Join(sub, "file.txt"), "other\n")
	head := run(sub, "rev-parse", "HEAD")
	if err := tree.Commit(t.Context(), "third"); err == nil || !strings.Contains(err.Error(), "the submodule vendor/sm: commit it there first") {
		t.Errorf("committed without what is changed in it: %v", err)
	}
	put(t, filepath.Join(sub, "file.txt"), "first\n")
	if work, err := tree.Work(t.Context()); err != nil || !slices.Equal(work.Uncommitted, []string{"vendor/sm"}) {
		t.Errorf("the work is %+v, %v", work, err)
	}
	if patch, err := tree.Patch(t.Context()); err != nil || !strings.Contains(patch, "+Subproject commit "+head) {
		t.Errorf("the patch is\n%s, %v", patch, err)
	}
	if err := tree.Commit(t.Context(), "third"); err != nil || run(tree.Path, "rev-parse", "HEAD:vendor/sm") != head {
		t.Errorf("committed: %v", err)
	}
	run(sub, "update-ref", "HEAD", "HEAD~1")
	if kept, err := tree.Drop(t.Context()); err != nil || run(dir, "rev-parse", kept.Ref+":vendor/sm") == head || run(dir, "show", kept.Ref+":poem.txt") == "" {
		t.Errorf("dropped: %v", err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a program was run that the submodule names")
	}
}

// The submodules of a new worktree, and those in them, are filled from the repository, without where they
// came from and without its programs; its own working tree stays as it is. What is committed in one is
// merged and kept.
func TestFillSubmodules(t *testing.T) {
	dir, run := withSubmodule(t)
	top, ran := filepath.Dir(dir), filepath.Join(t.TempDir(), "ran")
	lib, deep := filepath.Join(top, "lib"), filepath.Join(top, "deep")
	put(t, filepath.Join(deep, "deep.txt"), "deep\n")
	run(deep, "init", "-q")
	run(deep, "add", ".")
	run(deep, "commit", "-q", "-m", "first")
	run(lib, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", deep, "deep")
	put(t, filepath.Join(lib, ".gitattributes"), "* filter=x\n")
	run(lib, "add", ".")
	run(lib, "commit", "-q", "-m", "deep")
	run(lib, "tag", "v1")
	run(filepath.Join(dir, "vendor", "sm"), "pull", "-q", lib, "HEAD", "--tags")
	run(dir, "commit", "-q", "-a", "-m", "second")
	run(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	for _, gone := range []string{lib, deep} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	module := filepath.Join(dir, ".git", "modules", "vendor", "sm")
	put(t, filepath.Join(module, "hooks", "post-checkout"), "#!/bin/sh\ntouch "+ran+"\n")
	if err := os.Chmod(filepath.Join(module, "hooks", "post-checkout"), 0o700); err != nil {
		t.Fatal(err)
	}
	run(module, "config", "core.fsmonitor", "touch "+ran)
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a program was run that the original submodule names")
	}
	run(module, "config", "--unset", "core.fsmonitor")
	sub := filepath.Join(tree.Path, "vendor", "sm")
	if first, second := read(t, filepath.Join(sub, "file.txt")), read(t, filepath.Join(sub, "deep", "deep.txt")); first != "first\n" || second != "deep\n" {
		t.Errorf("it has %q and %q", first, second)
	}
	if work, err := tree.Work(t.Context()); err != nil || !work.Empty() || len(work.Files) > 0 {
		t.Errorf("the work is %+v, %v", work, err)
	}
	if said := run(tree.Path, "submodule", "status", "--recursive"); strings.Contains("\n"+said, "\n-") {
		t.Errorf("git says of the submodules:\n%s", said)
	}
	run(tree.Path, "submodule", "--quiet", "update", "--init", "--recursive")
	for _, in := range []string{dir, filepath.Join(dir, "vendor", "sm"), tree.Path, sub} {
		if said := run(in, "status", "--porcelain"); said != "" {
			t.Errorf("in %s, git says %s", in, said)
		}
	}
	if said := run(sub, "describe", "--tags"); said != "v1" {
		t.Errorf("it is at %s", said)
	}

	own := run(sub, "rev-parse", "--absolute-git-dir")
	for in, kept := range map[string][]string{
		dir:       {filepath.Join(dir, "vendor", "sm", ".git"), filepath.Join(dir, "vendor", "sm", "deep", ".git"), filepath.Join(dir, ".git", "modules")},
		tree.Path: {own, filepath.Join(sub, ".git"), filepath.Join(sub, "deep", ".git"), filepath.Join(own, "modules", "deep")},
	} {
		g, err := git.GuardOf(t.Context(), in)
		for _, path := range kept {
			if err != nil || !slices.Contains(g.Keep, path) {
				t.Errorf("in %s, an agent may write to %s: %v", in, path, err)
			}
		}
	}

	put(t, filepath.Join(sub, "file.txt"), "second\n")
	run(sub, "commit", "-q", "-a", "-m", "the agent's")
	head := run(sub, "rev-parse", "HEAD")
	if err := tree.Commit(t.Context(), "third"); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, tree); err != nil {
		t.Fatal(err)
	}
	run(dir, "submodule", "--quiet", "update")
	if text := read(t, filepath.Join(dir, "vendor", "sm", "file.txt")); text != "second\n" {
		t.Errorf("after the merge, the submodule has %q", text)
	}
	put(t, filepath.Join(sub, "deep", "deep.txt"), "changed\n")
	run(filepath.Join(sub, "deep"), "commit", "-q", "-a", "-m", "the agent's, too")
	run(sub, "commit", "-q", "-a", "-m", "both")
	last := run(filepath.Join(sub, "deep"), "rev-parse", "HEAD")
	put(t, filepath.Join(sub, "deep", "deep.txt"), "not committed\n")
	if _, err := tree.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(module, "--work-tree=.", "merge-base", "--is-ancestor", head, "refs/parley/dropped/wren-2")
	if text := run(dir, "--git-dir="+filepath.Join(module, "modules", "deep"), "--work-tree=.", "show", "refs/parley/dropped/wren:deep.txt", last); !strings.HasPrefix(text, "not committed\n") {
		t.Errorf("of the submodule in it, %s is kept", text)
	}

	// One that is not checked out is filled, too. What is not there, and what needs a filter of the repository's own, is
	// named and stays empty; a kill's half is filled.
	run(dir, "submodule", "--quiet", "deinit", "-f", "vendor/sm")
	tree = create(t, dir, "owl")
	if err := tree.FillSubmodules(t.Context()); err != nil || read(t, filepath.Join(tree.Path, "vendor", "sm", "file.txt")) != "second\n" {
		t.Errorf("not filled: %v", err)
	}
	own = run(filepath.Join(tree.Path, "vendor", "sm"), "rev-parse", "--absolute-git-dir")
	for _, half := range []string{filepath.Join(own, "index"), filepath.Join(tree.Path, "vendor", "sm", "file.txt")} {
		if err := os.Remove(half); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.FillSubmodules(t.Context()); err != nil || read(t, filepath.Join(tree.Path, "vendor", "sm", "file.txt")) != "second\n" {
		t.Errorf("not filled after a kill: %v", err)
	}
	run(dir, "--git-dir="+module, "--work-tree=.", "config", "filter.x.smudge", "touch "+ran+"; cat")
	for name, c := range map[string]struct{ commit, why string }{
		"crane": {strings.Repeat("1", 40), "vendor/sm: the commit 11111111 is not there"},
		"dove":  {head, "parley runs no filters of the repository's own"},
	} {
		run(dir, "update-index", "--cacheinfo", "160000,"+c.commit+",vendor/sm")
		run(dir, "commit", "-q", "--allow-empty", "-m", "another")
		tree := create(t, dir, name)
		if err := tree.FillSubmodules(t.Context()); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: filled: %v", name, err)
		}
		if empty, err := tree.EmptySubmodules(t.Context()); err != nil || !slices.Equal(empty, []string{"vendor/sm"}) || run(tree.Path, "status", "--porcelain") != "" {
			t.Errorf("%s: empty are %q, %v", name, empty, err)
		}
	}
}

// A submodule is filled from nothing but what the repository itself has of it: an agent can write into the
// working tree, and links and lists of other objects lead to files that it cannot read.
func TestSubmodulesOfOthersStayEmpty(t *testing.T) {
	dir, run := withSubmodule(t)
	module := filepath.Join(dir, ".git", "modules", "vendor", "sm")
	away := filepath.Join(filepath.Dir(dir), "away")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	link := func(path string) {
		move(path, away)
		if err := os.Symlink(away, path); err != nil {
			t.Fatal(err)
		}
	}
	undo := func(path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		move(away, path)
	}
	rename := func(from, to string) {
		run(dir, "config", "-f", ".gitmodules", "--rename-section", "submodule."+from, "submodule."+to)
		run(dir, "commit", "-q", "-a", "-m", "renamed")
	}
	out := filepath.Join(dir, ".git", "out")
	for name, c := range map[string]struct{ begin, end func() }{
		"a name that leads out": {func() {
			rename("vendor/sm", "../out")
			move(module, out)
		}, func() {
			move(out, module)
			rename("../out", "vendor/sm")
		}},
		"behind a link":   {func() { link(module) }, func() { undo(module) }},
		"objects by link": {func() { link(filepath.Join(module, "objects")) }, func() { undo(filepath.Join(module, "objects")) }},
		"a part of another": {
			func() { put(t, filepath.Join(module, "commondir"), "../../..\n") }, func() { _ = os.Remove(filepath.Join(module, "commondir")) },
		},
		"in the working tree": {func() {
			move(module, away)
			put(t, filepath.Join(dir, "vendor", "sm", ".git"), "gitdir: "+away+"\n")
		}, func() {
			move(away, module)
			put(t, filepath.Join(dir, "vendor", "sm", ".git"), "gitdir: "+module+"\n")
		}},
	} {
		c.begin()
		tree := create(t, dir, "wren")
		if err := tree.FillSubmodules(t.Context()); err == nil || !strings.Contains(err.Error(), "git submodule absorbgitdirs moves it there") {
			t.Errorf("%s: %v", name, err)
		}
		if empty, err := tree.EmptySubmodules(t.Context()); err != nil || !slices.Equal(empty, []string{"vendor/sm"}) {
			t.Errorf("%s: empty are %q, %v", name, empty, err)
		}
		if _, err := tree.Drop(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.end()
	}
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(filepath.Join(tree.Path, "vendor", "sm"), "commit", "-q", "--allow-empty", "-m", "second")
	link(module)
	before := run(dir, "--git-dir="+away, "--work-tree=.", "for-each-ref")
	if kept, err := tree.Drop(t.Context()); err == nil || run(dir, "--git-dir="+away, "--work-tree=.", "for-each-ref") != before {
		t.Errorf("kept behind a link: %+v", kept)
	}
}

// What an agent has put into the repository of a submodule brings no objects of others into the project.
func TestKeptSubmodulesHaveNoOthersObjects(t *testing.T) {
	for name, lead := range map[string]func(own, foreign string) error{
		"alternates": func(own, foreign string) error {
			return os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(filepath.Join(foreign, "objects")+"\n"), 0o600)
		},
		"alternates that may come": func(own, foreign string) error {
			return os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(foreign+"-later/objects\n"), 0o600)
		},
		"link": func(own, foreign string) error {
			return errors.Join(os.RemoveAll(filepath.Join(own, "objects", "pack")), os.Symlink(filepath.Join(foreign, "objects", "pack"), filepath.Join(own, "objects", "pack")))
		},
		"commondir": func(own, foreign string) error {
			return os.WriteFile(filepath.Join(own, "commondir"), []byte(foreign+"\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := withSubmodule(t)
			foreign := filepath.Join(t.TempDir(), "private")
			put(t, filepath.Join(foreign, "secret.txt"), "the secret\n")
			run(foreign, "init", "-q")
			run(foreign, "add", ".")
			run(foreign, "commit", "-q", "-m", "first")
			run(foreign, "gc", "-q")
			secret := run(foreign, "rev-parse", "HEAD")
			tree := create(t, dir, "wren")
			if err := tree.FillSubmodules(t.Context()); err != nil {
				t.Fatal(err)
			}
			own := run(filepath.Join(tree.Path, "vendor", "sm"), "rev-parse", "--absolute-git-dir")
			if err := lead(own, filepath.Join(foreign, ".git")); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(own, "refs", "heads", "x"), secret+"\n")
			if err := os.RemoveAll(tree.Path); err != nil {
				t.Fatal(err)
			}
			if _, err := tree.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "to go on without its commits, remove "+own) {
				t.Errorf("dropped: %v", err)
			}
			for _, in := range []string{filepath.Join(dir, ".git"), filepath.Join(dir, ".git", "modules", "vendor", "sm")} {
				if err := exec.Command("git", "--git-dir="+in, "cat-file", "-e", secret).Run(); err == nil {
					t.Errorf("%s has the commit of the foreign repository", in)
				}
			}
			if err := os.RemoveAll(own); err != nil {
				t.Fatal(err)
			}
			if _, err := tree.Drop(t.Context()); err != nil {
				t.Errorf("not dropped without it: %v", err)
			}
		})
	}
}

// What is behind a link that an agent has put where a submodule was is no part of the worktree.
func TestASubmoduleBehindALink(t *testing.T) {
	dir, run := withSubmodule(t)
	tree := create(t, dir, "wren")
	other := filepath.Join(filepath.Dir(dir), "other", "sm")
	run(dir, "clone", "-q", filepath.Join(filepath.Dir(dir), "lib"), other)
	put(t, filepath.Join(other, "private.txt"), "private\n")
	put(t, filepath.Join(other, "log", ".gitignore"), "*\n")
	vendor := filepath.Join(tree.Path, "vendor")
	if err := errors.Join(os.RemoveAll(vendor), os.Symlink(filepath.Dir(other), vendor)); err != nil {
		t.Fatal(err)
	}
	work, err := tree.Work(t.Context())
	if err != nil || len(work.Inside)+len(work.Ignored) > 0 {
		t.Errorf("inside is %q, ignored %q, %v", work.Inside, work.Ignored, err)
	}
	kept, err := tree.Drop(t.Context())
	if err != nil || len(kept.Submodules) > 0 || run(dir, "ls-tree", kept.Ref, "vendor") != "120000 blob "+run(dir, "rev-parse", kept.Ref+":vendor")+"\tvendor" {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// Names of submodules that are the same, or paths in each other, leave one of the two empty.
func TestSubmodulesInEachOther(t *testing.T) {
	for label, names := range map[string][2]string{"the same": {"x", "x"}, "a": {"x/hooks", "x"}, "b": {"x", "x/hooks"}} {
		dir, run := project(t)
		t.Setenv("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z") // where both have one name, they have one commit
		t.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
		modules := ""
		paths := []string{"a", "b"}
		for _, i := range map[bool][]int{true: {1, 0}, false: {0, 1}}[label == "a"] { // x before what is in it
			run(dir, "init", "-q", paths[i])
			run(filepath.Join(dir, paths[i]), "commit", "-q", "--allow-empty", "-m", "first")
			module := filepath.Join(dir, ".git", "modules", filepath.FromSlash(names[i]))
			_ = os.RemoveAll(module) // the hooks of git's templates
			if err := errors.Join(os.MkdirAll(filepath.Dir(module), 0o700), os.Rename(filepath.Join(dir, paths[i], ".git"), module)); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, paths[i], ".git"), "gitdir: "+module+"\n")
			run(dir, "add", paths[i])
			modules += "[submodule \"" + names[i] + "\"]\n\turl = ./x\n\tpath = " + paths[i] + "\n"
		}
		if label == "the same" {
			modules = "[submodule \"x\"]\n\turl = ./x\n\tpath = a\n\tpath = b\n"
		}
		put(t, filepath.Join(dir, ".gitmodules"), modules)
		run(dir, "add", ".gitmodules")
		run(dir, "commit", "-q", "-m", "submodules")
		tree := create(t, dir, "wren")
		if err := tree.FillSubmodules(t.Context()); err == nil || !strings.Contains(err.Error(), "another one's") {
			t.Errorf("%s: %v", label, err)
		}
		if empty, err := tree.EmptySubmodules(t.Context()); err != nil || len(empty) != 1 || run(tree.Path, "status", "--porcelain") != "" {
			t.Errorf("%s: empty are %q, %v", label, empty, err)
		}
		if _, err := tree.Drop(t.Context()); err != nil {
			t.Errorf("%s: %v", label, err)
		}
	}
}

// However many submodules a repository names, the error is short.
func TestManySubmodules(t *testing.T) {
	dir, run := project(t)
	links := ""
	for i := range 100 {
		links += fmt.Sprintf("160000 %s\tm/s%d\n", strings.Repeat("1", 40), i)
	}
	cmd := exec.Command("git", "-C", dir, "update-index", "--index-info")
	cmd.Stdin = strings.NewReader(links)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	run(dir, "commit", "-q", "-m", "many")
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err == nil || len(err.Error()) > 4096 || !strings.HasSuffix(err.Error(), "and 92 more") {
		t.Errorf("%v", err)
	}
}

// Hooks that a configuration names, which git has since 2.54, are not run, and the programs that they name
// are not an agent's to write.
func TestConfiguredHooks(t *testing.T) {
	dir, run := withSubmodule(t)
	ran, program := filepath.Join(t.TempDir(), "ran"), filepath.Join(dir, "lint.sh")
	put(t, program, "#!/bin/sh\ntouch "+ran+"\n")
	for _, in := range []string{dir, filepath.Join(dir, "vendor", "sm")} {
		for _, event := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-commit", "post-commit", "post-merge"} {
			run(in, "config", "--add", "hook.lint.event", event)
		}
		run(in, "config", "hook.lint.command", "sh ./lint.sh; touch "+ran)
	}
	_ = os.Remove(ran) // by git config itself
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tree.Path, "poem.txt"), "changed\n")
	if err := tree.Commit(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, tree); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a hook was run")
	}
	if g, err := git.GuardOf(t.Context(), dir); err != nil || !slices.Contains(g.Keep, program) {
		t.Errorf("an agent may write to %s: %v", program, err)
	}
}

// Whatever was committed in a submodule of a worktree is kept when that goes, and its way there is no
// hindrance.
func TestCommitsOfSubmodulesAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		does func(run func(string, ...string) string, dir, tree, sub string)
		is   string // what is kept
	}{
		"a commit, the worktree removed by hand": {func(run func(string, ...string) string, _, tree, sub string) {
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			_ = os.RemoveAll(tree)
		}, "HEAD"},
		"renamed since": {func(run func(string, ...string) string, _, tree, sub string) {
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			run(tree, "config", "-f", ".gitmodules", "--rename-section", "submodule.vendor/sm", "submodule.other")
			run(tree, "commit", "-q", "-a", "-m", "renamed")
		}, "HEAD"},
		"removed since": {func(run func(string, ...string) string, _, tree, sub string) {
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			run(tree, "rm", "-q", "-f", "vendor/sm")
			run(tree, "commit", "-q", "-m", "removed")
		}, "HEAD"},
		"a stash": {func(run func(string, ...string) string, _, _, sub string) {
			_ = os.WriteFile(filepath.Join(sub, "file.txt"), []byte("stashed\n"), 0o600)
			run(sub, "stash")
		}, "refs/stash"},
		"pushed, and one more": {func(run func(string, ...string) string, _, tree, sub string) {
			run(sub, "checkout", "-q", "-b", "work")
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			run(sub, "update-ref", "refs/remotes/origin/work", "HEAD")
			run(sub, "tag", "v2")
			run(sub, "commit", "-q", "--allow-empty", "-m", "third")
			run(tree, "add", "vendor/sm")
			run(tree, "commit", "-q", "-m", "third")
		}, "HEAD"},
		"pushed": {func(run func(string, ...string) string, _, _, sub string) {
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			run(sub, "update-ref", "refs/remotes/origin/work", "HEAD")
			run(sub, "checkout", "-q", "HEAD~1")
		}, "refs/remotes/origin/work"},
		"one that the agent has added": {func(run func(string, ...string) string, dir, tree, _ string) {
			run(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "another")
			run(filepath.Join(tree, "another"), "commit", "-q", "--allow-empty", "-m", "second")
		}, "another"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := withSubmodule(t)
			tree := create(t, dir, "wren")
			if err := tree.FillSubmodules(t.Context()); err != nil {
				t.Fatal(err)
			}
			sub := filepath.Join(tree.Path, "vendor", "sm")
			own := run(sub, "rev-parse", "--absolute-git-dir")
			c.does(run, dir, tree.Path, sub)
			in, at := "--git-dir="+filepath.Join(dir, ".git", "modules", "vendor", "sm"), "HEAD"
			if c.is == "another" {
				own, in = filepath.Join(filepath.Dir(filepath.Dir(own)), "another"), "--git-dir=.git"
			} else {
				at = c.is
			}
			commit := run(dir, "--git-dir="+own, "--work-tree=.", "rev-parse", at)
			kept, err := tree.Drop(t.Context())
			if err != nil || len(kept.Submodules) != 1 {
				t.Fatalf("kept %+v, %v", kept, err)
			}
			ref, _, _ := strings.Cut(kept.Submodules[0], " ")
			if is := run(dir, in, "--work-tree=.", "rev-parse", ref); is != commit {
				t.Errorf("kept is %s, not the commit %s itself", is, commit)
			}
		})
	}
}

// What is not committed in a submodule is said, committed nowhere by a merge, and kept by a drop, also in one that
// the project has no more, and in one that the agent has cloned itself. What git ignores in one is lost, and said.
func TestFilesInSubmodulesAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		does   func(run func(string, ...string) string, dir, tree, sub string)
		kept   string // the file
		in     string // the repository
		parent bool
	}{
		"a new file": {func(_ func(string, ...string) string, _, _, sub string) {}, "new.txt", "modules/vendor/sm", true},
		"staged": {func(run func(string, ...string) string, _, _, sub string) {
			run(sub, "add", "new.txt")
		}, "new.txt", "modules/vendor/sm", true},
		"on top of a commit": {func(run func(string, ...string) string, _, _, sub string) {
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			run(sub, "branch", "another", "HEAD~1")
		}, "new.txt", "modules/vendor/sm", true},
		"one that was removed": {func(run func(string, ...string) string, dir, _, _ string) {
			run(dir, "rm", "-q", "-f", "vendor/sm")
			run(dir, "commit", "-q", "-m", "removed")
			_ = os.RemoveAll(filepath.Join(dir, ".git", "modules"))
		}, "new.txt", "", false},
		"a clone": {func(run func(string, ...string) string, dir, tree, sub string) {
			own := run(sub, "rev-parse", "--absolute-git-dir")
			_ = os.RemoveAll(sub)
			_ = os.RemoveAll(own)
			run(tree, "clone", "-q", filepath.Join(filepath.Dir(dir), "lib"), sub)
			run(sub, "commit", "-q", "--allow-empty", "-m", "second")
			_ = os.WriteFile(filepath.Join(sub, "new.txt"), []byte("hours\n"), 0o600)
		}, "new.txt", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := withSubmodule(t)
			tree := create(t, dir, "wren")
			if err := tree.FillSubmodules(t.Context()); err != nil {
				t.Fatal(err)
			}
			sub := filepath.Join(tree.Path, "vendor", "sm")
			put(t, filepath.Join(sub, "new.txt"), "hours\n")
			c.does(run, dir, tree.Path, sub)
			head := run(sub, "rev-parse", "HEAD")
			put(t, filepath.Join(sub, "build", ".gitignore"), "*\n")
			work, err := tree.Work(t.Context())
			if err != nil || !slices.Equal(work.Inside, []string{"vendor/sm"}) || !slices.Equal(work.Uncommitted, []string{"vendor/sm"}) || !slices.Equal(work.Ignored, []string{"vendor/sm/build/", "vendor/sm/build/.gitignore"}) {
				t.Errorf("inside is %q, uncommitted %q, ignored %q, %v", work.Inside, work.Uncommitted, work.Ignored, err)
			}
			if err := tree.Commit(t.Context(), "all"); err == nil || !strings.Contains(err.Error(), "the submodule vendor/sm: commit it there first") {
				t.Errorf("committed: %v", err)
			}
			kept, err := tree.Drop(t.Context())
			if err != nil || len(kept.Submodules) != 1 {
				t.Fatalf("kept %+v, %v", kept, err)
			}
			ref, _, _ := strings.Cut(kept.Submodules[0], " ")
			in := []string{"--git-dir=" + filepath.Join(dir, ".git", filepath.FromSlash(c.in)), "--work-tree=."}
			if text := run(dir, append(in, "show", ref+":"+c.kept)...); text != "hours" || run(dir, append(in, "show", ref+":file.txt")...) != "first" {
				t.Errorf("kept is %q", text)
			}
			if c.parent {
				run(dir, append(in, "merge-base", "--is-ancestor", head, ref)...)
			}
		})
	}
}

// A file in a submodule that needs a filter of the repository's own is not dropped, until it is committed there.
func TestAFilterOfASubmodule(t *testing.T) {
	dir, run := withSubmodule(t)
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	module, sub := "--git-dir="+filepath.Join(dir, ".git", "modules", "vendor", "sm"), filepath.Join(tree.Path, "vendor", "sm")
	run(dir, module, "--work-tree=.", "config", "filter.x.clean", "cat")
	put(t, filepath.Join(sub, ".gitattributes"), "*.dat filter=x\n")
	put(t, filepath.Join(sub, "a.dat"), "data\n")
	_, err := tree.Drop(t.Context())
	if err == nil || !strings.Contains(err.Error(), "move filter.x from its configuration to yours") ||
		!strings.HasSuffix(err.Error(), "To go on, commit or discard there what is not committed: "+sub) || read(t, filepath.Join(sub, "a.dat")) != "data\n" {
		t.Errorf("dropped without the filter: %v", err)
	}
	run(sub, "add", ".")
	run(sub, "commit", "-q", "-m", "data")
	if kept, err := tree.Drop(t.Context()); err != nil || len(kept.Submodules) != 1 {
		t.Errorf("kept %+v, %v", kept, err)
	} else if text := run(dir, module, "--work-tree=.", "show", strings.Fields(kept.Submodules[0])[0]+":a.dat"); text != "data" {
		t.Errorf("kept is %q", text)
	}
}

// What Git LFS keeps of a submodule's files goes where its commits go, if it is what it claims to be.
func TestGitLFSInSubmodulesIsKept(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	dir, run := withSubmodule(t)
	git.FilterProgram = test.Parley(t)
	t.Cleanup(func() { git.FilterProgram = "" })
	run(dir, "lfs", "install", "--skip-repo")
	for name, does := range map[string]func(tree *git.Worktree, sub string){
		"merged": func(tree *git.Worktree, sub string) {
			run(sub, "commit", "-q", "-m", "content")
			if err := tree.Commit(t.Context(), "second"); err != nil {
				t.Error(err)
			}
			if _, err := merge(t, tree); err != nil {
				t.Error(err)
			}
			run(dir, "submodule", "--quiet", "update")
			if text := read(t, filepath.Join(dir, "vendor", "sm", "a.bin")); text != "merged\n" {
				t.Errorf("the project has %q", text)
			}
			other := create(t, dir, "heron")
			if err := other.FillSubmodules(t.Context()); err != nil || read(t, filepath.Join(other.Path, "vendor", "sm", "a.bin")) != "merged\n" {
				t.Errorf("another worktree: %v", err)
			}
		},
		"committed": func(tree *git.Worktree, sub string) { run(sub, "commit", "-q", "-m", "content") },
		"not committed": func(tree *git.Worktree, sub string) {
			if err := os.RemoveAll(filepath.Join(run(sub, "rev-parse", "--absolute-git-dir"), "lfs")); err != nil {
				t.Error(err)
			}
		},
	} {
		tree := create(t, dir, "wren")
		if err := tree.FillSubmodules(t.Context()); err != nil {
			t.Fatal(err)
		}
		sub := filepath.Join(tree.Path, "vendor", "sm")
		put(t, filepath.Join(sub, ".gitattributes"), "*.bin filter=lfs\n")
		put(t, filepath.Join(sub, "a.bin"), name+"\n")
		run(sub, "add", ".")
		objects, forged := filepath.Join("lfs", "objects"), strings.Repeat("1", 64)
		put(t, filepath.Join(run(sub, "rev-parse", "--absolute-git-dir"), objects, "11", "11", forged), "other\n")
		does(tree, sub)
		if _, err := tree.Drop(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		id := fmt.Sprintf("%x", sha256.Sum256([]byte(name+"\n")))
		kept := filepath.Join(dir, ".git", "modules", "vendor", "sm", objects)
		if text, err := os.ReadFile(filepath.Join(kept, id[:2], id[2:4], id)); err != nil || string(text) != name+"\n" {
			t.Errorf("%s: kept is %q, %v", name, text, err)
		}
		if _, err := os.Stat(filepath.Join(kept, "11", "11", forged)); err == nil {
			t.Errorf("%s: kept under the name of another content", name)
		}
	}
}

// A shallow submodule has as little history in a worktree, and what is committed there comes home.
func TestFillAShallowSubmodule(t *testing.T) {
	dir, run := withSubmodule(t)
	lib, module := filepath.Join(filepath.Dir(dir), "lib"), filepath.Join(dir, ".git", "modules", "vendor", "sm")
	put(t, filepath.Join(lib, "file.txt"), "second\n")
	run(lib, "commit", "-q", "-a", "-m", "second")
	run(dir, "submodule", "--quiet", "deinit", "-f", "vendor/sm")
	if err := os.RemoveAll(module); err != nil {
		t.Fatal(err)
	}
	run(dir, "config", "-f", ".gitmodules", "submodule.vendor/sm.url", "file://"+lib)
	run(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--remote", "--depth=1")
	run(dir, "commit", "-q", "-a", "-m", "shallow")
	tree := create(t, dir, "wren")
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(tree.Path, "vendor", "sm")
	if said := run(sub, "log", "--format=%s"); said != "second" {
		t.Errorf("its history is %q", said)
	}
	put(t, filepath.Join(sub, "file.txt"), "third\n")
	run(sub, "commit", "-q", "-a", "-m", "third")
	head := run(sub, "rev-parse", "HEAD")
	if err := tree.Commit(t.Context(), "third"); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, tree); err != nil {
		t.Fatal(err)
	}
	if said := run(dir, "--git-dir="+module, "--work-tree=.", "log", "--format=%s", head); said != "third\nsecond" {
		t.Errorf("in the project, its history is %q", said)
	}
}
