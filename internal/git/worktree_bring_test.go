package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/fs"
	"parley/internal/git"
)

// none is what no file is.
func none(string) bool { return false }

// A file that agents cannot read is copied if the user's own patterns name it; what a later line takes back is
// not named; and a file with patterns that is too long is none.
func TestBringWhatTheUserNames(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, ".gitignore"), "keys.txt\nig/\n.env\n")
	for _, name := range []string{"keys.txt", "ig/.env", "ig/a"} {
		put(t, filepath.Join(dir, name), "a secret\n")
	}
	secret := func(path string) bool { return filepath.Base(path) == ".env" }
	hidden := func(path string) bool { return filepath.Base(path) == "keys.txt" }
	include := func(text string) { put(t, filepath.Join(dir, git.IncludeFile), text) }
	tree := create(t, dir, "")
	include("\ufeffkeys.txt\n.env\nig/\n!.env\n")
	b, err := tree.Bring(t.Context(), dir, nil, secret, hidden)
	if err != nil || !slices.Equal(b.Hidden, []string{"keys.txt"}) || !slices.Equal(b.Secrets, []string{"ig/.env"}) || !slices.Equal(b.Copied, []string{"ig/"}) {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err := tree.Bring(t.Context(), dir, []string{"keys.txt"}, secret, hidden); err != nil || len(b.Hidden) > 0 || read(t, filepath.Join(tree.Path, "keys.txt")) != "a secret\n" {
		t.Errorf("named by the user: %+v, %v", b, err)
	}
	include(strings.Repeat("#\n", 1<<15) + "*.nothing")
	if _, err := tree.Bring(t.Context(), dir, nil, secret, hidden); err == nil || !strings.Contains(err.Error(), ".worktreeinclude has more than 64 KiB") {
		t.Errorf("too long: %v", err)
	}
}

