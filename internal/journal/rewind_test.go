package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/test"
)

// plan returns what a rewind to before a turn does, as "name effect" for each file.
func (p *project) plan(turn int) (*RewindPlan, string) {
	p.Helper()
	plan, err := p.PlanRewind(context.Background(), turn)
	if err != nil {
		p.Fatal(err)
	}
	var out []string
	for _, f := range plan.Files {
		name := strings.TrimPrefix(f.Path, p.dir+"/")
		if f.Seen && f.Effect != EffectSeen {
			name += " seen"
		}
		out = append(out, fmt.Sprintf("%s %s +%d -%d", name, f.Effect, f.Added, f.Removed))
	}
	return plan, strings.Join(out, ", ")
}

// change changes files as an agent does that reports it.
func (p *project) change(id string, kind acpclient.ToolKind, do func(), names ...string) {
	p.Helper()
	u := &acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(id), Kind: &kind}
	for _, name := range names {
		u.Locations = append(u.Locations, acpclient.ToolCallLocation{Path: p.path(name)})
	}
	pending, done := acpclient.ToolPending, acpclient.ToolCompleted
	u.Status = &pending
	p.Watch(conversation.Update{Update: u})
	p.wait()
	do()
	p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: u.ToolCallID, Status: &done}})
	p.wait()
}

func (p *project) move(from, to string) {
	p.Helper()
	p.change("move "+from+" "+to, acpclient.ToolMove, func() {
		if err := os.Rename(p.path(from), p.path(to)); err != nil {
			p.Fatal(err)
		}
	}, from, to)
}

func TestRewindToBeforeAnyTurn(t *testing.T) {
	p := newProject(t)
	ctx := context.Background()
	p.Watch(conversation.SessionOpened{ID: "s"})
	p.write("edited", "1\n2\n3\n4\n5\n")
	p.write("moved", "m\n")
	p.write("both", "1\n2\n3\n")
	p.turn("first", func() { p.serve("edited", "one\n2\n3\n4\n5\n") })
	p.turn("second", func() {
		p.serve("edited", "one\n2\nthree\n4\n5\n")
		p.serve("new", "n\n")
		p.serve("both", "1\nagent\n3\n")
		p.move("moved", "elsewhere")
	})
	p.turn("third", func() { p.serve("new", "n\nn\n") })
	p.write("edited", "one\n2\nthree\n4\nuser\n")
	p.write("both", "1\nuser\n3\n")
	p.again("s")

	const since = "edited restore +1 -1, new delete +2 -0, both conflict +1 -1, moved recreate +0 -1, elsewhere delete +1 -0"
	plan, said := p.plan(2)
	if said != since {
		t.Errorf("the plan is %s, want %s", said, since)
	}
	if got := plan.Tally(); got != (Tally{4, 4, 2}) {
		t.Errorf("the plan does %+v", got)
	}
	if i := slices.IndexFunc(plan.Files, func(f RewindFile) bool { return f.Effect == EffectConflict }); !plan.Files[i].Conflicts[0] {
		t.Error("the hunk in conflict is not marked")
	}
	tallies, err := p.Since(ctx)
	if err != nil || tallies[3] != (Tally{1, 1, 0}) || tallies[2] != (Tally{5, 5, 3}) || tallies[1] != (Tally{5, 6, 4}) {
		t.Errorf("since the turns: %+v, %v", tallies, err)
	}
	done := p.must(p.Rewind(ctx, plan))
	if len(done.Files) != 4 || p.Summary().LastRewind != 2 {
		t.Errorf("done: %+v, the last rewind is %d", done, p.Summary().LastRewind)
	}
	before := func() {
		t.Helper()
		p.holds("edited", "one\n2\n3\n4\nuser\n")
		p.holds("new", "-")
		p.holds("both", "1\nuser\n3\n")
		p.holds("moved", "m\n")
		p.holds("elsewhere", "-")
	}
	before()
	if _, said := p.plan(2); said != "both conflict +1 -1" {
		t.Errorf("what is left is %s", said)
	}

	p.again("s")
	p.must(p.Redo(ctx))
	p.holds("edited", "one\n2\nthree\n4\nuser\n")
	p.holds("new", "n\nn\n")
	p.holds("moved", "-")
	p.holds("elsewhere", "m\n")
	if plan, said = p.plan(2); said != since {
		t.Errorf("the plan is %s, want %s", said, since)
	}
	p.must(p.Rewind(ctx, plan, p.part("both")))
	p.holds("both", "1\n2\n3\n") // the user chose it
	p.must(p.Redo(ctx))
	p.holds("both", "1\nuser\n3\n")
}

