package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
)

// What only the agent says of a file is shown and marked, and neither undone nor rewound, and
// it holds up nothing else.
func TestTheAgentsWordIsNotUndone(t *testing.T) {
	ctx := context.Background()
	p := newProject(t)
	outside := filepath.Join(filepath.Dir(p.dir), "outside")
	made := acpclient.DiffContent
	for _, path := range []string{p.path("inside"), p.path("notes"), outside} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p.turn("", func() {
		p.tell("1", acpclient.ToolCompleted, made(p.path("inside"), str("made up\n"), "x\n"))
		p.tell("2", acpclient.ToolPending, made(p.path("notes"), nil, "x\n"))
		p.tell("2", acpclient.ToolCompleted)
		p.tell("3", acpclient.ToolCompleted, made(outside, nil, "x\n"))
		p.serve("served", "s\n")
	})
	for _, path := range []string{p.path("inside"), p.path("notes"), outside} {
		part := Part{Path: path}
		c := p.compared(part, 0)
		if !c.Reported || len(c.Hunks) != 1 {
			t.Errorf("%s: reported %v, hunks %v", path, c.Reported, c.Hunks)
		}
		if _, err := p.RevertFile(ctx, part, 0); !errors.Is(err, ErrReported) {
			t.Errorf("%s: the undo of the file: %v", path, err)
		}
		if _, err := p.RevertHunk(ctx, c, 0); !errors.Is(err, ErrReported) {
			t.Errorf("%s: the undo of the hunk: %v", path, err)
		}
	}
	if c := p.compare("served", 0); c.Reported {
		t.Error("a served write counts as reported")
	}
	plan, said := p.plan(1)
	if want := "inside reported +1 -1, notes reported +1 -0, " + outside + " reported +1 -0, served delete +1 -0"; said != want {
		t.Errorf("the plan is %s, want %s", said, want)
	}
	p.must(p.Rewind(ctx, plan, Part{Path: outside}, p.part("notes")))
	p.holds("served", "-")
	p.must(p.Redo(ctx))
	done := p.must(p.undo())
	if len(done.Files) != 1 || len(done.Left) != 3 || done.Left[0].Why != ErrReported.Error() {
		t.Errorf("undone: %+v", done)
	}
	p.holds("served", "-")
	for _, name := range []string{"inside", "notes", "../outside"} {
		p.holds(name, "x\n")
	}
	if _, err := p.undo(); !errors.Is(err, ErrReported) {
		t.Errorf("an undo of what is left: %v", err)
	}
	if len(p.asked) > 0 {
		t.Errorf("asked: %q", p.asked)
	}
}

// What parley has seen goes back, but into a file that a write would ask about only if the
// user agrees, by name, before anything is written.
func TestAnUndoAsksAsAWriteDoes(t *testing.T) {
	ctx := context.Background()
	p := newProject(t)
	p.write("a", "a\n")
	p.write("secret/f", "key\n")
	change := func() {
		p.turn("", func() {
			p.serve("a", "b\n")
			p.change("1", acpclient.ToolEdit, func() { p.write("secret/f", "other\n") }, "secret/f")
		})
	}
	change()
	asked := func(act string) {
		t.Helper()
		if want := act + " " + p.path("secret/f"); !slices.Equal(p.asked, []string{want}) {
			t.Errorf("asked %q, want %q", p.asked, want)
		}
		p.asked = nil
	}
	p.refuse = errors.New("refused")
	for act, do := range map[string]func() (Done, error){
		"undo": p.undo,
		"rewind": func() (Done, error) {
			plan, _ := p.plan(1)
			return p.Rewind(ctx, plan)
		},
	} {
		if _, err := do(); !errors.Is(err, p.refuse) {
			t.Errorf("%s, refused: %v", act, err)
		}
		asked(act)
		p.holds("a", "b\n")
		p.holds("secret/f", "other\n")
	}
	for _, do := range []func() (Done, error){
		func() (Done, error) { return p.RevertFile(ctx, p.part("secret/f"), 0) },
		func() (Done, error) { return p.RevertHunk(ctx, p.compare("secret/f", 0), 0) },
	} {
		if _, err := do(); !errors.Is(err, p.refuse) || !strings.HasSuffix(err.Error(), "secret/f: refused; nothing was written") {
			t.Errorf("refused: %v", err)
		}
		asked("undo")
	}
	p.refuse = nil
	p.must(p.undo())
	asked("undo")
	p.holds("secret/f", "key\n")
	p.refuse = errors.New("refused")
	if _, err := p.Redo(ctx); !errors.Is(err, p.refuse) {
		t.Errorf("redo, refused: %v", err)
	}
	asked("redo")
	p.holds("secret/f", "key\n")
	p.refuse = nil
	p.must(p.Redo(ctx))
	p.holds("secret/f", "other\n")
	p.asked = nil
	p.Journal.gate = nil // nobody can be asked
	p.must(p.undo())     // inside
	p.holds("a", "a\n")
}

// liar is an agent that claims, changes, repeats and lies at random, beside a user who
// edits. It knows which contents were in which file, which is all that may come back.
type liar struct {
	*project
	t     *rapid.T
	calls int
	names []string
	been  map[string]map[string]bool // by path; "" is no file
}

func (l *liar) look() map[string]string {
	now := map[string]string{}
	for _, name := range l.names {
		content, err := os.ReadFile(l.path(name))
		if err == nil {
			now[name] = string(content)
		}
		if l.been[name] == nil {
			l.been[name] = map[string]bool{}
		}
		l.been[name][now[name]] = true
	}
	return now
}

