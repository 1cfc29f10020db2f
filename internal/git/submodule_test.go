package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/git"
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
	if err := tree.Commit(t.Context(), "third"); err == nil || !strings.Contains(err.Error(), "vendor/sm is a separate git repository") {
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
	if kept, err := tree.Drop(t.Context()); err != nil || run(dir, "rev-parse", kept+":vendor/sm") == head || run(dir, "show", kept+":poem.txt") == "" {
		t.Errorf("dropped: %v", err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a program was run that the submodule names")
	}
}

// The submodules of a new worktree, and those in them, are filled from the repository, without where they
// came from and without its programs; its own working tree stays as it is. What is committed in one is
// merged and kept, what is not stops a drop.
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
	if g, err := git.GuardOf(t.Context(), tree.Path); err != nil || !slices.Contains(g.Keep, own) {
		t.Errorf("an agent may write to %s: %v", own, err)
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
	if _, err := tree.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "vendor/sm is a separate git repository") {
		t.Errorf("dropped with what is not committed: %v", err)
	}
	run(filepath.Join(sub, "deep"), "commit", "-q", "-a", "-m", "the agent's, too")
	run(sub, "commit", "-q", "-a", "-m", "both")
	last := run(filepath.Join(sub, "deep"), "rev-parse", "HEAD")
	if _, err := tree.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(module, "--work-tree=.", "merge-base", "--is-ancestor", head, "refs/parley/dropped/wren-2")
	run(dir, "--git-dir="+filepath.Join(module, "modules", "deep"), "--work-tree=.", "rev-parse", "--verify", last)

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

// A submodule is filled from the project's own repository only: what points out of it could be the way of an agent
// to files of another one.
func TestFillSubmodulesTakesNothingForeign(t *testing.T) {
	const why = "vendor/sm: it is not checked out where the worktree comes from"
	for name, point := range map[string]func(t *testing.T, sub, module, foreign string) error{
		"a working tree": func(t *testing.T, sub, _, foreign string) error {
			put(t, filepath.Join(sub, ".git"), "gitdir: "+foreign+"\n")
			return nil
		},
		"a linked repository": func(_ *testing.T, sub, module, foreign string) error {
			return errors.Join(os.Remove(filepath.Join(sub, ".git")), os.RemoveAll(module), os.Symlink(foreign, module))
		},
		"what a repository has in common": func(t *testing.T, _, module, foreign string) error {
			put(t, filepath.Join(module, "commondir"), foreign+"\n")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := withSubmodule(t)
			sub, foreign := filepath.Join(dir, "vendor", "sm"), filepath.Join(filepath.Dir(dir), "lib", ".git")
			module := filepath.Join(dir, ".git", "modules", "vendor", "sm")
			tree := create(t, dir, "wren")
			if err := point(t, sub, module, foreign); err != nil {
				t.Fatal(err)
			}
			if err := tree.FillSubmodules(t.Context()); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("filled: %v", err)
			}
			if empty, err := tree.EmptySubmodules(t.Context()); err != nil || !slices.Equal(empty, []string{"vendor/sm"}) {
				t.Errorf("empty are %q, %v", empty, err)
			}
			if text := read(t, filepath.Join(tree.Path, "vendor", "sm", "file.txt")); text == "first\n" {
				t.Error("it has the file of the foreign repository")
			}
		})
	}
}

// Submodules whose names lie in each other would overwrite each other's repositories.
func TestFillSubmodulesKeepsThemApart(t *testing.T) {
	for _, name := range []string{"lib/sm", "lib/modules/sm"} {
		t.Run(name, func(t *testing.T) {
			dir, run := withSubmodule(t)
			lib := filepath.Join(filepath.Dir(dir), "lib")
			run(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "lib", lib, "lib")
			run(dir, "config", "-f", ".gitmodules", "--rename-section", "submodule.vendor/sm", "submodule."+name)
			run(dir, "commit", "-q", "-a", "-m", "another")
			tree := create(t, dir, "wren")
			if err := tree.FillSubmodules(t.Context()); err == nil || !strings.Contains(err.Error(), "vendor/sm: its repository would be inside another one's") {
				t.Errorf("filled: %v", err)
			}
			if empty, err := tree.EmptySubmodules(t.Context()); err != nil || !slices.Equal(empty, []string{"vendor/sm"}) {
				t.Errorf("empty are %q, %v", empty, err)
			}
			if said := run(filepath.Join(tree.Path, "lib"), "status", "--porcelain"); said != "" {
				t.Errorf("git says of the other one: %s", said)
			}
		})
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