// What is ignored and named is copied, wherever it is, with mode, time and links; nothing else, nothing
// over what is there, no repository, no secret or link that leads out without having been named.
func TestBring(t *testing.T) {
	dir, run := project(t)
	outside := t.TempDir()
	put(t, filepath.Join(outside, "key"), "outside\n")
	put(t, filepath.Join(dir, ".gitignore"), "*.tmp\n.env*\nnode_modules/\ndist\nown\nset.log\n/out\n")
	put(t, filepath.Join(dir, "web", "page.txt"), "page\n")
	run(dir, "add", "--all")
	run(dir, "commit", "-q", "-m", "more")
	for name, text := range map[string]string{
		".env": "S=1\n", "web/.env": "S=2\n", ".env.local": "S=3\n", "web/node_modules/a/x.js": "x\n", "node_modules/cert.pem": "key\n",
		"dist/out": "built\n", "dist/deep/part": "part\n", "own/file": "theirs\n", "untracked.txt": "mine\n", "keep.tmp": "here\n", "set.log": "log\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	run(filepath.Join(dir, "own"), "init", "-q")
	for name, target := range map[string]string{
		"node_modules/inside": "../web/node_modules/a", "node_modules/absolute": outside, "node_modules/up": "../../" + filepath.Base(outside),
		"node_modules/by": "inside/../../../../..", "node_modules/dangling": "../dist/out", "dist/named": outside,
		"node_modules/gone": "../../gone", "node_modules/later": "later.d/../../..", "node_modules/zigzag": "up/key", "out": outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "dist", "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	secret := func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), ".env") || strings.HasSuffix(path, ".pem")
	}
	tree := create(t, dir, "")
	put(t, filepath.Join(tree.Path, "keep.tmp"), "the agent's\n")
	put(t, filepath.Join(dir, git.IncludeFile), "# what tests need\n.env\nnode_modules\nown\n/ou*\n*.tmp\nuntracked.txt\nset.*\n!set.log\n")
	prepared, err := tree.Preparing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := tree.Bring(t.Context(), filepath.Join(dir, "web"), []string{"dist/named", "dist/deep", ".env*"}, secret, none)
	if err != nil || len(b.Failed) > 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"copied", b.Copied, []string{".env", "dist/", "node_modules/", "web/.env", "web/node_modules/"}},
		{"missing", b.Missing, []string{"set.log"}},
		{"repositories", b.Repositories, []string{"own/"}},
		{"secrets", b.Secrets, []string{".env.local", "node_modules/cert.pem"}},
		{"links", b.Links, []string{"node_modules/absolute", "node_modules/by", "node_modules/gone", "node_modules/later", "node_modules/up", "node_modules/zigzag", "out"}},
	} {
		if slices.Sort(c.got); !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	for name, want := range map[string]string{
		".env": "S=1\n", "web/.env": "S=2\n", "web/node_modules/a/x.js": "x\n", "dist/deep/part": "part\n", "node_modules/inside/x.js": "x\n",
		"dist/named/key": "outside\n", "keep.tmp": "the agent's\n",
		".env.local": "", "node_modules/cert.pem": "", "untracked.txt": "", "own/file": "", "set.log": "", "dist/out": "", "node_modules/by": "",
	} {
		if text, err := os.ReadFile(filepath.Join(tree.Path, name)); string(text) != want || want == "" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s contains %q, %v; want %q", name, text, err, want)
		}
	}
	if target, err := os.Readlink(filepath.Join(tree.Path, "node_modules", "dangling")); target != "../dist/out" {
		t.Errorf("the link to what may be built later leads to %q, %v", target, err)
	}

	// What it was prepared with is nobody's work, what came later is, also in a folder that was copied.
	put(t, filepath.Join(tree.Path, "made by setup"), "made\n")
	put(t, filepath.Join(tree.Path, "changed later"), "made\n")
	if err := prepared(true, "exit code 7", false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new.tmp", "dist/deep/new", "changed later"} {
		put(t, filepath.Join(tree.Path, name), "new\n")
		later := time.Now().Add(time.Minute)
		if err := os.Chtimes(filepath.Join(tree.Path, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	work, err := git.WorktreeAt(tree.Path).Work(t.Context())
	if err != nil || !slices.Equal(work.Ignored, []string{"dist/", "keep.tmp", "new.tmp"}) || !slices.Equal(work.Files, []string{"changed later"}) || git.WorktreeAt(tree.Path).Fresh || git.WorktreeAt(tree.Path).Failed != "exit code 7" {
		t.Errorf("ignored are %q, changed %q, %v", work.Ignored, work.Files, err)
	}
	if patch, err := tree.Patch(t.Context()); err != nil || !strings.Contains(patch, "changed later") || strings.Contains(patch, "made by setup") {
		t.Errorf("the patch is %q, %v", patch, err)
	}

	// A copy keeps mode and time.
	second := create(t, dir, "")
	if _, err := second.Bring(t.Context(), dir, []string{"/dist/out"}, secret, none); err != nil {
		t.Fatal(err)
	}
	was, _ := os.Stat(filepath.Join(dir, "dist", "out"))
	if is, err := os.Stat(filepath.Join(second.Path, "dist", "out")); err != nil || is.Mode() != was.Mode() || !is.ModTime().Equal(was.ModTime()) {
		t.Errorf("the copy is %v, %v, want %v", is, err, was)
	}
}

// An ignored folder that has the worktree in it is neither copied nor missing.
func TestBringIntoAnIgnoredFolder(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, ".gitignore"), "trees/\n")
	for _, patterns := range [][]string{nil, {"trees/"}} {
		tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Parent: filepath.Join(dir, "trees")})
		if err != nil {
			t.Fatal(err)
		}
		b, err := tree.Bring(t.Context(), dir, patterns, none, none)
		if err != nil || !reflect.DeepEqual(b, &git.Brought{}) {
			t.Errorf("by %q: %+v, %v", patterns, b, err)
		}
	}
}

// What is copied is what was seen and judged: a link that takes its place meanwhile, or that of a folder on the way,
// leads to nothing.
func TestBringFollowsNoLink(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, ".gitignore"), "ig/\n")
	for _, name := range []string{"ig/a", "ig/b/key", "ig/c/key", "ig/c/other", "ig/keys/key"} {
		put(t, filepath.Join(dir, name), name+"\n")
	}
	put(t, filepath.Join(dir, git.IncludeFile), "ig/a\nig/b\nig/c/key\n")
	swap := func(name, target string) {
		if err := errors.Join(os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+" was")), os.Symlink(target, filepath.Join(dir, name))); err != nil {
			t.Error(err)
		}
	}
	tree := create(t, dir, "")
	b, err := tree.Bring(t.Context(), dir, nil, func(path string) bool {
		if path == filepath.Join(dir, "ig", "a") {
			swap("ig/a", "keys/key")
			swap("ig/b", "keys")
			swap("ig/c", "keys")
		}
		return filepath.Base(filepath.Dir(path)) == "keys"
	}, none)
	if slices.Sort(b.Failed); err != nil || !slices.Equal(b.Failed, []string{"ig/a: " + fs.ErrMoved.Error(), "ig/c: " + fs.ErrMoved.Error()}) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, name := range []string{"ig/a", "ig/b/key", "ig/c/key"} {
		if text, err := os.ReadFile(filepath.Join(tree.Path, name)); err == nil {
			t.Errorf("%s is copied: %q", name, text)
		}
	}
}

