package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/tui/dialog"
)

// agentsMsg are the agents that can be chosen from, or why nobody knows them.
type agentsMsg struct {
	picker *dialog.Selector
	list   func([]config.Agent) dialog.List
	start  func(config.Agent) tea.Cmd
	app.Agents
}

// chooseAgent lists the agents that can be started in this tab.
func (t *Tab) chooseAgent() tea.Cmd {
	return t.offer(func(agents []config.Agent) dialog.List {
		return dialog.List{Title: "Choose an agent", Items: dialog.AgentItems(agents), Closing: t.withoutAgent()}
	}, t.startAgent)
}

// withoutAgent is what it is called to leave the list of agents without a choice.
func (t *Tab) withoutAgent() string {
	switch {
	case t.session != nil:
		return ""
	case t.row().Alone():
		return "quit" // there is nothing behind the list
	}
	return "close the tab"
}

// chooseAnother lists the agents that can be started in a new tab. The one of this
// tab is among them, wherever it comes from.
func (t *Tab) chooseAnother() tea.Cmd {
	if t.session == nil {
		return nil
	}
	return t.offer(func(agents []config.Agent) dialog.List {
		same := func(a config.Agent) bool { return a.ID == t.agent.ID }
		if t.agent.ID != "" && !slices.ContainsFunc(agents, same) {
			agents = append([]config.Agent{t.agent}, agents...)
		}
		items := dialog.AgentItems(agents)
		for i, a := range agents {
			items[i].Current = same(a)
			items[i].Do = dialog.Do(func() tea.Cmd { return t.openBeside(a) })
		}
		return dialog.List{Title: "Choose an agent for a new tab", Items: items}
	}, t.openBeside)
}

// offer shows a list of the agents that there are, as soon as that is known, and of those
// that can be installed and then started.
func (t *Tab) offer(list func([]config.Agent) dialog.List, start func(config.Agent) tea.Cmd) tea.Cmd {
	p := t.program
	if p.Available == nil {
		t.dialogs.Push(dialog.NewSelector(t.env(), list(nil)))
		return nil
	}
	loading := list(nil)
	loading.Items, loading.Loading = nil, true
	picker := dialog.NewSelector(t.env(), loading)
	t.dialogs.Push(picker)
	return func() tea.Msg { return agentsMsg{picker, list, start, p.FindAgents()} }
}

// offered fills the list, unless it was closed meanwhile.
func (t *Tab) offered(msg agentsMsg) tea.Cmd {
	if !t.dialogs.Has(msg.picker) {
		return nil
	}
	msg.picker.SetList(t.withOffers(msg))
	if msg.Err != nil {
		return t.say("the agents of this machine are not known: " + msg.Err.Error())
	}
	return nil
}

// withOffers is the list with the agents that can be installed.
func (t *Tab) withOffers(msg agentsMsg) dialog.List {
	list := msg.list(msg.Available)
	for _, o := range msg.Offers {
		list.Items = append(list.Items, offerItem(o, func() tea.Cmd {
			return t.askToInstall(&installing{
				tab: t, plan: o.Plan, picker: msg.picker, start: msg.start, list: func() dialog.List { return t.withOffers(msg) },
			})
		}))
	}
	return list
}
