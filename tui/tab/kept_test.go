package tab

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
	"parley/tui/dialog"
)

// keptSession is a session as if it ran in a host.
type keptSession struct {
	app.Session
	gone, ended, far, unstored bool
}

func (s *keptSession) About() app.About {
	a := s.Session.About()
	a.Host, a.Far = "h1", s.far
	return a
}
func (s *keptSession) Disconnected() bool { return s.gone }
func (s *keptSession) StoredID() store.ID {
	if s.unstored {
		return ""
	}
	return "log"
}
func (s *keptSession) End(ctx context.Context) error { s.ended = true; return s.Session.End(ctx) }

// keep gives the tab a session that runs in a host.
func (b *bench) keep() *keptSession {
	s := &keptSession{Session: newSession(b.cwd, noMachine{})}
	b.use(s)
	b.opens()
	return s
}

// act does an action as the palette does.
func (b *bench) act(a config.Action) {
	row := promptCommandOf(a)
	if why := b.refusal(row); why != "" {
		b.Do(b.say(why))
		return
	}
	b.Do(b.front(row.Do))
}

// The key that suspends parley detaches from a session that goes on.
func TestDetach(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.keep()
		b.events(conversation.PromptSent{At: time.Now()})
		b.mustShow(t, " kept ")
		b.Do(b.suspend())
		if w := b.wished(); len(w) != 1 || w[0] != Request(Quit{Sure: true}) {
			t.Errorf("it wished %v", w)
		}
		if !b.Kept() || b.Running() != "h1" {
			t.Error("it does not go on")
		}
	})
	runBench(t, func(t *testing.T, b *bench) { // a question waits
		b.keep()
		b.events(conversation.PermissionOpened{ID: 1, Request: test.Permission(1, test.FullCall).Request})
		time.Sleep(time.Minute) // it takes keys
		b.draw()
		b.Do(b.Update(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}))
		if w := b.wished(); len(w) != 1 || w[0] != Request(Quit{Sure: true}) {
			t.Errorf("beside a question it wished %v", w)
		}
	})
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.Do(b.suspend())
		if w := b.wished(); len(w) != 1 || w[0] != Request(Suspend{}) {
			t.Errorf("in this process it wished %v", w)
		}
		b.act(command.Detach)
		b.MustSay("this session ends with parley")
	})
}

// What is on another machine is not looked for on this one.
func TestASessionOfAnotherMachine(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.keep().far = true
		b.Do(b.edit("main.go", 1))
		b.MustSay("this session runs on another machine")
	})
}

func TestEndAKeptSession(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.keep()
		b.act(command.EndSession)
		b.Choose("End it")
		for _, w := range b.wished() {
			if e, is := w.(End); is {
				e.Do(t.Context())
			}
		}
		if !s.ended {
			t.Error("it goes on")
		}
	})
}

// A session whose process has ended is opened again from its log.
func TestAHostThatIsGone(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.keep()
		var opened []app.Spec
		b.program.Make = func(_ context.Context, o app.Spec) (*app.Opened, error) {
			opened = append(opened, o)
			return nil, errors.New("not in this test")
		}
		s.gone = true
		b.events(conversation.AgentLost{Err: errors.New("it was killed")})
		b.MustSay("This session does not run any more")
		b.MustSay("it was killed")
		if b.Kept() {
			t.Error("it still goes on")
		}
		b.mustShow(t, "✗ this session does not run any more  alt+r opens it again")
		b.Choose("Open it again")
		if len(opened) != 1 || opened[0].Stored != "log" || opened[0].Running != "" || !opened[0].Keep {
			t.Errorf("it opened %v", opened)
		}
	})
}

// One of which nothing was stored, such as the tour's, is not offered to be opened again.
func TestAHostThatIsGoneWithAllOfItsSession(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.keep()
		s.gone, s.unstored = true, true
		b.events(conversation.AgentLost{Err: errors.New("it was killed")})
		b.mustShow(t, "✗ this session does not run any more  nothing of it was stored", "Stay and read")
		b.mustNotShow(t, "pen it again")
		b.mustNotShow(t, "opens it again")
		b.Press("esc")
		b.mustShow(t, "This session is over: nothing of it was stored")
		b.mustNotShow(t, "alt+r")
	})
}

