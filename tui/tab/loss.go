package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/tui/dialog"
)

// Unstarted tells that an agent could not even be tried. another chooses another one; it is
// nil if there is no choice.
func (e *lifecycle) Unstarted(a config.Agent, err error, another func() tea.Cmd) {
	q := dialog.Confirmation{Title: a.Name + " could not be started", Text: app.StartErrorText(a, err)}
	if another != nil {
		q.Choices = append(q.Choices, dialog.Choice{Name: "Choose another agent", Do: dialog.Do(another)})
	}
	q.Choices = append(q.Choices, e.WayOut(""))
	e.tab.ask(q)
}

// Lost tells that the agent has gone, and offers to start it again.
func (e *lifecycle) Lost(a config.Agent) {
	e.AskToStartAgain(app.GoneText(e.tab.conv, e.tab.session.Connects()), app.StartErrorText(a, e.tab.conv.Agent.Err), e.tab.conv.Agent.Stderr)
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
