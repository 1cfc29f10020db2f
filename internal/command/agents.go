package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/store"
)

const (
	// mostAtFirst is how many stored sessions are listed with the agents, and mostUsed how many
	// agents to install if none is on this machine.
	mostAtFirst = 5
	mostUsed    = 3
)

// agentList is an open list of agents to start, and of agents to install and then start.
type agentList struct {
	f      Front
	live   *app.Live // nil without a session
	update func(Choice) bool

	agents   *app.Agents // nil until found
	sessions []store.Summary
	reading  bool        // the sessions are being read
	opened   bool        // all agents to install are listed
	filtered bool        // so they are while there is a filter
	installs *installing // the latest installation, nil if none
}

// ChooseAgent lists the agents that a new session can have. If none is open, it lists the last
// sessions of the directory, too.
func ChooseAgent(f Front) { listAgents(f) }

// Install returns a command that installs an agent of the registry above that list, and starts it.
func Install(a config.Agent) func(Front) {
	return func(f Front) {
		l := listAgents(f)
		l.installs = &installing{list: l, plan: a}
		l.installs.askRegistry()
	}
}

func listAgents(f Front) *agentList {
	b := f.Backend()
	l := &agentList{f: f, live: f.Live()}
	l.reading = l.live == nil && b.Stored != nil
	l.update = f.Choose(l.choice())
	f.InBackground(func(context.Context) func() {
		found := b.FindAgents()
		if l.live == nil {
			b.SortByUse(found.Available)
		}
		return func() { l.take(found) }
	})
	if l.reading {
		q := store.Query{Cwd: f.Cwd(), Limit: mostAtFirst}
		f.InBackground(func(ctx context.Context) func() {
			sessions, _ := b.Stored.List(ctx, q) // the session list reports errors
			return func() {
				l.sessions, l.reading = sessions, false
				l.show()
			}
		})
	}
	return l
}

func (l *agentList) take(agents app.Agents) {
	l.agents = &agents
	switch {
	case agents.Err != nil:
		l.f.Say("cannot list the agents of this machine: " + agents.Err.Error())
	case agents.RegistryErr != nil && l.live == nil:
		l.f.Say("using the built-in registry: " + agents.RegistryErr.Error())
	}
	l.show()
}

// show shows the list as it is now, and reports whether it is still open.
func (l *agentList) show() bool { return l.update(l.choice()) }

// choice returns the list of what has been found so far, or the progress of an installation.
// It is empty until agents and sessions are known, so that the first item starts selected.
func (l *agentList) choice() Choice {
	if l.installs.underWay() {
		return l.installs.choice()
	}
	c := Choice{
		Title: "Choose an agent", Ask: "Which agent?", Empty: "No agent was found.", Filter: true,
		Loading: l.agents == nil || l.reading, Search: l.search, Bottom: l.live == nil,
	}
	if l.live != nil {
		c.Title, c.Leaves = "New tab: choose an agent", "Choose another agent"
	}
	if c.Loading {
		return c
	}
	var tour []Item // behind all that is the user's
	for _, a := range l.startable() {
		it := agentItem(a)
		it.Do = func() { l.f.Open(app.Spec{Agent: &a}) }
		switch {
		case l.live != nil:
			it.Current = a.ID == l.live.Agent.ID
		case a.ID == app.TourID:
			tour = append(tour, it)
			continue
		default:
			it.Group = "New session" // sorted by use, whatever the source
		}
		c.Items = append(c.Items, it)
	}
	for i := range l.sessions {
		c.Items = append(c.Items, l.session(&l.sessions[i]))
	}
	c.Items = append(c.Items, tour...)
	more := l.agents.Offers
	shown := 0
	if !slices.ContainsFunc(l.agents.Available, func(a config.Agent) bool { return a.ID != app.TourID && a.Unusable == nil }) {
		c.About = "No agent is installed. Take the tour, or install one:"
		shown = mostUsed
	}
	if l.opened || l.filtered {
		shown = len(more)
	}
	shown = min(shown, len(more))
	for _, a := range more[:shown] {
		c.Items = append(c.Items, l.offer(a))
	}
	if rest := len(more) - shown; rest > 0 {
		c.Items = append(c.Items, Item{
			ID: "more", Title: fmt.Sprintf("%d more agents…", rest), Group: toInstall, Dim: true, Stays: true,
			Do: func() { l.opened = true; l.show() },
		})
	}
	return c
}

// startable returns the agents to start, also the session's own if it is only known from there.
func (l *agentList) startable() []config.Agent {
	all := l.agents.Available
	if l.live != nil && l.live.Agent.ID != "" && !slices.ContainsFunc(all, func(a config.Agent) bool { return a.ID == l.live.Agent.ID }) {
		return append([]config.Agent{l.live.Agent}, all...)
	}
	return all
}

// agentItem returns the item of an agent to start.
func agentItem(a config.Agent) Item {
	groups := map[config.Source]string{
		config.SourceConfigured: "Configured", config.SourceInstalled: "Installed",
		config.SourceFound: "Found on this machine", config.SourceBuiltIn: "Built in",
	}
	detail := strings.Join(a.Words(), " ")
	switch {
	case a.Unusable != nil:
		detail = a.Unusable.Error()
	case a.Source == config.SourceBuiltIn:
		detail = "a two-minute tour: no account needed"
	case a.Address != "":
		detail = "listens at " + a.Listens()
	}
	if a.Origin != nil && a.Unusable == nil {
		detail = a.Origin.Version + "  " + detail
	}
	return Item{ID: a.ID, Title: cmp.Or(a.Name, a.ID), Words: a.ID, Detail: detail, Group: groups[a.Source], Current: a.Default, Dim: a.Unusable != nil}
}

