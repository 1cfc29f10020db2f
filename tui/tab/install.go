package tab

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/tui/dialog"
)

// installing is an agent of the registry on its way to this machine. The list from which
// it was chosen shows how far it is; the key that closes the list stops it.
type installing struct {
	tab    *Tab
	plan   registry.Plan
	picker *dialog.Selector
	// list gives the list as it was, start starts the agent.
	list  func() dialog.List
	start func(config.Agent) tea.Cmd

	stop context.CancelFunc     // nil before it has begun
	left bool                   // the person has stopped it
	over bool                   // it is there, or will not be
	come atomic.Pointer[string] // how much has come, for people
	more chan struct{}          // that is another one; closed when nothing comes any more
}

// comeMsg says that more of an agent has come, installedMsg that it is there or why not.
type (
	comeMsg      struct{ of *installing }
	installedMsg struct {
		of    *installing
		agent config.Agent
		err   error
	}
)

// registryGroup is above the agents of the registry in a list. It is short: the line to
// filter with looks at it, too.
const registryGroup = "From the registry"

// offerItem is an agent of the registry in a list.
func offerItem(o registry.Offer, choose func() tea.Cmd) dialog.Item {
	e := o.Entry
	item := dialog.Item{
		ID: "registry " + e.ID, Title: e.Name, Group: registryGroup, Dim: true, About: e.Description + "  " + e.Source(),
		Detail: strings.TrimSpace(strings.Join([]string{e.Version, how(o), e.License}, "  ")),
	}
	if o.Err != nil {
		item.Disabled, item.Detail = true, o.Err.Error()
		return item
	}
	item.Do = dialog.Stay(choose)
	return item
}

// how says in a word how an agent comes.
func how(o registry.Offer) string {
	if o.Plan.Kind == registry.Binary {
		return "a program to download"
	}
	return o.Plan.Command + " " + strings.Join(o.Plan.Args, " ")
}

// askToInstall shows exactly what will be done and run, and does it if the person says so.
func (t *Tab) askToInstall(i *installing) tea.Cmd {
	q := t.confirmation(app.InstallQuestion(t.program.Registry, i.plan))
	q.Choices[0].Do = dialog.Do(i.begin)
	t.ask(q)
	return nil
}

// begin installs beside the screen.
func (i *installing) begin() tea.Cmd {
	ctx, stop := context.WithCancel(i.tab.program.Context)
	i.stop, i.more = stop, make(chan struct{}, 1)
	i.show()
	agents := i.tab.program.Registry
	install := func() tea.Msg {
		added, err := agents.Install(ctx, i.plan, i.comes)
		stop()
		close(i.more)
		return installedMsg{i, added.Agent(), err}
	}
	return tea.Batch(install, i.wait)
}

// comes notes how much has come, and says so if that reads otherwise than before.
func (i *installing) comes(done, all int64) {
	text := app.Downloaded(done, all)
	if before := i.come.Swap(&text); before != nil && *before == text {
		return
	}
	select {
	case i.more <- struct{}{}:
	default: // it is going to be looked at
	}
}

func (i *installing) wait() tea.Msg {
	if _, on := <-i.more; on {
		return comeMsg{i}
	}
	return nil
}

// came shows how much has come. What came last may be told of after the end.
func (i *installing) came() tea.Cmd {
	if !i.over {
		i.show()
	}
	return i.wait
}

// show puts into the list how far it is.
func (i *installing) show() {
	title := "Installing " + i.plan.Entry.Name
	if come := i.come.Load(); come != nil {
		title += "  " + *come
	}
	if i.tab.dialogs.Has(i.picker) {
		i.picker.SetList(dialog.List{Title: title, Loading: true, Instead: dialog.Stay(i.leave), Closing: "stop"})
	}
}

// underWay reports whether the list shows how far it is.
func (i *installing) underWay() bool { return i != nil && i.stop != nil && !i.over }

// leave stops it; that it has ended brings the list back.
func (i *installing) leave() tea.Cmd {
	i.left = true
	i.stop()
	return nil
}

// ended starts the agent, or brings the list back and tells why the agent is not there.
func (i *installing) ended(msg installedMsg) tea.Cmd {
	t := i.tab
	i.over = true
	open := t.dialogs.Has(i.picker)
	if open && (msg.err != nil || i.left) {
		i.picker.SetList(i.list())
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return t.say("nothing was installed")
	case msg.err != nil:
		t.ask(dialog.Confirmation{Title: i.plan.Entry.Name + " was not installed", Text: msg.err.Error(), Choices: []dialog.Choice{{Name: "Go back", Do: dialog.Close{}}}})
		return nil
	case !open || i.left: // the person has gone on to something else, or has stopped it too late
		return t.say(i.plan.Entry.Name + " is installed")
	}
	t.dialogs.Close(i.picker)
	return i.start(msg.agent)
}
