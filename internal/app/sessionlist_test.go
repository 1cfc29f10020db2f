package app

import (
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/store"
)

func TestSessionsAreListedOnce(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 1, 0, minute, 0, 0, time.UTC) }
	stored := func(id store.ID, agent string, session acpclient.SessionID, cwd string, minute int) store.Summary {
		return store.Summary{Meta: store.Meta{ID: id, Agent: agent, Cwd: cwd}, Session: session, Updated: at(minute)}
	}
	s := Sessions{
		Agent: "mine", Cwd: "/here",
		Stored: []store.Summary{
			stored("far", "mine", "s-0", "/there", 9), stored("new", "mine", "s-1", "/here", 3), stored("old", "mine", "s-1", "/here", 2),
			stored("other", "other", "s-1", "/here", 1),
		},
		Found:      []Found{{Hit: store.Hit{Summary: stored("new", "mine", "s-1", "/here", 3)}, Snippet: "the words"}, {Hit: store.Hit{Summary: stored("found", "other", "", "/here", 4)}}},
		Remembered: []acpclient.SessionInfo{{SessionID: "s-1", Title: "Tidy up", UpdatedAt: "2026-11-01T00:05:00Z"}, {SessionID: "s-2"}},
	}
	var names []string
	for _, e := range s.Entries() {
		names = append(names, e.Name())
	}
	if want := []string{"Tidy up", "found", "other", "s-2", "far"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
	first := s.Entries()[0]
	if first.Stored.ID != "new" || first.Snippet != "the words" || !first.Used().Equal(at(5)) {
		t.Errorf("the first is %+v", first)
	}
	s.Deleted(first)
	if got := len(s.Entries()); got != 5 { // the older log of the session is listed now
		t.Errorf("%d are left", got)
	}
}

// TestParleysNameWins: the title in an agent's list can be its own first message.
func TestParleysNameWins(t *testing.T) {
	s := Sessions{
		Agent: "mine", Cwd: "/here",
		Stored:     []store.Summary{{Meta: store.Meta{ID: "a", Agent: "mine", Cwd: "/here"}, Session: "s-1", Prompt: "tidy up"}},
		Remembered: []acpclient.SessionInfo{{SessionID: "s-1", Title: "<session_context>", Cwd: "/here"}},
	}
	if all := s.Entries(); len(all) != 1 || all[0].Name() != "tidy up" {
		t.Errorf("listed %+v", all)
	}
}
