package pages

import (
	"cmp"
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
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/test"
)

// user looks at the changes of a project.
type user struct {
	*desk
	dir     string
	fs      *fs.FS
	journal *journal.Journal
	view    *Review
}

func newUser(t testing.TB, width, height int) *user {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(journal.Options{Dir: t.TempDir(), Cwd: dir, Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close(context.Background()) })
	files, err := fs.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	j.Serve(files, nil)
	p := &user{desk: &desk{TB: t, width: width, height: height}, dir: dir, fs: files, journal: j}
	s, err := session.NewSession(session.Options{
		Cwd: dir, Journal: j,
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.view = NewReview(p.env(), recorded{s, j})
	p.desk.view = p.view
	return p
}

// recorded is a session that is never started, with its journal.
type recorded struct {
	session.Doer
	journal *journal.Journal
}

func (r recorded) Journal() *journal.Summary { return r.journal.Summary() }

func (p *user) path(name string) string    { return filepath.Join(p.dir, name) }
func (p *user) event(e conversation.Event) { p.journal.Watch(e) }
func (p *user) saved(name, text string) error {
	return os.WriteFile(p.path(name), []byte(text), 0o600)
}

// turn lets the agent write files: names and texts by turns.
func (p *user) turn(prompt string, files ...string) {
	p.Helper()
	p.event(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(prompt)}, At: time.Now()})
	for i := 0; i < len(files); i += 2 {
		if err := writeText(p.fs, p.path(files[i]), files[i+1]); err != nil {
			p.Fatal(err)
		}
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(context.Background()); err != nil {
		p.Fatal(err)
	}
}

// open opens the view, which does not wait for the journal to tell more.
func (p *user) open() *user {
	p.Helper()
	p.screen()
	p.view.refresh()
	p.work()
	return p
}

func (p *user) press(keys ...string) *user {
	p.Helper()
	p.strike(keys...)
	return p
}

func (p *user) shows(texts ...string) *user {
	p.Helper()
	p.desk.shows(texts...)
	return p
}

func (p *user) holds(name, want string) *user {
	p.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil || string(content) != want {
		p.Errorf("%s holds %q (%v), want %q", name, content, err, want)
	}
	return p
}

func TestReview(t *testing.T) {
	p := newUser(t, 80, 20)
	if err := p.saved("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"); err != nil {
		t.Fatal(err)
	}
	p.turn("first", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", "new.txt", "new\n")
	p.turn("second", "new.txt", "newer\n")
	p.open().shows("Session changes, committed or not", "2 files  +3 −2", "M  a.txt", "+2 −2", "A  new.txt", "+1 −0", "written through parley")

	p.press("tab").shows("Changes of the last turn", "1 file  +1 −1", "new.txt").press("tab", "g")
	p.press("enter").shows("a.txt", "change 1 of 2  +2 −2", "- 1", "+ one")
	p.press("]", "x").shows("change 1 of 1", "undid one change in a.txt · r redoes it")
	p.holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	p.press("r").shows("change 1 of 2").holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	p.press("[", "a").shows("kept one change in a.txt", "change 1 of 1").holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	p.press("q", "u").shows("undid “second”: 1 file").holds("new.txt", "new\n")
	p.press("u").shows("undid “first”: 2 files").holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	if _, err := os.Stat(p.path("new.txt")); err == nil {
		t.Error("the new file is still there")
	}
	p.shows("=  new.txt", "unchanged")
	p.press("r", "r").holds("new.txt", "newer\n")
	if p.press("esc"); !p.closed {
		t.Error("it is not closed")
	}
}

// A key means what is seen, also between a new comparison and its drawing.
func TestAKeyBeforeTheNextDrawing(t *testing.T) {
	p := newUser(t, 80, 20)
	if err := p.saved("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"); err != nil {
		t.Fatal(err)
	}
	p.turn("first", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	p.open().press("enter").shows("change 1 of 2")
	p.view.refresh()
	p.work() // and nothing is drawn
	p.press("]").shows("change 2 of 2")
	p.view.refresh()
	p.work()
	p.press("c").shows("your comment").press("esc")
	p.view.refresh()
	p.work()
	p.press("x").shows("undid one change in a.txt", "change 1 of 1").holds("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
}

// The rows below the list show the diff of the file that is marked.
func TestFreeRowsShowTheMarkedFile(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "a.txt", "alpha\n", "b.txt", strings.Repeat("beta\n", 40))
	p.open().shows("❯ A  a.txt", "1 + alpha")
	p.press("j").shows("❯ A  b.txt", "1 + beta", "more lines")
	p.hides("alpha")
	p.press("k").shows("1 + alpha").turn("second", "a.txt", "omega\n")
	p.open()
	p.shows("1 + omega")
	p.press("enter", "q").shows("❯ A  a.txt", "1 + omega")
	p.height = 8
	p.hides("omega")
}

// A file that was moved is one line, and goes back from there.
func TestAMoveIsOneChange(t *testing.T) {
	p := newUser(t, 80, 20)
	if err := p.saved("old", "1\n2\n3\n"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "old"}, {"-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "first"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = p.dir, test.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("%v\n%s", err, out)
		}
	}
	p.event(conversation.PromptSent{})
	if err := errors.Join(p.journal.Wait(t.Context()), os.Rename(p.path("old"), p.path("new")), p.saved("new", "1\n2\n3\n4\n")); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.open().press("down").shows("1 file  +1 −0", "R  old → new").hides("D  old")
	p.press("enter").shows("moved from ol", "+ 4").press("x")
	p.answer("Undo it")
	p.shows("undid the changes in new").holds("old", "1\n2\n3\n")
}

// A byte order mark draws nothing: that it is gone is said.
func TestALostByteOrderMarkIsNamed(t *testing.T) {
	p := newUser(t, 80, 12)
	p.event(conversation.PromptSent{})
	if err := cmp.Or(p.journal.Wait(t.Context()), p.saved("g", "\ufeff1\n")); err != nil {
		t.Fatal(err)
	}
	edit := func(status acpclient.ToolCallStatus) {
		was := "\ufeff1\n"
		p.event(conversation.Update{Update: &acpclient.ToolCallUpdate{
			ToolCallID: "1", Status: &status, Content: acpclient.ToolCallContents{acpclient.DiffContent(p.path("g"), &was, "1\n")},
		}})
		if err := p.journal.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	edit(acpclient.ToolPending)
	if err := p.saved("g", "1\n"); err != nil {
		t.Fatal(err)
	}
	edit(acpclient.ToolCompleted)
	p.event(conversation.TurnEnded{})
	p.open().shows("M  g", "byte order mark removed  +1 −1")
}

// A new file whose creation is undone is gone, not empty.
func TestANewFileThatIsGone(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "new.txt", "a\n")
	p.open().press("enter").shows("+ a").press("x").shows("The new file is gone.").press("r").shows("+ a")
}

// What parley did not see the agent write is listed apart, stays when the turn is undone,
// and is undone only after a question.
func TestWhatTheUserWroteDuringTheTurnIsApart(t *testing.T) {
	p := newUser(t, 90, 20)
	p.turn("first", "a.txt", "agent\n", "g.txt", "1\n2\n")
	p.event(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("second")}, At: time.Now()})
	if err := p.journal.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"g.txt": "1\nuser\n2\n"} {
		if err := p.saved(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeText(p.fs, p.path("a.txt"), "agent 2\n"); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.open().press("tab").shows("last turn", "1 file  +1 −1", "❯ M  a.txt", "  Changed during the turn, not through parley", "1 file  +1 −0", "M  g.txt")
	p.press("u").shows("undid “second”: 1 file").holds("a.txt", "agent\n").holds("g.txt", "1\nuser\n2\n")
	p.press("down").shows("❯ M  g.txt", "changed during a turn, maybe by you; undoing the turn leaves it")
	p.press("x").holds("g.txt", "1\nuser\n2\n")
	if p.asked.Lines[0] != "g.txt" {
		t.Errorf("asked %+v", p.asked)
	}
	p.answer("Leave it")
	p.holds("g.txt", "1\nuser\n2\n")
	p.press("enter").shows("not through parley · in the last turn", "+ user").press("x").holds("g.txt", "1\nuser\n2\n")
	p.answer("Undo it")
	p.holds("g.txt", "1\n2\n").press("r").holds("g.txt", "1\nuser\n2\n")
	p.press("q", "a").shows("✓  g.txt").press("g").shows("❯ =  a.txt").press("down", "down").shows("❯ ✓  g.txt").press("k").shows("❯ =  a.txt")
	p.press("down", "X")
	p.answer("Undo it")
	p.shows("nothing to undo in g.txt")
}

// What only the agent says of a file is marked, and stays when the turn is undone.
func TestWhatTheAgentReportsIsMarked(t *testing.T) {
	p := newUser(t, 120, 20)
	p.turn("first", "a.txt", "agent\n")
	if err := p.saved("b.txt", "now\n"); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("second")}, At: time.Now()})
	status, old := acpclient.ToolCompleted, "made up\n"
	p.event(conversation.Update{Update: &acpclient.ToolCallUpdate{
		ToolCallID: "1", Status: &status, Content: acpclient.ToolCallContents{acpclient.DiffContent(p.path("b.txt"), &old, "now\n")},
	}})
	if err := writeText(p.fs, p.path("a.txt"), "more\n"); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.open().shows("A  a.txt", "M  b.txt", "as reported by the agent  +1 −1")
	p.press("j").shows("edit reported by the agent; only the agent says what it contained: parley does not undo that")
	p.press("enter").shows("b.txt", "as reported by the agent", "- made up", "only the agent says what it contained")
	p.press("x").shows("only the agent says what it contained; parley does not undo that").holds("b.txt", "now\n")
	p.press("q", "u").shows("undid “second”: 1 file", "left alone: b.txt (only the agent says").holds("a.txt", "agent\n").holds("b.txt", "now\n")
}