// A folder is that which was seen whenever a link takes its place.
func TestBringFollowsNoLinkAtAnyMoment(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, ".gitignore"), "ig/\n")
	put(t, filepath.Join(dir, git.IncludeFile), "ig/b\n")
	put(t, filepath.Join(dir, "ig", "b", "key"), "fine\n")
	put(t, filepath.Join(dir, "ig", "keys", "key"), "secret\n")
	b := filepath.Join(dir, "ig", "b")
	atEachMoment(t, func() {
		if err := errors.Join(os.Rename(b, b+" was"), os.Symlink("keys", b)); err != nil {
			t.Error(err)
		}
	}, func(ctx context.Context) {
		tree := create(t, dir, "")
		if _, err := tree.Bring(ctx, dir, nil, none, none); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(filepath.Join(tree.Path, "ig", "b", "key")); err == nil && string(text) != "fine\n" {
			t.Errorf("copied is %q", text)
		}
		if os.Remove(b) == nil {
			if err := os.Rename(b+" was", b); err != nil {
				t.Error(err)
			}
		}
	})
}

// A file that appears during the copy is that of whoever made it.
func TestBringOverwritesNothingAtAnyMoment(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, "data.tmp"), "copied\n")
	file, want := "", ""
	atEachMoment(t, func() {
		want = "the agent's\n"
		put(t, file, want)
	}, func(ctx context.Context) {
		tree := create(t, dir, "")
		file, want = filepath.Join(tree.Path, "data.tmp"), "copied\n"
		if _, err := tree.Bring(ctx, dir, []string{"*.tmp"}, none, none); err != nil {
			t.Error(err)
		}
		if text := read(t, file); text != want {
			t.Errorf("there is %q, want %q", text, want)
		}
	})
}

// Deep folders take no more files than a process may open, and what is left out is named.
func TestBringBoundsDepth(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, ".gitignore"), "d/\n")
	put(t, filepath.Join(dir, strings.Repeat("d/", 99), "there"), "x\n")
	put(t, filepath.Join(dir, strings.Repeat("d/", 1500), "deep"), "x\n")
	tree := create(t, dir, "")
	b, err := tree.Bring(t.Context(), dir, []string{"d/"}, none, none)
	if err != nil || !slices.Equal(b.Copied, []string{"d/"}) || len(b.Failed) != 1 || !strings.HasSuffix(b.Failed[0], "d/d: is more than 100 folders deep") {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(tree.Path, strings.Repeat("d/", 99), "there")); err != nil {
		t.Error(err)
	}
}

