package tab

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/store"
	"parley/tui/dialog"
)

// mostAtFirst is how many stored sessions the first screen lists.
const mostAtFirst = 5

// agentList is an open list of agents to start, and of agents to install and then start.
// On the first screen it also lists the directory's last sessions and known agents that
// are missing.
type agentList struct {
	tab    *Tab
	title  string
	first  bool // it is the first screen
	items  func([]config.Agent) []dialog.Item
	start  func(config.Agent) tea.Cmd
	picker *dialog.Selector

	agents   *app.Agents // nil until found
	sessions []store.Summary
	installs *installing // the latest installation, nil if none
}

// agentsMsg carries the agents found for a list.
type agentsMsg struct {
	list *agentList
	app.Agents
}

// chooseFirst lists what the program's first session can start with.
func (st *starter) chooseFirst() tea.Cmd {
	t := st.tab
	if t.program.Available == nil {
		return st.chooseAgent()
	}
	l := &agentList{title: "Choose an agent", first: true, start: st.startAgent, items: func(agents []config.Agent) []dialog.Item {
		items := dialog.AgentItems(agents)
		for i := range items {
			items[i].Group = "Begin a session" // sorted by use, whatever the source
		}
		return items
	}}
	find := st.openAgentList(l)
	lib, ctx, cwd := t.program.Stored, t.program.Context, t.cwd
	if lib == nil {
		return find
	}
	return tea.Batch(find, inBackground(func() then {
		sessions, _ := lib.List(ctx, store.Query{Cwd: cwd, Limit: mostAtFirst}) // the session list reports errors
		return func() tea.Cmd { l.takeSessions(sessions); return nil }
	}))
}

// chooseAgent lists the agents to start in this tab.
func (st *starter) chooseAgent() tea.Cmd {
	return st.openAgentList(&agentList{title: "Choose an agent", start: st.startAgent, items: dialog.AgentItems})
}

// chooseAnother lists the agents to start in a new tab. It includes this tab's agent,
// whatever its source.
func (ac *actions) chooseAnother() tea.Cmd {
	t := ac.tab
	if t.session == nil {
		return nil
	}
	return t.starter.openAgentList(&agentList{title: "Choose an agent for a new tab", start: ac.openBeside, items: func(agents []config.Agent) []dialog.Item {
		same := func(a config.Agent) bool { return a.ID == t.agent.ID }
		if t.agent.ID != "" && !slices.ContainsFunc(agents, same) {
			agents = append([]config.Agent{t.agent}, agents...)
		}
		items := dialog.AgentItems(agents)
		for i, a := range agents {
			items[i].Current = same(a)
			items[i].Do = dialog.Do(func() tea.Cmd { return ac.openBeside(a) })
		}
		return items
	}})
}

// openAgentList shows a list and fills it once the agents are known.
func (st *starter) openAgentList(l *agentList) tea.Cmd {
	t := st.tab
	l.tab = t
	p := t.program
	if p.Available == nil {
		l.agents = &app.Agents{}
	}
	l.picker = t.choose(l.content())
	if p.Available == nil {
		return nil
	}
	return func() tea.Msg {
		found := p.FindAgents()
		if l.first {
			p.SortByUse(found.Available)
		}
		return agentsMsg{l, found}
	}
}

// take fills the list, unless it was closed in the meantime.
func (l *agentList) take(agents app.Agents) tea.Cmd {
	l.agents = &agents
	l.show()
	switch {
	case !l.tab.dialogs.Has(l.picker):
		return nil
	case agents.Err != nil:
		return l.tab.say("the agents of this machine are not known: " + agents.Err.Error())
	case agents.RegistryErr != nil && l.first:
		return l.tab.say("of the registry, what is built in is shown: " + agents.RegistryErr.Error())
	}
	return nil
}

func (l *agentList) takeSessions(sessions []store.Summary) {
	l.sessions = sessions
	l.show()
}

func (l *agentList) show() {
	if l.tab.dialogs.Has(l.picker) {
		l.picker.SetList(l.content())
	}
}

// content returns the list as far as it is known, or the progress of an installation. It
// is empty until the agents are known, so that the first one is selected.
func (l *agentList) content() dialog.List {
	if l.installs.underWay() {
		return l.installs.content()
	}
	list := dialog.List{Title: l.title, Loading: l.agents == nil, Closing: l.tab.starter.withoutAgent()}
	if l.agents == nil {
		return list
	}
	list.Items = l.items(l.agents.Available)
	for i := range l.sessions {
		list.Items = append(list.Items, l.session(&l.sessions[i]))
	}
	for _, o := range l.agents.Offers {
		list.Items = append(list.Items, l.offer(o))
	}
	if !l.first {
		return list
	}
	for _, a := range l.agents.Missing {
		list.Items = append(list.Items, dialog.Item{
			ID: "missing " + a.ID, Title: a.Name, Detail: a.InstallHint, Group: "Not on this machine: enter copies the line that installs one", Dim: true,
			Do: dialog.Stay(func() tea.Cmd { return l.tab.actions.copy("the line that installs "+a.Name, a.InstallHint) }),
		})
	}
	return list
}

// withoutAgent returns the hint for leaving the list without choosing an agent.
func (st *starter) withoutAgent() string {
	t := st.tab
	switch {
	case t.session != nil:
		return ""
	case t.tabs().Alone():
		return "quit" // nothing is behind the list
	}
	return "close the tab"
}

// session returns the item of a stored session to continue.
func (l *agentList) session(s *store.Summary) dialog.Item {
	t, id := l.tab, s.ID
	item := dialog.SessionItem(cmp.Or(s.Name(), string(id)), s.Updated, t.program.Now(), cmp.Or(s.AgentName, s.Agent))
	item.ID, item.Group = "kept "+string(id), "Go on with a session of this directory"
	item.Do = dialog.Do(func() tea.Cmd { return t.actions.openStored(id) })
	return item
}

// offer returns the item of an agent in the registry. Its group name is short because the
// filter matches it too.
func (l *agentList) offer(o registry.Offer) dialog.Item {
	e, how := o.Entry, "a program to download"
	if o.Plan.Kind != registry.Binary {
		how = o.Plan.Command + " " + strings.Join(o.Plan.Args, " ")
	}
	item := dialog.Item{
		ID: "registry " + e.ID, Title: e.Name, Group: "From the registry", Dim: true, About: e.Description + "  " + e.Source(),
		Detail: strings.TrimSpace(strings.Join([]string{e.Version, how, e.License}, "  ")),
	}
	if o.Err != nil {
		item.Disabled, item.Detail = true, o.Err.Error()
		return item
	}
	item.Do = dialog.Stay(func() tea.Cmd {
		l.installs = &installing{list: l, plan: o.Plan}
		q := l.tab.confirmation(app.InstallQuestion(l.tab.program.Registry, o.Plan))
		q.Choices[0].Do = dialog.Do(l.installs.begin)
		l.tab.ask(q)
		return nil
	})
	return item
}
