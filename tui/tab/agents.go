package tab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/registry"
	"parley/internal/store"
	"parley/tui/dialog"
)

// mostAtFirst is how many stored sessions the first screen lists.
const mostAtFirst = 5

// mostUsed is how many agents to install are listed if none is on this machine.
const mostUsed = 3

// agentList is an open list of agents to start, and of agents to install and then start.
// On the first screen it also lists the directory's last sessions.
type agentList struct {
	tab    *Tab
	title  string
	first  bool // this is the first screen
	items  func([]config.Agent) []dialog.Item
	start  func(config.Agent) tea.Cmd
	picker *dialog.Selector

	agents   *app.Agents // nil until found
	sessions []store.Summary
	reading  bool        // the sessions are being read
	opened   bool        // all agents to install are listed
	filtered bool        // so they are while there is a filter
	installs *installing // the latest installation, nil if none
}

// agentsMsg carries the agents found for a list.
type agentsMsg struct {
	list *agentList
	app.Agents
}

// chooseFirst lists what the program's first session can start with.
func chooseFirst(t *Tab) tea.Cmd {
	l := &agentList{tab: t, title: "Choose an agent", first: true, start: t.startChosen, items: func(agents []config.Agent) []dialog.Item {
		items := dialog.AgentItems(agents)
		for i := range items {
			items[i].Group = "New session" // sorted by use, whatever the source
		}
		return items
	}}
	find := openAgentList(l)
	lib, ctx, cwd := t.program.Stored, t.program.Context, t.cwd
	if lib == nil {
		return find
	}
	l.reading = true
	return tea.Batch(find, inBackground(func() then {
		sessions, _ := lib.List(ctx, store.Query{Cwd: cwd, Limit: mostAtFirst}) // the session list reports errors
		return func() tea.Cmd { l.takeSessions(sessions); return nil }
	}))
}

// chooseAgent lists the agents to start in this tab.
func chooseAgent(t *Tab) tea.Cmd {
	return openAgentList(&agentList{tab: t, title: "Choose an agent", start: t.startChosen, items: dialog.AgentItems})
}

// chooseAnother lists the agents to start in a new tab. It includes this tab's agent,
// whatever its source.
func (l *live) chooseAnother() tea.Cmd {
	t := l.tab
	return openAgentList(&agentList{tab: t, title: "New tab: choose an agent", start: t.openBeside, items: func(agents []config.Agent) []dialog.Item {
		same := func(a config.Agent) bool { return a.ID == l.Agent.ID }
		if l.Agent.ID != "" && !slices.ContainsFunc(agents, same) {
			agents = append([]config.Agent{l.Agent}, agents...)
		}
		items := dialog.AgentItems(agents)
		for i, a := range agents {
			items[i].Current = same(a)
			items[i].Do = dialog.Do(func() tea.Cmd { return t.openBeside(a) })
		}
		return items
	}})
}

// openAgentList shows a list and fills it once the agents are known.
func openAgentList(l *agentList) tea.Cmd {
	p := l.tab.program
	l.picker = l.tab.choose(l.content())
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
		return l.tab.say("cannot list the agents of this machine: " + agents.Err.Error())
	case agents.RegistryErr != nil && l.first:
		return l.tab.say("using the built-in registry: " + agents.RegistryErr.Error())
	}
	return nil
}

func (l *agentList) takeSessions(sessions []store.Summary) {
	l.sessions, l.reading = sessions, false
	l.show()
}

func (l *agentList) show() {
	if l.tab.dialogs.Has(l.picker) {
		l.picker.SetList(l.content())
	}
}

