package tab

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/theme"
)

// place is a tab that notes what is ended.
type endingPlace struct {
	conv     *conversation.Conversation // nil as long as there is no session
	done     []string
	alone    bool
	connects bool
}

func (p *endingPlace) note(what string) tea.Cmd {
	p.done = append(p.done, what)
	return nil
}

func (p *endingPlace) Runs() lifecycleSession {
	if p.conv == nil {
		return nil
	}
	return p
}

func (p *endingPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *endingPlace) Works() bool                              { return p.conv != nil && p.conv.Turn.Running }
func (p *endingPlace) Escape() tea.Cmd                          { return p.note("escape") }
func (p *endingPlace) LeaveStart() tea.Cmd                      { return p.note("leave the start") }
func (p *endingPlace) Alone() bool                              { return p.alone }
func (p *endingPlace) CloseTab() tea.Cmd                        { return p.note("close") }
func (p *endingPlace) Quit(s quitConsent) tea.Cmd {
	return p.note([]string{"quit", "quit despite", "quit surely"}[s])
}
func (p *endingPlace) Start()         { p.note("start") }
func (p *endingPlace) Kill()          { p.note("kill") }
func (p *endingPlace) Connects() bool { return p.connects }
func (p *endingPlace) Stderr() string { return "" }

func (p *endingPlace) Cancel() bool {
	p.note("cancel")
	p.conv.Apply(conversation.CancelRequested{At: time.Now()})
	return true
}

func (p *endingPlace) did() string { return strings.Join(p.done, ", ") }

// ready is a tab with a session; working, one in the middle of a turn.
func endingReady() *endingPlace {
	p := &endingPlace{conv: conversation.New()}
	p.conv.Apply(conversation.SessionOpened{ID: "s"})
	return p
}

func working() *endingPlace {
	p := endingReady()
	p.conv.Apply(conversation.PromptSent{At: time.Now()})
	return p
}

func newEnding(b *deskBench, p *endingPlace) *lifecycle {
	return newLifecycle(b.desk, p, composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()}))
}

// ctrl+c takes the least first: the draft, the turn, and the program only when it is
// pressed again soon.
func TestInterrupt(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := working()
		e := newEnding(b, p)
		e.composer.SetText("a draft")
		e.Interrupt()
		if !e.composer.Empty() || p.did() != "" {
			t.Fatalf("the draft is %q, and it did %s", e.composer.Text(), p.did())
		}
		e.Interrupt()
		if p.did() != "cancel" {
			t.Fatalf("it did %s", p.did())
		}
		e.Interrupt()
		if !e.Leaving() {
			t.Error("it does not say that another press leaves")
		}
		time.Sleep(time.Minute)
		e.Interrupt()
		e.Acted()
		e.Interrupt()
		if p.did() != "cancel" {
			t.Errorf("it did %s", p.did())
		}
		if e.Interrupt(); p.did() != "cancel, quit despite" {
			t.Errorf("it did %s", p.did())
		}
	})
}

// esc ends what is the nearest, and offers to stop an agent that does not react, never
// sooner than it may be slow.
func TestCancel(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		for want, p := range map[string]*endingPlace{"": {}, "leave the start": {conv: conversation.New()}, "escape": endingReady(), "cancel": working()} {
			if newEnding(b, p).Cancel(); p.did() != want {
				t.Errorf("it did %q, want %q", p.did(), want)
			}
		}
		p := working()
		e := newEnding(b, p)
		e.Cancel()
		if e.Cancel(); !b.Dialogs.Empty() {
			t.Fatalf("it asks at once\n%s", b.Screen())
		}
		time.Sleep(time.Minute)
		e.Cancel()
		b.MustSay("The agent does not react")
		b.Choose("Stop the agent")
		if p.did() != "cancel, kill" {
			t.Errorf("it did %s", p.did())
		}
	})
}

// A tab that is closed asks first where something would be lost.
func TestClose(t *testing.T) {
	waiting := endingReady()
	waiting.conv.Queue = []conversation.QueuedPrompt{{ID: 1}}
	for _, c := range []struct {
		name, asks string
		p          *endingPlace
	}{
		{"nothing is lost", "", endingReady()},
		{"a turn is", "The agent is at work", working()},
		{"prompts are", "Prompts wait here", waiting},
	} {
		runBench(t, func(t *testing.T, b *deskBench) {
			e := newEnding(b, c.p)
			b.Do(e.Close())
			if c.asks != "" {
				if b.MustSay(c.asks); c.p.did() != "" {
					t.Errorf("%s: before the answer it did %s", c.name, c.p.did())
				}
				b.Choose("Close it")
			}
			if c.p.did() != "close" {
				t.Errorf("%s: it did %s", c.name, c.p.did())
			}
		})
	}
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &endingPlace{alone: true}
		b.Do(newEnding(b, p).Close())
		if b.MustSay("this is the only tab: ctrl+d leaves parley"); p.did() != "" {
			t.Errorf("it did %s", p.did())
		}
	})
}

// What has gone can be started again, from the question and by its key, which takes the
// question away.
func TestStartAgain(t *testing.T) {
	for _, connects := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *deskBench) {
			p := endingReady()
			p.connects = connects
			e := newEnding(b, p)
			b.Do(e.StartAgain())
			b.MustSay("the agent is there")
			p.conv.Apply(conversation.AgentLost{Err: errors.New("it broke")})
			e.Lost(config.Agent{})
			b.MustSay("it broke")
			if connects {
				b.MustSay("The connection to the agent is lost")
				b.Choose("Connect again")
			} else {
				b.MustSay("The agent has gone")
				b.Do(e.StartAgain())
			}
			if p.did() != "start" || !b.Dialogs.Empty() {
				t.Errorf("connects %v: it did %s, and asks\n%s", connects, p.did(), b.Screen())
			}
		})
	}
}

// Of an agent that is not there it is said how to get it, and nobody is left without a way
// out.
func TestAnAgentThatCannotBeStarted(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &endingPlace{alone: true}
		e := newEnding(b, p)
		err := &acpclient.StartError{Err: errors.New("no such file")}
		e.Unstarted(config.Agent{Name: "Mine", InstallHint: "npm install -g mine"}, err, func() tea.Cmd { return p.note("choose") })
		b.MustSay("Mine could not be started")
		b.MustSay("To install it: npm install -g mine")
		b.Choose("Choose another agent")
		e.Unstarted(config.Agent{Name: "Mine"}, err, nil)
		b.Choose("Leave parley")
		if p.did() != "choose, quit despite" {
			t.Errorf("it did %s", p.did())
		}
	})
}
