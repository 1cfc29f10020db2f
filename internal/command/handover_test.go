package command

import (
	"slices"
	"testing"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/test"
)

// limited returns a front end with a session that is stored and whose last turn ended at a limit.
func limited(t *testing.T) *screen {
	s := newScreen(t)
	s.stored, s.backend.Stored = "kept", store.NewLibrary(store.New(t.TempDir()))
	s.backend.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "codex", Name: "Codex"}}, nil }
	for _, e := range []conversation.Event{
		test.Sent("mend it"),
		conversation.TurnEnded{At: time.Unix(9, 0)},
		conversation.LimitReached{Kind: "five_hour"},
		conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true},
	} {
		s.live.Conversation.Apply(e)
	}
	return s
}

// Nothing goes to another agent until the user has chosen it and confirmed it, and only as long as the
// session can be left.
func TestAHandOverIsConfirmed(t *testing.T) {
	t.Parallel()
	choose := func(s *screen) func() {
		q := LimitQuestion(s, time.Unix(10, 0))
		i := slices.IndexFunc(q.Choices, func(c app.Choice) bool { return c.Key == "h" })
		q.Choices[i].Here()
		s.choose("Codex")
		if len(s.did) > 0 || len(s.asked) != 1 || s.asked[0].Title != "Hand over to Codex?" {
			t.Fatalf("did %v, asked %+v", s.did, s.asked)
		}
		return s.asked[0].Choices[0].Here
	}
	s := limited(t)
	if yes := choose(s); !s.asked[0].While() {
		t.Error("the question is gone")
	} else if yes(); len(s.did) != 1 || !s.did[0].(app.Spec).HandOver {
		t.Errorf("did %v", s.did)
	}
	s = limited(t)
	yes := choose(s)
	s.live.Conversation.Apply(test.Sent("again"))
	if yes(); len(s.did) > 0 {
		t.Errorf("handed over in a turn: %v", s.did)
	}
	s = limited(t)
	yes = choose(s)
	s.live = limited(t).live
	if yes(); len(s.did) > 0 || s.asked[0].While() {
		t.Errorf("another session was handed over: %v, or is asked about", s.did)
	}
}

// A session that is not stored is not handed over, and one that a viewer only looks on at asks nothing.
func TestWhoIsAskedAtALimit(t *testing.T) {
	t.Parallel()
	s := limited(t)
	s.stored = ""
	if q := LimitQuestion(s, time.Unix(10, 0)); slices.ContainsFunc(q.Choices, func(c app.Choice) bool { return c.Key == "h" }) {
		t.Errorf("%+v", q.Choices)
	}
	s.looksOn = true
	if q := LimitQuestion(s, time.Unix(10, 0)); q != nil {
		t.Errorf("a viewer that looks on is asked: %+v", q)
	}
}

// The name of an agent is enough; a name that none has opens the list.
func TestAHandOverTakesAName(t *testing.T) {
	t.Parallel()
	s := limited(t)
	handOverTo(s, "codex")
	if len(s.lists) > 0 || len(s.asked) != 1 || s.asked[0].Title != "Hand over to Codex?" {
		t.Errorf("lists %v, asked %+v", s.lists, s.asked)
	}
	if handOverTo(s, "nobody"); len(s.lists) != 1 || len(s.asked) != 1 {
		t.Errorf("lists %v, asked %+v", s.lists, s.asked)
	}
}
