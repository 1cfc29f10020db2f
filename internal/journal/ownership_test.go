package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
)

// The review compares with what the file would hold without the agent, so that the
// user's own changes are neither shown nor undone.
func TestTheReviewShowsOnlyTheAgentsChanges(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	p.turn("", func() { p.serve("a.txt", "1\nagent\n3\n4\n5\n6\n7\n8\n9\n") })
	p.write("a.txt", "1\nagent\n3\n4\nbetween\n6\n7\n8\n9\n")
	p.turn("", func() { p.serve("a.txt", "1\nagent\n3\n4\nbetween\n6\n7\nagent\n9\n") })
	p.write("a.txt", "1\nagent\n3\n4\nbetween\n6\n7\nagent\n9\nlater\n")

	c := p.compare("a.txt", 0)
	if len(c.Hunks) != 2 || c.Added != 2 || c.Removed != 2 || c.Conflicts[0] || c.Conflicts[1] {
		t.Errorf("+%d -%d in %v, conflicts %v", c.Added, c.Removed, c.Hunks, c.Conflicts)
	}
	if c := p.compare("a.txt", 2); len(c.Hunks) != 1 || c.Added != 1 {
		t.Errorf("in the last turn: %v", c.Hunks)
	}
	p.must(p.RevertHunk(context.Background(), c, 0))
	p.holds("a.txt", "1\n2\n3\n4\nbetween\n6\n7\nagent\n9\nlater\n")
	p.must(p.RevertFile(context.Background(), p.part("a.txt"), 0))
	p.holds("a.txt", "1\n2\n3\n4\nbetween\n6\n7\n8\n9\nlater\n")
}

func TestALineThatBothChangedIsNotUndone(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, before, agent, user string
		hunk                      int
	}{
		{"the same line", "1\n2\n3\n", "1\nagent\n3\n", "1\nuser\n3\n", 0},
		{"a line that the agent added", "1\n2\n", "1\na\nb\nc\n2\n", "1\na\nuser\nc\n2\n", 0},
		{"a line within those that it added", "1\n2\n", "1\na\nb\nc\n2\n", "1\na\nuser\nb\nc\n2\n", 0},
		{"the second of two", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\nfive\n", "one\n2\n3\n4\nuser\n", 1},
		{"a new file", "-", "1\n2\n", "1\nuser\n", 0},
		{"a longer new file", "-", "1\n2\n", "1\n2\nuser\n", 0},
		{"a deleted file", "1\n2\n", "-", "user\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			if c.before != "-" {
				p.write("f", c.before)
			}
			p.turn("", func() {
				if c.agent != "-" {
					p.serve("f", c.agent)
					return
				}
				p.removed("f")
			})
			p.write("f", c.user)
			cmp := p.compare("f", 0)
			if c.hunk >= len(cmp.Hunks) || !cmp.Conflicts[c.hunk] {
				t.Fatalf("hunks %v of %q, conflicts %v", cmp.Hunks, cmp.Before.Content, cmp.Conflicts)
			}
			if _, err := p.RevertHunk(ctx, cmp, c.hunk); !errors.Is(err, ErrConflict) {
				t.Errorf("the hunk: %v", err)
			}
			p.holds("f", c.user)
			if _, err := p.RevertFile(ctx, p.part("f"), 0); !errors.Is(err, ErrConflict) {
				t.Errorf("the file: %v", err)
			}
			if _, err := p.undo(); !errors.Is(err, ErrConflict) {
				t.Errorf("the turn: %v", err)
			}
			p.holds("f", c.user)
			for i := range cmp.Hunks {
				if i != c.hunk {
					p.must(p.RevertHunk(ctx, cmp, i))
					p.holds("f", strings.Replace(c.user, "one", "1", 1))
				}
			}
			cmp = p.compare("f", 0)
			p.KeepHunk(cmp, len(cmp.Hunks)-1) // what is kept is no conflict any more
			if c := p.compare("f", 0); len(c.Hunks) != 0 {
				t.Errorf("after keeping it: %v", c.Hunks)
			}
		})
	}
}

// The undo of a hunk belongs to the turn whose hunk it was: it is no change of a later
// turn, and undoing turns and redoing goes on around it.
func TestAHunkBelongsToItsTurn(t *testing.T) {
	ctx := context.Background()
	p := newProject(t)
	p.write("a.txt", "1\n2\n3\n4\n5\n")
	p.turn("", func() { p.serve("a.txt", "one\n2\n3\n4\n5\n") })
	p.turn("", func() { p.serve("a.txt", "one\n2\n3\n4\nfive\n") })
	p.must(p.RevertHunk(ctx, p.compare("a.txt", 0), 0))
	p.holds("a.txt", "1\n2\n3\n4\nfive\n")
	if c := p.compare("a.txt", 2); len(c.Hunks) != 1 || c.Conflicts[0] || c.Before.Content != "1\n2\n3\n4\n5\n" {
		t.Errorf("in the last turn: %v of %q", c.Hunks, c.Before.Content)
	}
	p.must(p.undo())
	p.holds("a.txt", "1\n2\n3\n4\n5\n")
	p.must(p.undo())
	p.holds("a.txt", "1\n2\n3\n4\n5\n")
	for _, want := range []string{"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "one\n2\n3\n4\nfive\n"} {
		p.must(p.Redo(ctx))
		p.holds("a.txt", want)
	}
}