// The question about a host that is gone is over when a key has opened its session again.
func TestAKeyOpensAgainWhatIsGone(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.keep()
		b.program.Make = func(context.Context, app.Spec) (*app.Opened, error) {
			next := &keptSession{Session: newSession(b.cwd, noMachine{})}
			return &app.Opened{Session: next, Runs: true, Transcript: &store.Transcript{Conversation: conversation.New()}}, nil
		}
		s.gone = true
		b.events(conversation.AgentLost{Err: errors.New("it was killed")})
		b.MustSay("This session does not run any more")
		b.Do(b.Update(keyPress("alt+r")))
		if strings.Contains(b.Screen(), "does not run any more") {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// A session whose turn the budget has ended while nobody looked asks as soon as somebody does.
func TestABudgetThatEndedATurnIsAskedAbout(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c := conversation.New()
		for _, e := range []conversation.Event{
			conversation.SessionOpened{ID: "s"},
			test.Sent("bake"),
			conversation.BudgetSet{Budget: conversation.Budget{Cost: 5}},
			conversation.BudgetReached{},
			conversation.TurnEnded{Reason: acpclient.StopCancelled},
		} {
			c.Apply(e)
		}
		b.opening = openingOf(app.Spec{Running: "next"})
		b.Do(b.Update(openedMsg{of: b.opening, Opened: &app.Opened{
			Session: &keptSession{Session: newSession(b.cwd, noMachine{}, func(o *session.Options) {
				o.Budget, o.Past = conversation.Budget{Cost: 5}, conversation.NewState()
				o.Past.Restore(conversation.Spent{Cost: &acpclient.Cost{Amount: 6, Currency: "USD"}})
			})}, Runs: true, Transcript: &store.Transcript{Conversation: c},
		}}))
		b.mustShow(t, "The budget of this session is used up", "Go on for one turn")
		if b.State() != conversation.StandingAsks {
			t.Errorf("it stands at %v", b.State())
		}
		b.Choose("Stop here")
		if b.State() == conversation.StandingAsks {
			t.Error("it asks after the answer")
		}
	})
}

// A session of this process is ended, and opened again in a host.
func TestKeepThisSessionRunning(t *testing.T) {
	const script = `handshake {"sessionCapabilities": {"resume": {}}} {"sessionId": "s"}
expect session/prompt
reply {"stopReason": "end_turn"}
`
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Running = func(context.Context) ([]app.Running, error) { return nil, nil }
		b.ready()
		b.act(command.Keep)
		b.MustSay("send a prompt first")
	})
	runBench(t, func(t *testing.T, b *bench) {
		ids := b.keeps(t, "bake bread")
		old := b.play(script)
		b.stored.from.Stored = ids[0]
		session.Post(b.open().Session, session.Prompt{})
		b.Do(nil)
		b.program.Running = func(context.Context) ([]app.Running, error) { return nil, nil }
		var kept *keptSession
		b.program.Make = func(ctx context.Context, o app.Spec) (*app.Opened, error) {
			if o.EndReplaced(ctx); o.Stored != ids[0] || !o.Keep || !old.Stream().Closed() {
				t.Errorf("it keeps %v, and the old session has ended: %v", o, old.Stream().Closed())
			}
			kept = &keptSession{Session: newSession(b.cwd, noMachine{})}
			return &app.Opened{Session: kept, Transcript: &store.Transcript{Conversation: conversation.New()}}, nil
		}
		b.act(command.Keep)
		if kept == nil || b.Running() != "h1" {
			t.Fatalf("it does not run in a host\n%s", b.Screen())
		}
	})
}

// Sessions that run stand before the others in the list, and not a second time among them.
func TestTheListHasWhatRuns(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		ids := b.keeps(t, "peel potatoes", "bake bread")
		b.program.Running = func(context.Context) ([]app.Running, error) {
			time.Sleep(time.Second) // the stored ones are there before
			return []app.Running{
				{Overview: app.Overview{Title: "bake bread", Agent: "baker", Waiting: 1}, ID: "h1", Stored: ids[1], Cwd: b.cwd, Active: time.Now()},
				{Overview: app.Overview{Title: "elsewhere"}, ID: "h2", Cwd: "/elsewhere", Active: time.Now()},
			}, nil
		}
		b.play(remembers)
		b.shared(command.Sessions)
		time.Sleep(2 * time.Second)
		b.Do(nil)
		b.MustSay("waits for your answer")
		if screen := b.Screen(); strings.Count(screen, "bake bread") != 1 || strings.Contains(screen, "elsewhere") {
			t.Errorf("the list is\n%s", screen)
		}
		b.Choose("bake bread")
		if got := b.wished(); len(got) != 1 || len(got[0].(Open)) != 1 || !reflect.DeepEqual(got[0].(Open)[0], app.Spec{Stored: ids[1], Running: "h1"}) {
			t.Errorf("it wished %v", got)
		}
	})
}

// A start where a session runs offers it.
func TestASessionThatRunsHereIsOffered(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Running = func(context.Context) ([]app.Running, error) {
			return []app.Running{
				{Overview: app.Overview{Title: "its own", Agent: "baker"}, ID: "h0", Cwd: b.cwd, Own: true},
				{Overview: app.Overview{Title: "bake bread", Agent: "baker", Working: true}, ID: "h1", Cwd: b.cwd},
			}, nil
		}
		b.Do(b.OfferRunning())
		b.MustSay("A session runs in this directory")
		b.MustSay("working · baker")
		b.Choose("Attach to it")
		if got := b.wished(); len(got) != 1 || got[0].(Open)[0].Running != "h1" {
			t.Errorf("it wished %v", got)
		}
	})
}

