package command

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// seated has a front end show sessions, and opens the board.
func seated(t *testing.T, seats ...Seat) *screen {
	s := newScreen(t)
	s.seats = seats
	for i := range s.seats {
		s.seats[i].Session = acts{to: s}
	}
	ShowBoard(s)
	return s
}

func (s *screen) Seats() []Seat { return s.seats }

func titles(items []Item) (all []string) {
	for _, it := range items {
		all = append(all, it.Title)
	}
	return all
}

// A session that takes no prompt gets none, and the board says why.
func TestTheBoardSendsOnlyToWhatTakesPrompts(t *testing.T) {
	t.Parallel()
	gone := Seat{ID: "1", Overview: app.Overview{Title: "gone", Gone: true}}
	ended := Seat{ID: "2", Overview: app.Overview{Title: "read-only"}, NoSend: "you only look on"}
	s := seated(t, gone, ended, Seat{ID: "3", Overview: app.Overview{Title: "works"}})
	for title, want := range map[string]string{"gone": "its agent has exited: go there to restart it", "read-only": "you only look on", "works": ""} {
		if got := s.item(title).Refused[DialogSend]; got != want {
			t.Errorf("%s: %q", title, got)
		}
	}
	s.item("works").Also[0]()
	if len(s.asked) != 1 || s.asked[0].Title != "Send to works" {
		t.Fatalf("asked %+v", s.asked)
	}
	for _, text := range []string{" \n", "go on"} {
		if _, err := s.asked[0].Enter(text); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.did) != 1 {
		t.Errorf("did %v", s.did)
	} else if steer, is := s.did[0].(session.Steer); !is || app.PromptLine(steer.Prompt) != "go on" {
		t.Errorf("did %v", s.did)
	}
}

// A prompt for a session whose queue waits for the user goes behind that.
func TestTheBoardSendsBehindAPausedQueue(t *testing.T) {
	t.Parallel()
	s := seated(t, Seat{ID: "1", Overview: app.Overview{Title: "at its limit", AtLimit: true, Paused: true, Queued: 2}})
	s.item("at its limit").Also[0]()
	out, err := s.asked[0].Enter("go on")
	if err != nil || out.Say != "queued for at its limit, whose queue is paused" || len(s.did) != 1 {
		t.Fatalf("%+v, %v: did %v", out, err, s.did)
	}
	if p, is := s.did[0].(session.Prompt); !is || p.At != 3 {
		t.Errorf("did %#v", s.did[0])
	}
}

// What a session not attached here is when the line is sent decides, not what it was when its field opened.
func TestTheBoardSendsByTheSessionAsItIs(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	past := conversation.New()
	b := &board{f: s, gone: func() {}, running: []app.Running{{Overview: app.OverviewOf(&past.State, nil)}}}
	b.items()[0].Also[0]()
	past.Apply(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true})
	s.backend.Visit = func(context.Context, string) (app.Session, error) { return visited{acts{to: s}, past}, nil }
	out, err := s.asked[0].Enter("go on")
	if err != nil || !strings.HasSuffix(out.Say, ", whose queue is paused") || len(s.did) != 1 {
		t.Fatalf("%+v, %v: did %v", out, err, s.did)
	}
	if p, is := s.did[0].(session.Prompt); !is || p.At != 2 {
		t.Errorf("did %#v", s.did[0])
	}
}

// visited is a session in a host that the board visits.
type visited struct {
	acts
	past *conversation.Conversation
}

func (v visited) Past() *conversation.Conversation { return v.past }
func (visited) Close(context.Context)              {}
func (visited) Stream() *session.Stream            { return session.NewStream() }

