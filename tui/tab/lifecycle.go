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
		return e.tab.outbox.Escape()
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
	case e.tab.row().Alone():
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
	return tea.Batch(keep, e.tab.row().Close())
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
