package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// newRepository is a project in a git work tree with a commit of some files.
func newRepository(t testing.TB) *project {
	t.Helper()
	test.Apart(t)
	p := newProject(t)
	p.git("init", "-q")
	p.write(".gitignore", "ignored/\n")
	p.write("clean", "clean\n")
	p.write("gone", "gone\n")
	p.write("dirty", "committed\n")
	p.write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(p.path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.git("add", ".")
	p.git("commit", "-qm", "first")
	p.write("dirty", "the user's\n")
	p.write("mine", "untracked\n")
	return p
}

func TestWhatIsSeenToChange(t *testing.T) {
	p := newRepository(t)
	p.turn("", func() {
		p.write("clean", "changed\n")
		p.write("dirty", "the agent's\n")
		p.write("sub/new", "new\n")
		p.write("ignored/log", "log\n")
		p.write("mine", "changed\n")
		p.write("run.sh", "#!/bin/bash\n")
		if err := os.Remove(p.path("gone")); err != nil {
			t.Fatal(err)
		}
	})
	if got := p.names(0); got != "dirty seen, mine seen, clean seen, gone seen, run.sh seen, sub/new seen" {
		t.Errorf("files: %s", got)
	}
	p.before("dirty", 0, "the user's\n")
	p.before("clean", 0, "clean\n")
	p.before("sub/new", 0, "-")
	if err := os.Remove(p.path("run.sh")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.RevertFile(t.Context(), Part{p.path("run.sh"), true}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("an undo of a file that is gone since: %v", err)
	}
	p.write("run.sh", "#!/bin/bash\n")
	p.undoSeen("dirty", "mine", "clean", "gone", "run.sh", "sub/new")
	p.holds("clean", "clean\n")
	p.holds("dirty", "the user's\n")
	p.holds("gone", "gone\n")
	p.holds("sub/new", "-")
	p.holds("mine", "untracked\n")
}

// Files that git does not track are no changes, however many there are, and not read without need.
func TestManyUntrackedFiles(t *testing.T) {
	p := newRepository(t)
	for i := range maxSeen + 1 {
		p.write(fmt.Sprint("untracked/", i), fmt.Sprintln(i))
	}
	p.turn("", func() { p.write("clean", "changed\n"); p.write("untracked/0", "changed\n") })
	if got := p.names(0); got != "untracked/0 seen, clean seen" {
		t.Errorf("files: %s", got)
	}
	if limits := p.Summary().Limits; strings.Contains(limits, "too many files changed") {
		t.Errorf("it says %q", limits)
	}
	p.before("untracked/0", 0, "0\n")
	if kept, err := filepath.Glob(filepath.Join(p.state, "*", "images", "*", "*")); err != nil || len(kept) > maxCopies+10 {
		t.Errorf("%d contents are kept, %v", len(kept), err)
	}
}

// A symbolic link is seen, shown and put back as a link, and so is every change of type.
func TestLinksAndChangesOfType(t *testing.T) {
	p := newRepository(t)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"retargeted", "unlinked", "gone link", "unlinked too"} {
		do(os.Symlink("clean", p.path(name)))
	}
	p.write("dir/file", "file\n")
	p.write("linked dir/file", "file\n")
	p.git("add", "retargeted", "unlinked", "gone link", "dir", "linked dir")
	p.git("commit", "-qm", "links")
	p.git("add", "unlinked too")
	was := p.tree()
	p.turn("", func() {
		for _, name := range []string{"clean", "dirty", "retargeted", "gone", "dir", "linked dir", "unlinked", "unlinked too", "gone link"} {
			do(os.RemoveAll(p.path(name)))
		}
		for _, name := range []string{"clean", "dirty", "retargeted", "new", "new\nline", "linked dir"} {
			do(os.Symlink("/etc/hostname", p.path(name)))
		}
		p.write("gone/file", "another file\n")
		p.write("dir", "no directory\n")
		p.write("unlinked", "a file\n")
		p.write("unlinked too", "a file\n")
	})
	now := p.tree()
	if got := p.names(0); got != "dirty seen, unlinked too seen, clean seen, dir seen, dir/file seen, gone seen, gone link seen, gone/file seen, linked dir seen, linked dir/file seen, new seen, new\nline seen, retargeted seen, unlinked seen" {
		t.Errorf("files: %q", got)
	}
	if c := p.compared(Part{p.path("clean"), true}, 0); !c.Now.IsLink() || c.Now.Content != "/etc/hostname" || c.Before.Content != "clean\n" || c.Before.IsLink() || len(c.Hunks) > 0 {
		t.Errorf("clean is compared as %+v", c)
	}
	for _, name := range []string{"gone", "linked dir/file", "dir/file"} {
		if c := p.compared(Part{p.path(name), true}, 0); !c.Now.Absent || c.Removed != 1 {
			t.Errorf("%s is compared as %+v", name, c)
		}
	}
	for range 2 { // what is behind something else comes back after that
		plan, _ := p.plan(1)
		var all []Part
		for _, f := range plan.Files {
			if f.Effect == EffectSeen {
				all = append(all, f.Part)
			}
		}
		p.must(p.Rewind(t.Context(), plan, all...))
	}
	for _, name := range []string{"retargeted", "unlinked", "gone link"} {
		if c := p.compared(Part{p.path(name), true}, 0); !c.Same() {
			t.Errorf("%s was put back, and is compared as %+v", name, c)
		}
	}
	if got := p.tree(); !maps.Equal(got, was) {
		t.Errorf("after the rewinds: %q, want %q", got, was)
	}
	p.must(p.Redo(t.Context()))
	p.must(p.Redo(t.Context()))
	if got := p.tree(); !maps.Equal(got, now) {
		t.Errorf("after the redos: %q, want %q", got, now)
	}

	p = newRepository(t)
	p.turn("", func() {
		do(os.Remove(p.path("clean")))
		if err := exec.CommandContext(t.Context(), "mkfifo", p.path("clean")).Run(); err != nil {
			t.Skip(err)
		}
	})
	if _, said := p.plan(1); said != "clean seen blocked +0 -0" || !p.compared(Part{p.path("clean"), true}, 0).Now.Absent {
		t.Errorf("with a pipe in the place of a file: %s", said)
	}
	do(os.Remove(p.path("clean")))
	p.undoSeen("clean")
	p.holds("clean", "clean\n")
}

// tree returns what all files of the project contain, and the targets of the links.
func (p *project) tree() map[string]string {
	p.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return cmp.Or(err, filepath.SkipDir)
		}
		name, _ := filepath.Rel(p.dir, path)
		switch {
		case d.Type()&os.ModeSymlink != 0:
			tree[name], err = os.Readlink(path)
			tree[name] = "-> " + tree[name]
		case !d.IsDir():
			var content []byte
			content, err = os.ReadFile(path)
			tree[name] = string(content)
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return tree
}

// A file that was moved, and changed a little, is one file, and goes back as one.
func TestMoves(t *testing.T) {
	for _, how := range []string{"git", "shell", "agent"} {
		t.Run(how, func(t *testing.T) {
			p := newRepository(t)
			all := strings.Repeat("a line\n", 30)
			for _, name := range []string{"old", "gone too"} {
				p.write(name, all[:len(all)/2]+name+all[len(all)/2:])
			}
			p.git("add", "old", "gone too")
			p.git("commit", "-qm", "files")
			was := p.tree()
			p.turn("", func() {
				text := all[:len(all)/2] + "old" + all[len(all)/2:] + "one more\n"
				switch how {
				case "git":
					p.git("mv", "old", "sub")
					p.write("sub", text)
				case "shell":
					if err := os.Remove(p.path("old")); err != nil {
						t.Fatal(err)
					}
					p.write("sub", text)
				case "agent":
					kind, pending, done := acpclient.ToolMove, acpclient.ToolPending, acpclient.ToolCompleted
					call := acpclient.ToolCallUpdate{ToolCallID: "1", Kind: &kind, Status: &pending, Locations: []acpclient.ToolCallLocation{{Path: p.path("old")}, {Path: p.path("sub")}}}
					p.Watch(conversation.Update{Update: &call})
					p.wait()
					p.git("mv", "old", "sub")
					p.write("sub", text)
					p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "1", Status: &done}})
				}
				p.write("other", "another text\n")
				p.write("gone", "") // is no move of nothing
				p.write("empty", "")
			})
			files := p.Files(0)
			i := slices.IndexFunc(files, func(f File) bool { return f.Path == p.path("sub") })
			if got := p.names(0); i < 0 || strings.Contains(got, "old") || strings.Contains(got, "too") {
				t.Fatalf("files: %s", got)
			}
			c := p.compared(files[i].Part, 0)
			if c.From != p.path("old") || c.Added != 1 || c.Removed != 0 {
				t.Errorf("from %s, +%d −%d", c.From, c.Added, c.Removed)
			}
			if how == "agent" {
				p.counts(Tally{1, 1, 0})
			}
			now := p.tree()
			done := p.must(p.RevertFile(t.Context(), c.Part, 0))
			if p.holds("sub", "-"); len(done.Files) != 2 {
				t.Errorf("undone: %v", done.Files)
			}
			p.holds("old", was["old"])
			p.Watch(conversation.SessionOpened{ID: "s"})
			p.wait()
			p.again("s")
			p.must(p.Redo(t.Context()))
			if got := p.tree(); !maps.Equal(got, now) {
				t.Errorf("after the redo: %q", got)
			}
			if c := p.compared(c.Part, 0); c.From != p.path("old") {
				t.Errorf("after the redo it is from %q", c.From)
			}
			p.KeepFile(c.Part)
			if _, err := p.RevertFile(t.Context(), Part{p.path("old"), c.Seen}, 0); !errors.Is(err, ErrNothing) {
				t.Errorf("a file that is kept moved is undone: %v", err)
			}
		})
	}
}

