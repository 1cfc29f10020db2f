//go:build linux || darwin

package host

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/store"
)

// The id of a session means something after its host has ended, and says how it did.
func TestWhatASessionLeaves(t *testing.T) {
	run := runDir(t)
	dir, err := HistoryDir()
	if err != nil {
		t.Fatal(err)
	}
	h := host(t, "one")
	h.opt.Dir, h.stored = dir, "" // nothing was said in it yet
	l, err := h.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(context.Background(), l)
	}()
	if _, err := StatusOf(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	h.session.(*fake).post(text("something"))
	for r, err := Last("one"); r.Stored != "stored"; r, err = Last("one") {
		if err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	if r, err := Last("on"); err != nil || !strings.Contains(r.How(), "killed") { // as it would be now
		t.Errorf("if it is killed, it leaves %+v, %v", r, err)
	}
	if err := End(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	<-ended
	if r, err := Last("one"); err != nil || r.Stored != "stored" || r.How() != errEnded.Error() || r.Ended.IsZero() {
		t.Errorf("it leaves %+v, %v", r, err)
	}
	for _, name := range []string{"", "two", "onetwo"} {
		if r, err := Last(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is taken for %+v, %v", name, r, err)
		}
	}

	// Damaged ones and those under other names are nobody's, and the oldest go, except of what runs.
	for _, id := range []string{"killed", "runs"} {
		o := host(t, id)
		o.opt.Dir = dir
		o.record(Record{Status: Status{ID: id, Stored: "stored"}})
	}
	if err := os.WriteFile(filepath.Join(run, "runs"+socketEnd), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bad": "{", "other": `{"id":"one"}`} {
		if err := os.WriteFile(filepath.Join(dir, name+recordEnd), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := Last(name); err == nil {
			t.Errorf("%q is taken for %+v", name, r)
		}
	}
	for range mostRecords {
		o := host(t, NewID())
		o.opt.Dir = dir
		o.record(Record{Status: o.status(), Ended: time.Now()})
	}
	pruneRecords(dir)
	if all, err := records(dir); len(all) != mostRecords+1 || all[mostRecords].ID != "runs" || err != nil {
		t.Errorf("%d are kept, %v", len(all), err)
	}
}

// A host that does not answer in time is there all the same, with what is known of it.
func TestASilentHostIsListed(t *testing.T) {
	runDir(t)
	dir, noDir := Dir()
	hosts, err := HistoryDir()
	if err = errors.Join(noDir, err); err != nil {
		t.Fatal(err)
	}
	h := host(t, "one")
	h.opt.Dir = hosts
	h.record(Record{Status: h.status()})
	for _, id := range []string{"one", "new"} {
		l, err := net.Listen("unix", filepath.Join(dir, id+socketEnd)) // nobody accepts
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	all, err := List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("listed are %+v, %v", all, err)
	}
	for _, s := range all {
		if s.State() != NoAnswer || (s.ID == "one") != (s.Cwd == "/w") {
			t.Errorf("listed is %+v", s)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all, _ := List(ctx); len(all) > 0 {
		t.Errorf("who does not wait is told of %+v", all)
	}
}

// A stored session of a killed host is listed behind those that run, until it is opened again or declined.
func TestWhatWasKilledIsListed(t *testing.T) {
	runDir(t)
	dir, err := HistoryDir()
	if err != nil {
		t.Fatal(err)
	}
	logs := t.TempDir()
	lib := store.NewLibrary(store.New(logs))
	t.Cleanup(func() { _ = lib.Close() })
	left := func(id string, interrupted bool, r Record) store.ID {
		l, err := lib.Create(store.Meta{Cwd: "/" + id})
		if err == nil {
			err = l.Close()
		}
		if err == nil && interrupted { // as a killed writer leaves it
			err = os.WriteFile(filepath.Join(logs, "open", string(l.ID())), nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.ID, r.Stored, r.Agent, r.PID = id, l.ID(), "baker", 1
		h := host(t, id)
		h.opt.Dir = dir
		h.record(r)
		return l.ID()
	}
	killed := left("killed", true, Record{})
	left("over", true, Record{Ended: time.Now()}) // by another process since
	left("well", false, Record{})
	moved := left("moved", true, Record{})
	if err := os.Chtimes(filepath.Join(logs, string(left("old", true, Record{}))+".jsonl"), time.Time{}, time.Now().Add(-2*killedTime)); err != nil {
		t.Fatal(err)
	}
	runs := []Status{{ID: "runs", Stored: moved}}
	all := WithKilled(t.Context(), lib, runs)
	if len(all) != 2 || all[0].ID != "runs" || all[1].ID != "killed" || !all[1].Over || all[1].Stored != killed || all[1].Agent != "baker" || all[1].PID != 0 {
		t.Errorf("listed are %+v", all)
	}
	if err := lib.Forget(killed); err != nil {
		t.Fatal(err)
	}
	if all := WithKilled(t.Context(), lib, runs); len(all) != 1 {
		t.Errorf("after it is declined: %+v", all)
	}
}
