package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
)

// project is a directory that a session works in, with its journal.
type project struct {
	testing.TB
	dir, state string
	opt        Options
	fs         *fs.FS
	*Journal

	asked  []string // by the gate
	refuse error
}

func newProject(t testing.TB) *project {
	t.Helper()
	top := memoryDir(t)
	p := &project{TB: t, dir: filepath.Join(top, "work"), state: filepath.Join(top, "state")}
	if err := errors.Join(os.Mkdir(p.dir, 0o700), os.Mkdir(p.state, 0o700)); err != nil {
		t.Fatal(err)
	}
	p.opt = Options{Dir: p.state, Cwd: p.dir, Roots: []string{p.dir}}
	p.begin()
	t.Cleanup(func() { _ = p.Journal.Close(context.Background()) })
	return p
}

// memoryDir returns a temporary directory that is in memory where that is possible: on a
// disk, most of the time would go into syncing.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "parley-journal-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// begin opens the journal.
func (p *project) begin() {
	p.Helper()
	var err error
	if p.Journal, err = Open(p.opt); err != nil {
		p.Fatal(err)
	}
	if p.fs, err = fs.New(p.dir); err != nil {
		p.Fatal(err)
	}
	p.Serve(p.fs, p)
}

// Free reports whether nobody is asked about a file: only about those outside the project
// and in its "secret" directory.
func (p *project) Free(path string) bool { return p.inside(path) && !below(p.path("secret"), path) }

// Ask implements [Gate]. It notes what it was asked, and answers p.refuse.
func (p *project) Ask(_ context.Context, act, path string, before, after *fs.Snapshot) error {
	if p.Free(path) {
		return nil
	}
	p.asked = append(p.asked, fmt.Sprintf("%s %s", act, path))
	return p.refuse
}

// again closes the journal and opens it for the session.
func (p *project) again(session string) {
	p.Helper()
	if err := p.Journal.Close(context.Background()); err != nil {
		p.Fatal(err)
	}
	p.opt.Session = session
	p.begin()
}

// anew begins with no files and no journal.
func (p *project) anew() {
	p.Helper()
	_ = p.Journal.Close(context.Background())
	p.clear()
	p.opt.Session = ""
	p.begin()
}

// clear removes the files and all journals.
func (p *project) clear() {
	p.Helper()
	for _, root := range []string{p.dir, p.state} {
		entries, err := os.ReadDir(root)
		for _, e := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(root, e.Name())))
		}
		if err != nil {
			p.Fatal(err)
		}
	}
}

func (p *project) path(name string) string { return filepath.Join(p.dir, name) }

// write writes a file behind the journal's back, as an agent or the user does.
func (p *project) write(name, content string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(content), 0o644); err != nil {
		p.Fatal(err)
	}
}

// serve writes a file as the agent asks parley to.
func (p *project) serve(name, content string) {
	p.Helper()
	if err := writeText(p.fs, p.path(name), content); err != nil {
		p.Fatal(err)
	}
}

// holds checks what a file holds; "-" is that there is none.
func (p *project) holds(name, want string) {
	p.Helper()
	content, err := os.ReadFile(p.path(name))
	got := string(content)
	if errors.Is(err, os.ErrNotExist) {
		got, err = "-", nil
	}
	if err != nil || got != want {
		p.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

// turn runs a turn.
func (p *project) turn(prompt string, do func()) {
	p.Helper()
	p.Watch(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(prompt)}, At: time.Now()})
	p.wait()
	do()
	p.Watch(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	p.wait()
}

func (p *project) wait() {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		p.Fatal(err)
	}
}

// tell is what the agent tells of a tool call.
func (p *project) tell(id string, status acpclient.ToolCallStatus, content ...acpclient.ToolCallContent) {
	kind := acpclient.ToolEdit
	p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{
		ToolCallID: acpclient.ToolCallID(id), Kind: &kind, Status: &status, Content: content,
	}})
	p.wait()
}

func (p *project) part(name string) Part { return Part{Path: p.path(name)} }

func (p *project) compare(name string, since int) *Comparison {
	p.Helper()
	return p.compared(p.part(name), since)
}

func (p *project) compared(part Part, since int) *Comparison {
	p.Helper()
	c, err := p.Compare(context.Background(), part, since)
	if err != nil {
		p.Fatal(err)
	}
	return c
}

// undoSeen undoes what was only seen to change.
func (p *project) undoSeen(names ...string) {
	p.Helper()
	for _, name := range names {
		p.must(p.RevertFile(context.Background(), Part{p.path(name), true}, 0))
	}
}

