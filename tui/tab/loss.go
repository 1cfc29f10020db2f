package tab

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// Unstarted tells that an agent could not even be tried. another chooses another one; it is
// nil if there is no choice.
func (e *lifecycle) Unstarted(a config.Agent, err error, another func() tea.Cmd) {
	q := dialog.Confirmation{Title: a.Name + " could not be started", Text: describe(a, err)}
	if another != nil {
		q.Choices = append(q.Choices, dialog.Choice{Name: "Choose another agent", Do: dialog.Do(another)})
	}
	q.Choices = append(q.Choices, e.WayOut(""))
	e.tab.ask(q)
}

// Lost tells that the agent has gone, and offers to start it again.
func (e *lifecycle) Lost(a config.Agent) {
	title := "The agent has gone"
	switch failed := e.tab.conv.Phase == conversation.PhaseFailed; {
	case failed && e.tab.session.Connects():
		title = "There is no connection to the agent"
	case failed:
		title = "The agent could not be started"
	case e.tab.session.Connects():
		title = "The connection to the agent is lost"
	}
	e.AskToStartAgain(title, describe(a, e.tab.conv.Agent.Err), e.tab.conv.Agent.Stderr)
}

// AskToStartAgain asks what to do about an agent that is of no use as it is. stderr
// is the end of what it wrote there.
func (e *lifecycle) AskToStartAgain(title, reason, stderr string) {
	again := func() tea.Cmd { e.tab.session.Start(); return nil }
	name := "Start it again"
	if e.tab.session.Connects() {
		name = "Connect again"
	}
	e.restart = dialog.NewConfirm(e.tab.env(), dialog.Confirmation{Title: title, Text: reason, Detail: stderr, Choices: []dialog.Choice{
		{Name: name, Key: "r", Do: dialog.Do(again)},
		{Name: "Stay here and read", Key: "s", Do: dialog.Close{}},
		e.WayOut("q"),
	}})
	e.tab.dialogs.Push(e.restart)
}

// WayOut is the answer that leaves what has gone wrong: the tab, if there are others.
func (e *lifecycle) WayOut(key string) dialog.Choice {
	if e.tab.row().Alone() {
		return dialog.Choice{Name: "Leave parley", Key: key, Do: dialog.Do(func() tea.Cmd { return e.quit(quitDespite) })}
	}
	return dialog.Choice{Name: "Close this tab", Key: key, Do: dialog.Do(e.closeNow)}
}

// describe puts an error of starting an agent into words, and says what to do.
func describe(a config.Agent, err error) string {
	what := err.Error()
	var start *acpclient.StartError
	if errors.As(err, &start) && a.InstallHint != "" {
		what += "\nTo install it: " + a.InstallHint
	}
	return what
}

// StartAgain starts an agent that has gone, and goes on with the session if it can.
func (e *lifecycle) StartAgain() tea.Cmd {
	switch {
	case e.tab.session == nil:
		return nil
	case !e.tab.conv.Gone():
		return e.tab.say("the agent is there: nothing has to be started")
	}
	e.tab.dialogs.Close(e.restart) // which asks whether to
	e.tab.session.Start()
	return nil
}
