package command

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/store"
)

// screen is a front end that remembers what it shows, and chooses what a test says.
type screen struct {
	Front
	t       *testing.T
	live    *app.Live
	backend app.Backend
	lists   []Choice // the open ones
	asked   []app.Question
	said    []string
	did     []any // acts of the session
	cwd     string
	seats   []Seat
	stored  store.ID
	looksOn bool
	journal *journal.Summary
	// With holds, work in the background is held until the test does it; timers always are.
	holds        bool
	work, timers []func()
}

func newScreen(t *testing.T, options ...acpclient.SessionConfigOption) *screen {
	s := &screen{t: t}
	c := conversation.New()
	c.Apply(conversation.SessionOpened{State: acpclient.SessionState{ConfigOptions: options}})
	s.live = &app.Live{Agent: config.Agent{ID: "claude"}, Session: acts{to: s}, Conversation: c}
	return s
}

// acts is a session that only remembers what is done to it.
type acts struct {
	app.Session
	to *screen
}

func (a acts) Perform(_ context.Context, c session.Call) error {
	a.to.did = append(a.to.did, c.Act())
	return nil
}

func (a acts) Begin(c session.Call) (func(context.Context) error, error) {
	return nil, a.Perform(context.Background(), c)
}

func (a acts) About() app.About   { return app.About{LookOn: a.to.looksOn} }
func (a acts) StoredID() store.ID { return a.to.stored }

func (a acts) Journal() *journal.Summary { return a.to.journal }

func (s *screen) Live() *app.Live    { return s.live }
func (s *screen) SaveUnsent() func() { return func() {} }

func (s *screen) Backend() *app.Backend { return &s.backend }
func (s *screen) Say(words string)      { s.said = append(s.said, words) }
func (s *screen) Ask(q app.Question)    { s.asked = append(s.asked, q) }

func (s *screen) Choose(c Choice) (update func(Choice) bool) {
	s.lists = append(s.lists, c)
	at := len(s.lists) - 1
	return func(c Choice) bool {
		if at < len(s.lists) {
			s.lists[at] = c
		}
		return at < len(s.lists)
	}
}

func (s *screen) InBackground(do func(context.Context) func()) {
	work := func() { do(s.t.Context())() }
	if s.holds {
		s.work = append(s.work, work)
		return
	}
	work()
}

func (s *screen) After(_ time.Duration, do func()) { s.timers = append(s.timers, do) }
func (s *screen) Cwd() string                      { return s.cwd }
func (s *screen) StoredID() store.ID               { return s.stored }
func (s *screen) Path(_, path string) string       { return path }
func (s *screen) Open(o app.Spec)                  { s.did = append(s.did, o) }
func (s *screen) Closed() string                   { return "" }
func (s *screen) KeyOf(config.Action) string       { return "a key" }

func (s *screen) Replace(o app.Spec, _ func(context.Context) (*app.Opened, error), _ func(error)) {
	s.did = append(s.did, o)
}

// items are those of the open list.
func (s *screen) items() []Item {
	s.t.Helper()
	if len(s.lists) == 0 {
		s.t.Fatal("no list is open")
	}
	c := s.lists[len(s.lists)-1]
	if c.Now != nil {
		return c.Now()
	}
	return c.Items
}

// shown is the open list as text: a line for each item, with its marks.
func (s *screen) shown() string {
	s.t.Helper()
	var lines []string
	for _, it := range s.items() {
		var parts []string
		for _, text := range []string{it.Group, it.Title, it.Detail, it.Why} {
			if text != "" {
				parts = append(parts, text)
			}
		}
		line := strings.Join(parts, " | ")
		if it.Current {
			line = "● " + line
		}
		if it.Pending {
			line = "◐ " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// item is the one of a title.
func (s *screen) item(title string) Item {
	s.t.Helper()
	all := s.items()
	i := slices.IndexFunc(all, func(it Item) bool { return it.Title == title })
	if i < 0 {
		s.t.Fatalf("no item is %q in\n%s", title, s.shown())
	}
	return all[i]
}

// choose chooses an item as a list does.
func (s *screen) choose(title string) {
	s.t.Helper()
	switch it := s.item(title); {
	case it.Why != "":
		s.t.Fatalf("%q cannot be chosen: %s", title, it.Why)
	case it.Do == nil:
		it.Open()
	default:
		if !it.Stays {
			s.lists = s.lists[:len(s.lists)-1]
		}
		it.Do()
	}
}
