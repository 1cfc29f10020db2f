package tab

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/composer"
)

// deaf is an agent that begins a turn and reacts to nothing.
const deaf = `handshake
expect session/prompt
expect nothing/more
`

// twoTabs is a row in which there is another tab.
type twoTabs struct {
	Tabs
	closed bool
	opened string // the directory of a tab that was opened
}

func (r *twoTabs) Alone() bool { return false }

func (r *twoTabs) CloseTab(*Tab) tea.Cmd {
	r.closed = true
	return nil
}

func (r *twoTabs) Open(s app.Spec) (*Tab, tea.Cmd) {
	r.opened = s.Cwd
	return nil, nil
}

func (r *twoTabs) Show(*Tab) {}

// work has an agent that reacts to nothing begin a turn.
func (b *bench) work(t *testing.T) {
	t.Helper()
	b.play(deaf)
	b.Do(b.prompts.Submit(composer.NewPrompt("go")))
	if b.wire.got(); !b.Works() {
		t.Fatal("no turn runs")
	}
}

// wished returns the wishes since the last time.
func (b *bench) wished() []Request {
	all := b.wishes
	b.wishes = nil
	return all
}

// ctrl+c takes the least first: the draft, the turn, and the program only when it is
// pressed again soon.
func TestInterrupt(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.work(t)
		e := b.leaving
		b.composer.SetText("a draft")
		b.Do(e.Interrupt())
		if got := b.wire.got(); !b.composer.Empty() || got != "" {
			t.Fatalf("the draft is %q, and the agent got %s", b.composer.Text(), got)
		}
		b.Do(e.Interrupt())
		if got := b.wire.got(); got != "session/cancel" {
			t.Fatalf("the agent got %s", got)
		}
		b.Do(e.Interrupt())
		if !e.Leaving() {
			t.Error("it does not say that another press leaves")
		}
		time.Sleep(time.Minute)
		b.Do(e.Interrupt())
		e.Acted()
		b.Do(e.Interrupt())
		if got := b.wished(); len(got) > 0 {
			t.Errorf("it wished %v", got)
		}
		b.Do(e.Interrupt())
		if got := b.wished(); len(got) != 1 || got[0] != (Quit{Despite: b.ID()}) || b.wire.got() != "" {
			t.Errorf("it wished %v", got)
		}
	})
}

// esc ends what is the nearest, and offers to stop an agent that does not respond, never
// sooner than it may be slow.
func TestCancel(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.Do(b.run(command.Cancel))
		if got := b.wished(); len(got) > 0 {
			t.Errorf("without a session it wished %v", got)
		}
		b.use(newSession(b.cwd, noMachine{}))
		b.Do(b.open().cancel())
		if _, ends := b.wished()[0].(End); !ends || b.session() != nil {
			t.Error("it does not leave the start")
		}
		b.ready()
		b.Do(b.prompts.Submit(promptOf("one")))
		if b.Do(b.open().cancel()); !b.prompts.Escapes() {
			t.Error("without a turn it is no escape")
		}
	})
	runBench(t, func(t *testing.T, b *bench) {
		b.work(t)
		l := b.open()
		b.Do(l.cancel())
		if got := b.wire.got(); got != "session/cancel" {
			t.Fatalf("the agent got %s", got)
		}
		if b.Do(l.cancel()); !b.dialogs.Empty() {
			t.Fatalf("it asks at once\n%s", b.Screen())
		}
		time.Sleep(time.Minute)
		b.Do(l.cancel())
		b.MustSay("The agent does not respond")
		b.Choose("Stop the agent")
		if !b.conv().Gone() {
			t.Error("it was not stopped")
		}
	})
}

