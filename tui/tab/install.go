package tab

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/tui/dialog"
)

// installing is an agent of the registry that is being installed. The list from which it
// was chosen shows the progress; the key that closes the list stops it.
type installing struct {
	list *agentList
	plan registry.Plan

	stop     context.CancelFunc     // nil before it has begun
	stopped  bool                   // the person has stopped it
	done     bool                   // it is there, or will not be
	progress atomic.Pointer[string] // how much has come, for people
	more     chan struct{}          // that is another one; closed when nothing comes any more
}

// comeMsg says that more of an agent has come, installedMsg that it is there or why not.
type (
	progressMsg  struct{ of *installing }
	installedMsg struct {
		of    *installing
		agent config.Agent
		err   error
	}
)

// begin installs beside the screen.
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

// onProgress notes how much has come, and says so if that reads otherwise than before.
func (i *installing) onProgress(done, all int64) {
	text := app.Downloaded(done, all)
	if before := i.progress.Swap(&text); before != nil && *before == text {
		return
	}
	select {
	case i.more <- struct{}{}:
	default: // it is going to be looked at
	}
}

func (i *installing) wait() tea.Msg {
	if _, on := <-i.more; on {
		return progressMsg{i}
	}
	return nil
}

// showProgress shows how much has come.
func (i *installing) showProgress() tea.Cmd {
	i.list.show()
	return i.wait
}

// content shows the progress in the list.
func (i *installing) content() dialog.List {
	title := "Installing " + i.plan.Entry.Name
	if come := i.progress.Load(); come != nil {
		title += "  " + *come
	}
	return dialog.List{Title: title, Loading: true, Instead: dialog.Stay(i.leave), Closing: "stop"}
}

// underWay reports whether it has begun and not ended.
func (i *installing) underWay() bool { return i != nil && i.stop != nil && !i.done }

// leave stops it; that it has ended brings the list back.
func (i *installing) leave() tea.Cmd {
	i.stopped = true
	i.stop()
	return nil
}

// ended starts the agent, or brings the list back and tells why the agent is not there.
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
	case !open || i.stopped: // the person has gone on to something else, or has stopped it too late
		return t.say(i.plan.Entry.Name + " is installed")
	}
	t.dialogs.Close(i.list.picker)
	return i.list.start(msg.agent)
}
