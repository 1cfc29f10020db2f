package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestChangedOnDisk(t *testing.T) {
	who := says(conversation.FileNo)
	s := serveTo(t, who)
	file := filepath.Join(s.inside, "file")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func() {
		t.Helper()
		_, err := s.read(file)
		must(err)
	}
	wantQuestions := func(n int, what string) {
		t.Helper()
		if who.count() != n {
			t.Fatalf("%s: %d questions, want %d", what, who.count(), n)
		}
	}
	s.put(file, "one\ntwo\n")
	must(s.write(file, "never read\n"))
	must(s.write(file, "again\n"))
	wantQuestions(0, "the agent's own writes")

	write(t, file, "the user's\n")
	if err := s.write(file, "mine\n"); err == nil {
		t.Error("wrote over what the agent does not know")
	}
	wantQuestions(1, "changed since it was written")
	if q := who.asked[0]; !q.Changed || q.Outside || q.Secret != "" || who.before[0] == nil || *who.before[0] != "the user's\n" {
		t.Errorf("asked %+v against %v", q, who.before[0])
	}
	s.holds(file, "the user's\n")

	read()
	later := time.Now().Add(time.Hour)
	must(os.Chtimes(file, later, later))
	must(s.write(file, "touched\n"))
	wantQuestions(1, "touched, and not changed")

	// Of a file that was read in part, its time and size tell.
	line, limit := 1, 1
	_, err := s.ReadTextFile(t.Context(), &acpclient.ReadTextFileRequest{Path: file, Line: &line, Limit: &limit})
	must(err)
	must(os.Chtimes(file, later.Add(time.Hour), later.Add(time.Hour)))
	must(s.write(file, "parts\n")) // all of it was known, from the write before
	wantQuestions(1, "known whole before it was read in part")

	must(os.Remove(file))
	if err := s.write(file, "back\n"); err == nil {
		t.Error("a removed file was written without a yes")
	}
	wantQuestions(2, "removed")

	who.answer = says(conversation.FileSession).answer
	must(s.write(file, "back\n"))
	wantQuestions(3, "removed, again")
	write(t, file, "the user's\n")
	must(s.write(file, "mine\n"))
	wantQuestions(3, "allowed for the session")
	s.holds(file, "mine\n")
}

// What the user has seen in the question is what is there when it is written.
func TestChangedWhileAsked(t *testing.T) {
	s := serveTo(t, nil)
	file := s.put(filepath.Join(s.beside, "file"), "shown first")
	who := &user{}
	who.answer = func(*conversation.FileQuestion) (acpclient.PermissionOptionID, error) {
		if len(who.asked) == 1 {
			write(t, file, "changed meanwhile")
		}
		return conversation.FileOnce, nil
	}
	s.gate.asker = who
	if err := s.write(file, "mine"); err != nil {
		t.Fatal(err)
	}
	if len(who.before) != 2 || *who.before[0] != "shown first" || *who.before[1] != "changed meanwhile" {
		t.Errorf("%d questions", len(who.before))
	}
	s.holds(file, "mine")
}

// Between the question and the use, the path is made to lead elsewhere.
func TestMovedWhileAsked(t *testing.T) {
	for _, writing := range []bool{false, true} {
		s := serveTo(t, nil)
		fine := s.put(filepath.Join(s.beside, "fine", "file"), "fine")
		secret := s.put(filepath.Join(s.beside, "secret", "file"), "secret")
		way := link(t, filepath.Dir(fine), filepath.Join(s.inside, "way"))
		who := &user{}
		who.answer = func(q *conversation.FileQuestion) (acpclient.PermissionOptionID, error) {
			if q.Target != fine {
				return conversation.FileNo, nil
			}
			if err := errors.Join(os.Remove(way), os.Symlink(filepath.Dir(secret), way)); err != nil {
				t.Error(err)
			}
			return conversation.FileOnce, nil
		}
		s.gate.asker = who
		path := filepath.Join(way, "file")
		if writing {
			if err := s.write(path, "mine"); err == nil || who.count() != 2 {
				t.Errorf("write = %v after %d questions", err, who.count())
			}
		} else if got, err := s.read(path); err == nil {
			t.Errorf("read %q", got)
		}
		s.holds(secret, "secret")
		s.holds(fine, "fine")
		// Also the directory itself, which has the name that was asked about.
		if err := os.Remove(way); err != nil {
			t.Fatal(err)
		}
		link(t, filepath.Dir(fine), way)
		who.answer = func(*conversation.FileQuestion) (acpclient.PermissionOptionID, error) {
			dir := filepath.Dir(fine)
			if err := errors.Join(os.Rename(dir, dir+".old"), os.Symlink(filepath.Dir(secret), dir)); err != nil {
				t.Error(err)
			}
			who.answer = says(conversation.FileNo).answer
			return conversation.FileOnce, nil
		}
		if writing {
			if err := s.write(path, "mine"); err == nil {
				t.Error("wrote where nobody was asked about")
			}
		} else if got, err := s.read(path); err == nil {
			t.Errorf("read %q", got)
		}
		s.holds(secret, "secret")
	}
}
