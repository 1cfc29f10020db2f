package git_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/git"
	"parley/internal/test"
)

// project makes a repository with one commit, and returns its directory and a function
// that runs git in a directory as its owner would.
func project(t testing.TB) (dir string, run func(dir string, args ...string) string) {
	t.Helper()
	return test.New(t, map[string]string{"poem.txt": "one\ntwo\nthree\n", ".gitignore": "*.tmp\n"})
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, dir, name string) *git.Worktree {
	t.Helper()
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestCreate(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "")
	if want := filepath.Join(dir+".worktrees", tree.Name); tree.Path != want || tree.Into != "main" || tree.From != dir {
		t.Errorf("created %+v, want it in %s", tree, want)
	}
	if got := run(tree.Path, "branch", "--show-current"); got != tree.Branch || got != "parley/"+tree.Name {
		t.Errorf("the branch is %s, want %s", got, tree.Branch)
	}
	if at := git.WorktreeAt(tree.Path); at == nil || *at != *tree {
		t.Errorf("found again as %+v, want %+v", at, tree)
	}
	if at := git.WorktreeAt(dir); at != nil {
		t.Errorf("the repository itself is taken for %+v", at)
	}
	if again := create(t, dir, tree.Name); *again != *tree {
		t.Errorf("the same name gives %+v, want %+v", again, tree)
	}
	other := create(t, tree.Path, "second")
	if want := filepath.Join(dir+".worktrees", "second"); other.Path != want || other.Into != tree.Branch {
		t.Errorf("created from a worktree: %+v, want it in %s", other, want)
	}
	if list, err := git.Worktrees(t.Context(), dir); err != nil || len(list) != 2 {
		t.Errorf("%d are listed, %v, want 2", len(list), err)
	}
	elsewhere := t.TempDir()
	third, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "third", Parent: elsewhere})
	if err != nil || filepath.Base(filepath.Dir(third.Path)) != "project" {
		t.Errorf("created %+v, %v, want it in %s", third, err, elsewhere)
	}
}

// One whose directory was removed by hand comes back with its branch.
// A session works in the same folder of the worktree, wherever that is new, ignored or a link. It never
// works outside.
func TestPlace(t *testing.T) {
	dir, run := project(t)
	outside := t.TempDir()
	put(t, filepath.Join(dir, "web", "page.txt"), "page\n")
	for name, target := range map[string]string{"linked": "web", "out": outside} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	run(dir, "add", "--all")
	run(dir, "commit", "-q", "-m", "folders")
	put(t, filepath.Join(dir, "fresh", "deep", "x.txt"), "not committed\n")
	for below, want := range map[string]string{".": ".", "web": "web", "linked": "linked", "fresh/deep": "fresh/deep", "out": "."} {
		of := filepath.Join(dir, below)
		from := of
		if below == "out" { // git finds no repository there
			from = dir
		}
		tree := create(t, from, "")
		if got, want := tree.Place(of), filepath.Join(tree.Path, want); got != want || !tree.Has(got) {
			t.Errorf("%s: it works in %s, want %s", below, got, want)
		}
		if info, err := os.Stat(tree.Place(of)); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", below, err)
		}
		if of := git.WorktreeOf(tree.Place(of)); of == nil || of.Name != tree.Name {
			t.Errorf("%s: it works in %+v", below, of)
		}
		if again := create(t, dir, tree.Name); again.Place(filepath.Join(dir, "web")) != filepath.Join(tree.Path, "web") {
			t.Errorf("%s: another folder is %s", below, again.Place(filepath.Join(dir, "web")))
		}
	}
	if git.WorktreeOf(filepath.Join(dir, "web")) != nil || git.WorktreeOf(outside) != nil {
		t.Error("the working tree is taken for a worktree")
	}
}

func TestCreateAgain(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "wren")
	put(t, filepath.Join(tree.Path, "poem.txt"), "changed\n")
	run(tree.Path, "commit", "-q", "-a", "-m", "second")
	if err := os.RemoveAll(tree.Path); err != nil {
		t.Fatal(err)
	}
	again := create(t, dir, "wren")
	if *again != *tree {
		t.Errorf("made again as %+v, want %+v", again, tree)
	}
	if k, err := again.Work(t.Context()); err != nil || k.Commits != 1 {
		t.Errorf("it has %v, %v, want its commit", k, err)
	}
}

// Of several that create the worktree of a name at once, one does, and all have it.
func TestCreateAtOnce(t *testing.T) {
	dir, _ := project(t)
	made := make(chan error)
	for range 4 {
		go func() {
			tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
			if err == nil && !tree.Fresh {
				err = errors.New("it is not new")
			}
			made <- err
		}()
	}
	for range 4 {
		if err := <-made; err != nil {
			t.Error(err)
		}
	}
}

func TestCannotCreate(t *testing.T) {
	dir, run := project(t)
	for _, name := range []string{"-x", ".x", "a/b", "a..b", "a b", "x.lock", "é", strings.Repeat("x", 80)} {
		if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: name}); err == nil || !strings.Contains(err.Error(), "invalid worktree name") {
			t.Errorf("called %q: %v", name, err)
		}
	}
	if _, err := git.CreateWorktree(t.Context(), t.TempDir(), git.WorktreeOptions{}); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("without a repository: %v", err)
	}
	empty := t.TempDir()
	run(empty, "init", "-q")
	if _, err := git.CreateWorktree(t.Context(), empty, git.WorktreeOptions{}); !errors.Is(err, git.ErrNoCommit) {
		t.Errorf("without a commit: %v", err)
	}
	var taken *git.WorktreeTakenError
	put(t, filepath.Join(dir+".worktrees", "hare", "file"), "")
	if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "hare"}); !errors.As(err, &taken) || taken.Branch != "" {
		t.Errorf("in a directory that is there: %v", err)
	}
	run(dir, "checkout", "-q", "-b", "parley/lark")
	if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "lark"}); !errors.As(err, &taken) || taken.Branch != "parley/lark" {
		t.Errorf("of a branch that is checked out: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{}); err == nil || !strings.Contains(err.Error(), "git is not installed") {
		t.Errorf("without git: %v", err)
	}
}

