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

// installing is an installation from the registry. Its list shows the progress; the key
// that closes the list stops it.
type installing struct {
	list *agentList
	plan registry.Plan

	stop     context.CancelFunc     // nil before the start
	stopped  bool                   // stopped by the person
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
	if come := i.progress.Load(); come != nil {
		title += "  " + *come
	}
	return dialog.List{Title: title, Loading: true, Instead: dialog.Stay(i.leave), Closing: "stop"}
}

// underWay reports whether the installation runs.
func (i *installing) underWay() bool { return i != nil && i.stop != nil && !i.done }

// leave stops the installation; its end restores the list.
func (i *installing) leave() tea.Cmd {
	i.stopped = true
	i.stop()
	return nil
}

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
	case !open || i.stopped: // the person has moved on, or stopped it too late
		return t.say(i.plan.Entry.Name + " is installed")
	}
	t.dialogs.Close(i.list.picker)
	return i.list.start(msg.agent)
}