// Nothing is written if a file is no longer as it was shown.
func TestRewindDoesWhatWasShown(t *testing.T) {
	p := newProject(t)
	p.turn("", func() { p.serve("a", "a\n"); p.serve("b", "b\n") })
	plan, _ := p.plan(1)
	p.write("b", "b\nuser\n")
	_, err := p.Rewind(context.Background(), plan)
	if !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), p.path("b")) {
		t.Errorf("the rewind of what has changed: %v", err)
	}
	p.holds("a", "a\n")
	plan, _ = p.plan(1)
	p.turn("", func() { p.serve("c", "c\n") })
	if _, err := p.Rewind(context.Background(), plan); !errors.Is(err, ErrStale) {
		t.Errorf("the rewind of another turn: %v", err)
	}
	p.holds("a", "a\n")
}

// If a file cannot be written, the others go back.
func TestRewindFailsAsAWhole(t *testing.T) {
	p := newProject(t)
	p.turn("", func() { p.serve("a", "a\n"); p.serve("b", "b\n"); p.serve("c", "c\n") })
	plan, _ := p.plan(1)
	last := len(plan.Files) - 1
	deleted := false
	atPoint = func() {
		if _, err := os.Lstat(p.path("b")); err != nil && !deleted { // then c becomes a directory
			deleted = true
			if err := errors.Join(os.Remove(p.path("c")), os.Mkdir(p.path("c"), 0o755), os.WriteFile(p.path("c/d"), nil, 0o600)); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := p.Rewind(context.Background(), plan)
	atPoint = func() {}
	if err == nil || !strings.Contains(err.Error(), plan.Files[last].Path) {
		t.Errorf("the rewind says %v", err)
	}
	p.holds("a", "a\n")
	p.holds("b", "b\n")
	if p.Summary().LastRewind != 0 {
		t.Error("the rewind that failed can be undone")
	}
}

// What was accepted goes back too, and is accepted again when the rewind is undone.
func TestRewindOfWhatWasAccepted(t *testing.T) {
	p := newProject(t)
	p.write("a", "1\n2\n3\n4\n5\n")
	p.turn("", func() { p.serve("a", "one\n2\n3\n4\n5\n") })
	p.turn("", func() { p.serve("a", "one\n2\n3\n4\nfive\n") })
	p.KeepHunk(p.compare("a", 0), 1)
	plan, _ := p.plan(2)
	p.must(p.Rewind(context.Background(), plan))
	p.holds("a", "one\n2\n3\n4\n5\n")
	if c := p.compare("a", 0); len(c.Hunks) != 1 || c.Before.Content != "1\n2\n3\n4\n5\n" {
		t.Errorf("after the rewind the review shows %v of %q", c.Hunks, c.Before.Content)
	}
	p.must(p.Redo(context.Background()))
	if c := p.compare("a", 0); len(c.Hunks) != 1 || c.Before.Content != "1\n2\n3\n4\nfive\n" {
		t.Errorf("after the undo the review shows %v of %q", c.Hunks, c.Before.Content)
	}
}

// What was only seen to change stays, unless the user chooses it.
func TestRewindOfWhatWasSeen(t *testing.T) {
	p := newProject(t)
	p.write("a", "1\n2\n3\n")
	p.turn("", func() { p.serve("a", "one\n2\n3\n") })
	p.turn("", func() { p.serve("b", "b\n"); p.write("a", "one\n2\nthree\n") })
	plan, said := p.plan(1)
	if said != "a restore +1 -1, a seen +1 -1, b delete +1 -0" {
		t.Errorf("the plan is %s", said)
	}
	p.must(p.Rewind(context.Background(), plan))
	p.holds("a", "1\n2\nthree\n")
	p.must(p.Redo(context.Background()))
	plan, _ = p.plan(1)
	p.must(p.Rewind(context.Background(), plan, Part{p.path("a"), true}))
	p.holds("a", "1\n2\n3\n")
}

// What the user changed in a file goes with the file, where the agent has moved it away
// since. It stays there, unless the user chooses otherwise.
func TestRewindOfAFileMovedAwayWithTheUsersLines(t *testing.T) {
	for _, over := range []string{"", "there before\n"} {
		p := newProject(t)
		if over != "" {
			p.write("c", over)
		}
		p.turn("", func() { p.serve("a", "1\n2\n3\n") })
		p.write("a", "1\n2\nmine\n")
		p.turn("", func() {
			p.move("a", "c")
			p.serve("d", "d\n")
		})
		plan, said := p.plan(1)
		if !strings.HasPrefix(said, "a unchanged +0 -0, c conflict +3 -") || !strings.HasSuffix(said, ", d delete +1 -0") {
			t.Errorf("the plan is %s", said)
		}
		p.must(p.Rewind(t.Context(), plan))
		p.holds("a", "-")
		p.holds("c", "1\n2\nmine\n")
		p.holds("d", "-")
		p.must(p.Redo(t.Context()))
		plan, _ = p.plan(1)
		p.must(p.Rewind(t.Context(), plan, p.part("c")))
		p.holds("c", cmp.Or(over, "-"))
		p.must(p.Redo(t.Context()))
		p.holds("c", "1\n2\nmine\n")
	}
}

// The user's lines that go back where they came from are no conflict of the place to which
// the agent has moved them.
func TestRewindOfAMoveOfAFileThatTheUserHasEdited(t *testing.T) {
	p := newProject(t)
	p.write("a", "1\n2\n3\n")
	p.turn("", func() { p.serve("a", "one\n2\n3\n") })
	p.write("a", "one\n2\nmine\n")
	p.turn("", func() { p.move("a", "c") })
	plan, said := p.plan(1)
	if said != "a recreate +0 -3, c delete +3 -0" {
		t.Errorf("the plan is %s", said)
	}
	p.must(p.Rewind(t.Context(), plan))
	p.holds("a", "1\n2\nmine\n")
	p.holds("c", "-")
}

// A path that has become something else is left alone, named with the reason, and holds up
// nothing: neither the other files nor the list of turns.
func TestRewindLeavesAloneWhatIsNoFileAnyMore(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"conf", "shared/x", "sub/f", "dir", "plain"} {
		p.write(name, "before\n")
	}
	p.turn("", func() {
		for _, name := range []string{"conf", "sub/f", "dir", "new", "plain"} {
			p.serve(name, "agent\n")
		}
	})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(os.Rename(p.path("conf"), p.path("shared/conf"))) // mv conf shared/; ln -s shared/conf conf
	do(os.Symlink("shared/conf", p.path("conf")))
	do(os.Rename(p.path("sub"), p.path("shared/sub")))
	do(os.Symlink("shared/sub", p.path("sub")))
	do(os.Remove(p.path("dir")))
	p.write("dir/f", "user\n")
	do(os.Rename(p.path("new"), p.path("shared/new")))
	do(os.Symlink("shared/new", p.path("new"))) // the plan would delete it
	plan, said := p.plan(1)
	if want := "conf blocked +0 -0, sub/f blocked +0 -0, dir blocked +0 -0, new blocked +0 -0, plain restore +1 -1"; said != want {
		t.Errorf("the plan is %s, want %s", said, want)
	}
	var why []string
	var all []Part
	for _, f := range plan.Files {
		why, all = append(why, f.Why), append(all, f.Part)
	}
	if got := strings.Join(why, "; "); got != "it is a link now, or behind one; it is a link now, or behind one; it is no regular file now; it is a link now, or behind one; " {
		t.Errorf("the reasons are %s", got)
	}
	if since, err := p.Since(t.Context()); err != nil || since[1].Files != 1 {
		t.Errorf("since the turn: %+v, %v", since, err)
	}
	done := p.must(p.Rewind(t.Context(), plan, all...))
	if !slices.Equal(done.Files, []string{p.path("plain")}) {
		t.Errorf("the rewind wrote %v", done.Files)
	}
	p.holds("plain", "before\n")
	p.holds("shared/conf", "agent\n")
	p.holds("shared/sub/f", "agent\n")
	p.holds("shared/new", "agent\n")
	p.must(p.Redo(t.Context()))
	p.holds("plain", "agent\n")
	done = p.must(p.undo())
	if !slices.Equal(done.Files, []string{p.path("plain")}) || len(done.Left) != 4 || done.Left[0].Why != "it is a link now, or behind one" {
		t.Errorf("undone: %+v", done)
	}
	p.holds("plain", "before\n")
	p.holds("shared/conf", "agent\n")
}

// Files that are too large to be kept are named as left out, however the agent changed them.
func TestRewindNamesFilesThatAreTooLarge(t *testing.T) {
	large := strings.Repeat("x", maxImage)
	for kind, p := range map[string]*project{"repository": newRepository(t), "no repository": newProject(t)} {
		names := []string{"served", "reported"}
		if kind == "repository" {
			names = append(names, "run")
		}
		for _, name := range names {
			p.write(name, large+"before")
		}
		p.write("huge", "")
		if err := os.Truncate(p.path("huge"), fs.MaxBytes+1); err != nil {
			t.Fatal(err)
		}
		if kind == "repository" {
			p.git("add", "served", "run", "huge")
		}
		p.turn("", func() {
			p.Forgo(p.path("served"))
			p.serve("served", "small\n")
			p.change("1", acpclient.ToolEdit, func() { p.write("reported", large+"agent") }, "reported")
			if kind == "repository" {
				p.write("run", large+"agent")
				if err := os.Truncate(p.path("huge"), fs.MaxBytes+2); err != nil {
					t.Fatal(err)
				}
			}
			p.serve("plain", "p\n")
		})
		plan, said := p.plan(1)
		if known := kind == "repository"; (plan.Limits == "") != known {
			t.Errorf("%s: the plan's limits are %q", kind, plan.Limits)
		}
		want := "served lost +0 -0, reported lost +0 -0, plain delete +1 -0"
		if kind == "repository" {
			want += ", huge seen lost +0 -0, run seen lost +0 -0"
		}
		if said != want {
			t.Errorf("%s: the plan is %s, want %s", kind, said, want)
		}
		p.must(p.Rewind(t.Context(), plan))
		p.holds("plain", "-")
		p.turn("", func() {}) // they have not changed again
		if got := p.names(2); got != "" {
			t.Errorf("%s: changed in a turn of nothing: %s", kind, got)
		}
	}
}

// A session and its forks have one journal.
func TestOneJournalForASessionAndItsForks(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "first"})
	p.turn("", func() { p.serve("a", "a\n") })
	p.Watch(conversation.SessionOpened{ID: "fork"})
	p.wait()
	for _, session := range []string{"first", "fork"} {
		p.again(session)
		if len(p.Summary().Turns) != 1 {
			t.Errorf("the journal of %s has %d turns", session, len(p.Summary().Turns))
		}
	}
}

