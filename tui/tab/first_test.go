package tab

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
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
	order := []int{strings.Index(text, "❯   Agent two"), strings.Index(text, "Agent one"), strings.Index(text, "Not on this machine"), strings.Index(text, "Agent three  get three")}
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
	b.mustShow(t, "Go on with a session of this directory", "tidy up", "just now")
	b.mustShow(t, "❯   Agent two")
	b.press("down", "down")
	if got, _ := b.Update(keyPress("enter"))().(Open); !slices.Equal(got, Open{{ID: "s1"}}) {
		t.Errorf("enter did %#v", got)
	}
}

func TestTheFirstScreenCopiesWhatInstallsAnAgent(t *testing.T) {
	b, cmd := onFirst(t)
	b.bring(cmd)
	b.press("end")
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
