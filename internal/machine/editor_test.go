package machine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
)

// edited is an editor with unsaved texts, by path. It answers an error for other files.
type edited struct {
	texts map[string]string
	asked []string
	while func() // happens while it is asked; nil is nothing
}

func (s *served) edits(texts map[string]string) *edited {
	e := &edited{texts: texts}
	s.editor = func() func(context.Context, string) (string, error) {
		return func(_ context.Context, path string) (string, error) {
			e.asked = append(e.asked, path)
			if e.while != nil {
				e.while()
			}
			if text, has := e.texts[path]; has {
				return text, nil
			}
			return "", errors.New("not open")
		}
	}
	return e
}

func (s *served) reads(path, want string) {
	s.t.Helper()
	if got, err := s.read(path); err != nil || got != want {
		s.t.Errorf("%s: read %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

// The agent reads what the user sees in the editor, in part, too, and the user is told of it.
func TestUnsavedChangesAreRead(t *testing.T) {
	s := serveTo(t, says(conversation.FileNo))
	file := s.put(filepath.Join(s.inside, "file"), "one\ntwo\n")
	way := link(t, file, filepath.Join(s.inside, "way"))
	e := s.edits(map[string]string{file: "one\n2\nthree\n"})
	s.reads(file, "one\n2\nthree\n")
	s.reads(way, "one\n2\nthree\n")
	line, limit := 2, 1
	r, err := s.ReadTextFile(t.Context(), &acpclient.ReadTextFileRequest{Path: file, Line: &line, Limit: &limit})
	if err != nil || r.Content != "2\n" {
		t.Errorf("the second line: %v, %v", r, err)
	}
	if !slices.Equal(e.asked, []string{file, file, file}) {
		t.Errorf("asked %q", e.asked)
	}
	if got := s.told.got(); got != "file was read from the editor" {
		t.Errorf("the user was told %q", got)
	}
	s.holds(file, "one\ntwo\n")
	odd := s.put(filepath.Join(s.inside, "odd"), "one\ufffd\n")
	e.texts[odd] = "one\ufffd, and more\n" // JSON has mended nothing
	s.reads(odd, "one\ufffd, and more\n")
}

// What an editor does not answer, or not as a file, is read from disk.
func TestWhatAnEditorDoesNotHave(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "saved": "one\ntwo\n", "no last line end": "one\ntwo", "other line ends": "one\r\ntwo\r\n",
		"byte order mark": "\ufeffone\ntwo\n", "old line ends": "one\rtwo", "mended by JSON": "one\ufffd\n",
		"NUL": "one\x00", "not UTF-8": "one\xff", "too large": strings.Repeat("x", 4<<20+1),
	} {
		s := serveTo(t, says(conversation.FileNo))
		file := s.put(filepath.Join(s.inside, "file"), "one\ntwo\n")
		e := s.edits(map[string]string{file: text})
		s.reads(file, "one\ntwo\n")
		s.reads(s.put(filepath.Join(s.inside, "closed"), "closed"), "closed")
		if len(e.asked) != 2 || s.told.got() != "" {
			t.Errorf("%s: asked %q, told %q", name, e.asked, s.told.got())
		}
		if err := s.write(file, "three\n"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An editor is asked for nothing that the agent may not read here, and for files of the session's
// directories only.
func TestWhatAnEditorIsNotAsked(t *testing.T) {
	who := ruledBy(conversation.FileNo)
	s := serveTo(t, who)
	denied := s.put(filepath.Join(s.inside, "denied"), "x")
	secret := s.put(filepath.Join(s.inside, ".env"), "x")
	outside := s.put(filepath.Join(s.beside, "file"), "x")
	missing, dir := filepath.Join(s.inside, "missing"), filepath.Dir(s.put(filepath.Join(s.inside, "dir", "file"), "x"))
	large := s.put(filepath.Join(s.inside, "large"), strings.Repeat("x", 4<<20+1))
	e := s.edits(map[string]string{denied: "y", secret: "y", outside: "y", missing: "y", dir: "y", large: "y"})
	for _, path := range []string{denied, secret, outside, missing, dir, link(t, outside, filepath.Join(s.inside, "out"))} {
		if got, err := s.read(path); err == nil {
			t.Errorf("read %q of %s", got, path)
		}
	}
	who.answer = says(conversation.FileSession).answer // outside they are read from disk
	s.reads(outside, "x")
	s.reads(large, strings.Repeat("x", 4<<20+1))
	if len(e.asked) > 0 {
		t.Errorf("asked %q", e.asked)
	}
	s.reads(secret, "y")
}

// An agent in the sandbox makes a path lead elsewhere just while the editor, which is outside, reads it.
func TestThePathIsTurnedWhileAnEditorIsAsked(t *testing.T) {
	s := serveTo(t, says(conversation.FileNo))
	file := s.put(filepath.Join(s.inside, "dir", "file"), "fine")
	e := s.edits(map[string]string{file: "secret"})
	for name, turned := range map[string]string{"the file": file, "its directory": filepath.Dir(file)} {
		e.while = func() {
			if err := os.Rename(turned, turned+".old"); err != nil {
				t.Fatal(err)
			}
			link(t, s.beside, turned) // the editor opens the path now
			if err := errors.Join(os.Remove(turned), os.Rename(turned+".old", turned)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.read(file); err != nil || got != "fine" {
			t.Errorf("%s: read %q, %v", name, got, err)
		}
	}
	e.while = nil
	s.reads(file, "secret") // nobody has touched it for a moment
}

// A write after unsaved changes were read asks, since the file does not hold what the agent knows. Once
// the user has saved them, it does not.
func TestAWriteAfterUnsavedChanges(t *testing.T) {
	who := says(conversation.FileNo)
	s, j := recorded(t, who)
	file := s.put(filepath.Join(s.inside, "file"), "disk\n")
	e := s.edits(map[string]string{file: "unsaved\n"})
	s.reads(file, "unsaved\n")
	if err := s.write(file, "agent\n"); err == nil {
		t.Error("wrote without a yes")
	}
	q := who.asked[0]
	if why := fmt.Sprint(q.Reasons(false)); who.before[0] == nil || *who.before[0] != "disk\n" || !strings.Contains(why, "with unsaved changes, from the editor") || strings.Contains(why, "after the agent read it") {
		t.Errorf("asked %s against %v", why, who.before[0])
	}
	s.holds(file, "disk\n")

	who.answer = says(conversation.FileOnce).answer
	if err := s.write(file, "agent\n"); err != nil {
		t.Fatal(err)
	}
	s.holds(file, "agent\n")
	s.reads(file, "agent\n") // not the buffer, in which nothing was done since
	e.texts[file] = "disk"
	s.reads(file, "agent\n") // nor what the file held before
	if err := s.write(file, "agent again\n"); err != nil || who.count() != 2 {
		t.Errorf("%v after %d questions", err, who.count())
	}
	files := j.Files(0)
	if len(files) != 1 {
		t.Fatalf("%d files have changed", len(files))
	}
	c, err := j.Compare(t.Context(), files[0].Part, 0)
	if err != nil || c.Before.Content != "disk\n" {
		t.Errorf("compared with %+v, %v", c, err)
	}
	if _, err := j.UndoTurn(t.Context()); err != nil {
		t.Error(err)
	}
	s.holds(file, "disk\n")

	e.texts[file] = "unsaved again\n"
	s.reads(file, "unsaved again\n")
	write(t, file, "unsaved again\n")
	if err := s.write(file, "agent at last\n"); err != nil || who.count() != 2 {
		t.Errorf("saved, and then: %v after %d questions", err, who.count())
	}
}

// Without an answer, no write covers what the disk had and the agent has not seen: an editor may not have
// noticed that the file has changed.
func TestAnEditorThatHasNotNoticed(t *testing.T) {
	who := says(conversation.FileNo)
	s := serveTo(t, who)
	file := s.put(filepath.Join(s.inside, "file"), "changed by others\n")
	s.edits(map[string]string{file: "old\n"})
	s.reads(file, "old\n")
	if err := s.write(file, "old, and new\n"); err == nil || who.count() != 1 {
		t.Errorf("%v after %d questions", err, who.count())
	}
	s.holds(file, "changed by others\n")
	write(t, file, "changed again\n") // which the editor shows no more than before
	s.reads(file, "changed again\n")
}

// turn begins a turn of a session with a journal, once it is clear that a file has changed before.
func (s *served) turn(j *journal.Journal, file string) {
	s.t.Helper()
	place, err := s.fs.Find(file)
	if err != nil {
		s.t.Fatal(err)
	}
	place.Steady(s.t.Context())
	j.Watch(conversation.TurnEnded{})
	j.Watch(conversation.PromptSent{At: time.Now()})
	if err := j.Wait(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// edits changes a file as a tool of the agent's does that reports it.
func edits(t *testing.T, j *journal.Journal, file, before, after string) {
	t.Helper()
	report := func(status acpclient.ToolCallStatus) {
		j.Watch(conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: acpclient.ToolCallID(after), Kind: acpclient.ToolEdit, Status: status,
			Content: []acpclient.ToolCallContent{{Type: acpclient.ToolContentDiff, Path: file, OldText: &before, NewText: after}},
		}})
		if err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	report(acpclient.ToolInProgress)
	write(t, file, after)
	report(acpclient.ToolCompleted)
}

// What an editor loaded before the file changed is no unsaved text, whoever changed it and however long
// ago. What the user types then is.
func TestAnEditorThatHasNotLoadedTheFileAgain(t *testing.T) {
	const shown = "\ufeffold\r\nold" // in the editor
	old := ""                        // on disk
	for name, change := range map[string]func(s *served, j *journal.Journal, e *edited, file string) error{
		"a write, before the editor is asked": func(s *served, _ *journal.Journal, _ *edited, file string) error {
			return s.write(file, "new\n")
		},
		"many writes": func(s *served, _ *journal.Journal, _ *edited, file string) error {
			for i := range 30 {
				if err := s.write(file, fmt.Sprint(i)); err != nil {
					return err
				}
			}
			return s.write(file, "new\n")
		},
		"a tool of the agent's": func(s *served, j *journal.Journal, _ *edited, file string) error {
			edits(s.t, j, file, old, "new\n")
			return nil
		},
		"a tool of the agent's that does not say so": func(s *served, _ *journal.Journal, e *edited, file string) error {
			write(s.t, file, "new\n")
			e.texts[file] = shown
			s.reads(file, "new\n")
			return nil
		},
		"another program, after a read": func(s *served, j *journal.Journal, e *edited, file string) error {
			e.texts[file] = shown
			s.reads(file, strings.TrimPrefix(old, byteOrderMark))
			s.turn(j, file)
			j.Watch(conversation.TurnEnded{})
			write(s.t, file, "new\n")
			return nil
		},
		"a save, and another program": func(s *served, j *journal.Journal, e *edited, file string) error {
			e.texts[file] = "unsaved"
			s.reads(file, "unsaved")
			j.Watch(conversation.TurnEnded{})
			write(s.t, file, "unsaved")
			write(s.t, file, "new\n")
			return nil
		},
		"an undo": func(s *served, j *journal.Journal, e *edited, file string) error {
			err := s.write(file, "new\n")
			s.turn(j, file)
			e.texts[file] = "newer\n"
			err = errors.Join(err, s.write(file, "newer\n"))
			_, undone := j.UndoTurn(s.t.Context())
			return errors.Join(err, undone)
		},
	} {
		for _, old = range []string{"old\nold\n", "\ufeffold\r\nold"} {
			t.Run(fmt.Sprintf("%s, of %q", name, old), func(t *testing.T) {
				s, j := recorded(t, says(conversation.FileOnce))
				file := s.put(filepath.Join(s.inside, "file"), old)
				e := s.edits(map[string]string{})
				s.turn(j, file)
				if err := change(s, j, e, file); err != nil {
					t.Fatal(err)
				}
				if _, has := e.texts[file]; !has {
					e.texts[file] = shown
				}
				s.turn(j, file)
				s.reads(file, "new\n")
				s.reads(file, "new\n")
				e.texts[file] = "new, and typed\n"
				s.reads(file, "new, and typed\n")
				s.turn(j, file)
				s.reads(file, "new, and typed\n")
			})
		}
	}
}

// Whatever happens to a file and in the editor, the agent reads the file, or what the user has typed since the
// editor loaded or saved it.
func TestOnlyUnsavedChangesAreRead(t *testing.T) {
	typed := 0
	for seed := range uint64(3) {
		s, j := recorded(t, says(conversation.FileOnce))
		file := s.put(filepath.Join(s.inside, "file"), "0")
		e := s.edits(map[string]string{file: "0"})
		saved, disk := "0", "0"
		r := rand.New(rand.NewPCG(seed, 0))
		var past []string
		check := func() {
			t.Helper()
			got, err := s.read(file)
			switch {
			case err != nil:
				t.Fatal(err)
			case got == disk:
			case got != e.texts[file] || got == saved:
				t.Fatalf("seed %d: read %q, the file holds %q, the editor %q since it had %q, after %v", seed, got, disk, e.texts[file], saved, past)
			default:
				typed++
			}
		}
		for step := range 40 {
			next := fmt.Sprint(step, "\n")
			does := []string{"writes", "edits", "edits unseen", "undo", "other program", "loads", "types", "saves", "turn", "reads"}[r.IntN(10)]
			past = append(past, does)
			switch does {
			case "writes":
				if err := s.write(file, next); err != nil {
					t.Fatal(err)
				}
			case "edits":
				edits(t, j, file, disk, next)
			case "edits unseen": // and the agent looks at what it has done
				write(t, file, next)
			case "undo":
				_, _ = j.UndoTurn(t.Context()) // there may be nothing to undo
			case "other program": // in a turn, or between two, while parley knows the file
				check()
				write(t, file, next)
			case "loads":
				e.texts[file], saved = disk, disk
			case "types":
				e.texts[file] += "x"
			case "saves":
				write(t, file, e.texts[file])
				saved = e.texts[file]
			case "turn":
				s.turn(j, file)
			}
			now, err := os.ReadFile(file)
			if disk = string(now); err != nil {
				t.Fatal(err)
			}
			if does == "reads" || does == "edits unseen" {
				check()
			}
		}
	}
	if typed == 0 {
		t.Error("no unsaved text was read")
	}
}

// A write asks after unsaved text was read, whatever was allowed and read in part since.
func TestAWriteOverUnsavedChangesAsksAlways(t *testing.T) {
	who := says(conversation.FileSession)
	s := serveTo(t, who)
	file := s.put(filepath.Join(s.inside, "file"), "disk\n")
	e := s.edits(map[string]string{file: "unsaved\n"})
	for i := range 3 {
		e.texts[file] = fmt.Sprint("unsaved ", i, "\n")
		s.reads(file, e.texts[file])
		delete(e.texts, file) // it answers no more
		line, limit := 1, 1
		if _, err := s.ReadTextFile(t.Context(), &acpclient.ReadTextFileRequest{Path: file, Line: &line, Limit: &limit}); err != nil {
			t.Error(err)
		}
		if err := s.write(file, "agent\n"); err != nil || who.count() != i+1 {
			t.Errorf("%v after %d questions", err, who.count())
		}
	}
}

// What an editor adds when it saves is no change.
func TestASaveThatAddsALineEnd(t *testing.T) {
	for saved, asks := range map[string]int{
		"unsaved": 0, "unsaved\n": 0, "unsaved\r\n": 0, "unsaved\r": 0, "\ufeffunsaved\n": 0, "unsaved\n\n": 1, "unsaved, and more": 1,
	} {
		who := says(conversation.FileOnce)
		s := serveTo(t, who)
		file := s.put(filepath.Join(s.inside, "file"), "disk\n")
		s.edits(map[string]string{file: "\ufeffunsaved"})
		s.reads(file, "unsaved")
		write(t, file, saved)
		if err := s.write(file, "agent\n"); err != nil || who.count() != asks {
			t.Errorf("%q: %v after %d questions", saved, err, who.count())
		}
	}
}