// before checks what a file held before the turns from since on.
func (p *project) before(name string, since int, want string) {
	p.Helper()
	part := p.part(name)
	for _, f := range p.Files(since) {
		if f.Path == part.Path {
			part = f.Part // the only one, or the last one
		}
	}
	c := p.compared(part, since)
	got := c.Before.Content
	switch {
	case c.Before.Absent:
		got = "-"
	case c.Before.Lost:
		got = "lost"
	}
	if got != want {
		p.Errorf("%s held %q before turn %d, want %q", name, got, since, want)
	}
}

func (p *project) names(since int) string {
	var names []string
	for _, f := range p.Files(since) {
		rel, _ := filepath.Rel(p.dir, f.Path)
		if f.Seen {
			rel += " seen"
		}
		if f.Kept {
			rel += " kept"
		}
		names = append(names, rel)
	}
	return strings.Join(names, ", ")
}

func (p *project) undo() (Done, error) { return p.UndoTurn(context.Background()) }

func (p *project) must(d Done, err error) Done {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
	return d
}

func str(s string) *string { return &s }

func (p *project) git(args ...string) {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestWritesOfTwoTurns(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "one\ntwo\nthree\n")
	p.turn("first", func() {
		p.serve("a.txt", "ONE\ntwo\nthree\n")
		p.serve("new/b.txt", "b\n")
	})
	p.turn("second", func() { p.serve("a.txt", "ONE\ntwo\nTHREE\n") })

	if got := p.names(0); got != "a.txt, new/b.txt" {
		t.Errorf("in the session: %s", got)
	}
	if got := p.names(2); got != "a.txt" {
		t.Errorf("in the last turn: %s", got)
	}
	p.before("a.txt", 0, "one\ntwo\nthree\n")
	p.before("a.txt", 2, "ONE\ntwo\nthree\n")
	p.before("new/b.txt", 0, "-")
	if c := p.compare("a.txt", 0); c.Added != 2 || c.Removed != 2 || len(c.Hunks) != 2 {
		t.Errorf("+%d -%d in %d hunks", c.Added, c.Removed, len(c.Hunks))
	}

	if d := p.must(p.undo()); d.Turn != 2 {
		t.Errorf("turn %d was taken back", d.Turn)
	}
	p.holds("a.txt", "ONE\ntwo\nthree\n")
	if d := p.must(p.undo()); d.Turn != 1 || len(d.Files) != 2 {
		t.Errorf("turn %d, files %q were undone", d.Turn, d.Files)
	}
	p.holds("a.txt", "one\ntwo\nthree\n")
	p.holds("new/b.txt", "-")
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("a third undo: %v", err)
	}
	p.must(p.Redo(context.Background()))
	p.holds("new/b.txt", "b\n")
	p.must(p.Redo(context.Background()))
	p.holds("a.txt", "ONE\ntwo\nTHREE\n")
	if _, err := p.Redo(context.Background()); !errors.Is(err, ErrNothing) {
		t.Errorf("a third redo: %v", err)
	}
	p.must(p.undo()) // what was done again can be taken back again
	p.holds("a.txt", "ONE\ntwo\nthree\n")
}

func TestWhatTheUserWroteStays(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "1\n2\n3\n4\n5\n")
	p.turn("", func() { p.serve("a.txt", "1\nagent\n3\n4\n5\n") })
	p.write("a.txt", "1\nagent\n3\n4\nuser\n")
	p.must(p.RevertFile(context.Background(), p.part("a.txt"), 0))
	p.holds("a.txt", "1\n2\n3\n4\nuser\n")
	p.must(p.Redo(context.Background()))
	p.holds("a.txt", "1\nagent\n3\n4\nuser\n")

	p.write("a.txt", "1\nboth\n3\n4\nuser\n")
	p.write("b.txt", "")
	p.turn("", func() { p.serve("c.txt", "c\n"); p.serve("a.txt", "1\nboth\nx\n4\nuser\n") })
	p.write("a.txt", "1\nboth\ny\n4\nuser\n")
	_, err := p.undo()
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("an undo of what was changed since: %v", err)
	}
	p.holds("a.txt", "1\nboth\ny\n4\nuser\n")
	p.holds("c.txt", "c\n") // all or nothing
}