func TestWhatTheAgentHasCommitted(t *testing.T) {
	p := newRepository(t)
	p.turn("", func() {
		p.write("clean", "changed\n")
		p.write("new", "new\n")
		p.git("add", "clean", "new")
		p.git("commit", "-qm", "the agent's")
	})
	if got := p.names(0); got != "clean seen, new seen" {
		t.Errorf("files: %s", got)
	}
	p.undoSeen("clean", "new")
	p.holds("clean", "clean\n")
	p.holds("new", "-")
}

// The same change is told of and seen, or written through parley and told of: it is
// recorded once.
func TestAChangeIsRecordedOnce(t *testing.T) {
	p := newRepository(t)
	p.turn("", func() {
		p.write("clean", "changed\n")
		p.tell("1", acpclient.ToolCompleted, acpclient.DiffContent(p.path("clean"), str("clean\n"), "changed\n"))
		p.serve("gone", "written\n")
		p.tell("2", acpclient.ToolCompleted, acpclient.DiffContent(p.path("gone"), str("gone\n"), "written\n"))
	})
	p.mu.Lock()
	n := len(p.history.changes)
	p.mu.Unlock()
	if n != 2 {
		t.Errorf("%d changes are recorded, want 2", n)
	}
}

func TestWhatTheUserDoesBetweenTurnsIsNotTheAgents(t *testing.T) {
	p := newRepository(t)
	p.turn("", func() { p.write("clean", "agent\n"); p.write("new", "agent\n") })
	p.write("clean", "agent\nuser\n")
	p.write("new", "agent\nuser\n")
	p.turn("", func() { p.write("new", "agent\nuser\nagent\n") })
	if got := p.names(2); got != "new seen" {
		t.Errorf("in the second turn: %s", got)
	}
	p.before("new", 2, "agent\nuser\n")
	p.must(p.RevertFile(t.Context(), Part{p.path("new"), true}, 2))
	p.holds("new", "agent\nuser\n")
}

