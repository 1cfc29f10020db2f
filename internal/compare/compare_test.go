package compare_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/git"
	"parley/internal/journal"
	"parley/internal/policy"
	"parley/internal/test"
)

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

func agents() *config.Config {
	return &config.Config{Agents: []config.Agent{
		{ID: "alpha", Name: "Alpha", Command: "alpha", Source: "test", Options: map[string]string{"model": "small"}}, {ID: "beta", Name: "Beta", Command: "beta", Source: "test"},
	}}
}

func parse(t *testing.T, words ...string) []compare.Entrant {
	t.Helper()
	var all []compare.Entrant
	for _, w := range words {
		e, err := compare.ParseEntrant(agents(), w)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func begin(t *testing.T, dir string, opt compare.Options) *compare.Comparison {
	t.Helper()
	opt.Config, opt.Dir = agents(), dir
	c, err := compare.Begin(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEntrants(t *testing.T) {
	e := parse(t, "alpha:model=opus,mode=plan")[0]
	if e.Agent.ID != "alpha" || e.Agent.Mode != "plan" || e.Agent.Options["model"] != "opus" || e.Mode != "plan" || e.Options["model"] != "opus" {
		t.Errorf("%+v", e)
	}
	if e := parse(t, "alpha")[0]; e.Agent.Options["model"] != "small" {
		t.Errorf("the agent's own default is %v", e.Agent.Options)
	}
	for word, want := range map[string]string{"gamma": "gamma", "alpha:": "sets nothing", "alpha:model": "sets nothing", "alpha:=x": "sets nothing", "tour": "cannot be compared"} {
		if _, err := compare.ParseEntrant(agents(), word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
}

// On the screen a side has the name that lists of agents have, and none that another side has.
func TestTitles(t *testing.T) {
	cfg := agents()
	cfg.Agents = append(cfg.Agents, config.Agent{ID: "beta-acp", Name: "Beta", Command: "beta", Source: "test"})
	c := &compare.Comparison{}
	var entrants []compare.Entrant
	for _, word := range []string{"alpha", "alpha:model=opus", "beta", "beta-acp"} {
		e, err := compare.ParseEntrant(cfg, word)
		if err != nil {
			t.Fatal(err)
		}
		entrants = append(entrants, e)
	}
	for i, name := range compare.Names(entrants) {
		c.Sides = append(c.Sides, &compare.Side{Entrant: entrants[i], Name: name})
	}
	for i, want := range []string{"Alpha", "Alpha opus", "beta", "beta-acp"} {
		if got := c.Title(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// All sides begin at the same commit, with what is not committed if the user wishes, and a
// comparison is found again with all that it was about.
// What is noted with a worktree may be from anybody who could write to the repository: a side is
// called by what it is, and its check is not one that the user has given.
func TestFindDoesNotBelieveNotes(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": poem})
	note := `{"comparison": "x", "number": 1, "name": "alpha", "agent": "alpha:mode=yolo", "check": "make \u001b[2J"}`
	for name, note := range map[string]string{
		"one": note, "two": strings.Replace(note, `"name": "alpha"`, `"name": "alpha yolo 2"`, 1), "three": `{"comparison": "x", "agent": "\u001b[2Jgone", "name": "beta"}`, "four": `{"comparison": ["x"]}`,
	} {
		if _, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: name, Note: note}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := compare.Find(t.Context(), agents(), dir)
	if err != nil || len(found) != 1 || !found[0].Found {
		t.Fatalf("found %+v, %v", found, err)
	}
	names := map[string]string{}
	for _, s := range found[0].Sides {
		names[s.Tree.Name] = s.Name
	}
	if want := map[string]string{"one": "alpha yolo", "two": "alpha yolo 2", "three": "gone"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the sides are %q, want %q", names, want)
	}
}

func TestBeginAndFind(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": poem})
	write(t, "mine\n", dir, "mine.txt")
	first := begin(t, dir, compare.Options{Prompt: strings.Repeat("Ä", 2000), Entrants: parse(t, "alpha", "alpha:model=opus", "beta", "alpha")})
	second := begin(t, dir, compare.Options{Prompt: "Sing", Check: "make", Entrants: parse(t, "alpha", "beta"), Changes: true})
	names := func(c *compare.Comparison) string {
		var all []string
		for _, s := range c.Sides {
			all = append(all, s.Name)
			if s.Tree.Base != c.Sides[0].Tree.Base || !strings.HasPrefix(s.Tree.Name, c.Name+"-") {
				t.Errorf("%s is %+v", s.Name, s.Tree)
			}
		}
		return strings.Join(all, ", ")
	}
	if got := names(first); got != "alpha small, alpha opus, beta, alpha small 2" && got != "alpha, alpha opus, beta, alpha 2" {
		t.Errorf("the sides are %s", got)
	}
	if _, err := os.Stat(filepath.Join(first.Sides[0].Tree.Path, "mine.txt")); err == nil {
		t.Error("what is not committed is there")
	}
	if got := read(t, second.Sides[1].Tree.Path, "mine.txt"); got != "mine\n" {
		t.Errorf("of what is not committed there is %q", got)
	}
	found, err := compare.Find(t.Context(), agents(), dir)
	if err != nil || len(found) != 2 {
		t.Fatalf("found %d, %v", len(found), err)
	}
	if f := found[0]; f.Sides[1].Dir != second.Sides[1].Dir || f.Name != second.Name || f.Prompt != "Sing" || f.Check != "make" || names(f) != names(second) || f.Dir != dir || !f.Began.Equal(second.Began) {
		t.Errorf("found %+v, want %+v", f, second)
	}
	if f := found[1]; names(f) != names(first) || f.Sides[1].Agent.Options["model"] != "opus" || !strings.HasSuffix(f.Prompt, "Ä…") || len(f.Prompt) > 2<<10 {
		t.Errorf("found %+v, want %+v", f, first)
	}
	if _, err := second.Sides[0].Tree.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, _ = compare.Find(t.Context(), &config.Config{}, dir); len(found) != 2 || names(found[0]) != "beta" {
		t.Errorf("without a side and its agents there is %+v", found)
	}
}

func TestBeginFails(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": poem})
	for _, opt := range []compare.Options{
		{Prompt: "Sing", Entrants: parse(t, "alpha")},
		{Prompt: " ", Entrants: parse(t, "alpha", "beta")},
		{Prompt: "Sing", Check: strings.Repeat("x", 2000), Entrants: parse(t, "alpha", "beta")},
		{Prompt: "Sing", Entrants: append(parse(t, "alpha"), compare.Entrant{Word: strings.Repeat("x", 501)})},
	} {
		opt.Config, opt.Dir = agents(), dir
		if c, err := compare.Begin(t.Context(), opt); err == nil {
			t.Errorf("began %+v", c)
		}
	}
	if trees := run(dir, "worktree", "list"); strings.Contains(trees, "\n") {
		t.Errorf("worktrees are left: %s", trees)
	}
	_, err := compare.Begin(t.Context(), compare.Options{Config: agents(), Dir: t.TempDir(), Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	var hint *app.HintError
	if !errors.Is(err, git.ErrNoRepository) || !errors.As(err, &hint) {
		t.Errorf("outside a repository: %v", err)
	}
}

// changed reads what a side has changed.
func changed(t *testing.T, s *compare.Side) *compare.Changed {
	t.Helper()
	c, err := s.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// picks picks hunks: the name of a file, or with the index of one behind a colon.
func picks(all ...string) compare.Picks {
	p := compare.Picks{}
	for _, word := range all {
		name, index, some := strings.Cut(word, ":")
		h := compare.Hunk{File: name, Index: compare.Whole}
		if some {
			h.Index, _ = strconv.Atoi(index)
		}
		p[h] = true
	}
	return p
}

// merging is the journal of a comparison, with a state directory of its own.
func merging(t *testing.T, c *compare.Comparison) compare.Merger {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return c.Journal(&app.Launcher{Config: &config.Config{}})
}

// Files and hunks are taken from several sides, beside what the user has there. What conflicts
// changes nothing, and what was taken can be given back. Index and branches stay as they are.
func TestKeep(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": poem, "old.txt": "old\n", "data.bin": "\x00\x01", "run.sh": "go\n"})
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	a, b, into := c.Sides[0], c.Sides[1], merging(t, c)
	write(t, "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n", a.Tree.Path, "poem.txt")
	write(t, "new", a.Tree.Path, "sub/new.txt")
	write(t, "\x00\x03", a.Tree.Path, "data.bin")
	if err := errors.Join(os.Remove(filepath.Join(a.Tree.Path, "old.txt")), os.Chmod(filepath.Join(a.Tree.Path, "run.sh"), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, "eins\ntwo\nthree\nFOUR\nfive\nsix\nseven\n", b.Tree.Path, "poem.txt")
	write(t, "mine\n", dir, "mine.txt") // the user's
	before := run(dir, "rev-parse", "HEAD") + run(dir, "write-tree")
	ofA, ofB := changed(t, a), changed(t, b)
	if len(ofA.Files) != 5 || ofA.Added != 3 || ofA.Removed != 3 || len(ofA.Named("poem.txt").Hunks) != 2 || ofA.Named("none") != nil {
		t.Fatalf("alpha has changed %+v", ofA)
	}
	write(t, "late\n", a.Tree.Path, "poem.txt") // is not what the user saw
	last, err := c.Keep(t.Context(), into, a, ofA, picks("sub/new.txt", "old.txt", "poem.txt:1", "data.bin", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "poem.txt") + read(t, dir, "sub/new.txt") + read(t, dir, "data.bin"); got != "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\nnew\x00\x03" {
		t.Errorf("there is %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "old.txt")); err == nil {
		t.Error("what alpha removed is there")
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("it cannot be run: %v, %v", info, err)
	}
	if now := run(dir, "rev-parse", "HEAD") + run(dir, "write-tree"); now != before {
		t.Error("the index or the branch has changed")
	}
	if _, err := c.Keep(t.Context(), into, b, ofB, picks("poem.txt")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "poem.txt"); !strings.HasPrefix(got, "eins\ntwo\nthree\nFOUR\n") || !strings.HasSuffix(got, "SEVEN\n") {
		t.Errorf("with beta's there is %q", got)
	}
	var unfit *journal.ConflictError
	if _, err := c.Keep(t.Context(), into, a, ofA, picks("poem.txt:0")); !errors.As(err, &unfit) || unfit.Files[0] != "poem.txt" {
		t.Errorf("of two that conflict: %v", err)
	}
	if _, err := into.Unmerge(t.Context(), last.Act); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "poem.txt") + read(t, dir, "old.txt") + read(t, dir, "data.bin"); got != "eins\ntwo\nthree\nFOUR\nfive\nsix\nseven\nold\n\x00\x01" {
		t.Errorf("given back, there is %q", got)
	}
	for _, p := range []compare.Picks{nil, picks("poem.txt")} {
		if _, err := c.Keep(t.Context(), into, b, ofB, p); !errors.Is(err, journal.ErrNothing) {
			t.Errorf("nothing of it: %v", err)
		}
	}
}

// What does not fit changes nothing, and is named. Nothing is written behind a link, or in place of
// a file that git ignores; a repository and a link are for git to merge.
func TestKeepWhatDoesNotFit(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": poem, "data.bin": "\x00\x01", ".gitignore": "*.tmp\n"})
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	s, into, outside := c.Sides[0], merging(t, c), t.TempDir()
	for name, text := range map[string]string{"poem.txt": "ONE\n" + poem[4:], "a.txt": "a\n", "b/c.txt": "c\n", "data.bin": "\x00theirs", "fine.txt": "fine\n", "x.tmp/a.txt": "a\n", "y.tmp": "theirs\n"} {
		write(t, text, s.Tree.Path, name)
	}
	run(s.Tree.Path, "add", "-f", ".")
	run(s.Tree.Path, "init", "-q", "own")
	write(t, "mine\n"+poem[4:], dir, "poem.txt")
	for name, text := range map[string]string{"a.txt": "mine\n", "data.bin": "\x00mine", "x.tmp": "mine\n", "y.tmp": "mine\n"} {
		write(t, text, dir, name)
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "b")), os.Symlink("poem.txt", filepath.Join(s.Tree.Path, "link"))); err != nil {
		t.Fatal(err)
	}
	of := changed(t, s)
	var unfit *journal.ConflictError
	_, err := c.Keep(t.Context(), into, s, of, picks("a.txt", "data.bin", "fine.txt", "poem.txt", "y.tmp"))
	if !errors.As(err, &unfit) || !reflect.DeepEqual(unfit.Files, []string{"a.txt", "data.bin", "poem.txt", "y.tmp"}) {
		t.Errorf("%v (%+v)", err, unfit)
	}
	for name, want := range map[string]string{"b/c.txt": "", "x.tmp/a.txt": "", "own": "own is a git repository of its own", "link": "link is a link"} {
		if _, err := c.Keep(t.Context(), into, s, of, picks("fine.txt", name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "fine.txt")); err == nil {
		t.Error("some of it was written")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Error("a file was written behind a link")
	}
	if got := read(t, dir, "x.tmp") + read(t, dir, "y.tmp") + read(t, dir, "poem.txt")[:5]; got != "mine\nmine\nmine\n" {
		t.Errorf("there is %q", got)
	}
}

// Lines that end as on Windows where the worktree was checked out are no changes, and merge with
// those of the working tree.
func TestKeepLinesOfAnotherEnd(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": poem})
	run(dir, "config", "core.autocrlf", "true")
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	s, windows := c.Sides[0], strings.ReplaceAll(poem, "\n", "\r\n")
	if got := read(t, s.Tree.Path, "poem.txt"); got != windows {
		t.Fatalf("checked out is %q", got)
	}
	write(t, "ONE"+windows[3:], s.Tree.Path, "poem.txt")
	write(t, windows[:len(windows)-len("seven\r\n")]+"SEVEN\r\n", dir, "poem.txt")
	of := changed(t, s)
	if of.Added != 1 {
		t.Errorf("alpha has changed %+v", of)
	}
	_, err := c.Keep(t.Context(), merging(t, c), s, of, of.All())
	if got := read(t, dir, "poem.txt"); err != nil || !strings.HasPrefix(got, "ONE\r\n") || !strings.HasSuffix(got, "SEVEN\r\n") {
		t.Errorf("there is %q, %v", got, err)
	}
}

// What a side has changed in its submodules, committed there or not, is counted by files.
func TestFilesInSubmodulesAreCounted(t *testing.T) {
	dir, run := test.New(t, map[string]string{"poem.txt": poem})
	for _, in := range []string{"deep", "lib"} {
		write(t, "first\n", filepath.Dir(dir), in, in+".txt")
		run(filepath.Join(filepath.Dir(dir), in), "init", "-q")
		run(filepath.Join(filepath.Dir(dir), in), "add", ".")
		run(filepath.Join(filepath.Dir(dir), in), "commit", "-q", "-m", "first")
	}
	add := []string{"-c", "protocol.file.allow=always", "submodule", "--quiet", "add"}
	run(filepath.Join(filepath.Dir(dir), "lib"), append(add, filepath.Join(filepath.Dir(dir), "deep"), "deep")...)
	run(filepath.Join(filepath.Dir(dir), "lib"), "commit", "-q", "-m", "deep")
	run(dir, append(add, filepath.Join(filepath.Dir(dir), "lib"), "lib")...)
	run(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	run(dir, "commit", "-q", "-m", "submodule")
	c := begin(t, dir, compare.Options{Prompt: "sing", Entrants: parse(t, "alpha", "beta")})
	s := c.Sides[0]
	if err := s.Tree.FillSubmodules(t.Context()); err != nil {
		t.Fatal(err)
	}
	count := func(want int) {
		t.Helper()
		if got := changed(t, s).Tally().Files; got != want {
			t.Errorf("%d files, want %d", got, want)
		}
	}
	sub := filepath.Join(s.Tree.Path, "lib")
	count(0)
	write(t, "changed\n", sub, "lib.txt")
	write(t, "new\n", sub, "new.txt")
	count(2)
	write(t, "changed\n", sub, "deep", "deep.txt")
	write(t, "changed\n", s.Tree.Path, "poem.txt")
	count(4)
	run(filepath.Join(sub, "deep"), "commit", "-q", "-a", "-m", "second")
	run(sub, "add", ".")
	count(4)
	run(sub, "commit", "-q", "-m", "second")
	count(4)
	run(s.Tree.Path, "commit", "-q", "-a", "-m", "second")
	count(4)
	write(t, "first\n", sub, "lib.txt")
	count(3)
}

// What git stores under a filter is not what the agent began with. All files are counted, also those
// that are too many to be shown.
func TestKeepUnderAFilter(t *testing.T) {
	dir, run := test.New(t, map[string]string{".gitattributes": "*.dat filter=up\n"})
	run(dir, "config", "--global", "filter.up.clean", "tr a-z A-Z")
	run(dir, "config", "--global", "filter.up.smudge", "tr A-Z a-z")
	write(t, poem, dir, "poem.dat")
	run(dir, "add", ".")
	run(dir, "commit", "-qm", "poem")
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	s := c.Sides[0]
	write(t, poem+"eight\n", s.Tree.Path, "poem.dat")
	write(t, strings.Replace(poem, "one", "mine", 1), dir, "poem.dat")
	of := changed(t, s)
	if of.Added != 1 || of.Removed != 0 {
		t.Errorf("alpha has changed %+v", of)
	}
	_, err := c.Keep(t.Context(), merging(t, c), s, of, of.All())
	if got := read(t, dir, "poem.dat"); err != nil || got != "mine"+poem[3:]+"eight\n" {
		t.Errorf("there is %q, %v", got, err)
	}
	for i := range 1100 {
		write(t, "1\n2\n", s.Tree.Path, strconv.Itoa(i))
	}
	if of := changed(t, s); of.Added != 2201 || of.Tally().Files != 1101 {
		t.Errorf("with many files: %+v", of.Tally())
	}
}

// A check runs where the side has worked, and says how it ended.
func TestCheck(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"verse/poem.txt": poem})
	dir = filepath.Join(dir, "verse")
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	l := &app.Launcher{Config: agents()}
	defer l.Close()
	for command, want := range map[string]compare.Checked{
		"test -f poem.txt && pwd": {Passed: true, Output: filepath.Join(c.Sides[0].Tree.Path, "verse")},
		"echo no; exit 3":         {Why: "exit code 3", Output: "no"},
		`printf 'a\033]0;b\007c'`: {Passed: true, Output: "ac"}, // fit to draw
	} {
		got, err := l.RunFor(t.Context(), c.Sides[0].Agent, c.Sides[0].Dir, command, 0)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", command, got, err, want)
		}
	}
}

// A check ends, whatever it does.
func TestCheckThatHangs(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": poem})
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	l := &app.Launcher{Config: agents()}
	defer l.Close()
	got, err := l.RunFor(t.Context(), c.Sides[0].Agent, c.Sides[0].Dir, "sleep 1000", 50*time.Millisecond)
	if err != nil || got.Passed || got.Why != "it ran longer than 50ms" {
		t.Errorf("%+v, %v", got, err)
	}
}

// contest follows a comparison, and does at once what it does in the background.
func contest(c *compare.Comparison) *compare.Contest {
	n := compare.NewContest(c)
	n.Background = func(do func(context.Context) func()) { do(context.Background())() }
	return n
}

// What a check writes is nobody's work, wherever it is counted, committed or dropped, and its outcome is known
// of what it has checked: also to a program that finds the comparison later.
func TestWhatACheckWrites(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, run := test.New(t, map[string]string{"poem.txt": poem, "kept.txt": "kept\n", "gone.txt": "gone\n"})
	begun := begin(t, dir, compare.Options{Prompt: "Sing", Check: "make", Entrants: parse(t, "alpha", "beta")})
	tree := begun.Sides[0].Tree
	write(t, "ONE\n", tree.Path, "poem.txt")
	c := contest(begun)
	c.Run = func(context.Context, int) (compare.Checked, error) {
		write(t, "ONE\nformatted\n", tree.Path, "poem.txt")
		write(t, "changed\n", tree.Path, "kept.txt")
		write(t, "100%\n", tree.Path, "coverage.out")
		return compare.Checked{Why: "exit code 2", Output: "no rhyme"}, os.Remove(filepath.Join(tree.Path, "gone.txt"))
	}
	gone := filepath.Join(config.StateDir(), "checks", "gone.json") // of a worktree that is gone
	if err := os.MkdirAll(filepath.Dir(gone), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, `{"path": "`+filepath.Join(dir, "gone")+`"}`, gone)
	c.RunCheck(0)
	if _, err := os.Stat(gone); err == nil {
		t.Error("the check of a worktree that is gone stays")
	}
	for _, after := range []string{"the check", "a restart"} {
		c.Read(0, nil)
		got := &c.States[0]
		if len(got.Changed.Files) != 1 || *got.Changed.Named("poem.txt").New != "ONE\n" || got.Changed.Added != 1 || got.Changed.Removed != 7 {
			t.Errorf("after %s the side has changed %+v", after, got.Changed)
		}
		if got.Checked == nil || got.Checked.Why != "exit code 2" || got.Checked.Output != "no rhyme" {
			t.Errorf("after %s the outcome is %+v", after, got.Checked)
		}
		if names := c.Wrote(0); !reflect.DeepEqual(names, []string{"poem.txt"}) {
			t.Errorf("after %s it has changed %q, too", after, names)
		}
		found, err := compare.Find(t.Context(), agents(), dir)
		if err != nil || len(found) != 1 {
			t.Fatal(len(found), err)
		}
		c = contest(found[0])
	}
	earlier := *begun // its worktree had the same name
	earlier.Began = earlier.Began.Add(-time.Hour)
	if names := contest(&earlier).Wrote(0); len(names) > 0 {
		t.Errorf("a check of another worktree has changed %q", names)
	}
	if err := tree.Commit(t.Context(), "Sing"); err != nil {
		t.Fatal(err)
	}
	if names := run(tree.Path, "show", "--name-only", "--format="); names != "poem.txt" {
		t.Errorf("committed are %q", names)
	}
	// What is changed later is work, and was not checked.
	write(t, "by hand\n", tree.Path, "coverage.out")
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(tree.Path, "coverage.out"), later, later); err != nil {
		t.Fatal(err)
	}
	if c.Read(0, nil); c.States[0].Changed.Named("coverage.out") == nil || c.States[0].Checked != nil {
		t.Errorf("it has changed %+v, the outcome is %+v", c.States[0].Changed.Files, c.States[0].Checked)
	}
	// Whose a change is cannot be told if the side works during the check.
	c.Run = func(context.Context, int) (compare.Checked, error) {
		c.Works(0)
		write(t, "again\n", tree.Path, "coverage.out")
		return compare.Checked{Passed: true}, nil
	}
	if _, err := c.Test(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if c.Read(0, nil); *c.States[0].Changed.Named("coverage.out").New != "again\n" || c.States[0].Checked != nil {
		t.Errorf("it has changed %+v, the outcome is %+v", c.States[0].Changed.Files, c.States[0].Checked)
	}
}

// A check that was found with a worktree, where anybody may have noted it, runs only once the user has
// seen it. One that is stopped does not begin again, although its side has worked since.
func TestWhichChecksRun(t *testing.T) {
	t.Parallel()
	var work []func(context.Context) func()
	ran := 0
	c := compare.NewContest(&compare.Comparison{Check: "make", Found: true, Sides: []*compare.Side{{Tree: &git.Worktree{}}}})
	c.Background = func(do func(context.Context) func()) { work = append(work, do) }
	c.Run = func(context.Context, int) (compare.Checked, error) { ran++; return compare.Checked{}, nil }
	if c.RunCheck(0); len(work) > 0 || c.Checking(0) {
		t.Fatal("it runs unseen")
	}
	c.Trusted = true
	c.RunCheck(0)
	c.RunCheck(0)
	wait := c.StopCheck(0)
	work[0](t.Context())()
	if wait(); ran != 1 || len(work) != 1 || c.Checking(0) {
		t.Errorf("it ran %d times, %d began", ran, len(work))
	}
}

// What a write would ask about, or a rule denies, is not merged unasked, and is named.
func TestMergesUnaskedWhatAWriteWouldNotAsk(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": poem, "vendor/gone": "1\n"})
	c := begin(t, dir, compare.Options{Prompt: "Sing", Entrants: parse(t, "alpha", "beta")})
	side := c.Sides[0]
	for _, name := range []string{"poem.txt", ".envrc", ".vscode/tasks.json", "vendor/a.go"} {
		write(t, "new\n", side.Tree.Path, name)
	}
	if err := errors.Join(os.Remove(filepath.Join(side.Tree.Path, "vendor/gone")), os.Symlink("../outside", filepath.Join(side.Tree.Path, "out")),
		os.Symlink("poem.txt", filepath.Join(side.Tree.Path, "in"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	l := &app.Launcher{Config: &config.Config{}}
	for _, line := range []string{"deny edit(vendor)", "deny delete(vendor)"} {
		r, err := policy.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		l.Rules = append(l.Rules, r)
	}
	writes, err := c.Journal(l).Writes(side.Agent)
	if err != nil {
		t.Fatal(err)
	}
	all := changed(t, side)
	judged, err := c.Judge(t.Context(), writes, all, all.All())
	taken := judged.Free
	if err != nil || len(all.Files) != 7 || len(taken) != 2 || !taken.Has("poem.txt", 0) || !taken.Has("in", 0) {
		t.Fatalf("of %d files it takes %v: %v", len(all.Files), taken, err)
	}
	if len(judged.Asked) != 3 || len(judged.Denied) != 2 {
		t.Errorf("it judges %+v", judged)
	}
	said := strings.Join(append(judged.Why, judged.Denied...), "\n")
	for _, want := range []string{".envrc (it may hold secrets)", ".vscode/tasks.json (it may run commands)", "out (it is a link", "vendor/a.go (denied by deny edit(vendor)", "vendor/gone (denied by deny"} {
		if !strings.Contains(said, want) {
			t.Errorf("left out are\n%s\nwant %s", said, want)
		}
	}
}
