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
	mine := &config.Agent{ID: "mine", Command: "my-agent"}
	// handOver returns the session that goes on with another one, before its agent opens any.
	handOver := func(l *Launcher, id store.ID) store.ID {
		o, err := l.Make(t.Context(), Spec{Stored: id, Branch: 2, Agent: mine, HandOver: true})
		must(t, err)
		defer End(t.Context(), o.Session)
		return o.Transcript.Meta.ID
	}
	for name, c := range map[string]struct {
		spec func(l *Launcher, id store.ID) Spec
		kept int
	}{
		"that parley keeps": {func(l *Launcher, id store.ID) Spec { return Spec{Stored: id} }, 1},
		"that the agent lists": {func(l *Launcher, _ store.ID) Spec {
			return Spec{Agent: mine, Session: "x"}
		}, 1},
		"that the command line names": {func(l *Launcher, _ store.ID) Spec {
			l.Resume = "x"
			return Spec{Agent: mine}
		}, 1},
		"handed over twice": {func(l *Launcher, id store.ID) Spec {
			return Spec{Stored: handOver(l, id), Branch: 2, Agent: mine, HandOver: true}
		}, 1},
		"handed over, and opened again": {func(l *Launcher, id store.ID) Spec {
			return Spec{Stored: handOver(l, id), Agent: mine}
		}, 1},
		"beside that": {func(l *Launcher, _ store.ID) Spec {
			l.Resume = "x"
			l.first(Spec{})
			return Spec{Agent: mine}
		}, 0},
		"that is new": {func(l *Launcher, _ store.ID) Spec { return Spec{Agent: mine} }, 0},
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
			made, err := l.Make(t.Context(), c.spec(l, keep(t, store.Meta{Agent: "mine", Cwd: dir}, "x")))
			if err != nil || made.ReadOnly != nil {
				t.Fatal(err, made.ReadOnly)
			}
			s := made.Session
			defer s.Close(t.Context())
			if kept := s.Journal().Files; kept != c.kept {
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
	l := &Launcher{Config: config.Default(nil), Cwd: dir, Recording: &Recording{writer: record.NewWriter(fullDisk{}, time.Now)}}
	defer l.Close()
	if _, err := l.Make(t.Context(), Spec{Agent: &config.Agent{ID: "mine", Command: "my-agent"}}); err == nil {
		t.Fatal("the session was begun")
	}
	left, err := os.ReadDir(filepath.Join(config.StateDir(), "journal"))
	if len(left) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v are left, %v", left, err)
	}
}