func TestHunks(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "1\n2\n3\n4\n5\n6\n7")
	p.turn("", func() { p.serve("a.txt", "one\n2\n3\nfour\n5\n6\nseven\n") })
	ctx := context.Background()
	c := p.compare("a.txt", 0)
	if len(c.Hunks) != 3 {
		t.Fatalf("hunks: %v", c.Hunks)
	}
	p.write("a.txt", "one\n2\n3\nfour\n5\nuser\nseven\n") // since it was compared
	p.must(p.RevertHunk(ctx, c, 1))
	p.holds("a.txt", "one\n2\n3\n4\n5\nuser\nseven\n")
	p.must(p.Redo(ctx))
	p.holds("a.txt", "one\n2\n3\nfour\n5\nuser\nseven\n")
	p.write("a.txt", "one\n2\n3\nfour!\n5\n6\nseven\n")
	if _, err := p.RevertHunk(ctx, c, 1); !errors.Is(err, ErrConflict) {
		t.Errorf("a hunk that was changed since: %v", err)
	}
	p.write("a.txt", "one\n2\n3\nfour\n5\n6\nseven\n")

	p.KeepHunk(p.compare("a.txt", 0), 0)
	c = p.compare("a.txt", 0)
	if len(c.Hunks) != 2 || c.Before.Content != "one\n2\n3\n4\n5\n6\n7" {
		t.Errorf("after a hunk was kept: %v of %q", c.Hunks, c.Before.Content)
	}
	p.must(p.RevertFile(ctx, p.part("a.txt"), 0))
	p.holds("a.txt", "one\n2\n3\n4\n5\n6\n7") // what was kept stays
	p.must(p.Redo(ctx))
	p.KeepFile(p.part("a.txt"))
	if got := p.names(0); got != "a.txt kept" {
		t.Errorf("files: %s", got)
	}
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("an undo of what was agreed to: %v", err)
	}
	p.OpenFile(p.part("a.txt"))
	p.must(p.undo())
	p.holds("a.txt", "1\n2\n3\n4\n5\n6\n7")
}

func TestHunkOfANewFileAndOfADeletedOne(t *testing.T) {
	p := newProject(t)
	p.write("old.sh", "#!/bin/sh\n")
	if err := os.Chmod(p.path("old.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	p.turn("", func() {
		p.serve("new.txt", "a\nb\n")
		p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("old.sh"), str("#!/bin/sh\n"), ""))
		if err := os.Remove(p.path("old.sh")); err != nil {
			t.Fatal(err)
		}
		p.tell("1", acpclient.ToolCompleted)
	})
	p.must(p.RevertHunk(context.Background(), p.compare("new.txt", 0), 0))
	p.holds("new.txt", "-")
	p.must(p.RevertHunk(context.Background(), p.compare("old.sh", 0), 0))
	p.holds("old.sh", "#!/bin/sh\n")
	if info, err := os.Stat(p.path("old.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

func TestWhatAgentsTellOf(t *testing.T) {
	done, pending := acpclient.ToolCompleted, acpclient.ToolPending
	for _, c := range []struct {
		name, before, after, want string
		tell                      func(p *project, edit func())
	}{
		{"before it is done", "a\nb\n", "a\nc\n", "a\nb\n", func(p *project, edit func()) {
			p.tell("1", pending, acpclient.DiffContent(p.path("f"), str("b"), "c"))
			edit()
			p.tell("1", done)
		}},
		{"afterwards, a part of the file", "a\nb\n", "a\nc\n", "a\nb\n", func(p *project, edit func()) {
			edit()
			p.tell("1", done, acpclient.DiffContent(p.path("f"), str("b\n"), "c\n"))
		}},
		{"afterwards, the whole file", "a\nb\n", "a\nc\n", "a\nb\n", func(p *project, edit func()) {
			edit()
			p.tell("1", done, acpclient.DiffContent("f", str("a\nb\n"), "a\nc\n")) // a relative path
		}},
		{"when it is under way, and done", "a\nb\n", "a\nc\n", "a\nb\n", func(p *project, edit func()) {
			edit()
			p.tell("1", acpclient.ToolInProgress, acpclient.DiffContent(p.path("f"), str("b"), "c"))
			p.tell("1", done)
		}},
		{"afterwards, a new file", "-", "new\n", "-", func(p *project, edit func()) {
			edit()
			p.tell("1", done, acpclient.DiffContent(p.path("f"), nil, "new\n"))
		}},
		{"two parts", "a\nb\nc\n", "A\nb\nC\n", "a\nb\nc\n", func(p *project, edit func()) {
			edit()
			p.tell("1", done, acpclient.DiffContent(p.path("f"), str("a\n"), "A\n"), acpclient.DiffContent(p.path("f"), str("c\n"), "C\n"))
		}},
		{"formatted since", "a\n\tb\n\nc\n", "a\n\tB\n\nc\n", "a\n\tb\n\nc\n", func(p *project, edit func()) {
			p.tell("1", pending, acpclient.DiffContent(p.path("f"), str("  b\n"), "  B\n"))
			edit()
			p.tell("1", done)
		}},
		{"everywhere", "a b\n-\nb c\n", "a B\n-\nB c\n", "a b\n-\nb c\n", func(p *project, edit func()) {
			p.tell("1", pending, acpclient.DiffContent(p.path("f"), str("b"), "B"))
			edit()
			p.tell("1", done)
		}},
		{"with other ends of lines", "a\r\nb\r\nc\r\n", "a\r\nc\r\n", "a\r\nb\r\nc\r\n", func(p *project, edit func()) {
			p.tell("1", pending, acpclient.DiffContent(p.path("f"), str("a\nb\nc\n"), "a\nc\n"))
			edit()
			p.tell("1", done)
		}},
		{"what cannot be true", "x\n", "y\n", "lost", func(p *project, edit func()) {
			edit()
			p.tell("1", done, acpclient.DiffContent(p.path("f"), str("b"), "c"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newRepository(t)
			if c.before != "-" {
				p.write("f", c.before)
			}
			if c.want == "lost" {
				p.write(".gitignore", "f\n")
			}
			p.turn("", func() { c.tell(p, func() { p.write("f", c.after) }) })
			if got := p.names(0); got != "f" {
				t.Fatalf("files: %q", got)
			}
			p.before("f", 0, c.want)
			_, err := p.undo()
			if c.want == "lost" {
				if !errors.Is(err, errLost) {
					t.Errorf("undo: %v", err)
				}
				p.holds("f", c.after)
				return
			}
			p.must(Done{}, err)
			p.holds("f", c.before)
		})
	}
}

// The end of a turn is recorded however much was told before it.
func TestTheEndOfATurnIsRecordedWhateverWaits(t *testing.T) {
	p := newProject(t)
	p.write("f", "a\n")
	p.Watch(conversation.PromptSent{At: time.Now()})
	p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("f"), str("a\n"), "b\n"))
	busy := make(chan struct{})
	p.watch.do(func(*turnWatch) { <-busy })
	status := acpclient.ToolInProgress
	for range maxQueued + 1 {
		p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "2", Status: &status}})
	}
	p.write("f", "b\n")
	p.Watch(conversation.TurnEnded{})
	close(busy)
	p.wait()
	if got := p.names(0); got != "f seen" {
		t.Errorf("files: %q", got)
	}
}