func TestAConflictIsSaid(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "sub/a.txt", "agent\n")
	if err := p.saved("sub/a.txt", "user\n"); err != nil {
		t.Fatal(err)
	}
	p.open().press("u").shows("sub/a.txt: the same lines have changed since; nothing was written").holds("sub/a.txt", "user\n")
}

// What the user changed is not shown; where the agent changed the same lines, the review
// says that it cannot revert them, and does not.
func TestTheUsersOwnChangesStay(t *testing.T) {
	p := newUser(t, 80, 20)
	if err := p.saved("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"); err != nil {
		t.Fatal(err)
	}
	p.turn("first", "a.txt", "agent\n2\n3\n4\n5\n6\n7\n8\nagent\n")
	mine := "agent\n2\n3\n4\nmine\n6\n7\n8\nmine\n"
	if err := p.saved("a.txt", mine); err != nil {
		t.Fatal(err)
	}
	p.open().shows("M  a.txt", "+2 −2").press("enter").shows("change 1 of 2")
	p.press("]").shows("change 2 of 2", "these lines have changed since: parley cannot undo")
	p.press("x").shows("a.txt: the same lines have changed since; nothing was written").holds("a.txt", mine)
	p.press("X").shows("a.txt: the same lines have changed since; nothing was written").holds("a.txt", mine)
	p.press("[", "x").shows("change 1 of 1").holds("a.txt", "1\n2\n3\n4\nmine\n6\n7\n8\nmine\n")
}