// Ignored files in submodules are copied by the same patterns, and missing where none names them.
func TestBringFromSubmodules(t *testing.T) {
	dir, run := project(t)
	origin, in := project(t)
	put(t, filepath.Join(origin, ".gitignore"), ".env\ndist/\nlog\nkeys\n/deep\n")
	in(origin, "add", "--all")
	in(origin, "commit", "-q", "-m", "ignore")
	run(dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", origin, "lib/sub")
	run(dir, "commit", "-q", "-m", "a submodule")
	for _, name := range []string{".env", "dist/out", "log", "keys", "deep/a"} {
		put(t, filepath.Join(dir, "lib", "sub", name), name+"\n")
	}
	tree := create(t, dir, "")
	bring := func() *git.Brought {
		b, err := tree.Bring(t.Context(), dir, []string{".env", "lib/*/dist", "/lib/sub/deep/", "other/log", "sub/log", "/log", "!/lib/sub/nothing", "keys*"}, func(path string) bool {
			return path == filepath.Join(dir, "lib", "sub", "keys")
		}, none)
		if err != nil || len(b.Failed) > 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		return b
	}
	if b := bring(); len(b.Copied)+len(b.Missing) > 0 {
		t.Errorf("with an empty one: %+v", b)
	}
	if err := tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := bring()
	if !slices.Equal(b.Copied, []string{"lib/sub/.env", "lib/sub/deep/", "lib/sub/dist/"}) || !slices.Equal(b.Missing, []string{"lib/sub/log"}) || !slices.Equal(b.Secrets, []string{"lib/sub/keys"}) {
		t.Errorf("%+v", b)
	}
	if read(t, filepath.Join(tree.Path, "lib", "sub", "dist", "out")) != "dist/out\n" {
		t.Error("a copy has other text")
	}
	put(t, filepath.Join(dir, "lib", "sub", ".git"), "gitdir: nowhere\n")
	if b, err := tree.Bring(t.Context(), dir, []string{".env"}, none, none); err != nil || len(b.Failed) != 1 || !strings.HasPrefix(b.Failed[0], "lib/sub: ") {
		t.Errorf("with one that is none: %+v, %v", b, err)
	}
}

// watched is a context that looks whenever somebody asks whether it has ended.
type watched struct {
	context.Context
	look func()
}

func (w watched) Err() error {
	w.look()
	return w.Context.Err()
}

// atEachMoment has something happen while something is done: each time later, until it is done before.
func atEachMoment(t *testing.T, happens func(), do func(ctx context.Context)) {
	for moment := 1; ; moment++ {
		asked := 0
		do(watched{t.Context(), func() {
			if asked++; asked == moment {
				happens()
			}
		}})
		if asked < moment {
			return
		}
	}
}

// A copy has its name when it is whole: a kill leaves no part, which the next preparation would take for a file.
func TestCopiesAreWhole(t *testing.T) {
	dir, _ := project(t)
	put(t, filepath.Join(dir, "data.tmp"), "all of it\n")
	tree := create(t, dir, "wren")
	ctx := watched{t.Context(), func() {
		if text, err := os.ReadFile(filepath.Join(tree.Path, "data.tmp")); err == nil && string(text) != "all of it\n" {
			t.Errorf("a kill would have left %q", text)
		}
	}}
	if b, err := tree.Bring(ctx, dir, []string{"*.tmp"}, none, none); err != nil || !slices.Equal(b.Copied, []string{"data.tmp"}) {
		t.Errorf("%+v, %v", b, err)
	}
	ctx.look()
}

// Only what a setup made counts as its own: nothing that was there before it, nothing without one, and nothing
// after an interrupted preparation. What it made, others may have made meanwhile: a drop keeps it.
func TestSetupIsNotWork(t *testing.T) {
	for name, c := range map[string]struct {
		interrupted, setup bool
		files, ignored     []string
	}{
		"a setup":                {setup: true, files: []string{"before.txt"}, ignored: []string{"before.tmp"}},
		"no setup":               {files: []string{"before.txt", "meanwhile.txt"}, ignored: []string{"before.tmp"}},
		"a second one":           {interrupted: true, setup: true, files: []string{"before.txt", "meanwhile.txt"}, ignored: []string{"before.tmp", "meanwhile.tmp"}},
		"a second one, no setup": {interrupted: true, files: []string{"before.txt", "meanwhile.txt"}, ignored: []string{"before.tmp", "meanwhile.tmp"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := project(t)
			tree := create(t, dir, "wren")
			if c.interrupted {
				if _, err := tree.Preparing(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			put(t, filepath.Join(tree.Path, "before.txt"), "mine\n")
			put(t, filepath.Join(tree.Path, "before.tmp"), "mine\n")
			prepared, err := tree.Preparing(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(tree.Path, "meanwhile.txt"), "whose?\n")
			put(t, filepath.Join(tree.Path, "meanwhile.tmp"), "made\n")
			if err := prepared(c.setup, "", false); err != nil {
				t.Fatal(err)
			}
			work, err := git.WorktreeAt(tree.Path).Work(t.Context())
			if err != nil || !slices.Equal(work.Files, c.files) || !slices.Equal(work.Ignored, c.ignored) {
				t.Errorf("its work are %q, ignored %q, %v", work.Files, work.Ignored, err)
			}
			if err := os.Remove(filepath.Join(tree.Path, "before.txt")); err != nil {
				t.Fatal(err)
			}
			if kept, err := tree.Drop(t.Context()); err != nil || run(dir, "show", kept.Ref+":meanwhile.txt") != "whose?" {
				t.Errorf("dropped, and kept %+v, %v", kept, err)
			}
		})
	}
}

// BenchmarkBring copies many ignored files, each of them named for itself, and folders in folders.
func BenchmarkBring(b *testing.B) {
	for _, n := range []int{1, 10} {
		for shape, name := range map[string]func(i int) string{
			"files": func(i int) string { return fmt.Sprintf("of%d.tmp", i) },
			"deep":  func(i int) string { return strings.Repeat("d/", i/10+1) + fmt.Sprintf("f%d", i) },
		} {
			b.Run(fmt.Sprintf("%s-%dx", shape, n), func(b *testing.B) {
				dir, run := project(b)
				put(b, filepath.Join(dir, ".gitignore"), "*.tmp\n/d/\n")
				put(b, filepath.Join(dir, git.IncludeFile), "*.tmp\n/d/\n")
				for i := range 1000 * n {
					put(b, filepath.Join(dir, name(i)), "x\n")
				}
				for b.Loop() {
					b.StopTimer()
					tree := create(b, dir, "")
					b.StartTimer()
					if _, err := tree.Bring(b.Context(), dir, nil, none, none); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					run(dir, "worktree", "remove", "--force", tree.Path)
					b.StartTimer()
				}
			})
		}
	}
}
