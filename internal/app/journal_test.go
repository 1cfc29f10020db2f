package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/store"
)

// changeIn changes a file in an agent's session, as an earlier parley would have.
func changeIn(t *testing.T, l *Launcher, dir string, id acpclient.SessionID) {
	t.Helper()
	j, err := l.journal(dir, []string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fs.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	j.Serve(f, nil)
	j.Watch(conversation.SessionOpened{ID: id})
	j.Watch(conversation.PromptSent{})
	if err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	place, err := f.Find(filepath.Join(dir, "poem.txt"))
	if err == nil {
		_, err = f.Write(t.Context(), place, "one\n", nil)
	}
	if err := errors.Join(err, j.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// What an agent has changed can be reviewed and taken back when its session goes on, and
// in no other session.
func TestTheJournalOfASessionGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(l *Launcher, id store.ID) (Session, error)
		kept  int
	}{
		"that parley keeps": {func(l *Launcher, id store.ID) (Session, error) {
			r, err := l.Reopen(t.Context(), Open{ID: id})
			if err == nil {
				err = r.ReadOnly
			}
			return r.Session, err
		}, 1},
		"that the agent lists": {func(l *Launcher, _ store.ID) (Session, error) {
			return l.Load(config.Agent{ID: "mine", Command: "my-agent"}, acpclient.SessionInfo{SessionID: "x", Cwd: l.Cwd})
		}, 1},
		"that the command line names": {func(l *Launcher, _ store.ID) (Session, error) {
			l.Resume = "x"
			return l.Start(config.Agent{ID: "mine", Command: "my-agent"})
		}, 1},
		"beside that": {func(l *Launcher, _ store.ID) (Session, error) {
			l.Resume = "x"
			l.first()
			return l.Start(config.Agent{ID: "mine", Command: "my-agent"})
		}, 0},
		"that is new": {func(l *Launcher, _ store.ID) (Session, error) {
			return l.Start(config.Agent{ID: "mine", Command: "my-agent"})
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := isolate(t, "[agents.mine]\ncommand = \"my-agent\"\n")
			cfg, err := config.Load(config.ConfigFile(), nil)
			if err != nil {
				t.Fatal(err)
			}
			l := &Launcher{Config: cfg, Cwd: dir, Store: store.New(StoreDir())}
			defer l.Close()
			changeIn(t, l, dir, "x")
			s, err := c.begin(l, keep(t, store.Meta{Agent: "mine", Cwd: dir}, "x"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(t.Context())
			if kept := s.Journal().Len; kept != c.kept {
				t.Errorf("%d changes can be reviewed, want %d", kept, c.kept)
			}
		})
	}
}

// fullDisk is a file that nothing can be written to.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
func (fullDisk) Close() error              { return nil }

// A session that cannot be begun leaves no journal behind that is open.
func TestASessionThatCannotBeRecordedLeavesNoJournal(t *testing.T) {
	dir := isolate(t, "")
	l := &Launcher{Config: config.Default(), Cwd: dir, Recording: &Recording{writer: record.NewWriter(fullDisk{}, time.Now)}}
	defer l.Close()
	if _, err := l.Start(config.Agent{ID: "mine", Command: "my-agent"}); err == nil {
		t.Fatal("the session was begun")
	}
	left, err := os.ReadDir(filepath.Join(config.StateDir(), "journal"))
	if len(left) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v are left, %v", left, err)
	}
}