// Whatever agent and user do, also during a turn, and whatever the agent claims, the files equal
// those of a model that knows a file as a few cells, each a line between two that never change.
func TestRewindsOfAnySession(t *testing.T) {
	test.Apart(t)
	p := newProject(t)
	rapid.Check(t, func(rt *rapid.T) {
		p.anew()
		m := rewindModel{p: p, t: rt, files: map[string]cells{}, base: map[string]cells{}, recorded: map[string]bool{}, touched: map[string]bool{}}
		if m.git = rapid.IntRange(0, 4).Draw(rt, "repository") == 4; m.git {
			p.write(".gitignore", hidden+"\n")
			m.put("a", cells{"a", "a", "a"})
			p.git("init", "-q")
			if rapid.Bool().Draw(rt, "filter") {
				p.write(".gitattributes", "a filter=up\n")
				p.git("config", "filter.up.clean", "tr a-z A-Z")
				p.git("config", "filter.up.smudge", "tr A-Z a-z")
			}
			p.git("add", ".")
			p.git("commit", "-qm", "first")
		}
		p.Watch(conversation.SessionOpened{ID: "s"})
		steps := map[string]func(){
			"turn": m.turn, "user": m.user, "rewind": m.rewind, "undo": m.undo, "undo turn": m.undoTurn,
			"restart": func() {
				p.again("s")
				m.turns = len(p.Summary().Turns) // without changes the journal was removed, and starts at 1 again
				p.Watch(conversation.SessionOpened{ID: "s"})
			},
		}
		names := []string{"turn", "turn", "turn", "user", "rewind", "rewind", "undo", "undo turn", "restart"}
		for range rapid.IntRange(2, 12).Draw(rt, "steps") {
			steps[rapid.SampledFrom(names).Draw(rt, "step")]()
			m.check()
		}
	})
}