func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	p := newRepository(t)
	ran := p.path("ignored/ran")
	p.write("ignored/x", "")
	p.git("config", "filter.evil.clean", "touch "+ran)
	p.git("config", "filter.evil.smudge", "touch "+ran)
	p.git("config", "filter.evil.process", "touch "+ran)
	p.git("config", "filter.evil.required", "true")
	p.git("config", "diff.evil.textconv", "touch "+ran)
	p.git("config", "core.fsmonitor", "touch "+ran)
	p.write(".gitattributes", "* filter=evil diff=evil\n")
	p.turn("", func() { p.write("clean", "CLEAN\n") }) // of the same size
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository was run")
	}
	p.before("clean", 0, "clean\n")
}

// What a file was is what lay in the work tree. Git stores another form of it, or was told
// not to look at it.
func TestWhatGitStoresIsNotWhatAFileWas(t *testing.T) {
	large := strings.Repeat("line\n", maxCopy/5+1)
	for name, c := range map[string]struct {
		setup      func(p *project)
		attributes string
		was        string
		lost       bool
	}{
		"filter":                {attributes: "filter=up", was: "line\nanother\n"},
		"filter, large":         {attributes: "filter=up", was: large, lost: true},
		"crlf":                  {attributes: "eol=crlf", was: "one\r\ntwo\r\n"},
		"crlf, large":           {attributes: "eol=crlf", was: strings.ReplaceAll(large, "\n", "\r\n")},
		"crlf in some lines":    {attributes: "text", was: "one\r\ntwo\n", lost: true},
		"crlf that git removes": {attributes: "text", was: "one\r\ntwo\r\n"},
		"autocrlf":              {setup: func(p *project) { p.git("config", "core.autocrlf", "true") }, was: "one\r\ntwo\r\n"},
		"ident":                 {attributes: "ident", was: "$Id: as it was $\n"},
		"encoding":              {attributes: "working-tree-encoding=UTF-16", was: "\xfe\xff\x00a\x00\n"},
		"changed without git": {
			setup: func(p *project) {
				p.write("f", "one\r\n")
			},
			attributes: "text", was: "one\n",
		},
		"not in the repository": {
			setup: func(p *project) {
				if err := os.Remove(p.path(".git/objects/56/26abf0f72e58d7a153368ba57db4c673c0e171")); err != nil {
					t.Fatal(err)
				}
			},
			was: "one\n", lost: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRepository(t)
			p.git("config", "filter.up.clean", "tr a-z A-Z")
			p.git("config", "filter.up.smudge", "tr A-Z a-z")
			p.write(".gitattributes", "f "+c.attributes+"\n")
			p.write("f", c.was)
			old := time.Now().Add(-time.Hour) // else git compares contents, without filters
			if err := os.Chtimes(p.path("f"), old, old); err != nil {
				t.Fatal(err)
			}
			p.git("add", ".")
			p.git("commit", "-qm", "f")
			if c.setup != nil {
				c.setup(p)
			}
			p.git("status")
			was, err := os.ReadFile(p.path("f"))
			p.turn("", func() {
				p.write(".gitattributes", "")
				p.write("f", string(was)+"agent\n")
			})
			if lost := p.compared(Part{p.path("f"), true}, 0).Before.Lost; lost != c.lost || err != nil {
				t.Fatalf("the previous content is lost: %v, want %v (%v)", lost, c.lost, err)
			}
			_, err = p.RevertFile(t.Context(), Part{p.path("f"), true}, 0)
			want := string(was)
			if c.lost {
				want += "agent\n"
			}
			if now, _ := os.ReadFile(p.path("f")); string(now) != want {
				t.Errorf("%d bytes after the undo, want %d (%v)", len(now), len(want), err)
			}
		})
	}
	p := newRepository(t)
	p.git("update-index", "--assume-unchanged", "clean")
	p.write("clean", "the user's\nagent\n")
	p.turn("", func() {
		p.tell("1", acpclient.ToolCompleted, acpclient.DiffContent(p.path("clean"), str("the user's\n"), "the user's\nagent\n"))
	})
	if got := p.names(0); got != "" { // it had the agent's line before the turn
		t.Errorf("files: %s", got)
	}
}

