package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/internal/git"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return "(" + filepath.Base(path) + " cannot be read)"
	}
	return string(b)
}

// What is picked of a worktree, whole files or parts, gets into the working tree, beside what
// the user has there, and out again. Index and branches stay as they are.
func TestPick(t *testing.T) {
	dir, run := project(t)
	put(t, filepath.Join(dir, "old.txt"), "old\n")
	put(t, filepath.Join(dir, "data.bin"), "\x00\x01\x02")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "More")
	tree := create(t, dir, "lark")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nTHREE\n")
	put(t, filepath.Join(tree.Path, "sub/new file.txt"), "new\n")
	put(t, filepath.Join(tree.Path, "data.bin"), "\x00\x03")
	put(t, filepath.Join(tree.Path, "left.tmp"), "ignored")
	if err := os.Remove(filepath.Join(tree.Path, "old.txt")); err != nil {
		t.Fatal(err)
	}
	run(tree.Path, "commit", "-q", "-a", "-m", "Some of it")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nTHREE!\n")

	put(t, filepath.Join(dir, "mine.txt"), "mine\n") // the user's
	before := run(dir, "rev-parse", "HEAD") + run(dir, "write-tree")
	first := "ONE\ntwo\nthree\n"
	taken, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "poem.txt", Text: &first}, {Path: "old.txt"}, {Path: "sub/new file.txt"}, {Path: "data.bin"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"poem.txt": first, "sub/new file.txt": "new\n", "data.bin": "\x00\x03", "mine.txt": "mine\n",
		"old.txt": "(old.txt cannot be read)", "left.tmp": "(left.tmp cannot be read)",
	} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if now := run(dir, "rev-parse", "HEAD") + run(dir, "write-tree"); now != before {
		t.Error("the index or the branch has changed")
	}
	if _, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "old.txt"}, {Path: "data.bin"}}); !errors.Is(err, git.ErrNothing) {
		t.Errorf("what is there already: %v", err)
	}
	put(t, filepath.Join(dir, "poem.txt"), "ONE\ntwo\nthree\nmine\n")
	if err := taken.Back(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "poem.txt")) + read(t, filepath.Join(dir, "old.txt")) + read(t, filepath.Join(dir, "sub/new file.txt")); got != "one\ntwo\nthree\nmine\nold\n(new file.txt cannot be read)" {
		t.Errorf("taken back, there is %q", got)
	}
}

// What does not fit changes nothing, and is named.
func TestPickThatDoesNotFit(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, "data.bin"), "\x00mine")
	tree := create(t, dir, "lark")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nthree\n")
	put(t, filepath.Join(tree.Path, "a.txt"), "a\n")
	put(t, filepath.Join(tree.Path, "b/c.txt"), "c\n")
	put(t, filepath.Join(tree.Path, "data.bin"), "\x00theirs")
	put(t, filepath.Join(tree.Path, "fine.txt"), "fine\n")
	all := []git.Pick{{Path: "a.txt"}, {Path: "data.bin"}, {Path: "fine.txt"}, {Path: "poem.txt"}}
	put(t, filepath.Join(dir, "poem.txt"), "mine\ntwo\nthree\n")
	put(t, filepath.Join(dir, "a.txt"), "mine\n")
	_, err := tree.Take(t.Context(), dir, all)
	var unfit *git.UnfitError
	if !errors.As(err, &unfit) || !reflect.DeepEqual(unfit.Files, []string{"a.txt", "data.bin", "poem.txt"}) {
		t.Errorf("%v (%+v)", err, unfit)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if _, err = tree.Take(t.Context(), dir, []git.Pick{{Path: "fine.txt"}, {Path: "b/c.txt"}}); err == nil {
		t.Error("a file was written behind a link")
	}
	if got := read(t, filepath.Join(dir, "poem.txt")) + read(t, filepath.Join(dir, "a.txt")) + read(t, filepath.Join(dir, "fine.txt")); got != "mine\ntwo\nthree\nmine\n(fine.txt cannot be read)" {
		t.Errorf("there is %q", got)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Error("a file was written behind a link")
	}
}