// A turn ends with its agent: what the next prompt brings is another one.
func TestATurnEndsWithItsAgent(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.PromptSent{At: time.Now()})
	p.wait()
	p.serve("a.txt", "one\n")
	p.Watch(conversation.AgentLost{})
	p.turn("second", func() { p.serve("b.txt", "two\n") })
	if got := p.names(2); len(p.Summary().Turns) != 2 || got != "b.txt" {
		t.Errorf("there are %d turns, files of the second: %q", len(p.Summary().Turns), got)
	}
}

// While the user changes a file outside of the session's directories, which is written
// in another way, what the agent writes stays the agent's.
func TestWhatTheAgentWritesMeanwhileIsNotTheUsers(t *testing.T) {
	p := newProject(t)
	p.turn("", func() {
		p.mu.Lock()
		p.acting = &record{Path: filepath.Join(t.TempDir(), "outside"), Act: 1}
		p.mu.Unlock()
		p.serve("a.txt", "one\n")
	})
	if files := p.Files(0); len(files) != 1 || len(files[0].Sources) != 1 || files[0].Sources[0] != SourceWrite {
		t.Errorf("files: %+v", files)
	}
}

func TestDenialsAndHistoryAreNoChanges(t *testing.T) {
	p := newProject(t)
	p.write("f", "a\n")
	p.tell("0", acpclient.ToolCompleted, acpclient.DiffContent(p.path("f"), str("b\n"), "a\n")) // replayed
	p.turn("", func() {
		p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("f"), str("a\n"), "b\n"))
		p.tell("1", acpclient.ToolFailed)
	})
	if got := p.names(0); got != "" {
		t.Errorf("files: %s", got)
	}
}

// writeText writes a file as an agent does through parley.
// A write that fails changes nothing: there is nothing to review or undo, neither now nor
// after a restart.
func TestAWriteThatFailsIsNoChange(t *testing.T) {
	p := newProject(t)
	p.again("s")
	p.write("sub/a.txt", "one\n")
	p.turn("first", func() {
		ctx, cancel := context.WithCancel(t.Context())
		p.fs.SetRecord(func(path string, before, after *fs.Snapshot) (func(error), error) {
			done, err := p.record(path, before, after)
			cancel()
			return done, err
		})
		place, err := p.fs.Find(p.path("sub/a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.fs.Write(ctx, place, "two\n", nil); err == nil {
			t.Fatal("the write did not fail")
		}
	})
	for _, when := range []string{"now", "after a restart"} {
		if got := p.names(0); got != "" {
			t.Errorf("%s: changed files: %s", when, got)
		}
		if _, err := p.undo(); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: the undo: %v", when, err)
		}
		p.holds("sub/a.txt", "one\n")
		p.again("s")
	}
}

func writeText(f *fs.FS, path, content string) error {
	place, err := f.Find(path)
	if err != nil {
		return err
	}
	_, err = f.Write(context.Background(), place, content, nil)
	return err
}