const cellCount = 3

// cells is a file of the model, nil if there is none, or the target of a symbolic link.
type cells []string

func (c cells) link() bool { return len(c) == 1 }

func (c cells) String() string {
	switch {
	case c == nil:
		return "-"
	case c.link():
		return "→ " + c[0]
	}
	var b strings.Builder
	for i, cell := range c {
		fmt.Fprintf(&b, "=== %d\n--- %[1]d\n+++ %[1]d\n%s\n", i, cell)
	}
	return b.String() + "===\n"
}

func (c cells) is(o cells) bool { return c.String() == o.String() }

// edit is a change of a file.
type edit struct {
	turn          int // 0 for an act of the user's
	name          string
	before, after cells
	undoneBy      *modelAct
	claimed       bool // only the agent says so
}

func (e *edit) live() bool { return e.undoneBy == nil || e.undoneBy.undone }

type modelAct struct {
	edits  []*edit
	undid  []*edit
	undone bool
}

type rewindModel struct {
	p     *project
	t     *rapid.T
	git   bool
	turns int
	calls int
	files map[string]cells
	edits []*edit // of the agent
	acts  []*modelAct
	// base is what parley has seen last of a file that it knows, in the turn or at its begin:
	// because git would list it, the journal has recorded a change of it, or a call has named it.
	base              map[string]cells
	recorded, touched map[string]bool
	missing           bool // the hidden file, when the turn began: git would have listed it
}

// hidden is a file that git ignores.
const hidden = "hidden"

var modelFiles = []string{"a", "b", "c", hidden}

func (m *rewindModel) knows(name string) bool {
	return m.git && (name != hidden || m.missing) || m.recorded[name] || m.touched[name]
}

// named says that a call names a file before it edits it.
func (m *rewindModel) named(name string) {
	if !m.knows(name) {
		m.touched[name], m.base[name] = true, m.files[name]
	}
}

func (m *rewindModel) check() {
	for _, name := range modelFiles {
		got := "-"
		if target, err := os.Readlink(m.p.path(name)); err == nil {
			got = "→ " + target
		} else if content, err := os.ReadFile(m.p.path(name)); err == nil {
			got = string(content)
		}
		if want := m.files[name].String(); got != want {
			m.t.Fatalf("%s holds %q, want %q", name, got, want)
		}
	}
}