// A tab that is closed asks first where something would be lost.
func TestClose(t *testing.T) {
	for asks, prepare := range map[string]func(*testing.T, *bench){
		"":                     func(_ *testing.T, b *bench) { b.ready() },
		"The agent is working": func(t *testing.T, b *bench) { b.work(t) },
		"Prompts are queued":   func(_ *testing.T, b *bench) { b.ready(); b.enqueue("later") },
	} {
		runBench(t, func(t *testing.T, b *bench) {
			row := &twoTabs{}
			b.program.Tabs = row
			prepare(t, b)
			b.Do(b.leaving.Close())
			if asks != "" {
				if b.MustSay(asks); row.closed {
					t.Errorf("%s: it was closed before the answer", asks)
				}
				b.Choose("Close it")
			}
			if !row.closed {
				t.Errorf("%q: it is not closed", asks)
			}
		})
	}
	runBench(t, func(t *testing.T, b *bench) { // also those that wait for the session
		row := &twoTabs{}
		b.program.Tabs = row
		b.Do(b.prompts.Submit(promptOf("later")))
		if b.Do(b.leaving.Close()); row.closed {
			t.Error("it was closed with a prompt that waits")
		}
		b.MustSay("Prompts are queued")
		b.Choose("Close it")
		if waits := b.drafts.waiting(); !row.closed || len(waits) > 0 {
			t.Errorf("closed: %t, %d prompts stay", row.closed, len(waits))
		}
	})
	runBench(t, func(_ *testing.T, b *bench) {
		b.Do(b.leaving.Close())
		b.MustSay("this is the only tab: ctrl+d quits parley")
	})
}

// What has gone can be started again, from the question and by its key, which takes the
// question away.
func TestStartAgain(t *testing.T) {
	for _, connects := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *bench) {
			b.use(newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Remote = &session.Remote{Listens: connects} }))
			b.opens()
			b.act(command.StartAgain)
			b.MustSay("Restart the agent?")
			b.Choose("Keep it running")
			b.events(conversation.AgentLost{Err: errors.New("it broke")})
			b.MustSay("it broke")
			if connects {
				b.MustSay("Lost the connection to the agent")
				b.Choose("Reconnect")
			} else {
				b.MustSay("The agent exited")
				b.act(command.StartAgain)
			}
			if b.conv().Agent.Err == nil || b.conv().Agent.Err.Error() != "no agent in this test" { // which is why it cannot start
				t.Errorf("connects %v: it was not started: %v", connects, b.conv().Agent.Err)
			}
		})
	}
}

// Of an agent that is not there it is said how to get it, and nobody is left without a way
// out.
func TestAnAgentThatCannotBeStarted(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		err := &acpclient.StartError{Err: errors.New("no such file")}
		b.program.Make = func(context.Context, app.Spec) (*app.Opened, error) { return nil, err }
		b.Do(b.Tab.open(app.Spec{Agent: &config.Agent{Name: "Mine", InstallHint: "npm install -g mine"}}))
		b.MustSay("Mine could not be started")
		b.MustSay("To install it: npm install -g mine")
		b.Choose("Choose another agent")
		b.MustSay("Choose an agent")
		b.Do(b.Tab.open(app.Spec{Agent: &config.Agent{Name: "Mine"}}))
		b.Choose("Quit parley")
		if got := b.wished(); len(got) != 1 || got[0] != (Quit{Despite: b.ID()}) {
			t.Errorf("it wished %v", got)
		}
	})
}

// While a session is resumed or loaded, the agent can be stopped and restarted, and after a
// while without an answer the screen says so.
func TestAnOpeningWithoutAnAnswer(t *testing.T) {
	for _, how := range []conversation.Opening{conversation.OpenResume, conversation.OpenLoad} {
		runBench(t, func(t *testing.T, b *bench) {
			b.ready()
			b.events(conversation.SessionOpening{How: how, ID: "s1"})
			b.mustShow(t, "esc stop the agent")
			time.Sleep(longStart)
			b.mustShow(t, "no answer for 10s  esc stops it")
			b.act(command.StartAgain)
			if b.conv().Agent.Err == nil || b.conv().Agent.Err.Error() != "no agent in this test" {
				t.Errorf("it was not restarted: %v", b.conv().Agent.Err)
			}
		})
	}
}
