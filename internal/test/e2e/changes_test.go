//go:build unix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// twoTurns is an agent that writes files in two turns, through parley and itself.
const twoTurns = `
handshake
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "one\n2\n3\n4\n5\n6\nseven\n"} as w
await w
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit b.txt", "kind": "edit", "status": "pending",
  "content": [{"type": "diff", "path": "${cwd}/b.txt", "oldText": "b\n", "newText": "B\n"}]}
save ${cwd}/b.txt "B\n"
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say The first turn is done.
end-turn
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/new/c.txt", "content": "c\n"} as w
await w
say The second turn is done.
end-turn
`

// holds checks what a file of the project holds; "-" is that there is none.
func (p *Parley) holds(name, want string) *Parley {
	p.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(p.Dir(), name)
	}
	content, err := os.ReadFile(path)
	got := string(content)
	if errors.Is(err, os.ErrNotExist) {
		got, err = "-", nil
	}
	if err != nil || got != want {
		p.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
	return p
}

func TestReviewsAndTakesBack(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := Start(t, Options{Home: at.home, Project: at.dir, Script: twoTurns, Files: map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n", "b.txt": "b\n"}})
	p.Ready().Ask("first").Shows("The first turn is done.").Idle().Ask("second").Shows("The second turn is done.").Idle()

	p.Press("f5").Shows("Session changes", "3 files  +4 −3", "M  a.txt", "M  b.txt", "A  new/c.txt")
	p.Press("enter").Shows("change 1 of 2", "+ one").Press("]").Shows("change 2 of 2")
	p.Press("x").Shows("undid one change in a.txt", "change 1 of 1")
	p.holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n")
	p.Press("r").Shows("redid ", "of 2").holds("a.txt", "one\n2\n3\n4\n5\n6\nseven\n")

	p.Press("g", "]", "]").Shows("change 2 of 2").Press("c").Type("Why seven?").Shows("Why seven?").Press("enter").Shows("c comment").Press("q").Shows("comments pending: 1")
	p.Press("u").Shows("undid “second”: 1 file").holds("new/c.txt", "-")
	must(t, os.WriteFile(filepath.Join(p.Dir(), "b.txt"), []byte("mine\n"), 0o644))
	p.Press("u").Shows("b.txt: the same lines have changed since; nothing was written")
	p.holds("b.txt", "mine\n").holds("a.txt", "one\n2\n3\n4\n5\n6\nseven\n")
	must(t, os.WriteFile(filepath.Join(p.Dir(), "b.txt"), []byte("B\n"), 0o644))
	p.Press("u").Shows("undid “first”: 2 files")
	p.holds("b.txt", "b\n").holds("a.txt", "1\n2\n3\n4\n5\n6\n7\n")

	p.Press("S").Shows("a.txt:7", "Why seven?").Press("ctrl+c").Gone("Why seven?").Leave()
}

func TestRecordsNoChangesIfTheUserWantsNone(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: twoTurns, Config: "journal = false\n", Files: map[string]string{"b.txt": "b\n"}})
	p.Ready().Ask("first").Shows("The first turn is done.").Idle()
	p.Press("f5").Shows("Undo is off: journal = false in the configuration").Leave()
	if left, _ := filepath.Glob(filepath.Join(p.Home(), ".local/state/parley/journal/*")); left != nil {
		t.Errorf("%q is there", left)
	}
}

// A journal that cannot be opened, on a full disk say, keeps nothing: parley asks before the
// agent overwrites a file, refuses without a screen, and records as soon as it can.
func TestOverwritesNothingUnaskedWithoutAJournal(t *testing.T) {
	t.Parallel()
	script := begin + `
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/g.txt", "content": "agent\n"} as w
await w
say "Done."
end-turn
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/g.txt", "content": "again\n"} as w
await w
say "Done again."
end-turn
`
	home := t.TempDir()
	blocked := filepath.Join(home, ".local/state/parley/journal")
	must(t, os.MkdirAll(filepath.Dir(blocked), 0o700))
	must(t, os.WriteFile(blocked, nil, 0o600))
	files := map[string]string{"g.txt": "mine\n"}
	run := Start(t, Options{Args: []string{"run", "go"}, Home: home, Files: files, Script: script})
	run.Shows("Done.", "a request was denied").holds("g.txt", "mine\n")

	p := Start(t, Options{Home: home, Files: files, Script: script})
	p.Shows("Undo is off: changes cannot be recorded", "Type a prompt").Ask("go")
	p.Question("parley asks", "g.txt", "cannot be").Answer("No").Shows("Done.").Idle().holds("g.txt", "mine\n")
	must(t, os.Remove(blocked))
	p.Ask("more").Shows("Done again.").Idle().holds("g.txt", "again\n")
	p.Press("f5").Shows("g.txt").Press("u").Shows("undid “more”: 1 file").holds("g.txt", "mine\n")
	p.Press("q").Leave()
}

// What the user changes while the agent works stays when the turn is undone, and is
// undone only after a question.
func TestUndoLeavesWhatTheUserChangedDuringTheTurn(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(begin + `
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "a\n"} as w
await w
save ${cwd}/b.txt "b\n"
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit b.txt", "kind": "edit", "status": "completed",
  "content": [{"type": "diff", "path": "${cwd}/b.txt", "oldText": null, "newText": "b\n"}]}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "twice", "title": "Write c.txt", "kind": "edit",
  "locations": [{"path": "${cwd}/c.txt"}]}, "options": [{"optionId": "yes", "name": "Write it", "kind": "allow_once"}]} as asked
await asked
save ${cwd}/c.txt "c\n"
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/c.txt", "content": "c\n"} as w
await w
update {"sessionUpdate": "tool_call_update", "toolCallId": "twice", "status": "completed",
  "content": [{"type": "diff", "path": "${cwd}/c.txt", "oldText": "", "newText": "c\n"}]}
expect session/cancel
end-turn cancelled
`)
	p.Ready().Ask("go").Question("Write c.txt").Answer("Write it").Press("f5").Shows("A  a.txt", "A  b.txt", "A  c.txt").Press("q") // the beginning of the turn is recorded
	must(t, os.WriteFile(filepath.Join(p.Dir(), "poem.txt"), []byte("one\nmine\ntwo\nthree\n"), 0o600))
	p.Press("esc").Idle()
	p.Press("f5").Shows("Changed during the turn, not through parley", "M  poem.txt")
	p.Press("u").Shows("undid “go”: 3 files").holds("a.txt", "-").holds("b.txt", "-").holds("c.txt", "-").holds("poem.txt", "one\nmine\ntwo\nthree\n")
	p.Press("G", "x").Question("Undo a change that may be your own?", "poem.txt").Answer("Undo it")
	p.Shows("undid the changes in poem.txt").holds("poem.txt", "one\ntwo\nthree\n").Press("q").Leave()
}