// The limit or the budget of a session that is not attached is decided about on the board.
func TestTheBoardDecidesForWhatIsNotAttached(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at      conversation.Event
		choices []string
		acts    []any
	}{
		"a budget": {conversation.BudgetReached{}, []string{"Stop here", "Raise it to 4.00", "Go on for one turn"}, []any{session.StopWaiting{}, session.SetBudget{Budget: conversation.Budget{Cost: 4}}, nil}},
		"a limit":  {conversation.LimitReached{}, []string{"Wait and go on", "Stop here"}, []any{session.WaitForLimit{}, session.StopWaiting{}}},
	} {
		s := newScreen(t)
		past := conversation.New()
		for _, e := range []conversation.Event{conversation.SessionOpened{}, conversation.BudgetSet{Budget: conversation.Budget{Cost: 2}}, tt.at, conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true}} {
			past.Apply(e)
		}
		past.Phase = conversation.PhaseReady
		s.backend.Visit = func(_ context.Context, id string) (app.Session, error) { return visited{acts{to: s}, past}, nil }
		b := &board{f: s, gone: func() {}, running: []app.Running{{Overview: app.OverviewOf(&past.State, nil)}}}
		b.running[0].ID = "brave-otter"
		b.items()[0].Answer()
		if len(s.asked) != 1 || len(s.asked[0].Choices) != len(tt.choices) || !s.asked[0].While() {
			t.Fatalf("%s: said %q, asked %+v", name, s.said, s.asked)
		}
		for i, c := range s.asked[0].Choices {
			s.did = nil
			if c.Here == nil { // in the background, nothing comes of what the board is to do
				t.Fatalf("%s: %q is not decided on the board", name, c.Name)
			}
			c.Here()
			if c.Name != tt.choices[i] || len(s.did) != 1 || tt.acts[i] != nil && s.did[0] != tt.acts[i] {
				t.Errorf("%s: %q does %#v", name, c.Name, s.did)
			}
		}
		if b.running = nil; s.asked[0].While() {
			t.Errorf("%s: it still asks", name)
		}
	}
}

// Sessions stand in groups, and those of a comparison under it, where the most urgent one does.
func TestTheBoardGroups(t *testing.T) {
	t.Parallel()
	seat := func(title, comparison string, standing conversation.Standing) Seat {
		return Seat{ID: title, Comparison: comparison, Prompt: comparison, Overview: app.Overview{Title: title, Standing: standing}}
	}
	s := seated(t, seat("done", "", conversation.StandingDone), seat("limited", "", conversation.StandingLimited), seat("left", "bake", conversation.StandingIdle),
		seat("works", "", conversation.StandingWorking),
		Seat{ID: "paused", Overview: app.Overview{Title: "paused", Paused: true, Queued: 1, Ending: conversation.Ending{How: conversation.EndedBadly}}}, seat("right", "bake", conversation.StandingAsks), seat("lost", "", conversation.StandingLost))
	var got []string
	for _, it := range s.items() {
		got = append(got, it.Group+": "+it.Under+"/"+it.Title)
	}
	want := []string{"Needs you: bake/right", "Needs you: bake/left", "Needs you: /lost", "Works: /works", "Waits: /limited", "Waits: /paused", "Done: /done"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if it := s.item("paused"); it.Columns[0] != "paused" || it.Session.Now() != "paused, 1 prompt queued" || !strings.Contains(it.About, "go there to send the queue") {
		t.Errorf("%q, %q, %q", it.Columns, it.Session.Now(), it.About)
	}
}

// A worktree of parley's is named as everywhere, so that the beginnings of the names differ.
func TestTheBoardNamesWorktrees(t *testing.T) {
	t.Parallel()
	s := seated(t, Seat{ID: "1", Cwd: "/p.worktrees/proud-heron/src", Branch: "parley/proud-heron", Worktree: true, Overview: app.Overview{Title: "a"}})
	if got := s.items()[0].Columns; !slices.Contains(got, WorktreeMark+"proud-heron") {
		t.Errorf("%q", got)
	}
}

// The marked row keeps its place among its like when another one comes to need the user, and goes to its
// heading when its own state changes.
func TestTheMarkedRowStays(t *testing.T) {
	t.Parallel()
	s := seated(t, Seat{ID: "1", Overview: app.Overview{Title: "a"}}, Seat{ID: "2", Overview: app.Overview{Title: "b"}}, Seat{ID: "3", Overview: app.Overview{Title: "c"}})
	s.lists[0].Marked("2")
	s.seats[2].Standing = conversation.StandingAsks
	if got := titles(s.items()); !slices.Equal(got, []string{"c", "b", "a"}) {
		t.Errorf("%q", got)
	}
	s.seats[2].Standing = conversation.StandingDone
	if got := titles(s.items()); got[1] != "b" {
		t.Errorf("the marked row moved: %q", got)
	}
	s.seats[1].Standing = conversation.StandingLost
	s.seats[2].Standing = conversation.StandingWorking
	if got := titles(s.items()); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("the marked row: %q", got)
	}
	for range 2 { // the mark is elsewhere then
		var groups []string
		for _, it := range s.items() {
			groups = append(groups, it.Group)
		}
		once := slices.Compact(slices.Sorted(slices.Values(groups)))
		if groups = slices.Compact(groups); len(groups) != len(once) {
			t.Errorf("a heading stands twice: %q", groups)
		}
		s.lists[0].Marked("3")
	}
}

