package command

import (
	"reflect"
	"strings"
	"testing"

	"parley/internal/app"
	"parley/internal/store"
	"parley/internal/test"
)

// withSessions is a front end whose directory has sessions with these prompts.
func withSessions(t *testing.T, prompts ...string) (*screen, []store.ID) {
	lib := store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = lib.Close() })
	s := &screen{t: t, cwd: t.TempDir()}
	s.backend.Stored = lib
	return s, storedIDs(t, lib, s.cwd, prompts...)
}

// What comes of words that are not wanted any more is not shown.
func TestTheNewestWordsCount(t *testing.T) {
	s, _ := withSessions(t, "peel potatoes", "bake bread")
	ChooseSession(s)
	search := s.lists[0].Search
	found := func() string {
		var all []string
		for _, it := range s.items() {
			if it.Found {
				all = append(all, it.Title)
			}
		}
		return strings.Join(all, ", ")
	}
	s.holds = true
	search("answer po")
	search("answer pot")
	s.timers[0]()
	if len(s.work) != 0 {
		t.Error("it is looked for what nobody wants any more")
	}
	s.timers[1]()
	search("answer br")
	s.timers[2]()
	s.work[1]()
	s.work[0]()
	if got := found(); got != "bake bread" {
		t.Errorf("found is %q", got)
	}
	if search(""); found() != "" {
		t.Errorf("found is still %q", found())
	}
}

// A session is deleted once the user has said so, and then no longer listed.
func TestASessionIsDeleted(t *testing.T) {
	s, ids := withSessions(t, "peel potatoes", "bake bread")
	ChooseSession(s)
	s.item("bake bread").Delete()
	if q := s.asked[0]; len(s.items()) != 2 || q.Text != "bake bread\nparley deletes it for good." {
		t.Errorf("it asks %+v", q)
	}
	s.asked[0].Choices[1].Here()
	if got := s.shown(); strings.Contains(got, "bread") || !strings.Contains(got, "potatoes") {
		t.Errorf("it shows\n%s", got)
	}
	if s.choose("peel potatoes"); !reflect.DeepEqual(s.did[0], app.Spec{Stored: ids[0]}) {
		t.Errorf("it did %v", s.did)
	}
}

// storedIDs stores sessions of a directory, as [test.Sessions] does, and returns their ids.
func storedIDs(t *testing.T, lib *store.Library, cwd string, prompts ...string) (ids []store.ID) {
	for _, l := range test.Sessions(t, func() (*store.Log, error) { return lib.Create(store.Meta{Cwd: cwd}) }, prompts...) {
		ids = append(ids, l.ID())
	}
	return ids
}