func TestWork(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "")
	if k, err := tree.Work(t.Context()); err != nil || k.String() != "nothing unmerged" {
		t.Errorf("at first there is %v, %v", k, err)
	}
	put(t, filepath.Join(tree.Path, "poem.txt"), "one\nTWO\nthree\n")
	run(tree.Path, "commit", "-q", "-a", "-m", "second")
	put(t, filepath.Join(tree.Path, "new.txt"), "new\n")
	put(t, filepath.Join(tree.Path, "picture"), "a\x00b")
	put(t, filepath.Join(tree.Path, "x.tmp"), "ignored")
	k, err := tree.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := k.String(); got != "3 files changed, 1 commit, 2 not committed" || !slices.Equal(k.Ignored, []string{"x.tmp"}) {
		t.Errorf("there is %q, ignored %q", got, k.Ignored)
	}
	changes, more, err := tree.Changes(t.Context(), nil)
	if err != nil || len(changes) != 3 || more != 0 {
		t.Fatalf("%d changes, %d more, %v", len(changes), more, err)
	}
	if c := changes[0]; c.Old != nil || c.New == nil || *c.New != "new\n" {
		t.Errorf("the new file is %+v", c)
	}
	if c := changes[1]; !c.Opaque {
		t.Errorf("the picture is %+v", c)
	}
	if c := changes[2]; c.Old == nil || *c.Old != "one\ntwo\nthree\n" || *c.New != "one\nTWO\nthree\n" {
		t.Errorf("the poem is %+v", c)
	}
	before := run(tree.Path, "status", "--porcelain")
	patch, err := tree.Patch(t.Context())
	if err != nil || !strings.Contains(patch, "+TWO") || !strings.Contains(patch, "+new") {
		t.Errorf("the patch is %q, %v", patch, err)
	}
	if after := run(tree.Path, "status", "--porcelain"); after != before {
		t.Errorf("looking has changed the status from %q to %q", before, after)
	}
}

func TestMerge(t *testing.T) {
	for name, where := range map[string]func(t *testing.T, dir string, run func(string, ...string) string){
		"forward": func(*testing.T, string, func(string, ...string) string) {},
		"with commits on both sides": func(t *testing.T, dir string, run func(string, ...string) string) {
			put(t, filepath.Join(dir, "mine.txt"), "mine\n")
			run(dir, "add", ".")
			run(dir, "commit", "-q", "-m", "mine")
		},
		"checked out nowhere": func(_ *testing.T, dir string, run func(string, ...string) string) {
			run(dir, "checkout", "-q", "--detach")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := project(t)
			tree := create(t, dir, "")
			if _, err := merge(t, tree); !errors.Is(err, git.ErrNothing) {
				t.Errorf("merging nothing: %v", err)
			}
			where(t, dir, run)
			put(t, filepath.Join(tree.Path, "new.txt"), "new\n")
			if _, err := merge(t, tree); !errors.Is(err, git.ErrUncommitted) {
				t.Errorf("merging what is not committed: %v", err)
			}
			if err := tree.Commit(t.Context(), "-new file"); err != nil {
				t.Fatal(err)
			}
			if n, err := merge(t, tree); n != 1 || err != nil {
				t.Fatalf("%d commits merged, %v", n, err)
			}
			if got := run(dir, "show", "main:new.txt"); got != "new" {
				t.Errorf("main has %q", got)
			}
			if k, err := tree.Work(t.Context()); err != nil || k.Commits != 0 || len(k.Files) != 0 {
				t.Errorf("after it there is %v, %v", k, err)
			}
		})
	}
}

// merge merges the commits of a worktree.
func merge(t *testing.T, tree *git.Worktree) (commits int, err error) {
	m, err := tree.PlanMerge(t.Context())
	if err != nil {
		return 0, err
	}
	return m.Commits, m.Do(t.Context())
}

// withTheirs is a worktree in which the poem has become another.
func withTheirs(t *testing.T, dir string) *git.Worktree {
	t.Helper()
	tree := create(t, dir, "")
	put(t, filepath.Join(tree.Path, "poem.txt"), "theirs\n")
	if err := tree.Commit(t.Context(), "theirs"); err != nil {
		t.Fatal(err)
	}
	return tree
}

// A conflict leaves everything as it was, also what the user has not committed.
func TestMergeConflict(t *testing.T) {
	dir, run := project(t)
	tree := withTheirs(t, dir)
	put(t, filepath.Join(dir, "poem.txt"), "mine\n")
	run(dir, "commit", "-q", "-a", "-m", "mine")
	put(t, filepath.Join(dir, ".gitignore"), "*.tmp\n*.log\n")
	head, status := run(dir, "rev-parse", "HEAD"), run(dir, "status", "--porcelain")
	_, err := merge(t, tree)
	var conflict *git.MergeConflictError
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Files, []string{"poem.txt"}) {
		t.Errorf("merged with %v", err)
	}
	if now := run(dir, "rev-parse", "HEAD"); now != head || run(dir, "status", "--porcelain") != status {
		t.Errorf("the branch went from %s to %s, %s", head, now, run(dir, "status"))
	}
}

// Files that a merge would overwrite are not lost.
func TestMergeOverChanges(t *testing.T) {
	dir, run := project(t)
	tree := withTheirs(t, dir)
	put(t, filepath.Join(dir, "poem.txt"), "not committed\n")
	for name := range 12 { // more than git's last lines name
		put(t, filepath.Join(tree.Path, fmt.Sprint("new ", name)), "theirs\n")
		put(t, filepath.Join(dir, fmt.Sprint("new ", name)), "mine\n")
	}
	if err := tree.Commit(t.Context(), "more"); err != nil {
		t.Fatal(err)
	}
	_, err := merge(t, tree)
	if over, ok := errors.AsType[*git.OverwriteError](err); !ok || over.Path != dir || len(over.Files) != 13 || !slices.Contains(over.Files, "poem.txt") {
		t.Errorf("merged with %v", err)
	}
	if got := run(dir, "diff"); !strings.Contains(got, "+not committed") {
		t.Errorf("what was not committed is gone: %s", got)
	}
}