// changed draws another content of a file.
func (m *rewindModel) changed(was cells) cells {
	cell := rapid.StringMatching("[a-c]")
	if was == nil || was.link() {
		return rapid.SliceOfN(cell, cellCount, cellCount).Draw(m.t, "cells")
	}
	now := slices.Clone(was)
	now[rapid.IntRange(0, cellCount-1).Draw(m.t, "cell")] = cell.Draw(m.t, "text")
	return now
}

func (m *rewindModel) file(label string) string {
	return rapid.SampledFrom(modelFiles).Draw(m.t, label)
}

func (m *rewindModel) put(name string, now cells) {
	if now == nil || now.link() || m.files[name].link() {
		_ = os.Remove(m.p.path(name))
	}
	switch {
	case now == nil:
	case now.link():
		if err := os.Symlink(now[0], m.p.path(name)); err != nil {
			m.t.Fatal(err)
		}
	default:
		m.p.write(name, now.String())
	}
	m.files[name] = now
}

func (m *rewindModel) user() {
	name := m.file("file")
	switch rapid.IntRange(0, 9).Draw(m.t, "delete or link") {
	case 0, 1:
		m.put(name, nil)
		return
	case 2:
		m.put(name, cells{rapid.SampledFrom([]string{"nowhere", "..", "a"}).Draw(m.t, "target")})
		return
	}
	m.put(name, m.changed(m.files[name]))
}

func (m *rewindModel) turn() {
	m.turns++
	m.missing = m.files[hidden] == nil
	m.touched = map[string]bool{}
	for _, name := range modelFiles {
		m.base[name] = m.files[name]
	}
	m.p.turn(fmt.Sprint(m.turns), func() {
		for range rapid.IntRange(0, 3).Draw(m.t, "edits") {
			m.agent()
		}
	})
	for name := range m.touched { // the end of the turn has looked at it
		m.recorded[name] = m.recorded[name] || !m.files[name].is(m.base[name])
	}
}

func (m *rewindModel) agent() {
	name := m.file("file")
	was := m.files[name]
	m.calls++
	id := fmt.Sprint("call ", m.calls)
	if was.link() {
		m.user() // what an agent says of a link is about its target
		return
	}
	switch rapid.SampledFrom([]string{"write", "write", "report", "delete", "move", "user", "diff", "asked", "twice", "claim", "lie", "commit"}).Draw(m.t, "edit") {
	case "commit":
		if m.git {
			m.p.git("add", ".")
			m.p.git("commit", "-qm", id, "--allow-empty")
		}
	case "user": // or a command of the agent's
		m.user()
	case "diff":
		m.diff(id, name)
	case "asked":
		m.asked(id, name)
	case "twice":
		m.twice(id, name)
	case "claim":
		m.claim(id, name)
	case "lie":
		m.lie(id, name)
	case "write":
		now := m.changed(was)
		m.p.serve(name, now.String())
		m.files[name] = now
		m.note(name, was, now)
	case "report":
		now := m.changed(was)
		m.named(name)
		m.p.change(id, acpclient.ToolEdit, func() { m.put(name, now) }, name)
		m.note(name, was, now)
	case "delete":
		m.named(name)
		m.p.change(id, acpclient.ToolDelete, func() { m.put(name, nil) }, name)
		m.note(name, was, nil)
	case "move":
		to := m.file("to")
		if was == nil || to == name || m.files[to].link() {
			return
		}
		over := m.files[to]
		m.named(name)
		m.named(to)
		m.p.change(id, acpclient.ToolMove, func() { m.put(name, nil); m.put(to, was) }, name, to)
		m.note(name, was, nil)
		m.note(to, over, was)
	}
}

func (m *rewindModel) note(name string, was, now cells) {
	if !was.is(now) {
		m.edits = append(m.edits, &edit{turn: m.turns, name: name, before: was, after: now})
		m.recorded[name], m.base[name] = true, now
	}
}

// word notes an edit of a file that only the agent knows.
func (m *rewindModel) word(name string, was, now cells) {
	if !was.is(now) {
		m.note(name, was, now)
		m.edits[len(m.edits)-1].claimed = true
	}
}

// edited draws an edit of a cell, or a new file, and how a diff reports it.
func (m *rewindModel) edited(name string) (at int, now cells, d acpclient.ToolCallContent) {
	was := m.files[name]
	if now = m.changed(was); was == nil {
		return -1, now, acpclient.DiffContent(m.p.path(name), nil, now.String())
	}
	for i := range now {
		if now[i] != was[i] {
			at = i
		}
	}
	return at, now, acpclient.DiffContent(m.p.path(name), str(cellText(at, was[at])), cellText(at, now[at]))
}

