package tab

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/store"
	"parley/tui/dialog"
)

// mostAtFirst is how many of the stored sessions are listed on the first screen. All of
// them are one key away.
const mostAtFirst = 5

// first is the list on the first screen: the agents that can be started, the one that
// was used last first, the sessions of this directory that were used last, and the
// agents that could be installed.
type first struct {
	tab      *Tab
	picker   *dialog.Selector
	agents   *app.Agents // nil before they are known
	sessions []store.Summary
	installs *installing // the one that was chosen last, nil if none was
}

// firstAgentsMsg are the agents for the first screen, and firstSessionsMsg the sessions.
type (
	firstAgentsMsg struct {
		list *first
		app.Agents
	}
	firstSessionsMsg struct {
		list     *first
		sessions []store.Summary
	}
)

// chooseFirst shows what can be begun with. Nothing is read before it is on the screen.
func (t *Tab) chooseFirst() tea.Cmd {
	if t.program.Available == nil {
		return t.chooseAgent()
	}
	l := &first{tab: t}
	l.picker = dialog.NewSelector(t.env(), l.content())
	t.dialogs.Push(l.picker)
	return tea.Batch(l.findAgents(), l.findSessions())
}

func (l *first) findAgents() tea.Cmd {
	p := l.tab.program
	return func() tea.Msg {
		found := p.FindAgents()
		p.SortByUse(found.Available)
		return firstAgentsMsg{l, found}
	}
}

// findSessions asks for the sessions of this directory. That there are none to be had is
// no trouble of the person's here: who looks for one is told.
func (l *first) findSessions() tea.Cmd {
	lib, ctx, cwd := l.tab.program.Stored, l.tab.program.Context, l.tab.cwd
	if lib == nil {
		return nil
	}
	return func() tea.Msg {
		sessions, _ := lib.List(ctx, store.Query{Cwd: cwd, Limit: mostAtFirst})
		return firstSessionsMsg{l, sessions}
	}
}

// takeAgents fills the list, unless it was closed meanwhile.
func (l *first) takeAgents(msg firstAgentsMsg) tea.Cmd {
	l.agents = &msg.Agents
	l.show()
	if msg.Err != nil {
		return l.tab.say("the agents of this machine are not known: " + msg.Err.Error())
	}
	if msg.RegistryErr != nil {
		return l.tab.say("of the registry, what is built in is shown: " + msg.RegistryErr.Error())
	}
	return nil
}

func (l *first) takeSessions(msg firstSessionsMsg) {
	l.sessions = msg.sessions
	l.show()
}

func (l *first) show() {
	if l.tab.dialogs.Has(l.picker) && !l.installs.underWay() {
		l.picker.SetList(l.content())
	}
}

// content is the list as far as it is known. Before the agents are, it is empty: the
// first of them is what is marked.
func (l *first) content() dialog.List {
	list := dialog.List{Title: "Choose an agent", Loading: l.agents == nil, Closing: l.tab.withoutAgent()}
	if l.agents == nil {
		return list
	}
	list.Items = dialog.AgentItems(l.agents.Available)
	for i := range list.Items {
		list.Items[i].Group = "Begin a session" // in the order of use, wherever they come from
	}
	for i := range l.sessions {
		list.Items = append(list.Items, l.session(&l.sessions[i]))
	}
	for _, o := range l.agents.Offers {
		list.Items = append(list.Items, offerItem(o, func() tea.Cmd {
			l.installs = &installing{tab: l.tab, plan: o.Plan, picker: l.picker, list: l.content, start: l.tab.startAgent}
			return l.tab.askToInstall(l.installs)
		}))
	}
	for _, a := range l.agents.Missing {
		list.Items = append(list.Items, l.missed(a))
	}
	return list
}

// session is a stored session to go on with.
func (l *first) session(s *store.Summary) dialog.Item {
	t, id := l.tab, s.ID
	item := dialog.SessionItem(cmp.Or(s.Name(), string(id)), s.Updated, t.program.Now(), cmp.Or(s.AgentName, s.Agent))
	item.ID, item.Group = "kept "+string(id), "Go on with a session of this directory"
	item.Do = dialog.Do(func() tea.Cmd { return t.openKept(id) })
	return item
}

// missed is an agent whose program is not there, with the line that installs it.
func (l *first) missed(a config.Agent) dialog.Item {
	t := l.tab
	return dialog.Item{
		ID: "missing " + a.ID, Title: a.Name, Detail: a.InstallHint, Group: "Not on this machine: enter copies the line that installs one", Dim: true,
		Do: dialog.Stay(func() tea.Cmd { return t.copy("the line that installs "+a.Name, a.InstallHint) }),
	}
}
