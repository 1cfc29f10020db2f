package store

import (
	"slices"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

var (
	ready = conversation.AgentReady{Info: &acpclient.InitializeResponse{ProtocolVersion: 1}}
	first = conversation.SessionOpening{How: conversation.OpenNew}
)

func record(t *testing.T, r *Recorder, batch ...conversation.Event) {
	t.Helper()
	if said := r.Record(batch); len(said) > 0 {
		t.Fatal(said)
	}
}

// stored are the events of all logs, the oldest first.
func stored(t *testing.T, s *Store) [][]conversation.Event {
	t.Helper()
	files, err := s.logs()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]conversation.Event
	for _, f := range files {
		all = append(all, read(t, s, f.id))
	}
	return all
}

func TestAnAgentThatWasOnlyLookedAtLeavesNoLog(t *testing.T) {
	s := New(t.TempDir())
	r := s.Record(Meta{Cwd: "/a"}, nil)
	record(t, r, ready, first, conversation.SessionOpened{ID: "x"})
	r.Close()
	if all := stored(t, s); len(all) > 0 {
		t.Errorf("got %v", all)
	}
}

// History that an agent replays is worth keeping, however it tells of the prompts in it.
func TestHistoryOfTheAgentIsKept(t *testing.T) {
	for _, prompt := range []conversation.Event{
		conversation.Text{Chunk: acpclient.UserMessageChunk, Text: "Fix it"},
		test.Up(t, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"Fix it"}]}`),
	} {
		s := New(t.TempDir())
		r := s.Record(Meta{Cwd: "/a"}, nil)
		record(t, r, ready, first, prompt)
		r.Close()
		if all := stored(t, s); len(all) != 1 {
			t.Errorf("%T leaves %d logs", prompt, len(all))
		}
	}
}

func TestEachSessionHasALogOfItsOwn(t *testing.T) {
	s := New(t.TempDir())
	r := s.Record(Meta{Cwd: "/a"}, nil)
	opened := conversation.SessionOpened{ID: "x"}
	again := conversation.SessionOpening{How: conversation.OpenNew, Clear: true}
	record(t, r, ready, first, opened)
	if r.ID() != "" {
		t.Error("a log has begun without a prompt")
	}
	record(t, r, test.Sent("one"), text("answer"))
	id := r.ID()
	record(t, r, text(" more"), again, opened, test.Sent("two"))
	if r.ID() == id || r.ID() == "" {
		t.Errorf("the second session has the log %q", r.ID())
	}
	r.Close()
	record(t, r, text("too late"))
	want := [][]string{
		kinds([]conversation.Event{ready, first, opened, test.Sent("one"), text("answer"), text(" more")}),
		kinds([]conversation.Event{ready, again, opened, test.Sent("two")}),
	}
	var got [][]string
	for _, log := range stored(t, s) {
		got = append(got, kinds(log))
	}
	slices.SortFunc(got, func(a, b []string) int { return len(b) - len(a) }) // both are of one second
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestGoesOnInALog(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, ready, test.Sent("one"))
	r := s.Record(Meta{}, l)
	record(t, r, conversation.SessionOpening{How: conversation.OpenResume, ID: "x"}, text("more"))
	if r.ID() != l.ID() || len(stored(t, s)) != 1 || len(stored(t, s)[0]) != 4 {
		t.Errorf("got %v", stored(t, s))
	}
	r.Close()
	if _, err := s.Continue(l.ID()); err != nil {
		t.Errorf("the log is not free: %v", err)
	}
}
