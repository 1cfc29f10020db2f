//go:build linux || darwin

package host

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/test"
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

// leaver returns a library in a directory, and what makes a record and a stored session of a host in it.
func leaver(t *testing.T) (lib *store.Library, logs string, left func(id string, interrupted bool, r Record, events ...conversation.Event) store.ID) {
	t.Helper()
	runDir(t)
	dir, err := HistoryDir()
	if err != nil {
		t.Fatal(err)
	}
	logs = t.TempDir()
	lib = store.NewLibrary(store.New(logs))
	t.Cleanup(func() { _ = lib.Close() })
	return lib, logs, func(id string, interrupted bool, r Record, events ...conversation.Event) store.ID {
		l, err := lib.Create(store.Meta{Cwd: "/" + id})
		if err == nil {
			err = errors.Join(l.Append(events), l.Close())
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
}

// A stored session of a killed host is listed behind those that run, until it is opened again or declined.
func TestWhatWasKilledIsListed(t *testing.T) {
	lib, logs, left := leaver(t)
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

// What was killed with something left to do needs the user.
func TestWhatWasKilledAtWorkNeedsTheUser(t *testing.T) {
	lib, _, left := leaver(t)
	queue := conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{Prompt: test.Sent("later").Prompt}}}
	for id, want := range map[string]conversation.Standing{
		"turn": conversation.StandingLost, "queue": conversation.StandingLost, "idle": conversation.StandingIdle,
		"without its agent": conversation.StandingLost, "restarted": conversation.StandingIdle,
	} {
		events := []conversation.Event{test.Sent("bake"), queue}
		switch id {
		case "queue", "idle":
			events = append(events, conversation.TurnEnded{})
		case "restarted":
			events = append(events, conversation.AgentLost{}, conversation.SessionOpened{})
		case "without its agent":
			events = append(events, conversation.AgentLost{})
		}
		if id != "queue" {
			events = append(events, conversation.QueueChanged{})
		}
		stored := left(id, true, Record{}, events...)
		all := WithKilled(t.Context(), lib, nil)
		if len(all) != 1 || all[0].Standing != want || all[0].Title != "bake" {
			t.Errorf("%s: %+v", id, all)
		}
		if err := lib.Forget(stored); err != nil {
			t.Fatal(err)
		}
	}
}

// What ends with something left to do needs the user, who has not seen it, as if it was killed.
func TestWhatEndsUnfinishedNeedsTheUser(t *testing.T) {
	later := conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued("later")}, Paused: true}
	ended := conversation.TurnEnded{Reason: acpclient.StopEndTurn}
	lost := conversation.AgentLost{Err: io.ErrUnexpectedEOF, At: time.Unix(2, 0)}
	byUser := func(h *Host) { h.end(errEnded) }
	bySystem := func(h *Host) { h.end(errors.New("terminated")) }
	for name, tt := range map[string]struct {
		events  []conversation.Event
		passing bool // who detaches then only gives an order, as 'run --detach' does
		end     func(*Host)
		needs   bool
	}{
		"the agent exits in its turn":             {events: []conversation.Event{lost}, passing: true, needs: true},
		"after that was seen":                     {events: []conversation.Event{lost}},
		"the agent exits with a queue":            {events: []conversation.Event{ended, later, lost}, passing: true, needs: true},
		"which was seen":                          {events: []conversation.Event{ended, later, lost}, needs: true},
		"the agent exits once it has finished":    {events: []conversation.Event{ended, lost}, passing: true},
		"the system ends it in its turn":          {passing: true, end: bySystem, needs: true},
		"the system ends it once it has finished": {events: []conversation.Event{ended}, passing: true, end: bySystem},
		"the user ends it in its turn":            {events: []conversation.Event{later}, passing: true, end: byUser},
	} {
		t.Run(name, func(t *testing.T) {
			lib, _, _ := leaver(t)
			dir, err := HistoryDir()
			if err != nil {
				t.Fatal(err)
			}
			f := newFake()
			f.log = lib.Record(store.Meta{Cwd: "/w"}, nil)
			f.stream.RecordTo(f.log)
			for _, e := range append(atWork[:3:3], test.Sent("bake")) {
				f.post(e)
			}
			f.stream.Take()
			f.stored = f.log.ID()
			h := start(t, Options{Session: f, Dir: dir})
			c := h.attach(t, ClientOptions{Passing: tt.passing})
			for _, e := range tt.events {
				f.post(e)
			}
			if n := len(tt.events); n > 0 {
				c.until(t, func() bool { return len(c.events) >= n })
			}
			if c.Close(t.Context()); tt.end != nil {
				tt.end(h.Host)
			}
			<-h.ended
			all := WithKilled(t.Context(), lib, nil)
			if needs := len(all) == 1 && all[0].Group() == 0 && all[0].Title == "bake" && all[0].Over; needs != tt.needs || len(all) > 0 != needs {
				t.Errorf("listed are %+v", all)
			}
			if offered, _ := lib.Interrupted("/w"); len(offered) > 0 != tt.needs {
				t.Errorf("the next start offers %v", offered)
			}
		})
	}
}

// An open board says of a session that does not run any more what a new one says: a killed one is listed, one
// that was ended is not.
func TestAnOpenBoardTellsKilledFromEnded(t *testing.T) {
	lib, _, left := leaver(t)
	_, kill := serves(t, "killed")
	_, end := serves(t, "ended")
	killed := left("killed", true, Record{}, test.Sent("bake"))
	taken := left("taken", true, Record{}, test.Sent("bake"))
	left("ended", false, Record{Ended: time.Now()})
	_, lose := serves(t, "unstored")
	_, leave := serves(t, "unstored-ended")
	dir, err := HistoryDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Record{{Status: Status{ID: "unstored"}}, {Status: Status{ID: "unstored-ended"}, Ended: time.Now()}} {
		h := host(t, r.ID)
		h.opt.Dir = dir
		h.record(r)
	}
	next := Keeping(&app.Launcher{Version: "1.0.0"}, app.Backend{Stored: lib}, nil).Watch(t.Context())
	if all, err := next(); err != nil || len(all) != 5 || all[0].Over || all[3].Over || all[4].ID != "taken" {
		t.Fatalf("%+v, %v", all, err)
	}
	kill()
	end()
	lose()
	leave()
	for {
		all, err := next()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(s Status) bool { return !s.Over }) {
			if len(all) != 3 || all[0].ID != "killed" || all[0].Group() != 0 || all[1].ID != "taken" || all[2].ID != "unstored" || all[2].Group() != 0 || all[0].Now() != "its process was killed" || all[2].Now() != all[0].Now() {
				t.Errorf("%+v", all)
			}
			break
		}
	}
	if again := WithKilled(t.Context(), lib, nil); len(again) != 2 || again[0].ID != "killed" || again[0].Group() != 0 {
		t.Errorf("a new board: %+v", again)
	}

	// What is taken off on another board, or opened again, leaves this one.
	other := Keeping(&app.Launcher{Version: "1.0.0"}, app.Backend{Stored: lib}, nil)
	l, err := lib.Continue(killed)
	if err := errors.Join(err, other.TakeOff(Status{ID: "taken", Stored: taken}), other.TakeOff(Status{ID: "unstored"})); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for all, err := next(); len(all) > 0; all, err = next() {
		if err != nil {
			t.Fatal(err)
		}
	}
}