// What git is told in a turn to overlook is not overlooked, and a repository that is gone is said.
func TestChangesThatGitOverlooks(t *testing.T) {
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		p := newRepository(t)
		p.turn("", func() {
			p.git("update-index", flag, "clean", "run.sh")
			p.write("clean", "changed\n")
			if err := os.Remove(p.path("run.sh")); err != nil {
				t.Fatal(err)
			}
		})
		want := "clean seen"
		if flag == "--assume-unchanged" {
			want += ", run.sh seen" // a file that git need not check out may be missing
		}
		if got := p.names(0); got != want {
			t.Errorf("%s: %s", flag, got)
		}
	}
	p := newRepository(t)
	p.turn("", func() {
		if err := os.Rename(p.path(".git"), p.path(".git2")); err != nil {
			t.Fatal(err)
		}
	})
	if limits := p.Summary().Limits; !strings.Contains(limits, "in no git repository any more") {
		t.Errorf("it says %q", limits)
	}
}

// Of files that git stores in another form, parley says which it cannot copy.
func TestManyFilesUnderAFilter(t *testing.T) {
	p := newRepository(t)
	p.git("config", "filter.up.clean", "tr a-z A-Z")
	p.write(".gitattributes", "*.dat filter=up\n")
	old := time.Now().Add(-time.Hour)
	for i := range maxCopies + 1 {
		name := fmt.Sprintf("%03d.dat", i)
		p.write(name, "line\n")
		if err := os.Chtimes(p.path(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	p.git("add", ".gitattributes", "000.dat", "500.dat")
	p.git("-c", "filter.up.clean=", "add", ".")
	p.git("commit", "-qm", "data")
	p.turn("", func() { p.write("500.dat", "line\nagent\n") })
	if !p.compared(Part{p.path("500.dat"), true}, 0).Before.Lost || !strings.Contains(p.Summary().Limits, "git stores many files in another form") {
		t.Errorf("it says %q", p.Summary().Limits)
	}
}

// What parley saw itself is recorded where git fails, and why git fails is said.
func TestAGitThatFailsIsNotAGitThatFoundNothing(t *testing.T) {
	for name, c := range map[string]struct {
		before, during func(p *project)
		want, says     string
	}{
		"another user's repository": {
			before: func(p *project) { p.TB.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") },
			want:   "written, edited, earlier seen",
			says:   "work belongs to another user; 'git config --global --add safe.directory",
		},
		"a damaged index": {
			before: func(p *project) { p.write(".git/index", "damaged") },
			want:   "written, edited, earlier seen",
			says:   "recorded: index file",
		},
		"no HEAD": {
			before: func(p *project) {
				if err := os.Remove(p.path(".git/HEAD")); err != nil {
					t.Fatal(err)
				}
			},
			want: "written, edited, earlier seen",
			says: "not a git repository",
		},
		"a configuration that is damaged in the turn": {
			during: func(p *project) { p.write(".git/config", "[") },
			want:   "written, edited, earlier seen, dirty seen",
			says:   "bad config line",
		},
		"commits that are gone": {
			during: func(p *project) {
				p.git("commit", "-qam", "second")
				objects, _ := filepath.Glob(p.path(".git/objects/*/*"))
				for _, path := range objects {
					_ = os.Remove(path)
				}
			},
			want: "written, edited, earlier seen, dirty seen",
			says: "git cannot tell what has changed",
		},
		"a first commit": {
			before: func(p *project) {
				if err := os.RemoveAll(p.path(".git")); err != nil {
					t.Fatal(err)
				}
				p.git("init", "-q")
			},
			during: func(p *project) {
				p.git("add", "clean", "new")
				p.git("commit", "-qm", "first")
			},
			want: "written, edited, earlier seen, clean seen, dirty seen, new seen",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRepository(t)
			p.turn("", func() { p.serve("ignored/earlier", "1\n") })
			if c.before != nil {
				c.before(p)
			}
			p.turn("", func() {
				p.serve("written", "1\n")
				p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("edited"), nil, "1\n"))
				p.write("edited", "1\n")
				p.tell("1", acpclient.ToolCompleted)
				for _, name := range []string{"clean", "dirty", "new", "ignored/earlier"} {
					p.write(name, "agent\n")
				}
				if c.during != nil {
					c.during(p)
				}
			})
			if got := strings.ReplaceAll(p.names(2), "ignored/", ""); got != c.want {
				t.Errorf("files: %s", got)
			}
			if limits := p.Summary().Limits; (c.says == "") != (limits == "") || !strings.Contains(limits, c.says) {
				t.Errorf("it says %q", limits)
			} else if plan, _ := p.plan(2); plan.Limits != limits {
				t.Errorf("the rewind says %q", plan.Limits)
			}
		})
	}
}

func TestTheJournalGoesOn(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s1"})
	p.write("a", "1\n")
	p.turn("first", func() { p.serve("a", "2\n") })
	p.again("s1")
	if got := p.Summary().Turns; len(got) != 1 || got[0].Prompt != "first" {
		t.Errorf("turns: %v", got)
	}
	p.turn("second", func() { p.serve("a", "3\n") })
	if d := p.must(p.undo()); d.Turn != 2 {
		t.Errorf("turn %d was taken back", d.Turn)
	}
	p.must(p.undo())
	p.holds("a", "1\n")
	p.again("another")
	if got := p.names(0); got != "" {
		t.Errorf("another session's files: %s", got)
	}
}

func TestADamagedRecordCostsItself(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s1"})
	p.turn("", func() { p.serve("a", "1\n"); p.serve("b", "1\n") })
	path := p.Journal.dir + "/" + logName
	p.wait()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.again("s1")
	_ = p.Journal.Close(t.Context())
	if err := os.WriteFile(path, append(whole, `{"kind":"change","id":9,"pa`...), 0o600); err != nil {
		t.Fatal(err)
	}
	p.begin()
	if got := p.names(0); got != "a, b" {
		t.Errorf("files: %s", got)
	}
	p.turn("", func() { p.serve("c", "1\n") })
	p.again("s1")
	if got := p.names(0); got != "a, b, c" {
		t.Errorf("files after the damaged record: %s", got)
	}
}

// What parley writes for itself is nobody's change, also where it is in the project.
func TestParleysOwnFilesAreNoChanges(t *testing.T) {
	p := newRepository(t)
	_ = p.Journal.Close(t.Context())
	p.opt.Dir, p.opt.Ignore = p.path("state/journal"), p.path("state")
	p.begin()
	p.turn("", func() {
		p.serve("clean", "changed\n")
		p.write("state/history", "a prompt\n")
	})
	if got := p.names(0); got != "clean" {
		t.Errorf("files: %s", got)
	}
}

// That git does not list a file says nothing of one that git never lists, also if the agent
// makes git list it: then there is only the agent's word. What lay there when the turn began was
// not created in it.
func TestWhatGitNeverListsIsNotSeen(t *testing.T) {
	p := newRepository(t)
	p.write("nested/user", "x\n")
	p.write("former/user", "x\n")
	for _, dir := range []string{"nested", "former"} {
		p.git("-C", p.path(dir), "init", "-q")
		p.git("-C", p.path(dir), "add", ".")
		p.git("-C", p.path(dir), "commit", "-qm", "first")
	}
	p.write(".git/hooks/pre-commit", "x\n")
	p.write("ignored/user", "x\n")
	p.write("mine", "x\n")
	p.turn("", func() {
		p.write(".gitignore", "")
		if err := os.RemoveAll(p.path("former/.git")); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"nested/user", ".git/hooks/pre-commit", ".GIT/config", "former/user", "ignored/user", "mine"} {
			p.tell(fmt.Sprint(i), acpclient.ToolCompleted, acpclient.DiffContent(p.path(name), nil, "x\n"))
		}
		p.tell("new", acpclient.ToolPending, acpclient.DiffContent(p.path("new"), nil, "n\n"))
		p.write("new", "n\n")
		p.tell("new", acpclient.ToolCompleted, acpclient.DiffContent(p.path("new"), nil, "n\n"))
	})
	if got := p.names(0); got != "nested/user, .git/hooks/pre-commit, .GIT/config, former/user, ignored/user, new, .gitignore seen" {
		t.Errorf("files: %s", got)
	}
	for _, undo := range []func(){func() { p.must(p.undo()) }, func() {
		p.must(p.Redo(t.Context()))
		plan, _ := p.plan(1)
		p.must(p.Rewind(t.Context(), plan))
	}} {
		undo()
		for _, name := range []string{"nested/user", ".git/hooks/pre-commit", "former/user", "ignored/user", "mine"} {
			p.holds(name, "x\n")
		}
		p.holds("new", "-")
	}
}