// Whatever an agent reports, no undo, redo or rewind writes a line into a file that was
// not in it before; none writes what the user has refused; and none writes anything but the
// files of the session.
func TestNoLieIsWritten(t *testing.T) {
	test.Apart(t)
	p := newProject(t)
	top := filepath.Dir(p.dir)
	rapid.Check(t, func(rt *rapid.T) {
		p.anew()
		l := &liar{project: p, t: rt, names: []string{"a", "b", "secret/a", "secret/b", "../outside"}, been: map[string]map[string]bool{}}
		for _, name := range l.names {
			_ = os.Remove(p.path(name))
			if content := l.content(); content != "" {
				p.write(name, content)
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "repository") == 9 {
			l.repository()
		}
		l.look()
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			p.turn("", func() {
				for range rapid.IntRange(1, 8).Draw(rt, "acts") {
					l.act()
					l.look()
				}
			})
			for range rapid.IntRange(0, 3).Draw(rt, "undos") {
				l.undo()
			}
		}
		entries, err := os.ReadDir(top)
		if err != nil {
			rt.Fatal(err)
		}
		for _, e := range entries {
			if name := e.Name(); name != "work" && name != "state" && name != "outside" {
				rt.Fatalf("%s was written", name)
			}
		}
	})
}

func (l *liar) repository() {
	l.git("init", "-q")
	l.git("add", ".")
	l.git("commit", "-qm", "first", "--allow-empty")
}

var liarLine = rapid.SampledFrom([]string{"1\n", "2\n", "3\n", "4\n"})

func (l *liar) content() string {
	return strings.Join(rapid.SliceOfN(liarLine, 0, 4).Draw(l.t, "content"), "")
}

func (l *liar) act() {
	name := rapid.SampledFrom(l.names).Draw(l.t, "file")
	switch rapid.SampledFrom([]string{"report", "report", "report", "edit", "serve", "answer"}).Draw(l.t, "act") {
	case "edit": // by the user, or by the agent behind parley's back
		if content := l.content(); content != "" {
			l.write(name, content)
		} else {
			_ = os.Remove(l.path(name))
		}
	case "serve":
		if l.Free(l.path(name)) {
			l.serve(name, l.content()+"served\n")
		}
	case "report":
		l.calls++
		id := fmt.Sprint("call ", rapid.IntRange(max(1, l.calls-2), l.calls).Draw(l.t, "call"))
		status := rapid.SampledFrom([]acpclient.ToolCallStatus{acpclient.ToolPending, acpclient.ToolInProgress, acpclient.ToolCompleted, acpclient.ToolFailed}).Draw(l.t, "status")
		var diffs []acpclient.ToolCallContent
		for range rapid.IntRange(0, 2).Draw(l.t, "diffs") {
			var old *string
			if o := rapid.SampledFrom([]string{"nil", "lie\n", "1\n", "2\n1\n", "whole"}).Draw(l.t, "old"); o == "whole" {
				content, _ := os.ReadFile(l.path(name))
				old = str(string(content))
			} else if o != "nil" {
				old = &o
			}
			now := rapid.SampledFrom([]string{"", "1\n", "3\n", "whole"}).Draw(l.t, "new")
			if now == "whole" {
				content, _ := os.ReadFile(l.path(name))
				now = string(content)
			}
			diffs = append(diffs, acpclient.DiffContent(l.path(name), old, now))
		}
		l.tell(id, status, diffs...)
	case "answer":
		call := acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(fmt.Sprint("call ", l.calls))}
		l.Watch(conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
		l.Watch(conversation.QuestionClosed{ID: 1})
		l.wait()
	}
}

// undo does one of the user's acts, and compares what it has written.
func (l *liar) undo() {
	ctx := context.Background()
	before := l.look()
	l.asked, l.refuse = nil, nil
	if rapid.Bool().Draw(l.t, "refuse") {
		l.refuse = errors.New("refused")
	}
	switch rapid.SampledFrom([]string{"undo", "redo", "file", "hunk", "rewind"}).Draw(l.t, "undo") {
	case "undo":
		_, _ = l.UndoTurn(ctx)
	case "redo":
		_, _ = l.Redo(ctx)
	case "file":
		for _, f := range l.Files(0) {
			_, _ = l.RevertFile(ctx, f.Part, 0)
		}
	case "hunk":
		for _, f := range l.Files(0) {
			if c, err := l.Compare(ctx, f.Part, 0); err == nil && len(c.Hunks) > 0 {
				_, _ = l.RevertHunk(ctx, c, 0)
			}
		}
	case "rewind":
		plan, err := l.PlanRewind(ctx, 1)
		if err != nil {
			l.t.Fatal(err)
		}
		var chosen []Part
		for _, f := range plan.Files {
			chosen = append(chosen, f.Part)
		}
		_, _ = l.Rewind(ctx, plan, chosen...)
	}
	for _, name := range l.names {
		path := filepath.Clean(l.path(name))
		content, err := os.ReadFile(path)
		now := string(content)
		if err == nil == (before[name] != "") && now == before[name] {
			continue
		}
		free := l.Free(path)
		if l.refuse != nil && !free {
			l.t.Fatalf("%s was written though the user refused", name)
		}
		if !free && !slices.ContainsFunc(l.asked, func(a string) bool { return strings.HasSuffix(a, " "+path) }) {
			l.t.Fatalf("%s was written without a question", name)
		}
		if l.been[name][now] {
			continue
		}
		seen := strings.Join(slices.Collect(maps.Keys(l.been[name])), "")
		for _, line := range termtext.SplitLines(now) {
			if !strings.Contains(seen, line) {
				l.t.Fatalf("%s contains %q, which was never in it", name, line)
			}
		}
	}
	l.look()
}