// A merge takes the commits that were planned, and lists what they change in the branch as it is, links
// with their targets, whatever lies in the worktree and became of it since.
func TestAMergeIsWhatWasPlanned(t *testing.T) {
	dir, run := project(t)
	tree := withTheirs(t, dir)
	put(t, filepath.Join(dir, "mine.txt"), "mine\n")
	put(t, filepath.Join(dir, "poem2.txt"), "mine\n")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "mine")
	if err := os.Symlink("../out", filepath.Join(tree.Path, "link")); err != nil {
		t.Skip(err)
	}
	if err := tree.Commit(t.Context(), "link"); err != nil {
		t.Fatal(err)
	}
	// The commits say that they are based on the user's, and take them back.
	head := run(tree.Path, "commit-tree", "-p", "HEAD", "-p", run(dir, "rev-parse", "main"), "-m", "taken back", "HEAD^{tree}")
	run(tree.Path, "reset", "-q", "--hard", head)
	m, err := tree.PlanMerge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []git.MergedFile{{Name: "link", Link: true, Target: "../out"}, {Name: "mine.txt", Removed: true}, {Name: "poem.txt"}, {Name: "poem2.txt", Removed: true}}
	if !slices.Equal(m.Files, want) {
		t.Errorf("it changes %+v", m.Files)
	}
	put(t, filepath.Join(tree.Path, "later.txt"), "later\n")
	if err := tree.Commit(t.Context(), "later"); err != nil {
		t.Fatal(err)
	}
	if err := m.Do(t.Context()); err != nil || run(dir, "rev-parse", "main") != head {
		t.Errorf("merged %s with %v, want %s", run(dir, "rev-parse", "main"), err, head)
	}
	run(tree.Path, "update-index", "--skip-worktree", "poem.txt")
	put(t, filepath.Join(tree.Path, "poem.txt"), "harmless\n")
	if _, err := merge(t, tree); err == nil || !strings.Contains(err.Error(), "git overlooks changes of poem.txt") {
		t.Errorf("merged with %v", err)
	}
}

// Ignored files of the user are not overwritten, in a fast-forward as in a merge.
func TestAMergeKeepsIgnoredFiles(t *testing.T) {
	for _, diverged := range []bool{false, true} {
		for _, name := range []string{"notes.log", "data.log/keys"} {
			dir, run := project(t)
			put(t, filepath.Join(dir, ".gitignore"), "*.log\n")
			run(dir, "add", ".")
			run(dir, "commit", "-q", "-m", "ignored")
			tree := create(t, dir, "")
			top, _, _ := strings.Cut(name, "/")
			put(t, filepath.Join(tree.Path, top), "theirs\n")
			run(tree.Path, "add", "-f", top)
			run(tree.Path, "commit", "-q", "-m", "theirs")
			put(t, filepath.Join(dir, name), "precious\n")
			if diverged {
				run(dir, "commit", "-q", "--allow-empty", "-m", "mine")
			}
			_, err := merge(t, tree)
			if b, _ := os.ReadFile(filepath.Join(dir, name)); err == nil || string(b) != "precious\n" {
				t.Errorf("%s, diverged %v: merged with %v, it has %q", name, diverged, err, b)
			}
		}
	}
}

