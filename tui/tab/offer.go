package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// agentsMsg are the agents that can be chosen from, or why nobody knows them.
type agentsMsg struct {
	picker *dialog.Selector
	list   func([]config.Agent) dialog.List
	agents []config.Agent
	err    error
}

// chooseAgent lists the agents that can be started in this tab.
func (t *Tab) chooseAgent() tea.Cmd {
	return t.offer(func(agents []config.Agent) dialog.List {
		return dialog.List{Title: "Choose an agent", Items: dialog.AgentItems(agents)}
	})
}

// chooseAnother lists the agents that can be started in a new tab. The one of this
// tab is among them, wherever it comes from.
func (t *Tab) chooseAnother() tea.Cmd {
	if t.session == nil {
		return nil
	}
	return t.offer(func(agents []config.Agent) dialog.List {
		same := func(a config.Agent) bool { return a.ID == t.agent.ID }
		if !slices.ContainsFunc(agents, same) {
			agents = append([]config.Agent{t.agent}, agents...)
		}
		items := dialog.AgentItems(agents)
		for i, a := range agents {
			items[i].Current = same(a)
			items[i].Do = dialog.Do(func() tea.Cmd { return t.row().Open(a) })
		}
		return dialog.List{Title: "Choose an agent for a new tab", Items: items}
	})
}

// offer shows a list of the agents that there are, as soon as that is known.
func (t *Tab) offer(list func([]config.Agent) dialog.List) tea.Cmd {
	find := t.program.Offered
	if len(t.program.Agents) > 0 || find == nil {
		t.dialogs.Push(dialog.NewSelector(t.env(), list(t.program.Agents)))
		return nil
	}
	loading := list(nil)
	loading.Items, loading.Loading = nil, true
	picker := dialog.NewSelector(t.env(), loading)
	t.dialogs.Push(picker)
	return func() tea.Msg {
		agents, err := find()
		return agentsMsg{picker, list, agents, err}
	}
}

// offered fills the list, unless it was closed meanwhile.
func (t *Tab) offered(msg agentsMsg) tea.Cmd {
	if !t.dialogs.Has(msg.picker) {
		return nil
	}
	msg.picker.SetList(msg.list(msg.agents))
	if msg.err != nil {
		return t.say("the agents of this machine are not known: " + msg.err.Error())
	}
	return nil
}
