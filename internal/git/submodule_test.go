package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