// Whatever a shell does in a turn, the files that are put back become what lay in the work tree before
// it, byte for byte, and of the others parley says that it cannot.
func TestPutBackAfterAnyShell(t *testing.T) {
	test.Apart(t)
	p := newProject(t)
	names := []string{"a.dat", "b.id", "c.crlf", "d.text", "plain", "dir/in", "link", "untracked", "new", "new/in"}
	rapid.Check(t, func(rt *rapid.T) {
		p.anew()
		p.git("init", "-q")
		p.git("config", "filter.up.clean", "tr a-z A-Z")
		p.git("config", "filter.up.smudge", "tr A-Z a-z")
		p.write(".gitattributes", "*.dat filter=up\n*.id ident\n*.crlf eol=crlf\n*.text text\n")
		texts := rapid.SampledFrom([]string{"one\n", "one\r\ntwo\r\n", "$Id: x $\none\n", "one\ntwo\nthree\nfour\n", "ONE\n", ""})
		draw := func(what string) string { return p.path(rapid.SampledFrom(names).Draw(rt, what)) }
		old := time.Now().Add(-time.Hour) // else git compares contents
		for _, name := range names[:6] {
			p.write(name, texts.Draw(rt, name))
			_ = os.Chtimes(p.path(name), old, old)
		}
		_ = os.Symlink("plain", p.path("link"))
		p.git("add", ".")
		p.git("commit", "-qm", "first")
		p.write("untracked", "untracked\n")
		if rapid.Bool().Draw(rt, "changed before") {
			p.write(rapid.SampledFrom(names[:6]).Draw(rt, "changed"), texts.Draw(rt, "to"))
		}
		p.git("status")
		was := p.tree()
		p.turn("", func() {
			for range rapid.IntRange(1, 6).Draw(rt, "steps") {
				path, text := draw("file"), texts.Draw(rt, "text")
				switch rapid.SampledFrom([]string{"write", "write", "link", "remove", "move", "folder", "attributes", "commit"}).Draw(rt, "step") {
				case "write":
					if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
						_ = os.Remove(path)
						_ = os.WriteFile(path, []byte(text), 0o644)
					}
				case "link":
					_ = os.RemoveAll(path)
					_ = os.Symlink("/etc/hostname", path)
				case "remove":
					_ = os.RemoveAll(path)
				case "move":
					_ = os.Rename(path, draw("to"))
				case "folder":
					_ = os.RemoveAll(path)
					_ = os.MkdirAll(filepath.Join(path, "in"), 0o755)
					_ = os.WriteFile(filepath.Join(path, "in/file"), []byte(text), 0o644)
				case "attributes":
					_ = os.WriteFile(p.path(".gitattributes"), nil, 0o644)
				case "commit":
					p.git("-c", "filter.up.clean=cat", "add", "-A")
					p.git("-c", "filter.up.clean=cat", "commit", "-qm", "more", "--allow-empty")
				}
			}
		})
		now := p.tree()
		unknown := map[string]bool{"untracked": true} // its content was not seen
		for range 4 {                                 // what is behind something else comes back after that
			plan, err := p.PlanRewind(context.Background(), 1)
			if err != nil {
				rt.Fatal(err)
			}
			var all []Part
			for _, f := range plan.Files {
				name, _ := filepath.Rel(p.dir, f.Path)
				switch f.Effect {
				case EffectSeen:
					all = append(all, f.Part)
				case EffectLost:
					unknown[name] = true
				}
			}
			if _, err := p.Rewind(context.Background(), plan, all...); err != nil && !errors.Is(err, ErrNothing) {
				rt.Fatal(err)
			}
		}
		got := p.tree()
		for _, name := range slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(got))) {
			content, is := got[name]
			if before, had := was[name]; !unknown[name] && (content != before || is != had) {
				rt.Errorf("%s is %q, was %q, and %q after the turn", name, content, was[name], now[name])
			}
		}
	})
}