// A comparison may begin with what is not committed; what the agent does there is all that
// its changes are.
func TestSnapshot(t *testing.T) {
	dir, run := project(t)
	if commit, err := git.Snapshot(t.Context(), dir); err != nil || commit != run(dir, "rev-parse", "HEAD") {
		t.Errorf("without changes it is %s, %v", commit, err)
	}
	put(t, filepath.Join(dir, "poem.txt"), "one\ntwo\nmine\n")
	put(t, filepath.Join(dir, "sub/mine.txt"), "mine\n")
	status := run(dir, "status", "--porcelain")
	commit, err := git.Snapshot(t.Context(), filepath.Join(dir, "sub"))
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
	changes, _, err := tree.Changes(t.Context())
	if err != nil || len(changes) != 1 || *changes[0].Old != "one\ntwo\nmine\n" {
		t.Errorf("the changes are %+v, %v", changes, err)
	}
	_, err = tree.Take(t.Context(), dir, []git.Pick{{Path: "poem.txt"}})
	if got := read(t, filepath.Join(dir, "poem.txt")); err != nil || got != "ONE\ntwo\nmine\n" {
		t.Errorf("%v; there is %q", err, got)
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
	changes, _, err := tree.Changes(t.Context())
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

// A file that git ignores is in the way like any other, and nothing is written.
func TestPickWhereAnIgnoredFileIs(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "lark")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nthree\n")
	put(t, filepath.Join(tree.Path, "x.tmp/a.txt"), "a\n")
	put(t, filepath.Join(tree.Path, "y.tmp"), "theirs\n")
	run(tree.Path, "add", "-f", ".")
	put(t, filepath.Join(dir, "x.tmp"), "mine\n")
	put(t, filepath.Join(dir, "y.tmp"), "mine\n")
	_, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "poem.txt"}, {Path: "x.tmp/a.txt"}, {Path: "y.tmp"}})
	var unfit *git.UnfitError
	if !errors.As(err, &unfit) || !reflect.DeepEqual(unfit.Files, []string{"x.tmp/a.txt", "y.tmp"}) {
		t.Errorf("%v (%+v)", err, unfit)
	}
	if got := read(t, filepath.Join(dir, "poem.txt")) + read(t, filepath.Join(dir, "x.tmp")) + read(t, filepath.Join(dir, "y.tmp")); got != "one\ntwo\nthree\nmine\nmine\n" {
		t.Errorf("there is %q", got)
	}
}

// Where git cannot write one of the files, it stops in the middle; the others are as they were.
func TestPickThatFailsInTheMiddle(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "lark")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nthree\n")
	put(t, filepath.Join(tree.Path, "z.dat"), "z\n")
	put(t, filepath.Join(dir, "poem.txt"), "one\ntwo\nmine\n")
	put(t, filepath.Join(dir, ".gitattributes"), "z.dat filter=own\n")
	run(dir, "config", "filter.own.smudge", "cat") // of the repository: git refuses to write z.dat
	first := "ONE\ntwo\nthree\n"
	_, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "poem.txt", Text: &first}, {Path: "z.dat"}})
	if err == nil || !strings.Contains(err.Error(), "z.dat") {
		t.Errorf("the error is %v", err)
	}
	if got := read(t, filepath.Join(dir, "poem.txt")); got != "one\ntwo\nmine\n" {
		t.Errorf("the user's file is %q: %v", got, err)
	}
}

// What else is in the worktree does not matter to what is picked: it is not read, and gets into no
// repository.
func TestPickBesideWhatCannotBeCommitted(t *testing.T) {
	dir, run := project(t)
	tree := create(t, dir, "lark")
	put(t, filepath.Join(tree.Path, "poem.txt"), "ONE\ntwo\nthree\n")
	put(t, filepath.Join(tree.Path, "core"), "large\n")
	run(tree.Path, "init", "-q", "own")
	if _, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "own"}}); err == nil || !strings.Contains(err.Error(), "own is a git repository of its own") {
		t.Errorf("a repository: %v", err)
	}
	if _, err := tree.Take(t.Context(), dir, []git.Pick{{Path: "poem.txt"}}); err != nil {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "hash-me"), "large\n")
	large := run(dir, "hash-object", "hash-me")
	if all := run(dir, "cat-file", "--batch-all-objects", "--batch-check"); strings.Contains(all, large) {
		t.Error("a file that was not picked is in the repository")
	}
}