func TestKeptFiles(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "a.txt", "a\n")
	p.open().press("a").shows("✓  a.txt", "kept a.txt: undoing the turn leaves it").press("u").shows("no changes of the agent to undo").holds("a.txt", "a\n")
	p.press("a").shows("A  a.txt", "a.txt is no longer kept")
	p.press("X").shows("undid the changes in a.txt", "unchanged")
}

func TestComments(t *testing.T) {
	p := newUser(t, 80, 20)
	if err := p.saved("a.txt", "1\n2\n3\n"); err != nil {
		t.Fatal(err)
	}
	p.turn("first", "a.txt", "1\ntwo\n3\n")
	p.open().press("S").shows("no comments yet")
	p.press("enter", "c").shows("a.txt:2 (before the change)")
	p.press("w", "h", "y", "?", "enter").shows("● why?")
	p.press("down", "c", "o", "k", "enter", "c", "!", "enter").shows("● ok!")
	p.press("down", "c", "x", "esc") // dropped
	p.press("o")
	if p.edited[0] != "a.txt:3" {
		t.Errorf("edited %s", p.edited)
	}
	p.press("p")
	if !strings.Contains(p.copied, "-2\n+two\n") {
		t.Errorf("copied %q", p.copied)
	}
	p.press("S")
	want := "a.txt:2 (before the change)\n> 2\nwhy?\n\na.txt:2\n> two\nok!"
	if p.composed != want {
		t.Errorf("composed %q, want %q", p.composed, want)
	}
}

func TestSinceAPrompt(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "a.txt", "a\n")
	p.turn("second", "b.txt", "b\n")
	p.turn("third", "c.txt", "c\n")
	p.open().press("t")
	for _, item := range p.chosen.Items {
		if item.Title == "since: second" {
			item.Do()
			p.work()
		}
	}
	p.shows("since “second”", "2 files", "b.txt", "c.txt")
}

// While the view is open, it shows what is recorded.
func TestItFollowsTheJournal(t *testing.T) {
	p := newUser(t, 80, 20)
	p.view.Open()
	p.shows("No changes")
	wait := p.jobs[0]
	p.turn("first", "a.txt", "a\n")
	then := wait(t.Context())
	p.jobs = nil
	then()
	p.jobs = p.jobs[:len(p.jobs)-1] // the last one waits for more
	p.work()
	p.shows("A  a.txt", "+1 −0")
}

