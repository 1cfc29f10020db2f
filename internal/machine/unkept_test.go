package machine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/conversation"
	"parley/internal/journal"
)

// Where the journal cannot keep what a write would replace, parley asks first, and a no
// leaves the file as it is. A new file replaces nothing.
func TestAWriteThatCannotBeUndoneIsAsked(t *testing.T) {
	who := says(conversation.FileNo)
	s, j := recorded(t, who)
	path := s.put(filepath.Join(s.inside, "a.txt"), "before\n")
	if err := s.write(filepath.Join(s.inside, "other"), "o\n"); err != nil {
		t.Fatal(err)
	}
	// No directory can be made in the place of a file: as on a full disk.
	images, err := filepath.Glob(filepath.Join(s.state, "*", "images"))
	if err != nil || len(images) != 1 {
		t.Fatal(images, err)
	}
	if err := errors.Join(os.RemoveAll(images[0]), os.WriteFile(images[0], nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := s.write(filepath.Join(s.inside, "new"), "new\n"); err != nil || who.count() != 0 {
		t.Errorf("a new file: %v, %d questions", err, who.count())
	}
	if err := s.write(path, "agent\n"); err == nil || !strings.Contains(err.Error(), "The user denied writing") {
		t.Errorf("the write: %v", err)
	}
	if who.count() != 1 || !who.asked[0].Unkept || *who.before[0] != "before\n" {
		t.Fatalf("asked: %+v", who.asked)
	}
	s.holds(path, "before\n")
	if n := len(j.Files(0)); n != 2 {
		t.Errorf("%d files are recorded", n)
	}
	who.answer = says(conversation.FileOnce).answer
	for n := 2; n < 4; n++ {
		if err := s.write(path, strings.Repeat("agent\n", n)); err != nil || who.count() != n {
			t.Errorf("once: %v, %d questions", err, who.count())
		}
	}
	who.answer = says(conversation.FileSession).answer
	for range 2 {
		if err := s.write(path, "agent\n"); err != nil || who.count() != 4 {
			t.Errorf("for the session: %v, %d questions", err, who.count())
		}
	}
	s.holds(path, "agent\n")
	if _, err := j.UndoTurn(t.Context()); err == nil {
		t.Error("what is not kept was undone")
	}
}

// Without a user, the write is refused.
func TestAWriteThatCannotBeUndoneNeedsAUser(t *testing.T) {
	s := serveTo(t, nil)
	j, err := journal.Open(journal.Options{Dir: t.TempDir(), Cwd: s.inside, Roots: []string{s.inside}, MaxBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.Journal(j)
	t.Cleanup(func() { _ = j.Close(t.Context()) })
	j.Watch(conversation.PromptSent{})
	path := s.put(filepath.Join(s.inside, "a.txt"), "before\n")
	if err := s.write(path, "agent\n"); err == nil || !strings.Contains(err.Error(), "parley cannot keep what it contains now") {
		t.Errorf("the write: %v", err)
	}
	s.holds(path, "before\n")
}

// A journal that cannot be opened keeps nothing: parley asks before it replaces anything, and
// records as soon as the journal can be opened.
func TestAWriteWithoutAJournalIsAsked(t *testing.T) {
	who := says(conversation.FileNo)
	s := serveTo(t, who)
	state := filepath.Join(t.TempDir(), "state")
	j := unopened(t, s, state)
	path := s.put(filepath.Join(s.inside, "a.txt"), "before\n")
	if err := s.write(path, "agent\n"); err == nil || !strings.Contains(err.Error(), "The user denied writing") {
		t.Errorf("the write: %v", err)
	}
	if who.count() != 1 || !who.asked[0].Unkept || *who.before[0] != "before\n" {
		t.Fatalf("asked: %+v", who.asked)
	}
	s.holds(path, "before\n")
	if err := s.write(filepath.Join(s.inside, "new"), "new\n"); err != nil || who.count() != 1 {
		t.Errorf("a new file: %v, %d questions", err, who.count())
	}
	who.answer = says(conversation.FileOnce).answer
	if err := s.write(path, "once\n"); err != nil || who.count() != 2 {
		t.Errorf("once: %v, %d questions", err, who.count())
	}
	if j.Summary().Files != 0 || j.Unopened() == nil || j.Summary().Failed == "" {
		t.Errorf("recorded %d files, unopened: %v, failed: %q", j.Summary().Files, j.Unopened(), j.Summary().Failed)
	}

	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if err := s.write(path, "agent\n"); err != nil || who.count() != 2 {
		t.Errorf("with room: %v, %d questions", err, who.count())
	}
	if j.Summary().Files != 1 || j.Unopened() != nil {
		t.Errorf("recorded %d files, unopened: %v", j.Summary().Files, j.Unopened())
	}
	if _, err := j.UndoTurn(t.Context()); err != nil {
		t.Error(err)
	}
	s.holds(path, "once\n")
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := journal.Open(journal.Options{Dir: state, Cwd: s.inside, Roots: []string{s.inside}, Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if turns := again.Summary().Turns; len(turns) != 1 || turns[0].Number != 1 || len(again.Files(1)) != 1 {
		t.Errorf("the next run has turns %+v, files %+v", turns, again.Files(1))
	}
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Without a user, that write is refused too.
func TestAWriteWithoutAJournalNeedsAUser(t *testing.T) {
	s := serveTo(t, nil)
	j := unopened(t, s, filepath.Join(t.TempDir(), "state"))
	t.Cleanup(func() { _ = j.Close(t.Context()) })
	path := s.put(filepath.Join(s.inside, "a.txt"), "before\n")
	if err := s.write(path, "agent\n"); err == nil || !strings.Contains(err.Error(), "parley cannot keep what it contains now") {
		t.Errorf("the write: %v", err)
	}
	s.holds(path, "before\n")
}

// unopened returns the journal of a machine in a turn of session x, which cannot be opened
// because of a file at state.
func unopened(t *testing.T, s *served, state string) *journal.Journal {
	t.Helper()
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(journal.Options{Dir: state, Cwd: s.inside, Roots: []string{s.inside}})
	if err != nil {
		t.Fatal(err)
	}
	s.Journal(j)
	j.Watch(conversation.SessionOpened{ID: "x"})
	j.Watch(conversation.PromptSent{})
	if err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j
}
