package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func TestWhatWasUsedLastIsFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	m := NewRecentFile(dir)
	for _, id := range []string{"a", "b", "c", "b"} {
		if err := m.Action(id); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Agent("mine"); err != nil {
		t.Fatal(err)
	}
	if err := m.Version("v1.0.0"); err != nil {
		t.Fatal(err)
	}
	again := NewRecentFile(dir)
	if got := again.Used(); len(got.Actions) != 0 {
		t.Errorf("before it is loaded: %+v", got)
	}
	got := again.Load()
	if !slices.Equal(got.Actions, []string{"b", "c", "a"}) || !slices.Equal(got.Agents, []string{"mine"}) || got.Version != "v1.0.0" {
		t.Errorf("%+v", got)
	}
	info, err := os.Stat(filepath.Join(dir, "recent.json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestItStaysSmall(t *testing.T) {
	m := NewRecentFile(t.TempDir())
	for i := range most + 5 {
		if err := m.Action(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.Used().Actions; len(got) != most || got[0] != fmt.Sprint(most+4) {
		t.Errorf("%v", got)
	}
}

func TestFilesThatAreOdd(t *testing.T) {
	for _, text := range []string{"", "[]", `{"actions": 3}`, "\x00", `{"actions":["a"]`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "recent.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := NewRecentFile(dir)
		if got := m.Load(); len(got.Actions)+len(got.Agents) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
		if err := m.Action("b"); err != nil || !slices.Equal(m.Used().Actions, []string{"b"}) {
			t.Errorf("%q: %v, %v", text, m.Used(), err)
		}
	}
}

// Several programs write it at the same time, and none loses what another has written.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range most {
		all.Go(func() {
			if err := NewRecentFile(dir).Action(fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := NewRecentFile(dir).Load().Actions; len(got) != most {
		t.Errorf("%d of %d", len(got), most)
	}
}

func TestNoMemory(t *testing.T) {
	var m *RecentFile
	if err := m.Action("a"); err != nil || len(m.Load().Actions)+len(m.Used().Agents) != 0 {
		t.Error(err)
	}
}