// What the tour cannot do it says why: it is never stored.
func TestWhatTheTourCannotDo(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns = 100
	b.program.Running = func(context.Context) ([]app.Running, error) { return nil, nil }
	b.open().Agent.ID = app.TourID
	b.events(sentAt("/tour", b.clock), conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: b.clock})
	b.run(command.Keep)
	b.mustShow(t, "the tour is not stored: only a stored session")
	b.run(command.Rewind)
	b.mustShow(t, "The conversation stays: the tour is not stored.")
	b.mustNotShow(t, "Opens a new session")
	b.press("alt+o")
	b.mustShow(t, "no fork: the tour is not stored")
}

// When a session is rewound on another terminal, this one goes on where it goes on, as soon as that
// is there.
func TestFollowsARewind(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.keep()
		next := &keptSession{Session: newSession(b.cwd, noMachine{})}
		tries := 0
		b.program.Make = func(_ context.Context, o app.Spec) (*app.Opened, error) {
			if tries++; tries < 5 {
				return nil, app.ErrGone
			}
			if !reflect.DeepEqual(o, app.Spec{Running: "next"}) {
				t.Errorf("it opens %+v", o)
			}
			return &app.Opened{Session: next, Runs: true, Transcript: &store.Transcript{Conversation: conversation.New()}}, nil
		}
		b.events(conversation.AgentLost{Err: &app.MovedError{To: "next"}})
		time.Sleep(time.Minute)
		b.Do(nil)
		if b.session() != app.Session(next) {
			t.Errorf("it does not follow:\n%s", b.Screen())
		}
		b.mustNotShow(t, "does not run any more")
	})
}

// The offer goes when the user types or pastes, and that is the prompt.
func TestTheOfferGoesWhenOneTypes(t *testing.T) {
	running := func(b *bench) {
		b.ready()
		b.program.Running = func(context.Context) ([]app.Running, error) {
			return []app.Running{{Overview: app.Overview{Title: "bake bread", Agent: "baker"}, ID: "h1", Cwd: b.cwd}}, nil
		}
	}
	runBench(t, func(t *testing.T, b *bench) {
		running(b)
		b.Do(b.OfferRunning())
		time.Sleep(time.Minute)
		b.mustShow(t, "A session runs in this directory")
		b.Do(b.Update(keyPress("f")))
		b.Do(b.Update(keyPress("i")))
		b.mustNotShow(t, "A session runs in this directory")
		if got := b.composer.Text(); got != "fi" {
			t.Errorf("the prompt is %q", got)
		}
		b.Do(b.OfferRunning())
		b.mustNotShow(t, "A session runs in this directory")
	})
	runBench(t, func(t *testing.T, b *bench) {
		running(b)
		b.Do(b.Update(tea.PasteMsg{Content: "fix it"}))
		b.Do(b.OfferRunning())
		b.mustNotShow(t, "A session runs in this directory")
		if got := b.composer.Text(); got != "fix it" {
			t.Errorf("the prompt is %q", got)
		}
	})
}

// silentHost is a session in a host that has stopped: acts are made and get no answer.
type silentHost struct {
	keptSession
	made []session.Unconfirmed
	link app.Link
}

func (s *silentHost) Begin(c session.Call) (func(context.Context) error, error) {
	if !c.Kind().Asks() {
		s.made = append(s.made, session.Unconfirmed{Act: c.Act(), Progress: session.Sent})
	}
	return func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, nil
}

func (s *silentHost) Perform(ctx context.Context, c session.Call) error {
	wait, err := s.Begin(c)
	if err == nil && c.Awaited() {
		err = wait(ctx)
	}
	return err
}

func (s *silentHost) Unconfirmed() []session.Unconfirmed { return s.made }
func (s *silentHost) Link() app.Link                     { return s.link }

func (s *silentHost) Withdraw() []session.Unconfirmed {
	made := s.made
	s.made = nil
	return made
}

// silence gives the tab a session whose host does not answer, while a turn runs.
func (b *bench) silence() *silentHost {
	s := &silentHost{keptSession: keptSession{Session: newSession(b.cwd, noMachine{})}}
	b.use(s)
	b.opens()
	b.events(test.Sent("go"), conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1, Prompt: test.Sent("later").Prompt}}})
	return s
}