// removed records that the agent deleted a file.
func (p *project) removed(name string) {
	p.Helper()
	was := p.keep(&fs.Snapshot{Content: p.now(name), Mode: 0o644}, true)
	if err := os.Remove(p.path(name)); err != nil {
		p.Fatal(err)
	}
	p.add(record{Kind: kindChange, Path: p.path(name), Before: &was, After: &Image{Absent: true}, Source: SourceReport, Provenance: ProvenanceSeen, Happened: true}, true)
}

// What the user writes while the agent works is not the agent's: undoing the turn leaves
// it, in a file of the user's as in one that the agent writes. The user may undo it apart.
func TestWhatTheUserWroteDuringTheTurnStays(t *testing.T) {
	ctx := context.Background()
	p := newRepository(t)
	p.turn("", func() {
		p.serve("clean", "agent\nclean\n")
		p.serve("both", "1\n2\nagent\n")
		p.write("both", "1\nuser\n2\nagent\n")
		p.write("dirty", "the user's\nmore\n")
	})
	if got := p.names(0); got != "clean, both, dirty seen, both seen" {
		t.Errorf("files: %s", got)
	}
	if c := p.compare("both", 0); len(c.Hunks) != 1 || !c.Conflicts[0] {
		t.Errorf("the agent's part of both: %v, conflicts %v", c.Hunks, c.Conflicts)
	}
	if c := p.compared(Part{p.path("both"), true}, 0); len(c.Hunks) != 1 || c.Before.Content != "1\n2\nagent\n" {
		t.Errorf("the seen part of both: %v of %q", c.Hunks, c.Before.Content)
	}
	if _, err := p.undo(); !errors.Is(err, ErrConflict) {
		t.Errorf("an undo of a new file that the user has written into: %v", err)
	}
	p.KeepFile(p.part("both"))
	p.must(p.undo())
	p.holds("clean", "clean\n")
	p.holds("both", "1\nuser\n2\nagent\n")
	p.holds("dirty", "the user's\nmore\n")
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("an undo of what was only seen: %v", err)
	}

	seen := Part{p.path("both"), true}
	p.must(p.RevertHunk(ctx, p.compared(seen, 0), 0))
	p.holds("both", "1\n2\nagent\n")
	p.must(p.Redo(ctx))
	p.holds("both", "1\nuser\n2\nagent\n")
	p.KeepFile(seen)
	if got := p.names(0); got != "clean, both kept, dirty seen, both seen kept" {
		t.Errorf("files: %s", got)
	}
	p.OpenFile(seen)
	p.must(p.RevertFile(ctx, seen, 0))
	p.holds("both", "1\n2\nagent\n")
	p.OpenFile(p.part("both"))
	p.must(p.undo())
	p.holds("both", "-")
}

// Undoing a turn tries all files before it writes one: a conflict in the last of them
// leaves the others as they are, and the turn to be undone.
func TestUndoingATurnTriesAllFilesBeforeItWritesOne(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"a", "b", "z"} {
		p.write(name, "before\n")
	}
	p.turn("", func() {
		for _, name := range []string{"a", "b", "z"} {
			p.serve(name, "agent\n")
		}
	})
	p.write("z", "user\n")
	_, err := p.undo()
	var about *FileError
	if !errors.Is(err, ErrConflict) || !errors.As(err, &about) || about.Path != p.path("z") {
		t.Errorf("undo: %v", err)
	}
	p.holds("a", "agent\n")
	p.holds("b", "agent\n")
	p.holds("z", "user\n")
	p.write("z", "agent\n")
	if d := p.must(p.undo()); len(d.Files) != 3 {
		t.Errorf("undone: %v", d.Files)
	}
}

// Undo keeps a mode that the user has set since, and gives back one that the agent has
// changed.
func TestUndoKeepsTheModeThatTheUserSet(t *testing.T) {
	p := newRepository(t)
	mode := func(name string, want os.FileMode) {
		t.Helper()
		if info, err := os.Stat(p.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("the mode of %s is %v (%v), want %v", name, info.Mode(), err, want)
		}
	}
	chmod := func(name string, to os.FileMode) {
		t.Helper()
		if err := os.Chmod(p.path(name), to); err != nil {
			t.Fatal(err)
		}
	}
	p.write("user", "a\nb\nc\n")
	p.write("agent", "a\n")
	p.turn("", func() {
		p.serve("user", "A\nb\nc\n")
		p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("agent"), str("a\n"), "b\n"))
		p.write("agent", "b\n")
		chmod("agent", 0o755)
		p.tell("1", acpclient.ToolCompleted)
	})
	chmod("user", 0o700)
	p.must(p.undo())
	p.holds("user", "a\nb\nc\n")
	mode("user", 0o700)
	p.holds("agent", "a\n")
	mode("agent", 0o644)
	p.must(p.Redo(context.Background()))
	p.holds("user", "A\nb\nc\n")
	mode("user", 0o700)
}

