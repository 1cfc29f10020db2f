package tab

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/store"
)

// onFirst is a tab in which nothing has been started, and the command that finds out
// what can be.
func onFirst(t *testing.T) (*bench, tea.Cmd) {
	t.Helper()
	b := newBench(t, t.TempDir())
	p := b.program
	p.Available = func() ([]config.Agent, error) {
		return []config.Agent{
			{ID: "one", Name: "Agent one", Source: config.SourceConfigured},
			{ID: "two", Name: "Agent two", Source: config.SourceFound},
		}, nil
	}
	p.Missing = func() []config.Agent {
		return []config.Agent{{ID: "three", Name: "Agent three", InstallHint: "get three"}}
	}
	p.Recent = config.NewRecentFile(t.TempDir())
	if err := p.Recent.Agent("two"); err != nil {
		t.Fatal(err)
	}
	b.Tab = New(3, p, t.TempDir())
	b.Show()
	return b, b.Start(nil)
}

// withoutAgents is the first screen of a machine without agents. Its registry has five,
// of which one needs Node.js.
func withoutAgents(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, t.TempDir())
	p := b.program
	p.Available = func() ([]config.Agent, error) {
		return []config.Agent{{ID: app.TourID, Name: "The tour", Source: config.SourceBuiltIn}}, nil
	}
	p.Missing = func() []config.Agent {
		var all []config.Agent
		for _, id := range []string{"amp", "gemini", "claude", "goose", "codex"} {
			all = append(all, config.Agent{ID: id, Name: "Agent " + id, InstallHint: "get " + id})
		}
		return all
	}
	b.Tab = New(3, p, t.TempDir())
	b.Show()
	b.bring(b.Start(nil))
	return b
}

// A machine without agents offers the tour and the three most used agents.
func TestTheFirstScreenWithoutAgents(t *testing.T) {
	b := withoutAgents(t)
	b.mustShow(t, "No agent is installed. Take the tour, or install one:", "❯   The tour", "Agent claude    get claude", "Agent codex", "Agent gemini", "2 more agents…")
	b.mustNotShow(t, "Agent amp")
	if text := b.screen(); strings.Count(text, "❯") != 1 || strings.Contains(text, "Type a prompt") {
		t.Errorf("the first screen has a prompt\n%s", text)
	}
	b.press("a", "m", "p")
	b.mustShow(t, "Agent amp")
	b.press("esc")
	b.mustNotShow(t, "Agent amp")
	b.press("end", "enter")
	b.mustShow(t, "❯   Agent goose", "Agent amp")
}

// bring gives the tab all messages that a command brings.
func (b *bench) bring(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case Msg:
		b.bring(b.Update(msg.Msg))
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.bring(cmd)
		}
	}
}

func TestTheFirstScreenShowsTheAgentUsedLastFirst(t *testing.T) {
	b, cmd := onFirst(t)
	b.mustShow(t, "Choose an agent", "loading …") // before anything was read
	b.bring(cmd)
	text := b.screen()
	order := []int{strings.Index(text, "❯   Agent two"), strings.Index(text, "Agent one"), strings.Index(text, "1 more agents…")}
	if order[0] < 0 || !slices.IsSorted(order) {
		t.Errorf("the first screen is\n%s", text)
	}
}

func TestTheFirstScreenGoesOnWithASession(t *testing.T) {
	b, cmd := onFirst(t)
	var list *agentList
	for _, cmd := range cmd().(tea.BatchMsg) {
		named, is := cmd().(Msg)
		if !is {
			continue
		}
		if agents, is := named.Msg.(agentsMsg); is {
			list = agents.list
		}
		b.Update(named.Msg)
	}
	list.takeSessions([]store.Summary{{Meta: store.Meta{ID: "s1", Agent: "one"}, Prompt: "tidy up", Updated: b.clock}})
	b.mustShow(t, "Resume a session of this directory", "tidy up", "just now")
	b.mustShow(t, "❯   Agent two")
	b.press("down", "down")
	if got, _ := b.Update(keyPress("enter"))().(Open); !slices.Equal(got, Open{{ID: "s1"}}) {
		t.Errorf("enter did %#v", got)
	}
}

func TestTheFirstScreenCopiesWhatInstallsAnAgent(t *testing.T) {
	b, cmd := onFirst(t)
	b.bring(cmd)
	b.press("end", "enter")
	b.clock = b.clock.Add(2 * time.Second)
	msg := b.Update(keyPress("enter"))()
	text := ""
	if batch, is := msg.(tea.BatchMsg); is {
		for _, cmd := range batch {
			if c, is := cmd().(Copy); is {
				text = c.Text
			}
		}
	} else if c, is := msg.(Copy); is {
		text = c.Text
	}
	if text != "get three" {
		t.Errorf("copied %q, of %#v", text, msg)
	}
	b.mustShow(t, "Choose an agent")
}