// Whatever the user does, the screen waits for no host.
func TestNothingWaitsForAHost(t *testing.T) {
	for name, do := range map[string]func(b *bench){
		"cancel":         func(b *bench) { b.Update(keyPress("esc")) },
		"prompt":         func(b *bench) { b.press("h", "i", "enter") },
		"take back":      func(b *bench) { b.press("up") },
		"send now":       func(b *bench) { b.press("h", "i"); b.Update(keyPress("alt+s")) },
		"send first now": func(b *bench) { b.Update(keyPress("alt+s")) },
		"empty":          func(b *bench) { b.shared(command.Queue); b.press("end", "enter") },
		"edit queued":    func(b *bench) { b.shared(command.Queue); b.press("home", "enter") },
		"answer": func(b *bench) {
			b.events(conversation.PermissionOpened{ID: 1, Request: test.Permission(1, test.FullCall).Request})
			time.Sleep(time.Minute)
			b.draw()
			b.press("y", "enter")
		},
		"cancel a question": func(b *bench) {
			b.events(conversation.PermissionOpened{ID: 1, Request: test.Permission(1, test.FullCall).Request})
			time.Sleep(time.Minute)
			b.draw()
			b.press("esc", "esc")
		},
		"reject with words":  func(b *bench) { b.open().do(dialog.RejectWith{Words: "no"}) },
		"form":               func(b *bench) { b.open().do(dialog.Answer{Act: session.Answer{}}) },
		"open an address":    func(b *bench) { b.open().do(dialog.OpenURL{}) },
		"open a session":     func(b *bench) { b.open().openSession(acpclient.SessionInfo{SessionID: "other", Cwd: "/elsewhere"}) },
		"fork":               func(b *bench) { b.shared(command.Fork) },
		"a start that fails": func(b *bench) { b.events(conversation.SessionFailed{Err: errors.New("no")}) },
		"a start": func(b *bench) {
			b.events(conversation.AgentStarting{Command: "agent", At: b.program.Now()})
			for range 30 {
				time.Sleep(time.Second)
				b.draw()
			}
		},
		"another agent": func(b *bench) { b.open().instead(command.ChooseAgent) },
	} {
		t.Run(name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *bench) {
				b.silence()
				done := make(chan struct{})
				go func() { defer close(done); do(b) }()
				time.Sleep(time.Hour)
				select {
				case <-done:
				default:
					t.Fatal("the screen waits for the host")
				}
			})
		})
	}
}

// A prompt that the host has not confirmed stays in sight while the link is cut, and one that was
// left behind is sent or taken back.
func TestUnsentPromptsStayInSight(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.silence()
		b.press("h", "i", "enter")
		b.mustNotShow(t, "not sent yet")
		s.link = app.LinkSilent
		b.mustShow(t, "» not sent yet: hi", "the session does not answer")
		s.link = app.LinkCut
		b.mustShow(t, "» not sent yet: hi", "the link to the session is cut")
		if got := b.Unsent(); len(got) != 1 || got[0] != "hi" {
			t.Errorf("unsent are %q", got)
		}
		s.made = append(s.made, session.Unconfirmed{Act: session.StartShell{Spec: session.ShellSpec{Line: "ls"}}, Progress: session.Sent})
		b.mustShow(t, "» not sent yet: hi", "» not sent yet: !ls")
	})
	runBench(t, func(t *testing.T, b *bench) { // what was sent comes before the draft
		s := b.silence()
		s.made = []session.Unconfirmed{{Act: session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: test.Sent("sent").Prompt}}, Progress: session.Left}}
		b.composer.SetText("draft")
		b.opening = openingOf(app.Spec{Stored: "log"})
		b.Do(b.opened(openedMsg{of: b.opening, Opened: &app.Opened{Session: newSession(b.cwd, noMachine{}), Transcript: &store.Transcript{Conversation: conversation.New()}}}))
		if got := b.composer.Text(); got != "sent\n\ndraft" {
			t.Errorf("the draft is %q", got)
		}
	})
	for key, want := range map[string]string{"enter": "", "up": "one\n\ntwo"} {
		runBench(t, func(t *testing.T, b *bench) {
			s := b.silence()
			for _, text := range []string{"one", "two"} {
				s.made = append(s.made, session.Unconfirmed{Act: session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: test.Sent(text).Prompt}}, Progress: session.Left})
			}
			b.mustShow(t, "» not sent yet: one", "» not sent yet: two", "enter: send it, ↑: edit it")
			b.Do(b.Update(keyPress(key)))
			if got := b.composer.Text(); got != want {
				t.Errorf("%s leaves the draft %q", key, got)
			}
			var sent []string
			for _, u := range s.made {
				if p, sends := session.PromptOf(u.Act); sends && u.Progress == session.Sent {
					sent = append(sent, p.Text())
				}
			}
			if got := strings.Join(sent, " "); key == "enter" && got != "one two" || key == "up" && got != "" {
				t.Errorf("%s sends %q", key, got)
			}
			b.mustNotShow(t, "enter: send it")
		})
	}
}