// search lists all agents while there is a filter.
func (l *agentList) search(words string) {
	if filtered := words != ""; filtered != l.filtered {
		l.filtered = filtered
		l.show()
	}
}

// session returns the item of a stored session to continue.
func (l *agentList) session(s *store.Summary) Item {
	it := (&sessionList{f: l.f}).item(app.SessionEntry{Stored: *s})
	it.Group, it.About, it.Delete = "Resume a session of this directory", "", nil
	return it
}

// toInstall is the group of agents to install. It is short because the filter matches it
// too.
const toInstall = "Install"

// offer returns the item of an agent to install.
func (l *agentList) offer(a config.Agent) Item {
	if a.Source != config.SourceAvailable { // known, but not in the registry
		return Item{
			ID: "missing " + a.ID, Title: a.Name, Detail: a.InstallHint, Group: toInstall, Dim: true, Stays: true,
			About: "Enter copies the command: " + a.InstallHint,
			Do:    func() { l.f.Copy("the install command of "+a.Name, a.InstallHint) },
		}
	}
	item := Item{
		ID: "registry " + a.ID, Title: a.Name, Words: a.ID, Group: toInstall, Dim: true, Stays: true, Detail: a.About,
		About: strings.Join([]string{registry.InstallCommand(a.ID), a.Origin.License, a.URL}, "  "),
		Do: func() {
			l.installs = &installing{list: l, plan: a}
			l.installs.askRegistry()
		},
	}
	if a.Unusable != nil {
		item.Detail = app.NeedsText(a.Unusable) + " · " + item.Detail
		item.Do = func() { l.f.Ask(app.CannotInstall(a, a.Unusable)) }
	}
	return item
}

// installing is an installation from the registry. Its list shows the progress; the key
// that closes the list stops it.
type installing struct {
	list *agentList
	plan config.Agent

	asking   bool                   // the registry is asked for the newest version
	stop     context.CancelFunc     // nil before the start
	stopped  bool                   // stopped by the user
	done     bool                   // ended, well or not
	progress atomic.Pointer[string] // progress as text
}

// inBackground shows the progress of work that the user can stop.
func (i *installing) inBackground(do func(context.Context) func()) {
	stopping, stop := context.WithCancel(context.Background())
	i.stop = stop
	i.list.show()
	i.list.f.InBackground(func(ctx context.Context) func() {
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		return do(stopping)
	})
}

// askRegistry asks the registry for the newest version, and then whether to install it.
func (i *installing) askRegistry() {
	i.asking = true
	agents, id := i.list.f.Backend().Registry, i.plan.ID
	i.inBackground(func(ctx context.Context) func() {
		plan, note, err := app.LatestPlan(ctx, agents, id)
		return func() { i.askUser(plan, note, err) }
	})
}

// askUser asks whether to carry out a plan.
func (i *installing) askUser(plan config.Agent, note string, err error) {
	f := i.list.f
	i.asking, i.stop = false, nil
	switch open := i.list.show(); {
	case i.stopped || !open:
	case err != nil:
		f.Ask(app.CannotInstall(i.plan, err))
	default:
		i.plan = plan
		q := app.InstallQuestion(f.Backend().Registry, plan, note)
		q.Choices[0].Here = i.begin
		f.Ask(q)
	}
}

// begin starts the installation in the background.
func (i *installing) begin() {
	b := i.list.f.Backend()
	i.inBackground(func(ctx context.Context) func() {
		agent, err := b.Registry.Install(ctx, i.plan, func(done, all int64) {
			text := app.Downloaded(done, all)
			i.progress.Store(&text)
		})
		agent = b.Configured(agent)
		return func() { i.ended(agent, err) }
	})
	i.showProgress()
}

// refresh is how often the progress is shown.
const refresh = 200 * time.Millisecond

// showProgress shows the progress until the installation has ended.
func (i *installing) showProgress() {
	i.list.f.After(refresh, func() {
		if i.underWay() {
			i.list.show()
			i.showProgress()
		}
	})
}

// choice returns the list while it shows the progress.
func (i *installing) choice() Choice {
	title := "Installing " + i.plan.Name
	if i.asking {
		title = "Asking the registry for " + i.plan.Name
	}
	if come := i.progress.Load(); come != nil {
		title += "  " + *come
	}
	return Choice{Title: title, Loading: true, Closing: "stop", Stop: func() { // the end restores the list
		i.stopped = true
		i.stop()
	}}
}

// underWay reports whether the installation runs.
func (i *installing) underWay() bool { return i != nil && i.stop != nil && !i.done }

// ended starts the agent, or restores the list and reports the error.
func (i *installing) ended(agent config.Agent, err error) {
	f, name := i.list.f, i.plan.Name
	i.done = true
	switch open := i.list.show(); {
	case errors.Is(err, context.Canceled):
		f.Say("nothing was installed")
	case err != nil:
		f.Ask(app.Question{Title: name + " was not installed", Text: err.Error(), Choices: []app.Choice{{Name: "Go back"}}})
	case !open || i.stopped: // the user has moved on, or stopped it too late
		f.Say(name + " is installed")
	default:
		i.list.update(Choice{})
		f.Open(app.Spec{Agent: &agent})
	}
}