// A file that the agent said it would edit, and did not, is as the user left it.
func TestWhatTheUserWroteInPlaceOfTheAgentStays(t *testing.T) {
	p := newProject(t)
	p.write("f", "a\n")
	p.turn("", func() {
		p.tell("1", acpclient.ToolPending, acpclient.DiffContent(p.path("f"), str("a\n"), "agent\n"))
		p.tell("1", acpclient.ToolFailed)
		p.write("f", "user\n")
	})
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("undo: %v", err)
	}
	p.holds("f", "user\n")
}

// Whatever agent and user write in turns, undoing all hunks without a conflict leaves
// every line that the user wrote, and none of the agent's but in conflicts.
func TestUndoLeavesEveryLineOfTheUser(t *testing.T) {
	ctx := context.Background()
	p := newProject(t)
	rapid.Check(t, func(rt *rapid.T) {
		const name = "f"
		p.anew()
		lines := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
		edit := func(who string) {
			for i := range rapid.IntRange(0, 3).Draw(rt, who+" edits") {
				at := rapid.IntRange(0, len(lines)-1).Draw(rt, who+" at")
				line := fmt.Sprint(who, len(lines), i)
				switch rapid.SampledFrom([]string{"insert", "replace", "delete"}).Draw(rt, "what") {
				case "insert":
					lines = slices.Insert(lines, at, line)
				case "replace":
					lines[at] = line
				case "delete":
					if len(lines) > 2 {
						lines = slices.Delete(lines, at, at+1)
					}
				}
			}
		}
		text := func() string { return strings.Join(lines, "\n") + "\n" }
		p.write(name, text())
		for range rapid.IntRange(1, 3).Draw(rt, "turns") {
			p.turn("", func() { edit("agent"); p.serve(name, text()) })
			edit("user")
			p.write(name, text())
		}
		for len(p.Files(0)) > 0 {
			c := p.compare(name, 0)
			i := slices.IndexFunc(c.Hunks, func(h Hunk) bool { return !c.Conflicts[slices.Index(c.Hunks, h)] })
			if i < 0 {
				if slices.Contains(c.Conflicts, true) {
					break
				}
				if now := p.now(name); strings.Contains(now, "agent") {
					rt.Fatalf("the agent's lines are left: %q", now)
				}
				break
			}
			p.must(p.RevertHunk(ctx, c, i))
		}
		now := p.now(name)
		for _, line := range lines {
			if strings.HasPrefix(line, "user") && !strings.Contains(now, line+"\n") {
				rt.Fatalf("%q is lost: %q", line, now)
			}
		}
	})
}

func (p *project) now(name string) string {
	p.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	return string(content)
}

// However alike the lines of a file are, undoing one hunk leaves the others as they
// were, and none becomes a conflict.
func TestUndoingAHunkLeavesTheOthers(t *testing.T) {
	p := newProject(t)
	rapid.Check(t, func(rt *rapid.T) {
		const name = "f"
		p.anew()
		before, after := text.Draw(rt, "before"), text.Draw(rt, "after")
		p.write(name, before)
		p.turn("", func() { p.serve(name, after) })
		for before != after {
			c := p.compare(name, 0)
			if len(c.Hunks) == 0 {
				break
			}
			if slices.Contains(c.Conflicts, true) {
				rt.Fatalf("conflicts %v in %v of %q", c.Conflicts, c.Hunks, p.now(name))
			}
			p.must(p.RevertHunk(context.Background(), c, rapid.IntRange(0, len(c.Hunks)-1).Draw(rt, "hunk")))
		}
		p.holds(name, before)
	})
}

// A change belongs to the turn in which the agent reported it, also if it is recorded after the
// next turn has begun.
func TestAChangeThatIsRecordedLateBelongsToItsTurn(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "a\n")
	p.write("b.txt", "b\n")
	edit := func(status acpclient.ToolCallStatus) {
		kind := acpclient.ToolEdit
		p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{
			ToolCallID: "t", Kind: &kind, Status: &status, Content: []acpclient.ToolCallContent{{Type: acpclient.ToolContentDiff, Path: p.path("b.txt"), OldText: str("b\n"), NewText: "B\n"}},
		}})
	}
	p.Watch(conversation.PromptSent{At: time.Now()})
	edit(acpclient.ToolPending)
	p.wait()
	busy := make(chan struct{})
	p.watch.do(func(*turnWatch) { <-busy })
	p.write("b.txt", "B\n")
	edit(acpclient.ToolCompleted)
	p.Watch(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	p.Watch(conversation.PromptSent{At: time.Now()})
	close(busy)
	p.wait()
	p.serve("a.txt", "A\n")
	p.Watch(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	p.wait()

	p.must(p.undo())
	p.holds("a.txt", "a\n")
	p.holds("b.txt", "B\n")
	p.must(p.undo())
	p.holds("b.txt", "b\n")
}