// A session is ended only after a question, whose other answer is the first.
func TestTheBoardAsksBeforeItEnds(t *testing.T) {
	t.Parallel()
	ended := 0
	s := seated(t, Seat{ID: "1", Overview: app.Overview{Title: "a", Working: true}, End: func() { ended++ }})
	s.item("a").Delete()
	if ended != 0 || len(s.asked) != 1 {
		t.Fatalf("ended %d times, asked %v", ended, s.asked)
	}
	q := s.asked[0]
	if last := q.Choices[1]; q.Choices[0].Here != nil || !last.Risky {
		t.Errorf("%+v", q.Choices)
	} else if last.Here(); ended != 1 {
		t.Error("not ended")
	}
}

// Only what is attached here can be detached, and only if it goes on without.
func TestTheBoardDetachesWhatGoesOn(t *testing.T) {
	t.Parallel()
	left := false
	leave := func() { left = true }
	s := seated(t, Seat{ID: "1", Overview: app.Overview{Title: "away"}}, Seat{ID: "2", Overview: app.Overview{Title: "ends"}, Detach: leave},
		Seat{ID: "3", Running: "h", Overview: app.Overview{Title: "kept"}, Detach: leave})
	for title, want := range map[string]string{"away": "it is not attached here", "ends": "this session ends with parley: keep it running first", "kept": ""} {
		if got := s.item(title).Refused[DialogDetach]; got != want {
			t.Errorf("%s: %q", title, got)
		}
	}
	if s.item("kept").Also[1](); !left {
		t.Error("not left")
	}
}

// The process of a session that does not answer is sent nothing.
func TestTheBoardSendsNothingToASilentProcess(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	b := &board{f: s, running: []app.Running{{ID: "h", Silent: "does not answer", Overview: app.Overview{Title: "silent"}}}}
	b.update = s.Choose(b.choice())
	if got := s.item("silent").Refused[DialogSend]; got != "its process does not answer" {
		t.Errorf("%q", got)
	}
}

// A session whose host was killed can be opened again from the board, or be taken off, and does nothing else.
func TestTheBoardOpensWhatWasKilled(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	b := &board{f: s, running: []app.Running{{ID: "h", Stored: "stored", Overview: app.Overview{Title: "bread", Standing: conversation.StandingLost, Over: true, Ending: conversation.Ending{Why: "the agent has ended"}}}}}
	b.update = s.Choose(b.choice())
	it := s.item("bread")
	if got := it.Group + ": " + it.Columns[0] + ", " + it.Columns[len(it.Columns)-1]; got != "Needs you: ended, the agent has ended: go there to open it again" {
		t.Errorf("%q", got)
	}
	for _, a := range []config.Action{DialogSend, DialogDetach} {
		if it.Refused[a] != "the agent has ended: go there to open it again" {
			t.Errorf("%s: %q", a, it.Refused[a])
		}
	}
	it.Do()
	if spec, is := s.did[len(s.did)-1].(app.Spec); !is || spec.Stored != "stored" || spec.Running != "" {
		t.Errorf("did %+v", s.did)
	}

	var off []string
	s.backend.TakeOff = func(r app.Running) error {
		off = append(off, r.ID)
		return nil
	}
	if it.Delete(); it.Deleting != "take off" || len(s.items()) > 0 || !slices.Equal(off, []string{"h"}) || len(s.asked) > 0 {
		t.Errorf("%q: it is there still: %v, %v", it.Deleting, titles(s.items()), off)
	}

	b.running = []app.Running{{ID: "i", Overview: app.Overview{Title: "not stored", Over: true}}}
	if it = s.item("not stored"); it.Refused[DialogAccept] != "does not run any more: it was not stored" {
		t.Errorf("%q", it.Refused)
	}
	if it.Delete(); len(s.items()) > 0 {
		t.Error("it is there still")
	}
}
