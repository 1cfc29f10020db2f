// This file is about what ends: a turn, an agent, a tab, the program. The person ends it,
// and is asked where something would be lost by that; or it has ended by itself, and they
// are asked what to do.

package tab

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// quitConsent is how sure the person is that they want to leave the program.
type quitConsent uint8

const (
	// Asked: they are asked first if an agent is at work.
	quitAsked quitConsent = iota
	// Despite: they know that the turn of this tab is ended by it.
	quitDespite
	// Sure: they know of the turns of all tabs.
	quitSure
)

// lifecycle ends what there is in a tab.
type lifecycle struct {
	tab *Tab

	first   time.Time     // of two ctrl+c with nothing left to clear
	restart dialog.Dialog // asks what to do about an agent that is of no use; nil if none ever was
}

func (e *lifecycle) now() time.Time { return e.tab.program.Now() }

// Acted notes that something else was done: the first of two ctrl+c does not count any
// more.
func (e *lifecycle) Acted() { e.first = time.Time{} }

// Interrupt clears the draft, then cancels the turn, then leaves on a second
// press.
func (e *lifecycle) Interrupt() tea.Cmd {
	switch {
	case !e.tab.composer.Empty():
		return e.tab.composer.Clear()
	case e.tab.session != nil && e.tab.conv.Turn.Running && e.tab.conv.Turn.Cancelling.IsZero():
		e.tab.session.Cancel()
		return nil
	case e.Leaving():
		return e.quit(quitDespite)
	}
	e.first = e.now()
	return redraw(againTime)
}

// Cancel is what esc does when no dialog is open: it leaves an agent that starts,
// and cancels the turn, or, if the agent does not react to that, offers to stop it.
func (e *lifecycle) Cancel() tea.Cmd {
	switch {
	case e.tab.session == nil:
	case e.tab.conv.Starts():
		return e.tab.starter.leaveStart()
	case !e.tab.conv.Turn.Running:
		return e.tab.queue.Escape()
	case e.tab.conv.Turn.Cancelling.IsZero():
		e.tab.session.Cancel()
	case e.now().Sub(e.tab.conv.Turn.Cancelling) >= slowCancel:
		e.AskToStop()
	}
	return nil
}

// Leave leaves the program if there is no draft. While the agent works, the program
// asks first.
func (e *lifecycle) Leave() tea.Cmd {
	if !e.tab.composer.Empty() {
		return nil
	}
	return e.quit(quitAsked)
}

// Leaving reports whether another ctrl+c would leave the program.
func (e *lifecycle) Leaving() bool {
	return !e.first.IsZero() && e.now().Sub(e.first) < againTime
}

// AskToStop offers to stop an agent that does not react to a cancel.
func (e *lifecycle) AskToStop() {
	stop := func() tea.Cmd { e.tab.session.Kill(); return nil }
	e.tab.ask(dialog.Confirmation{
		Title: "The agent does not react",
		Text:  fmt.Sprintf("It was asked to cancel %s ago. Stopping it ends its process; what is on the screen stays.", toolview.Elapsed(e.now().Sub(e.tab.conv.Turn.Cancelling))),
		Choices: []dialog.Choice{
			{Name: "Go on waiting", Key: "w", Do: dialog.Close{}},
			{Name: "Stop the agent", Key: "k", Risky: true, Do: dialog.Do(stop)},
		},
	})
}

// AskToLeave asks whether to leave the program while agents work: those of the tabs
// with these titles.
func (e *lifecycle) AskToLeave(titles []string) {
	q := dialog.Confirmation{
		Title: "The agent is at work",
		Text:  "Leaving parley ends it in the middle of its turn.",
		Choices: []dialog.Choice{
			{Name: "Stay", Key: "s", Do: dialog.Close{}},
			{Name: "Leave", Key: "q", Risky: true, Do: dialog.Do(func() tea.Cmd { return e.quit(quitSure) })},
		},
	}
	switch {
	case len(titles) > 1:
		q.Title = fmt.Sprintf("%d agents are at work", len(titles))
		q.Text = "Leaving parley ends them in the middle of their turns:\n• " + strings.Join(titles, "\n• ")
	case !e.tab.Works():
		q.Title = "An agent is at work in another tab"
		q.Text = "Leaving parley ends it in the middle of its turn:\n• " + titles[0]
	}
	e.tab.ask(q)
}

// Close closes the tab. It asks first if that ends or loses something.
func (e *lifecycle) Close() tea.Cmd {
	switch {
	case e.tab.tabs().Alone():
		return e.tab.say("this is the only tab: " + e.tab.keyOf(config.ActionQuit) + " leaves parley")
	case e.tab.Works():
		e.askToClose("The agent is at work", "Closing the tab ends it in the middle of its turn.")
	case e.tab.conv != nil && len(e.tab.conv.Queue) > 0:
		e.askToClose("Prompts wait here", "Closing the tab drops them. They stay in the history of the prompt.")
	default:
		return e.closeNow()
	}
	return nil
}

// closeNow closes the tab. The draft stays in the history.
func (e *lifecycle) closeNow() tea.Cmd {
	var keep tea.Cmd
	if !e.tab.composer.Empty() {
		keep = e.tab.composer.Clear()
	}
	return tea.Batch(keep, e.tab.tabs().Close())
}

func (e *lifecycle) askToClose(title, text string) {
	e.tab.ask(dialog.Confirmation{Title: title, Text: text, Choices: []dialog.Choice{
		{Name: "Keep it open", Key: "k", Do: dialog.Close{}},
		{Name: "Close it", Key: "c", Risky: true, Do: dialog.Do(e.closeNow)},
	}})
}

// quit leaves the program.
func (e *lifecycle) quit(c quitConsent) tea.Cmd {
	switch c {
	case quitDespite:
		return send(Quit{Despite: e.tab.id})
	case quitSure:
		return send(Quit{Sure: true})
	}
	return send(Quit{})
}

// StartFailed tells that an agent could not even be tried. another chooses another one; it is
// nil if there is no choice.
func (e *lifecycle) StartFailed(a config.Agent, err error, another func() tea.Cmd) {
	q := dialog.Confirmation{Title: a.Name + " could not be started", Text: app.StartErrorText(a, err)}
	if another != nil {
		q.Choices = append(q.Choices, dialog.Choice{Name: "Choose another agent", Do: dialog.Do(another)})
	}
	q.Choices = append(q.Choices, e.LeaveChoice(""))
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
		e.LeaveChoice("q"),
	}})
	e.tab.dialogs.Push(e.restart)
}

// LeaveChoice is the answer that leaves what has gone wrong: the tab, if there are others.
func (e *lifecycle) LeaveChoice(key string) dialog.Choice {
	if e.tab.tabs().Alone() {
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