// A merge that the user is resolving is theirs: it is not aborted by a second one.
// What is the same in the working tree is merged, committed or not: contents, modes, links and removed
// files.
func TestWhatIsMergedUncommitted(t *testing.T) {
	dir, run := project(t)
	put(t, filepath.Join(dir, "run.sh"), "go\n")
	put(t, filepath.Join(dir, "gone.txt"), "gone\n")
	run(dir, "add", "--all")
	run(dir, "commit", "-q", "-m", "more")
	tree := withTheirs(t, dir)
	change := func(in string) {
		put(t, filepath.Join(in, "new.txt"), "new\n")
		for _, err := range []error{os.Remove(filepath.Join(in, "gone.txt")), os.Chmod(filepath.Join(in, "run.sh"), 0o755), os.Symlink("poem.txt", filepath.Join(in, "link"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	unmerged := func(want ...string) {
		t.Helper()
		k, err := tree.Work(t.Context())
		if err != nil || !slices.Equal(k.Unmerged, want) || k.Empty() != (len(want) == 0) || len(k.Files) != 5 {
			t.Errorf("unmerged are %q of %q, %v; want %q", k.Unmerged, k.Files, err, want)
		}
	}
	change(tree.Path)
	unmerged("gone.txt", "link", "new.txt", "poem.txt", "run.sh")
	changes, _, err := tree.Changes(t.Context(), nil)
	if last := changes[len(changes)-1]; err != nil || last.ModeWords() != "now executable" || changes[0].ModeWords() != "" {
		t.Errorf("%+v, %v", changes, err)
	}
	change(dir)
	unmerged("poem.txt")
	put(t, filepath.Join(dir, "poem.txt"), "theirs\n")
	unmerged()
	if kept, err := tree.Drop(t.Context()); err != nil || kept.Ref == "" { // its commit is nowhere else
		t.Errorf("%q, %v", kept.Ref, err)
	}
}

func TestMergeDuringAMerge(t *testing.T) {
	dir, run := project(t)
	tree := withTheirs(t, dir)
	run(dir, "checkout", "-q", "-b", "other")
	put(t, filepath.Join(dir, "other.txt"), "other\n")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "other")
	run(dir, "checkout", "-q", "main")
	run(dir, "merge", "-q", "--no-ff", "--no-commit", "other")
	put(t, filepath.Join(dir, "other.txt"), "resolved\n")
	status, head := run(dir, "status", "--porcelain"), run(dir, "rev-parse", "MERGE_HEAD")
	if _, err := merge(t, tree); err == nil || !strings.Contains(err.Error(), "another merge is in progress in "+dir) {
		t.Errorf("merged with %v", err)
	}
	if now := run(dir, "rev-parse", "MERGE_HEAD"); now != head || run(dir, "status", "--porcelain") != status {
		t.Errorf("the merge of the user became %s, %s", now, run(dir, "status"))
	}
}

// A branch that nobody has checked out and that has gone on keeps its commits.
func TestMergeIntoABranchThatHasGoneOn(t *testing.T) {
	dir, run := project(t)
	tree := withTheirs(t, dir)
	run(dir, "commit", "-q", "--allow-empty", "-m", "mine")
	run(dir, "checkout", "-q", "--detach")
	tip := run(dir, "rev-parse", "main")
	if _, err := merge(t, tree); err == nil || !strings.Contains(err.Error(), "main has its own commits") {
		t.Errorf("merged with %v", err)
	}
	if now := run(dir, "rev-parse", "main"); now != tip {
		t.Errorf("main went from %s to %s", tip, now)
	}
}

func TestDrop(t *testing.T) {
	dir, run := project(t)
	clean := create(t, dir, "clean")
	if kept, err := clean.Drop(t.Context()); kept.Ref != "" || err != nil {
		t.Errorf("with nothing in it: kept %q, %v", kept.Ref, err)
	}
	for i, want := range []string{"refs/parley/dropped/wren", "refs/parley/dropped/wren-2"} {
		tree := create(t, dir, "wren")
		put(t, filepath.Join(tree.Path, "poem.txt"), want)
		run(tree.Path, "commit", "-q", "-a", "-m", "second")
		put(t, filepath.Join(tree.Path, "new.txt"), want)
		kept, err := tree.Drop(t.Context())
		if err != nil || kept.Ref != want {
			t.Fatalf("number %d: kept as %q, %v", i, kept.Ref, err)
		}
		if got := run(dir, "show", want+":new.txt") + run(dir, "show", want+":poem.txt"); got != want+want {
			t.Errorf("kept %q", got)
		}
	}
	if got := run(dir, "branch", "--list", "parley/*") + run(dir, "worktree", "list"); strings.Contains(got, "parley/") || !git.WorktreeGone(dir+".worktrees") {
		t.Errorf("left: %s", got)
	}
}

// What another branch was made for in the worktree, and what is in a repository within
// it, is not lost either.
func TestDropKeepsAll(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "wren")
	put(t, filepath.Join(tree.Path, "first.txt"), "first")
	if err := tree.Commit(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	run(tree.Path, "checkout", "-q", "--detach", "main")
	put(t, filepath.Join(tree.Path, "second.txt"), "second")
	inner := filepath.Join(tree.Path, "inner")
	put(t, filepath.Join(inner, "file"), "text")
	run(inner, "init", "-q")
	run(inner, "add", ".")
	run(inner, "commit", "-q", "-m", "inner")
	if err := tree.Commit(t.Context(), "all"); err == nil || !strings.Contains(err.Error(), "inner/") {
		t.Errorf("committed with %v", err)
	}
	if _, err := tree.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "inner/") {
		t.Errorf("dropped with a repository in it: %v", err)
	}
	if err := os.RemoveAll(inner); err != nil {
		t.Fatal(err)
	}
	kept, err := tree.Drop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := run(dir, "show", kept.Ref+":second.txt") + run(dir, "show", kept.Ref+"^2:first.txt"); got != "secondfirst" {
		t.Errorf("kept %q", got)
	}
}

// After the directory was removed by hand, what was committed is kept, and nothing else is left.
func TestDropWithoutDirectory(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "wren")
	for i, name := range []string{"first.txt", "second.txt"} {
		put(t, filepath.Join(tree.Path, name), name)
		if err := tree.Commit(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			run(tree.Path, "checkout", "-q", "--detach")
		}
	}
	if err := os.RemoveAll(tree.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Work(t.Context()); err == nil || !strings.Contains(err.Error(), "the directory of the worktree wren is gone") {
		t.Errorf("its work: %v", err)
	}
	if kept, err := tree.Drop(t.Context()); err != nil || kept.Ref == "" {
		t.Fatalf("kept %q, %v", kept.Ref, err)
	}
	for ref, file := range map[string]string{"wren": "second.txt", "wren-2": "first.txt"} {
		if got := run(dir, "show", "refs/parley/dropped/"+ref+":"+file); got != file {
			t.Errorf("%s has %q", ref, got)
		}
	}
	if got := run(dir, "branch", "--list", "parley/*") + run(dir, "worktree", "list"); strings.Contains(got, "parley/") {
		t.Errorf("left: %s", got)
	}
	again := create(t, dir, "wren")
	if err := os.RemoveAll(again.Path); err != nil {
		t.Fatal(err)
	}
	if kept, err := again.Drop(t.Context()); err != nil || kept.Ref != "" {
		t.Errorf("without commits: kept %q, %v", kept.Ref, err)
	}
}

// Whatever a kill leaves of a worktree that is being created or dropped is listed, and can be dropped:
// what is told of it alone touches nothing else.
func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		name string
		left func(dir, path string, run func(string, ...string) string)
		not  bool // nothing of it is left
		// taken means that its name cannot be used before it is dropped.
		taken bool
	}{
		{name: "nothing", left: func(string, string, func(string, ...string) string) {}, not: true},
		{name: "branch", left: func(dir, path string, run func(string, ...string) string) { run(dir, "branch", "parley/wren") }},
		{name: "no files", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", "parley/wren", path)
		}},
		{name: "locked index", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", "parley/wren", path)
			put(t, filepath.Join(dir, ".git/worktrees/wren/index.lock"), "")
		}, taken: true},
		{name: "no link", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--lock", "-b", "parley/wren", path)
			os.Remove(filepath.Join(path, ".git"))
		}},
		{name: "no HEAD", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", "parley/wren", path)
			put(t, filepath.Join(dir, ".git/worktrees/wren/HEAD"), strings.Repeat("0", 40)+"\n")
			os.Remove(filepath.Join(dir, ".git/worktrees/wren/commondir"))
		}},
		{name: "empty file", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", "parley/wren", path)
			os.Truncate(filepath.Join(dir, ".git/worktrees/wren/commondir"), 0)
		}},
		{name: "no directory", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "--lock", "-b", "parley/wren", path)
			os.RemoveAll(path)
		}},
		{name: "no directory, not locked", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "-b", "parley/wren", path)
			os.RemoveAll(path)
		}},
		{name: "no record", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "-b", "parley/wren", path)
		}},
		{name: "of the user", left: func(dir, path string, run func(string, ...string) string) {
			run(dir, "worktree", "add", "-q", "-b", "mine", path)
		}, not: true},
		{name: "dropped in part", left: func(dir, path string, run func(string, ...string) string) {
			create(t, dir, "wren")
			os.Remove(filepath.Join(path, "poem.txt"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, run := project(t)
			path := filepath.Join(dir+".worktrees", "wren")
			c.left(dir, path, run)
			put(t, filepath.Join(dir, ".git/parley/wren.json"), `{"name": "wren", "base": "`+run(dir, "rev-parse", "HEAD")+`", "from": "`+dir+`", "path": "`+path+`", "dropped": true}`)
			list, err := git.Worktrees(t.Context(), dir)
			if err != nil || len(list) != map[bool]int{false: 1}[c.not] {
				t.Fatalf("listed are %+v, %v", list, err)
			}
			if c.not {
				return
			}
			tree := list[0]
			if !tree.Unfinished || tree.Name != "wren" || tree.Path != path || tree.Commit(t.Context(), "x") == nil {
				t.Errorf("listed is %+v", tree)
			}
			if c.taken {
				if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"}); err == nil || !strings.Contains(err.Error(), "interrupted, or is going on; 'parley worktree drop wren' removes it") {
					t.Errorf("created before it is dropped: %v", err)
				}
			}
			if kept, err := tree.Drop(t.Context()); err != nil {
				t.Errorf("dropped: %q, %v", kept.Ref, err)
			}
			left := run(dir, "branch", "--list", "parley/*") + run(dir, "worktree", "list")
			if list, err := git.Worktrees(t.Context(), dir); err != nil || len(list) > 0 || strings.Contains(left, "wren") || !git.WorktreeGone(path) {
				t.Errorf("left are %+v, %v: %s", list, err, left)
			}
			if again := create(t, dir, "wren"); again.Unfinished || *git.WorktreeAt(path) != *again {
				t.Errorf("created again: %+v", again)
			}
		})
	}
}

