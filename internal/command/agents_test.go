package command

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
)

// An agent is listed by its command, without what is secret in the address of one that listens.
func TestAgentItems(t *testing.T) {
	for want, a := range map[string]config.Agent{
		"x acp": {ID: "a", Command: "x", Args: []string{"acp"}, Default: true},
		"listens at wss://agents.example.com/acp": {ID: "far", Address: "wss://agents.example.com/acp?key=hunter2"},
	} {
		if got := agentItem(a); got.Title != a.ID || got.Detail != want || got.Current != a.Default || got.Dim {
			t.Errorf("%+v", got)
		}
	}
}

// An agent to install says what it is, also one that needs something first.
func TestAnAgentToInstallSaysWhatItIs(t *testing.T) {
	none := func(string) (string, error) { return "", exec.ErrNotFound }
	npx, linux := registry.Distribution{NPX: &registry.Package{Package: "x"}}, "linux-x86_64"
	binary := registry.Distribution{Binary: map[string]registry.Target{linux: {Cmd: "x"}}}
	for want, e := range map[string]registry.Entry{
		"writes code":                           {Description: "writes code", Distribution: binary},
		"needs Node.js · writes code":           {Description: "writes code", Distribution: npx},
		"by Ann, Bob":                           {Authors: []string{"Ann", "Bob"}, Distribution: binary},
		"needs Node.js · https://example.com/x": {Repository: "https://example.com/x", Distribution: npx},
	} {
		if got := (&agentList{}).offer(e.Plan(linux, none)).Detail; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Without a session, the list goes on with the last sessions of the directory; the tour comes last.
func TestTheAgentListGoesOnWithASession(t *testing.T) {
	s, ids := withSessions(t, "tidy up")
	s.backend.Recent = config.NewRecentFile(t.TempDir())
	s.backend.Available = func() ([]config.Agent, error) {
		return []config.Agent{{ID: app.TourID, Name: "The tour"}, {ID: "one", Name: "Agent one"}}, nil
	}
	s.holds = true
	ChooseAgent(s)
	s.work[0]()
	if l := s.lists[0]; !l.Loading || len(l.Items) > 0 {
		t.Errorf("items before all are known: %+v", l)
	}
	s.work[1]()
	var titles []string
	for _, it := range s.items() {
		titles = append(titles, it.Title)
	}
	if !slices.Equal(titles, []string{"Agent one", "tidy up", "The tour"}) || s.lists[0].Loading {
		t.Errorf("it lists %q", titles)
	}
	s.choose("tidy up")
	if len(s.did) != 1 || s.did[0].(app.Spec).Stored != ids[0] {
		t.Errorf("it did %v", s.did)
	}
}

// With a session, its agent is marked, also one that is in no list.
func TestTheAgentListMarksTheAgentOfTheSession(t *testing.T) {
	s := newScreen(t)
	s.backend.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "one", Name: "Agent one"}}, nil }
	ChooseAgent(s)
	if got := s.shown(); !strings.HasPrefix(got, "● ") || !strings.Contains(got, "claude") || strings.Contains(got, "● Agent one") {
		t.Errorf("it lists\n%s", got)
	}
}