// What comes late of a review that was closed is not shown in the next one.
func TestNothingOfAClosedReviewIsShown(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("first", "a.txt", "a\n")
	p.open().press("u", "q")
	p.open()
	var late []func()
	p.begin = func(do func(context.Context) func()) { late = append(late, do(t.Context())) }
	p.view.write(func(context.Context) (string, error) { return "undid a thing", nil })
	p.begin = nil
	p.press("q")
	p.open()
	for _, then := range late {
		then()
	}
	p.hides("undid a thing")
	p.press("r").shows("redid 1 file") // and it does not wait for it
}

func TestNothingHasChanged(t *testing.T) {
	p := newUser(t, 60, 20)
	p.open().shows("No changes in the session.").press("enter", "x", "c", "p", "]", "o", "a")
	p.shows("no file here")

	p = newUser(t, 80, 20)
	if err := os.Mkdir(p.path(".git"), 0o700); err != nil { // damaged
		t.Fatal(err)
	}
	p.turn("first")
	p.open().shows("No changes in the session.", "But git cannot tell what has changed", "not a git repository")
}

func TestWhatIsNotText(t *testing.T) {
	p := newUser(t, 80, 12)
	p.turn("first", "pic", "\x00\x01")
	p.open().shows("A  pic").press("enter").shows("Binary: new file, 2 bytes.").press("x")
	p.shows("undid the changes in pic")

	p = newUser(t, 80, 12)
	p.turn("first", "file", "1\n")
	p.event(conversation.PromptSent{})
	if err := p.journal.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cmp.Or(os.Remove(p.path("file")), os.Symlink("/etc/hosts\x1b[2J", p.path("file"))); err != nil {
		t.Skip(err)
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.open().press("down").shows("M  file", "link → /etc/hosts␛[2J, was a file").press("x")
	p.answer("Undo it")
	p.shows("undid the changes in file").holds("file", "1\n")

	p = newUser(t, 80, 12)
	p.turn("first", "file", "1\n")
	if err := os.Truncate(p.path("file"), 1<<30); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.PromptSent{At: time.Now().Add(time.Minute)})
	if err := cmp.Or(p.journal.Wait(t.Context()), os.Truncate(p.path("file"), 0), p.saved("file", "2\n")); err != nil {
		t.Fatal(err)
	}
	p.event(conversation.TurnEnded{})
	if err := p.journal.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.open().press("down").shows("previous content unknown").press("x").shows("previous content of file is unknown: parley cannot undo that").holds("file", "2\n")
	if p.asked != nil {
		t.Errorf("asked %+v", p.asked)
	}
}

// Names that draw nothing, or something else, are seen as what they are, and every
// size has room for something.
func TestHostileNamesAndSizes(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("\x1b[31mred", "a\x1b]52;x\x07\u202e.txt", strings.Repeat("x\u200b\x1b[2J\n", 50))
	p.open().press("enter").press("q")
	for _, size := range [][2]int{{1, 1}, {5, 2}, {20, 6}, {30, 8}, {120, 30}} {
		p.width, p.height = size[0], size[1]
		p.screen()
		p.press("enter", "c", "q", "esc", "]", "e", "s", "q")
	}
}

func TestManyFilesAndLines(t *testing.T) {
	p := newUser(t, 80, 20)
	var files []string
	for i := range 200 {
		files = append(files, fmt.Sprintf("f%03d", i), "x\n")
	}
	files = append(files, "f000", strings.Repeat("line\n", 100_000))
	p.turn("all", files...)
	p.open().shows("200 files  +100199 −0", "+100000 −0")
	p.press("G").shows("❯ A  f199").press("g", "enter").shows("change 1 of 1").press("G").shows("100000")
}

func BenchmarkDraw100000Lines(b *testing.B) {
	p := newUser(b, 120, 40)
	p.turn("all", "f", strings.Repeat("line\n", 100_000))
	p.open().press("enter")
	for b.Loop() {
		p.strike("down")
		p.screen()
	}
}

// writeText writes a file as an agent does through parley.
func writeText(f *fs.FS, path, content string) error {
	place, err := f.Find(path)
	if err != nil {
		return err
	}
	_, err = f.Write(context.Background(), place, content, nil)
	return err
}

// A file that changes while it is compared is compared again.
func TestTheNewestComparisonIsShown(t *testing.T) {
	p := newUser(t, 80, 20)
	p.turn("one", "a.txt", "apples\n")
	p.open().press("enter")
	p.view.refresh()
	early := p.jobs[1](t.Context()) // the comparison
	p.turn("two", "a.txt", "pears\n")
	p.view.refresh()
	p.jobs = append(p.jobs[:1], p.jobs[2:]...)
	early()
	p.work()
	p.shows("pears")
	p.hides("apples")
}