// Where the .git of a worktree was removed or replaced, git would look at a repository around it,
// or at that of an agent: nothing is read or done there.
func TestWorktreeThatIsNoLongerOne(t *testing.T) {
	outer, run := project(t)
	run(outer, "init", "-q", "inner")
	dir := filepath.Join(outer, "inner")
	put(t, filepath.Join(dir, "a.txt"), "a")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "A")
	tree := create(t, dir, "wren")
	before := run(outer, "log", "--all", "--format=%H") + run(outer, "for-each-ref")
	link := filepath.Join(tree.Path, ".git")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"removed", "replaced"} {
		if what == "replaced" {
			run(tree.Path, "init", "-q")
			run(tree.Path, "add", ".")
			run(tree.Path, "commit", "-q", "-m", "Own")
		}
		_, err := tree.Work(t.Context())
		_, dropped := tree.Drop(t.Context())
		_, _, taken := tree.Contents(t.Context(), &git.WorktreeChange{Path: filepath.Join(tree.Path, "a.txt"), Opaque: true})
		for _, err := range []error{err, dropped, taken, tree.Commit(t.Context(), "x")} {
			if err == nil || !strings.Contains(err.Error(), "no longer the worktree wren") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if now := run(outer, "log", "--all", "--format=%H") + run(outer, "for-each-ref"); now != before {
		t.Errorf("the repository around it has %s", now)
	}
}

// An agent that may commit can name a commit or a text that git takes for another one. What is
// shown and merged is what is there.
func TestReplacedObjects(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "wren")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nthree\n")
	run(tree.Path, "add", ".")
	run(dir, "replace", run(dir, "rev-parse", "HEAD:poem.txt"), run(tree.Path, "rev-parse", ":poem.txt"))
	changes, _, err := tree.Changes(t.Context(), nil)
	if err != nil || len(changes) != 1 || changes[0].Old == nil || *changes[0].Old != "one\ntwo\nthree\n" {
		t.Errorf("%+v, %v", changes, err)
	}
}

// Without a commit that is checked out there is nothing to compare: it is said.
func TestWorktreeWithoutCommit(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "wren")
	run(tree.Path, "checkout", "-q", "--orphan", "other")
	if _, err := tree.Work(t.Context()); err == nil || !strings.Contains(err.Error(), "check out its branch parley/wren there") {
		t.Errorf("%v", err)
	}
}