func cellText(at int, text string) string { return fmt.Sprintf("+++ %d\n%s\n", at, text) }

// beside lets the user edit another cell of a file, or not.
func (m *rewindModel) beside(name string, at int) {
	if was := m.files[name]; was != nil && rapid.Bool().Draw(m.t, "user") {
		now := slices.Clone(was)
		now[(at+1)%cellCount] = rapid.StringMatching("[a-c]").Draw(m.t, "text")
		m.put(name, now)
	}
}

// diff is a call that says what it will edit, and may not do so.
func (m *rewindModel) diff(id, name string) {
	was := m.files[name]
	at, now, d := m.edited(name)
	switch {
	case was == nil || now[at] != was[at]:
		m.named(name)
	case !m.knows(name):
		return // there is only the agent's word
	}
	m.p.tell(id, acpclient.ToolPending, d)
	m.beside(name, at)
	if !rapid.Bool().Draw(m.t, "does it") {
		if rapid.Bool().Draw(m.t, "link") {
			m.put(name, cells{"nowhere"})
		} else if other := m.changed(m.files[name]); other != nil && !other.is(now) && (at < 0 || other[at] != now[at]) {
			m.put(name, other) // the user, in the same place perhaps
		}
		m.p.tell(id, acpclient.ToolCompleted)
		return
	}
	if at < 0 {
		m.put(name, now)
	} else {
		next := slices.Clone(m.files[name])
		next[at] = now[at]
		m.put(name, next)
		m.beside(name, at)
	}
	m.p.tell(id, acpclient.ToolCompleted)
	if at < 0 {
		m.note(name, nil, now)
		return
	}
	before := slices.Clone(m.files[name])
	before[at] = was[at]
	m.note(name, before, m.files[name])
}

