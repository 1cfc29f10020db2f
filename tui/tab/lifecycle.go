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
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// Surely is how sure the person is that they want to leave the program.
type quitConsent uint8

const (
	// Asked: they are asked first if an agent is at work.
	quitAsked quitConsent = iota
	// Despite: they know that the turn of this tab is ended by it.
	quitDespite
	// Sure: they know of the turns of all tabs.
	quitSure
)

// Session is what ends.
type lifecycleSession interface {
	Start()
	Cancel() bool
	Kill()
	// Connects reports whether the agent is on the network.
	Connects() bool
	// Stderr is the end of what it wrote there.
	Stderr() string
}

// Host is the tab, as far as its ends need it.
type lifecycleHost interface {
	// Runs is the session; nil as long as there is none, and so is Conversation.
	Runs() lifecycleSession
	Conversation() *conversation.Conversation
	// Works reports whether a turn runs.
	Works() bool
	// Escape is what esc does where there is nothing to end, LeaveStart what it does while
	// the agent starts.
	Escape() tea.Cmd
	LeaveStart() tea.Cmd
	// Alone reports whether there is no other tab.
	Alone() bool
	// CloseTab closes the tab, Quit leaves the program.
	CloseTab() tea.Cmd
	Quit(quitConsent) tea.Cmd
}

// Ending ends what there is in a tab.
type lifecycle struct {
	desk     *desk
	host     lifecycleHost
	composer *composer.Composer

	first   time.Time     // of two ctrl+c with nothing left to clear
	restart dialog.Dialog // asks what to do about an agent that is of no use; nil if none ever was
}

// New returns what ends a tab and what is in it. c is its prompt.
func newLifecycle(d *desk, h lifecycleHost, c *composer.Composer) *lifecycle {
	return &lifecycle{desk: d, host: h, composer: c}
}

func (e *lifecycle) now() time.Time { return e.desk.Env().Now() }

// Acted notes that something else was done: the first of two ctrl+c does not count any
// more.
func (e *lifecycle) Acted() { e.first = time.Time{} }

// Interrupt clears the draft, then cancels the turn, then leaves on a second
// press.
func (e *lifecycle) Interrupt() tea.Cmd {
	switch {
	case !e.composer.Empty():
		return e.composer.Clear()
	case e.host.Runs() != nil && e.host.Conversation().Turn.Running && e.host.Conversation().Turn.Cancelling.IsZero():
		e.host.Runs().Cancel()
		return nil
	case e.Leaving():
		return e.host.Quit(quitDespite)
	}
	e.first = e.now()
	return redraw(againTime)
}

// Cancel is what esc does when no dialog is open: it leaves an agent that starts,
// and cancels the turn, or, if the agent does not react to that, offers to stop it.
func (e *lifecycle) Cancel() tea.Cmd {
	switch {
	case e.host.Runs() == nil:
	case e.host.Conversation().Starts():
		return e.host.LeaveStart()
	case !e.host.Conversation().Turn.Running:
		return e.host.Escape()
	case e.host.Conversation().Turn.Cancelling.IsZero():
		e.host.Runs().Cancel()
	case e.now().Sub(e.host.Conversation().Turn.Cancelling) >= slowCancel:
		e.AskToStop()
	}
	return nil
}

// Leave leaves the program if there is no draft. While the agent works, the program
// asks first.
func (e *lifecycle) Leave() tea.Cmd {
	if !e.composer.Empty() {
		return nil
	}
	return e.host.Quit(quitAsked)
}

// Leaving reports whether another ctrl+c would leave the program.
func (e *lifecycle) Leaving() bool {
	return !e.first.IsZero() && e.now().Sub(e.first) < againTime
}

// AskToStop offers to stop an agent that does not react to a cancel.
func (e *lifecycle) AskToStop() {
	stop := func() tea.Cmd { e.host.Runs().Kill(); return nil }
	e.desk.Ask(dialog.Confirmation{
		Title: "The agent does not react",
		Text:  fmt.Sprintf("It was asked to cancel %s ago. Stopping it ends its process; what is on the screen stays.", toolview.Elapsed(e.now().Sub(e.host.Conversation().Turn.Cancelling))),
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
			{Name: "Leave", Key: "q", Risky: true, Do: dialog.Do(func() tea.Cmd { return e.host.Quit(quitSure) })},
		},
	}
	switch {
	case len(titles) > 1:
		q.Title = fmt.Sprintf("%d agents are at work", len(titles))
		q.Text = "Leaving parley ends them in the middle of their turns:\n• " + strings.Join(titles, "\n• ")
	case !e.host.Works():
		q.Title = "An agent is at work in another tab"
		q.Text = "Leaving parley ends it in the middle of its turn:\n• " + titles[0]
	}
	e.desk.Ask(q)
}

// Close closes the tab. It asks first if that ends or loses something.
func (e *lifecycle) Close() tea.Cmd {
	switch {
	case e.host.Alone():
		return e.desk.Say("this is the only tab: " + e.desk.Key(config.ActionQuit) + " leaves parley")
	case e.host.Works():
		e.askToClose("The agent is at work", "Closing the tab ends it in the middle of its turn.")
	case e.host.Conversation() != nil && len(e.host.Conversation().Queue) > 0:
		e.askToClose("Prompts wait here", "Closing the tab drops them. They stay in the history of the prompt.")
	default:
		return e.closeNow()
	}
	return nil
}

// closeNow closes the tab. The draft stays in the history.
func (e *lifecycle) closeNow() tea.Cmd {
	var keep tea.Cmd
	if !e.composer.Empty() {
		keep = e.composer.Clear()
	}
	return tea.Batch(keep, e.host.CloseTab())
}

func (e *lifecycle) askToClose(title, text string) {
	e.desk.Ask(dialog.Confirmation{Title: title, Text: text, Choices: []dialog.Choice{
		{Name: "Keep it open", Key: "k", Do: dialog.Close{}},
		{Name: "Close it", Key: "c", Risky: true, Do: dialog.Do(e.closeNow)},
	}})
}