// Neither hooks nor programs that the repository's configuration names are run. A
// filter that cannot be run is an error, so that no file is committed without it.
func TestRunsNothingOfTheRepository(t *testing.T) {
	dir, run := project(t)
	trace := filepath.Join(t.TempDir(), "trace")
	program := filepath.Join(t.TempDir(), "program")
	put(t, program, "#!/bin/sh\ntouch "+trace+"\ncat\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	tree := create(t, dir, "wren")
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "pre-merge-commit", "post-merge", "reference-transaction"} {
		put(t, filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\ntouch "+trace+"\n")
		if err := os.Chmod(filepath.Join(dir, ".git", "hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run(dir, "config", "filter.x.clean", program)
	run(dir, "config", "filter.x.smudge", program)
	run(dir, "config", "merge.x.driver", program)
	run(dir, "config", "commit.gpgSign", "true")
	run(dir, "config", "gpg.program", program)
	run(dir, "config", "core.fsmonitor", program)
	_ = os.Remove(trace)
	put(t, filepath.Join(tree.Path, "new.txt"), "new\n")
	if err := tree.Commit(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, tree); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tree.Path, ".gitattributes"), "*.txt filter=x merge=x\n")
	put(t, filepath.Join(tree.Path, "other.txt"), "other\n")
	if err := tree.Commit(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "filter 'x' failed") {
		t.Errorf("committed with a filter that was not run: %v", err)
	}
	if _, err := tree.Drop(t.Context()); err == nil || git.WorktreeGone(tree.Path) {
		t.Errorf("dropped without keeping what needs a filter: %v", err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a program of the repository's choice was run")
	}
}

// A file that needs Git LFS says what is missing.
func TestAWorktreeWithoutGitLFS(t *testing.T) {
	dir, run := project(t)
	put(t, filepath.Join(dir, ".gitattributes"), "*.bin filter=lfs\n")
	put(t, filepath.Join(dir, "a.bin"), "pointer\n")
	run(dir, "add", ".")
	run(dir, "commit", "--quiet", "-m", "pointer")
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir()
	if err := os.Symlink(program, filepath.Join(path, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path) // without git-lfs
	for _, c := range []struct{ scope, want string }{
		{"--global", "git worktree: git-lfs is not installed"},
		{"--local", "smudge filter lfs failed: parley runs no filters of the repository's own; move filter.lfs"},
	} {
		run(dir, "config", c.scope, "filter.lfs.process", "git-lfs filter-process")
		run(dir, "config", c.scope, "filter.lfs.required", "true")
		_, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.scope, err)
		}
	}
}

// What Git LFS has not on this machine is named. It is fetched neither from where the repository says nor by a
// program of its own.
func TestGitLFSFetchesNothing(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	dir, run := project(t)
	var asked atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Store(true)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	ran, program := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "agent")
	put(t, program, "#!/bin/sh\ntouch "+ran+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	run(dir, "lfs", "install", "--skip-repo")
	put(t, filepath.Join(dir, ".gitattributes"), "*.bin filter=lfs\n")
	put(t, filepath.Join(dir, ".lfsconfig"), "[lfs]\n\turl = "+server.URL+"/secret\n")
	put(t, filepath.Join(dir, "a.bin"), "content\n")
	run(dir, "add", ".")
	run(dir, "commit", "--quiet", "-m", "content")
	tree := create(t, dir, "owl")
	if text := read(t, filepath.Join(tree.Path, "a.bin")); text != "content\n" {
		t.Errorf("with the content at hand, there is %q", text)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git", "lfs", "objects")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "lfs.standalonetransferagent", "lfs.file:///dev/null.standalonetransferagent"} {
		if key != "" {
			run(dir, "config", key, "evil")
			run(dir, "config", "lfs.customtransfer.evil.path", program)
		}
		_, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
		if err == nil || !strings.Contains(err.Error(), "the content of a.bin is not on this machine; 'git lfs fetch' fetches it") {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := os.Stat(ran); err == nil || asked.Load() {
		t.Errorf("git-lfs has asked a server: %v, or run a program: %v", asked.Load(), err)
	}
}

// The user's filters and merge drivers work in the sandbox as they do outside, and what git puts in is no command.
func TestFiltersOfTheUser(t *testing.T) {
	program := test.Parley(t)
	dir, run := project(t)
	git.FilterProgram = program
	t.Cleanup(func() { git.FilterProgram = "" })
	run(dir, "config", "--global", "filter.up.clean", `tr a-z A-Z; printf '100%%%%\n%%s\n' %f`)
	run(dir, "config", "--global", "filter.fails.clean", "cat >&2; false")
	run(dir, "config", "--global", "filter.gone.clean", "no-such-program")
	hidden := t.TempDir() // from the sandbox, below /tmp
	put(t, filepath.Join(hidden, "strip-secret"), "#!/bin/sh\nsed s/SECRET/xxx/\n")
	if err := os.Chmod(filepath.Join(hidden, "strip-secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", hidden+string(os.PathListSeparator)+os.Getenv("PATH"))
	run(dir, "config", "--global", "filter.hidden.clean", "strip-secret")
	run(dir, "config", "--global", "filter.lines.clean", "strip-secret\nfalse")
	run(dir, "config", "--global", "filter.both.clean", "sed s/^/clean:/")
	run(dir, "config", "--global", "filter.both.smudge", "sed s/^clean://")
	run(dir, "config", "--global", "filter.both.required", "true")
	run(dir, "config", "--global", "filter.out.smudge", "false")
	run(dir, "config", "--global", "filter.must.smudge", "cat")
	run(dir, "config", "--global", "filter.must.required", "yes")
	run(dir, "config", "--global", "filter.bare.smudge", "cat")
	run(dir, "config", "--global", "filter.off.clean", "false")
	run(dir, "config", "--global", "--add", "filter.off.clean", "")
	config := filepath.Join(os.Getenv("HOME"), ".gitconfig")
	put(t, config, read(t, config)+"[filter \"bare\"]\n\trequired\n")
	run(dir, "config", "--global", "merge.all.driver", `cat %B >> %A; echo 100%% %P >> %A`)
	put(t, filepath.Join(dir, ".gitattributes"), "*.up filter=up\n*.fails filter=fails\n*.gone filter=gone\n*.both filter=both\n*.all merge=all\n*.hidden filter=hidden\n*.lines filter=lines\n*.out filter=out\n*.must filter=must\n*.bare filter=bare\n*.off filter=off\n*failed text eol=crlf\n")
	big := strings.Repeat("many words\n", 30_000)
	put(t, filepath.Join(dir, "a.both"), big)
	run(dir, "add", ".")
	run(dir, "commit", "--quiet", "-m", "attributes")
	tree := create(t, dir, "owl")
	if read(t, filepath.Join(tree.Path, "a.both")) != big {
		t.Error("a file that is smudged is not as it was")
	}
	name := "a 'b\n$(touch x)\" %%f.up"
	for _, c := range []struct{ file, text, want, fails string }{
		{file: name, text: "text\n", want: "+TEXT\n+100%\n+" + strings.ReplaceAll(name, "\n", "\n+") + "\n"},
		{file: "b.both", text: "new\n", want: "+clean:new\n"},
		{file: "b.both", text: "", want: "new file"},
		{file: "b.gone", text: "as it is\n", want: "+as it is\n"},
		{file: "b.fails", text: "why it fails\n", fails: "exit status 1\nGit may go on without a filter that fails, parley does not: correct the file"},
		{file: "b.out", text: "as it is\n", want: "+as it is\n"},
		{file: "b.off", text: "as it is\n", want: "+as it is\n"},
		{file: "b.must", text: "new\n", fails: "clean filter 'must' failed"},
		{file: "b.bare", text: "new\n", fails: "clean filter 'bare' failed"},
		{file: "b.lines", text: "SECRET\n", fails: "false: exit status"},
		{file: "external filter 'x' failed", text: "lines\n", want: "+lines"},
	} {
		path := filepath.Join(tree.Path, c.file)
		put(t, path, c.text)
		patch, err := tree.Patch(t.Context())
		if (err != nil) != (c.fails != "") || err != nil && strings.Count(err.Error(), c.fails) != 1 || !strings.Contains(patch, c.want) {
			t.Errorf("%q: %v: %s", c.file, err, patch)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(tree.Path, "b.hidden"), "SECRET\n")
	if patch, err := tree.Patch(t.Context()); err == nil && strings.Contains(patch, "SECRET") {
		t.Error("git goes on without a filter that the sandbox hides")
	} else if err != nil && !strings.Contains(err.Error(), "strip-secret") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(tree.Path, "b.hidden")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(tree.Path, "x")); err == nil {
		t.Error("a name is a command")
	}
	merged := "o'ne.all"
	for _, in := range []string{dir, tree.Path} {
		put(t, filepath.Join(in, merged), in+"\n")
		run(in, "add", merged)
		run(in, "commit", "--quiet", "-m", "both")
	}
	m, err := tree.PlanMerge(t.Context())
	if err == nil {
		err = m.Do(t.Context())
	}
	if text, want := read(t, filepath.Join(dir, merged)), dir+"\n"+tree.Path+"\n100% "+merged+"\n"; err != nil || text != want {
		t.Errorf("the driver writes %q: %v", text, err)
	}
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	put(t, filepath.Join(hidden, "bwrap"), "#!/bin/sh\n"+bwrap+" \"$@\"; code=$?; case \"$*\" in *'exec 3>'*) kill -9 $PPID;; esac; exit $code\n")
	if err := os.Chmod(filepath.Join(hidden, "bwrap"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tree.Path, "b.fails"), "text\n")
	if patch, err := tree.Patch(t.Context()); err == nil {
		t.Errorf("what runs a filter is killed, and there is a patch: %s", patch)
	}
	if err := os.Remove(filepath.Join(tree.Path, "b.fails")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tree.Path, "b.out"), "text\n")
	run(tree.Path, "add", "b.out")
	run(tree.Path, "commit", "--quiet", "-m", "smudged")
	if other, err := git.CreateWorktree(t.Context(), tree.Path, git.WorktreeOptions{Name: "wren"}); err == nil {
		t.Errorf("what runs a filter is killed, and there is a worktree: %+v", other)
	}
	put(t, filepath.Join(hidden, "bwrap"), "#!/bin/sh\ncase \"$*\" in *100*) echo it fails >&2; exit 1;; esac\nexec "+bwrap+" \"$@\"\n")
	if err := os.Chmod(filepath.Join(hidden, "bwrap"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{dir, tree.Path} {
		put(t, filepath.Join(in, merged), "again "+in+"\n")
		run(in, "commit", "--quiet", "-a", "-m", "again")
	}
	if m, err := tree.PlanMerge(t.Context()); err == nil {
		err = m.Do(t.Context())
		t.Errorf("without its driver there is a merge: %v", err)
	} else if strings.Count(err.Error(), "the sandbox does not start") != 1 {
		t.Error(err)
	}
}

// A record that is damaged, or that somebody else has written, is none.
func TestAtIgnoresWhatIsNoRecord(t *testing.T) {
	dir, _ := project(t)
	tree := create(t, dir, "wren")
	record := filepath.Join(dir, ".git", "worktrees", "wren", "parley.json")
	for _, text := range []string{"", "{", `{"name": "../x", "base": "` + tree.Base + `"}`, `{"name": "wren", "base": "--output=x"}`, `{"name": "wren", "base": "` + tree.Base + `", "into": "-x"}`} {
		put(t, record, text)
		if at := git.WorktreeAt(tree.Path); at != nil {
			t.Errorf("%s: %+v", text, at)
		}
	}
}

// A directory is no worktree of a repository only because its .git names one, or because it has a
// record of its own: the project's trust would hold there.
func TestADirectoryThatPretendsToBeAWorktree(t *testing.T) {
	dir, _ := project(t)
	tree := create(t, dir, "real")
	admin := filepath.Join(dir, ".git", "worktrees", "real")
	record, err := os.ReadFile(filepath.Join(admin, "parley.json"))
	if err != nil {
		t.Fatal(err)
	}
	link, err := os.ReadFile(filepath.Join(tree.Path, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for name, pretend := range map[string]func(fake string){
		"the admin directory of another": func(fake string) { put(t, filepath.Join(fake, ".git"), string(link)) },
		"one of its own": func(fake string) {
			put(t, filepath.Join(fake, ".git"), "gitdir: admin\n")
			put(t, filepath.Join(fake, "admin", "parley.json"), string(record))
			put(t, filepath.Join(fake, "admin", "gitdir"), filepath.Join(fake, ".git")+"\n")
			put(t, filepath.Join(fake, "admin", "commondir"), filepath.Join(dir, ".git")+"\n")
		},
		"one of its own that links to the repository": func(fake string) {
			put(t, filepath.Join(fake, ".git"), "gitdir: admin\n")
			if err := os.Symlink(admin, filepath.Join(fake, "admin")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		fake := t.TempDir()
		pretend(fake)
		if at := git.WorktreeAt(fake); at != nil {
			t.Errorf("%s is taken for %+v", name, at)
		}
		if of := git.Original(fake); of != fake {
			t.Errorf("%s stands for %s", name, of)
		}
	}

	// One in a whole repository of its own is a worktree, but of that repository.
	own := t.TempDir()
	put(t, filepath.Join(own, "tree", ".git"), "gitdir: "+filepath.Join(own, ".git", "worktrees", "real")+"\n")
	put(t, filepath.Join(own, ".git", "worktrees", "real", "parley.json"), string(record))
	put(t, filepath.Join(own, ".git", "worktrees", "real", "gitdir"), filepath.Join(own, "tree", ".git")+"\n")
	put(t, filepath.Join(own, ".git", "worktrees", "real", "commondir"), "../..\n")
	if at := git.WorktreeAt(filepath.Join(own, "tree")); at == nil || at.From != own {
		t.Errorf("a worktree that names another project: %+v", at)
	}
}

// A directory of a worktree stands for that of the working tree, also in a worktree that was made
// in another one.
func TestOriginal(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "first")
	second := create(t, tree.Path, "second")
	put(t, filepath.Join(dir, "below", "x"), "x")
	below := create(t, filepath.Join(dir, "below"), "third")
	plain := filepath.Join(t.TempDir(), "plain")
	run(dir, "worktree", "add", "-q", plain)
	for at, want := range map[string]string{
		tree.Path: dir, filepath.Join(tree.Path, "a", "b"): filepath.Join(dir, "a", "b"), second.Path: dir, below.Path: filepath.Join(dir, "below"),
		filepath.Join(below.Path, "a"): filepath.Join(dir, "a"), dir: dir, plain: plain,
	} {
		if got := git.Original(at); got != want {
			t.Errorf("%s stands for %s, want %s", at, got, want)
		}
	}
	if err := os.RemoveAll(tree.Path); err != nil {
		t.Fatal(err)
	}
	if got := git.Original(second.Path); got != dir {
		t.Errorf("when the worktree that it was made in is gone, it stands for %s", got)
	}
}

// A change is seen that left a file's size and times as they are in an index of the same time: the
// index is no younger than the file.
func TestSnapshotOfAFileAsYoungAsTheIndex(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "tree")
	run(tree.Path, "config", "core.trustctime", "false")
	file, index := filepath.Join(tree.Path, "poem.txt"), run(tree.Path, "rev-parse", "--path-format=absolute", "--git-path", "index")
	age := func(path string) {
		t.Helper()
		old := time.Now().Add(-time.Hour).Truncate(time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	age(file)
	run(tree.Path, "update-index", "--refresh")
	age(index)
	put(t, file, "one\nTWO\nthree\n")
	age(file)
	if patch, err := tree.Patch(t.Context()); err != nil || !strings.Contains(patch, "+TWO") {
		t.Errorf("the patch is %q, %v", patch, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return "(" + filepath.Base(path) + " cannot be read)"
	}
	return string(b)
}

// A comparison may begin with what is not committed; what the agent does there is all that
// its changes are.
func TestSnapshot(t *testing.T) {
	dir, run := project(t)
	if commit, _, err := git.Snapshot(t.Context(), dir); err != nil || commit != run(dir, "rev-parse", "HEAD") {
		t.Errorf("without changes it is %s, %v", commit, err)
	}
	put(t, filepath.Join(dir, "poem.txt"), "one\ntwo\nmine\n")
	put(t, filepath.Join(dir, "sub/mine.txt"), "mine\n")
	status := run(dir, "status", "--porcelain")
	commit, _, err := git.Snapshot(t.Context(), filepath.Join(dir, "sub"))
	if err != nil || run(dir, "status", "--porcelain") != status {
		t.Fatalf("%v; the status is %q", err, run(dir, "status", "--porcelain"))
	}
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Snapshot: commit, Note: "a note"})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(tree.Path, "poem.txt")) + read(t, filepath.Join(tree.Path, "sub/mine.txt")); got != "one\ntwo\nmine\nmine\n" || tree.Into != "" {
		t.Errorf("the worktree has %q, into %q", got, tree.Into)
	}
	if at := git.WorktreeAt(tree.Path); at == nil || at.Note != "a note" {
		t.Errorf("found as %+v", at)
	}
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nmine\n")
	changes, _, err := tree.Changes(t.Context(), nil)
	if err != nil || len(changes) != 1 || *changes[0].Old != "one\ntwo\nmine\n" {
		t.Errorf("the changes are %+v, %v", changes, err)
	}
	if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Note: strings.Repeat("x", 9<<10)}); err == nil {
		t.Error("a note of 9 KiB was taken")
	}
}

// What an agent has committed and then put behind a link is not read there: the agent may not be
// allowed to read it, and what is kept of its changes gets into the repository.
func TestChangesBehindALink(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "lark")
	outside := t.TempDir()
	put(t, filepath.Join(outside, "key"), "secret\n")
	put(t, filepath.Join(tree.Path, "a/key"), "x\n")
	run(tree.Path, "add", ".")
	run(tree.Path, "commit", "-q", "-m", "A key")
	if err := errors.Join(os.RemoveAll(filepath.Join(tree.Path, "a")), os.Symlink(outside, filepath.Join(tree.Path, "a"))); err != nil {
		t.Fatal(err)
	}
	changes, _, err := tree.Changes(t.Context(), nil)
	if err != nil || len(changes) != 2 {
		t.Fatalf("%+v, %v", changes, err)
	}
	if c := changes[0]; c.New == nil || *c.New != outside {
		t.Errorf("the link is shown as %+v", c)
	}
	if c := changes[1]; c.New != nil || c.Opaque {
		t.Errorf("behind the link there is %+v", c)
	}
}

// What parley notes in .git goes nowhere else: an agent that may write there can make links.
func TestLinksInGitLeadNowhere(t *testing.T) {
	dir, _ := project(t)
	mine := filepath.Join(t.TempDir(), "mine")
	put(t, filepath.Join(mine, "notes.txt"), "mine\n")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, ".git", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git", "parley"), 0o700); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(mine, "notes.txt"), "parley/owl.json")
	link(filepath.Join(mine, "new"), "parley/create.lock")
	tree := create(t, dir, "owl")
	if _, err := tree.Drop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git", "parley")); err != nil {
		t.Fatal(err)
	}
	link(mine, "parley")
	if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"}); err == nil || !strings.Contains(err.Error(), "parley is not a directory") {
		t.Errorf("created behind a link: %v", err)
	}
	if entries, err := os.ReadDir(mine); err != nil || len(entries) != 1 || read(t, filepath.Join(mine, "notes.txt")) != "mine\n" {
		t.Errorf("the links led to %v, %v", entries, err)
	}
}
