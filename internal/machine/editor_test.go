package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
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
}

// What an editor does not answer, or not as a file, is read from disk.
func TestWhatAnEditorDoesNotHave(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "saved": "one\ntwo\n", "no last line end": "one\ntwo", "other line ends": "one\r\ntwo\r\n",
		"NUL": "one\x00", "not UTF-8": "one\xff", "too large": strings.Repeat("x", mostUnsaved+1),
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
	large := s.put(filepath.Join(s.inside, "large"), strings.Repeat("x", mostUnsaved+1))
	e := s.edits(map[string]string{denied: "y", secret: "y", outside: "y", missing: "y", dir: "y", large: "y"})
	for _, path := range []string{denied, secret, outside, missing, dir, link(t, outside, filepath.Join(s.inside, "out"))} {
		if got, err := s.read(path); err == nil {
			t.Errorf("read %q of %s", got, path)
		}
	}
	who.answer = says(conversation.FileSession).answer // outside they are read from disk
	s.reads(outside, "x")
	s.reads(large, strings.Repeat("x", mostUnsaved+1))
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
}