// content returns the list of what has been found so far, or the progress of an installation.
// It is empty until agents and sessions are known, so that the first item starts selected.
func (l *agentList) content() dialog.List {
	if l.installs.underWay() {
		return l.installs.content()
	}
	list := dialog.List{Title: l.title, Loading: l.agents == nil || l.reading, Filter: true, Search: l.search, Closing: l.closing()}
	if l.tab.chooses() { // nothing is behind the list
		runs := func(a config.Action, hint string) dialog.ItemKey {
			return dialog.ItemKey{Action: a, Hint: hint, Do: func(dialog.Item) dialog.Action {
				return dialog.Stay(func() tea.Cmd { return l.tab.run(a) })
			}}
		}
		list.Keys = []dialog.ItemKey{runs(command.Palette, "palette"), runs(command.Help, "help")}
	}
	if list.Loading {
		return list
	}
	list.Items = l.items(l.agents.Available)
	var tour []dialog.Item // behind all that is the user's
	if i := slices.IndexFunc(list.Items, func(it dialog.Item) bool { return it.ID == app.TourID }); l.first && i >= 0 && len(list.Items)+len(l.sessions) > 1 {
		tour = []dialog.Item{list.Items[i]}
		tour[0].Group = "Built in"
		list.Items = slices.Delete(list.Items, i, i+1)
	}
	for i := range l.sessions {
		list.Items = append(list.Items, l.session(&l.sessions[i]))
	}
	list.Items = append(list.Items, tour...)
	shown := 0
	if !slices.ContainsFunc(l.agents.Available, func(a config.Agent) bool { return a.ID != app.TourID && a.Reason == "" }) {
		list.About = "No agent is installed. Take the tour, or install one:"
		shown = mostUsed
	}
	more := l.installable()
	if l.opened || l.filtered {
		shown = len(more)
	}
	shown = min(shown, len(more))
	list.Items = append(list.Items, more[:shown]...)
	if rest := len(more) - shown; rest > 0 {
		list.Items = append(list.Items, dialog.Item{
			ID: "more", Title: fmt.Sprintf("%d more agents…", rest), Group: toInstall, Dim: true,
			Do: dialog.Stay(func() tea.Cmd { l.opened = true; l.show(); return nil }),
		})
	}
	return list
}

// search lists all agents while there is a filter.
func (l *agentList) search(words string) tea.Cmd {
	if filtered := words != ""; filtered != l.filtered {
		l.filtered = filtered
		l.show()
	}
	return nil
}