// asked is a call that asks first, while the user goes on.
func (m *rewindModel) asked(id, name string) {
	m.named(name)
	call := acpclient.ToolCallUpdate{
		ToolCallID: acpclient.ToolCallID(id), Kind: new(acpclient.ToolEdit), Locations: []acpclient.ToolCallLocation{{Path: m.p.path(name)}},
	}
	m.p.Watch(conversation.PermissionOpened{ID: m.calls, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
	m.p.wait()
	was := m.changed(m.files[name])
	m.put(name, was)
	m.p.Watch(conversation.QuestionClosed{ID: m.calls})
	m.p.wait()
	now := m.changed(was)
	m.put(name, now)
	m.p.tell(id, acpclient.ToolCompleted)
	m.note(name, was, now)
}

// twice is a call that writes a file itself, and has parley write it.
func (m *rewindModel) twice(id, name string) {
	m.named(name)
	was := m.files[name]
	now := m.changed(was)
	u := &acpclient.ToolCallUpdate{
		ToolCallID: acpclient.ToolCallID(id), Kind: new(acpclient.ToolEdit), Locations: []acpclient.ToolCallLocation{{Path: m.p.path(name)}},
	}
	m.p.Watch(conversation.Update{Update: u})
	m.p.wait()
	m.p.write(name, rapid.SampledFrom([]string{"", now.String()}).Draw(m.t, "found"))
	m.p.serve(name, now.String())
	m.files[name] = now
	if rapid.Bool().Draw(m.t, "says what") {
		m.p.tell(id, acpclient.ToolCompleted, acpclient.DiffContent(m.p.path(name), str(""), now.String()))
	} else {
		m.p.tell(id, acpclient.ToolCompleted)
	}
	m.note(name, was, now)
}

// claim is an edit that the agent reports when it is done.
func (m *rewindModel) claim(id, name string) {
	was := m.files[name]
	at, now, d := m.edited(name)
	m.put(name, now)
	m.p.tell(id, acpclient.ToolCompleted, d)
	base := m.base[name]
	switch {
	case !m.knows(name):
		m.word(name, was, now)
	case base.is(was), base != nil && was != nil && base[at] == was[at]:
		m.note(name, was, now)
	}
}

// lie is a call that reports what it has not done.
func (m *rewindModel) lie(id, name string) {
	now := m.files[name]
	if now == nil || m.knows(name) && m.base[name] == nil {
		return // it may have created the file
	}
	switch rapid.SampledFrom([]string{"created", "made up", "nothing", "file"}).Draw(m.t, "lie") {
	case "created":
		m.p.tell(id, acpclient.ToolCompleted, acpclient.DiffContent(m.p.path(name), nil, now.String()))
		if !m.knows(name) {
			m.word(name, nil, now)
		}
	case "made up":
		at := rapid.IntRange(0, cellCount-1).Draw(m.t, "cell")
		m.p.tell(id, acpclient.ToolCompleted, acpclient.DiffContent(m.p.path(name), str(cellText(at, "made up")), cellText(at, now[at])))
		if !m.knows(name) {
			was := slices.Clone(now)
			was[at] = "made up"
			m.word(name, was, now)
		}
	case "nothing":
		m.p.tell(id, acpclient.ToolCompleted, acpclient.DiffContent(m.p.path(name), str(now.String()), now.String()))
	case "file":
		m.named(name)
		m.p.change(id, acpclient.ToolEdit, func() {}, name)
	}
}

// since returns the live edits of a file since a turn, the last one first.
func (m *rewindModel) since(name string, turn int) []*edit {
	var out []*edit
	for _, e := range slices.Backward(m.edits) {
		if e.name == name && e.turn >= turn && e.live() {
			out = append(out, e)
		}
	}
	return out
}

// back takes edits back from a file. Where somebody else has changed a cell since, forced
// has the earlier content, and kept that of the file.
func back(now cells, edits []*edit) (forced, kept cells) {
	forced, clean := replayed(now, edits, true)
	if clean {
		return forced, forced
	}
	kept, _ = replayed(now, edits, false)
	return forced, kept
}

func replayed(now cells, edits []*edit, force bool) (_ cells, clean bool) {
	clean = true
	for i := 0; i < len(edits); {
		from, to := edits[i].after, edits[i].before
		for i++; i < len(edits) && edits[i].after.is(to); i++ {
			to = edits[i].before
		}
		switch {
		case now.is(from):
			now = to
		case now.is(to), from.is(to):
		case now == nil || from == nil || to == nil || now.link() || from.link() || to.link():
			clean = false
			if force {
				now = to
			}
		default:
			next := slices.Clone(now)
			for k := range next {
				ours := next[k] != from[k] && next[k] != to[k] && from[k] != to[k]
				clean = clean && !ours
				if from[k] != to[k] && (force || !ours) {
					next[k] = to[k]
				}
			}
			now = next
		}
	}
	return now, clean
}

// usersContents are what the user has made of files that cannot get it back.
func (m *rewindModel) usersContents(turn int) map[string]bool {
	users := map[string]bool{}
	for _, name := range modelFiles {
		edits := m.since(name, turn)
		if next, kept := back(m.files[name], edits); next.is(kept) || m.blocked(name, edits) {
			continue
		}
		for i := range edits[:max(0, len(edits)-1)] {
			if was := edits[i].before; was != nil && !edits[i+1].after.is(was) {
				users[was.String()] = true
			}
		}
	}
	return users
}

// blocked reports whether a file is a link now, though none of the edits is about one.
func (m *rewindModel) blocked(name string, edits []*edit) bool {
	return m.files[name].link() && !slices.ContainsFunc(edits, func(e *edit) bool { return e.before.link() || e.after.link() })
}

func (m *rewindModel) did(a *modelAct) {
	for _, e := range a.undid {
		e.undoneBy = a
	}
	m.acts = append(m.acts, a)
}

func (m *rewindModel) rewind() {
	if m.turns == 0 {
		return
	}
	turn := rapid.IntRange(1, m.turns).Draw(m.t, "to turn")
	plan, err := m.p.PlanRewind(context.Background(), turn)
	if err != nil {
		m.t.Fatal(err)
	}
	a := &modelAct{}
	var chosen []Part
	seen := 0
	users := m.usersContents(turn)
	for _, name := range modelFiles {
		edits := m.since(name, turn)
		if len(edits) == 0 {
			continue
		}
		seen++
		at := slices.IndexFunc(plan.Files, func(f RewindFile) bool { return f.Part == m.p.part(name) })
		if at < 0 {
			m.t.Fatalf("%s is not in the plan", name)
		}
		now := m.files[name]
		next, kept := back(now, edits)
		want := EffectRestore
		switch {
		case next.is(now):
			want = EffectUnchanged
		case !next.is(kept):
			want = EffectConflict
		case next == nil:
			want = EffectDelete
		case now == nil:
			want = EffectRecreate
		}
		if want == EffectRestore || want == EffectDelete {
			if slices.ContainsFunc(edits, func(e *edit) bool { return users[e.after.String()] }) {
				want = EffectConflict
			}
		}
		if want != EffectUnchanged && slices.ContainsFunc(edits, func(e *edit) bool { return e.claimed }) {
			want = EffectReported
		}
		if m.blocked(name, edits) {
			want = EffectBlocked
		}
		if got := plan.Files[at].Effect; got != want {
			m.t.Fatalf("the effect on %s is %s, want %s", name, got, want)
		}
		if want == EffectReported || want == EffectBlocked {
			continue
		}
		if want == EffectConflict {
			if !rapid.Bool().Draw(m.t, "choose") {
				continue
			}
			chosen = append(chosen, m.p.part(name))
		}
		a.edits = append(a.edits, &edit{name: name, before: now, after: next})
		a.undid = append(a.undid, edits...)
	}
	for _, f := range plan.Files {
		if !f.Seen {
			seen--
		}
	}
	if seen != 0 {
		m.t.Fatalf("the plan lacks %d files", seen)
	}
	done, err := m.p.Rewind(context.Background(), plan, chosen...)
	if len(a.edits) == 0 {
		if !errors.Is(err, ErrNothing) {
			m.t.Fatalf("a rewind of nothing: %v", err)
		}
		return
	}
	if err != nil || m.p.Summary().LastRewind != turn {
		m.t.Fatalf("the rewind: %+v, %v", done, err)
	}
	for _, e := range a.edits {
		m.files[e.name] = e.after
	}
	m.did(a)
}

// undo takes the last act back.
func (m *rewindModel) undo() {
	_, err := m.p.Redo(context.Background())
	if len(m.acts) == 0 {
		if !errors.Is(err, ErrNothing) {
			m.t.Fatalf("an undo of nothing: %v", err)
		}
		return
	}
	a := m.acts[len(m.acts)-1]
	next := map[string]cells{}
	for _, e := range a.edits {
		now, kept := back(m.files[e.name], []*edit{e})
		if blocked := m.blocked(e.name, []*edit{e}); blocked || !now.is(kept) {
			if !errors.Is(err, ErrConflict) && !(blocked && errors.Is(err, fs.ErrMoved)) {
				m.t.Fatalf("an undo in conflict: %v", err)
			}
			return
		}
		next[e.name] = now
	}
	if err != nil {
		m.t.Fatal(err)
	}
	for name, now := range next {
		m.files[name] = now
	}
	a.undone = true
	m.acts = m.acts[:len(m.acts)-1]
}

func (m *rewindModel) undoTurn() {
	turn := 0
	for _, e := range m.edits {
		if e.live() && !e.claimed {
			turn = max(turn, e.turn)
		}
	}
	_, err := m.p.UndoTurn(context.Background())
	if turn == 0 {
		if !errors.Is(err, ErrNothing) && !errors.Is(err, ErrReported) {
			m.t.Fatalf("an undo of nothing: %v", err)
		}
		return
	}
	a, left := &modelAct{}, 0
	for _, name := range modelFiles {
		edits := m.since(name, turn)
		if len(edits) == 0 || slices.ContainsFunc(edits, func(e *edit) bool { return e.claimed }) {
			continue
		}
		if m.blocked(name, edits) {
			left++
			continue
		}
		next, kept := back(m.files[name], edits)
		if !next.is(kept) {
			if !errors.Is(err, ErrConflict) {
				m.t.Fatalf("an undo in conflict: %v", err)
			}
			return
		}
		a.edits = append(a.edits, &edit{name: name, before: m.files[name], after: next})
		a.undid = append(a.undid, edits...)
	}
	if len(a.edits) == 0 && (errors.Is(err, ErrReported) || err != nil && left > 0) {
		return
	}
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range a.edits {
		m.files[e.name] = e.after
	}
	m.did(a)
}

// Once an act on several files has begun, a cancel does not cut it.
func TestACancelDoesNotCutAnAct(t *testing.T) {
	p := newProject(t)
	p.turn("", func() { p.serve("a", "a\n"); p.serve("b", "b\n"); p.serve("c", "c\n") })
	for _, do := range []func(context.Context) (Done, error){
		p.UndoTurn, p.Redo,
		func(ctx context.Context) (Done, error) { plan, _ := p.plan(1); return p.Rewind(ctx, plan) },
	} {
		there := func(name string) bool { _, err := os.Lstat(p.path(name)); return err == nil }
		before := there("a")
		ctx, cancel := context.WithCancel(t.Context())
		atPoint = func() {
			if there("a") != before {
				cancel()
			}
		}
		done, err := do(ctx)
		atPoint = func() {}
		if err != nil || len(done.Files) != 3 || ctx.Err() == nil {
			t.Errorf("done %v, %v, cancelled: %v", done.Files, err, ctx.Err())
		}
		for _, name := range []string{"a", "b", "c"} {
			if there(name) == before {
				t.Errorf("%s was left out", name)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Redo(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an act that is cancelled before it begins: %v", err)
	}
}

// A rewind that could not be undone is refused: what it would replace is too large to keep.
func TestARewindThatCannotBeUndoneIsRefused(t *testing.T) {
	p := newProject(t)
	p.write("f", "1\n2\n3\n4\n")
	p.turn("", func() { p.serve("f", "one\n2\n3\n4\n"); p.serve("g", "g\n") })
	large := "one\n2\n3\n4\n" + strings.Repeat("x", maxImage) + "\n"
	p.write("f", large)
	plan, said := p.plan(1)
	if said != "f restore +1 -1, g delete +1 -0" {
		t.Errorf("the plan is %s", said)
	}
	if _, err := p.Rewind(t.Context(), plan); !errors.Is(err, errFull) {
		t.Errorf("the rewind: %v", err)
	}
	p.holds("f", large)
	p.holds("g", "g\n")
}