// installable returns the agents to install, most used first.
func (l *agentList) installable() []dialog.Item {
	type ranked struct {
		rank int
		item dialog.Item
	}
	var all []ranked
	for _, o := range l.agents.Offers {
		all = append(all, ranked{config.Popularity(config.KnownAs(o.Entry.ID)), l.offer(o)})
	}
	for _, a := range l.agents.Missing { // known, but not in the registry
		all = append(all, ranked{config.Popularity(a.ID), dialog.Item{
			ID: "missing " + a.ID, Title: a.Name, Detail: a.InstallHint, Group: toInstall, Dim: true, About: "Enter copies the command: " + a.InstallHint,
			Do: dialog.Stay(func() tea.Cmd { return l.tab.copy("the install command of "+a.Name, a.InstallHint) }),
		}})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	items := make([]dialog.Item, len(all))
	for i, r := range all {
		items[i] = r.item
	}
	return items
}

// closing returns the hint for leaving the list without choosing an agent.
func (l *agentList) closing() string {
	switch {
	case !l.tab.chooses():
		return ""
	case l.tab.program.Tabs.Alone():
		return "quit" // nothing is behind the list
	}
	return "close the tab"
}

// session returns the item of a stored session to continue.
func (l *agentList) session(s *store.Summary) dialog.Item {
	t, id := l.tab, s.ID
	about := []string{cmp.Or(s.AgentName, s.Agent)}
	if later := s.Later(); later != "" {
		about = append(about, "❯ "+later)
	}
	item := dialog.SessionItem(cmp.Or(s.Name(), string(id)), s.Updated, t.program.Now(), about...)
	item.ID, item.Group = "kept "+string(id), "Resume a session of this directory"
	item.Do = dialog.Do(func() tea.Cmd { return t.goToStored(id) })
	return item
}

// toInstall is the group of agents to install. It is short because the filter matches it
// too.
const toInstall = "Install"

// offer returns the item of an agent in the registry.
func (l *agentList) offer(o registry.Offer) dialog.Item {
	e := o.Entry
	item := dialog.Item{
		ID: "registry " + e.ID, Title: e.Name, Group: toInstall, Dim: true, Detail: e.About(),
		About: strings.Join([]string{registry.InstallCommand(e.ID), e.License, e.Source()}, "  "),
	}
	if o.Err != nil {
		item.Detail = app.NeedsText(o.Err) + " · " + item.Detail
		item.Do = dialog.Stay(func() tea.Cmd { return l.cannot(e, o.Err) })
		return item
	}
	item.Do = dialog.Stay(func() tea.Cmd {
		l.installs = &installing{list: l, plan: o.Plan}
		return l.installs.askRegistry()
	})
	return item
}

// cannot says why an agent cannot be installed.
func (l *agentList) cannot(e registry.Entry, err error) tea.Cmd {
	l.tab.ask(l.tab.confirmation(app.CannotInstall(e, err)))
	return nil
}

// installing is an installation from the registry. Its list shows the progress; the key
// that closes the list stops it.
type installing struct {
	list *agentList
	plan registry.Plan

	asking   bool                   // the registry is asked for the newest version
	stop     context.CancelFunc     // nil before the start
	stopped  bool                   // stopped by the user
	done     bool                   // ended, well or not
	progress atomic.Pointer[string] // progress as text
	more     chan struct{}          // signals new progress; closed at the end
}

// progressMsg reports progress of an installation, installedMsg its end.
type (
	progressMsg  struct{ of *installing }
	installedMsg struct {
		of    *installing
		agent config.Agent
		err   error
	}
)

// askRegistry asks the registry for the newest version, and then whether to install it.
func (i *installing) askRegistry() tea.Cmd {
	ctx, stop := context.WithCancel(i.list.tab.program.Context)
	i.asking, i.stop = true, stop
	i.list.show()
	agents, id := i.list.tab.program.Registry, i.plan.Entry.ID
	return inBackground(func() then {
		entry, note, err := app.LatestEntry(ctx, agents, id)
		plan := registry.Plan{Entry: entry}
		if err == nil {
			plan, err = entry.PlanHere()
		}
		stop()
		return func() tea.Cmd { return i.askUser(plan, note, err) }
	})
}

// askUser asks whether to carry out a plan.
func (i *installing) askUser(plan registry.Plan, note string, err error) tea.Cmd {
	l := i.list
	i.asking, i.stop = false, nil
	l.show()
	switch {
	case i.stopped || !l.tab.dialogs.Has(l.picker):
		return nil
	case err != nil:
		return l.cannot(i.plan.Entry, err)
	}
	i.plan = plan
	q := l.tab.confirmation(app.InstallQuestion(l.tab.program.Registry, plan, note))
	q.Choices[0].Do = dialog.Do(i.begin)
	l.tab.ask(q)
	return nil
}

// begin starts the installation in the background.
func (i *installing) begin() tea.Cmd {
	p := i.list.tab.program
	ctx, stop := context.WithCancel(p.Context)
	i.stop, i.more = stop, make(chan struct{}, 1)
	i.list.show()
	agents := p.Registry
	install := func() tea.Msg {
		added, err := agents.Install(ctx, i.plan, i.onProgress)
		stop()
		close(i.more)
		return installedMsg{i, added.Agent(), err}
	}
	return tea.Batch(install, i.wait)
}

// onProgress stores the progress, and signals it if its text has changed.
func (i *installing) onProgress(done, all int64) {
	text := app.Downloaded(done, all)
	if before := i.progress.Swap(&text); before != nil && *before == text {
		return
	}
	select {
	case i.more <- struct{}{}:
	default: // a signal is pending
	}
}

func (i *installing) wait() tea.Msg {
	if _, on := <-i.more; on {
		return progressMsg{i}
	}
	return nil
}

// showProgress updates the list and waits for more.
func (i *installing) showProgress() tea.Cmd {
	i.list.show()
	return i.wait
}

// content returns the list while it shows the progress.
func (i *installing) content() dialog.List {
	title := "Installing " + i.plan.Entry.Name
	if i.asking {
		title = "Asking the registry for " + i.plan.Entry.Name
	}
	if come := i.progress.Load(); come != nil {
		title += "  " + *come
	}
	leave := func() tea.Cmd { // the end of the installation restores the list
		i.stopped = true
		i.stop()
		return nil
	}
	return dialog.List{Title: title, Loading: true, Instead: dialog.Stay(leave), Closing: "stop"}
}

// underWay reports whether the installation runs.
func (i *installing) underWay() bool { return i != nil && i.stop != nil && !i.done }

// ended starts the agent, or restores the list and reports the error.
func (i *installing) ended(msg installedMsg) tea.Cmd {
	t := i.list.tab
	i.done = true
	open := t.dialogs.Has(i.list.picker)
	if msg.err != nil || i.stopped {
		i.list.show()
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return t.say("nothing was installed")
	case msg.err != nil:
		t.ask(dialog.Confirmation{Title: i.plan.Entry.Name + " was not installed", Text: msg.err.Error(), Choices: []dialog.Choice{{Name: "Go back", Do: dialog.Close{}}}})
		return nil
	case !open || i.stopped: // the user has moved on, or stopped it too late
		return t.say(i.plan.Entry.Name + " is installed")
	}
	t.dialogs.Close(i.list.picker)
	return i.list.start(msg.agent)
}
