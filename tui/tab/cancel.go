package tab

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/dialog"
	"parley/tui/tab/desk"
	"parley/tui/tab/status"
	"parley/tui/toolface"
)

// interrupt clears the draft, then cancels the turn, then leaves on a second
// press.
func (t *Tab) interrupt() tea.Cmd {
	switch {
	case t.dialogs.Empty() && !t.composer.Empty():
		return t.composer.Clear()
	case t.session != nil && t.conv.Turn.Running && t.conv.Turn.Cancelling.IsZero():
		t.session.Cancel()
		return nil
	case t.isLeaving():
		return t.quit()
	}
	t.leaving = t.program.Now()
	return desk.Redraw(desk.AgainTime)
}

// cancel is what esc does when no dialog is open: it leaves an agent that starts,
// and cancels the turn, or, if the agent does not react to that, offers to stop it.
func (t *Tab) cancel() tea.Cmd {
	switch {
	case t.session == nil:
	case t.conv.Starts():
		return t.leaveStart()
	case !t.conv.Turn.Running:
		return t.outbox.Escape()
	case t.conv.Turn.Cancelling.IsZero():
		t.session.Cancel()
	case t.program.Now().Sub(t.conv.Turn.Cancelling) >= status.SlowCancel:
		t.askToStop()
	}
	return nil
}

// leave leaves the program if there is no draft. While the agent works, the program
// asks first.
func (t *Tab) leave() tea.Cmd {
	if !t.composer.Empty() {
		return nil
	}
	return send(Quit{})
}

// quit leaves the program.
func (t *Tab) quit() tea.Cmd { return send(Quit{Despite: t.id}) }

// isLeaving reports whether another ctrl+c would leave the program.
func (t *Tab) isLeaving() bool {
	return !t.leaving.IsZero() && t.program.Now().Sub(t.leaving) < desk.AgainTime
}

// askToStop offers to stop an agent that does not react to a cancel.
func (t *Tab) askToStop() {
	stop := func() tea.Cmd { t.session.Kill(); return nil }
	t.desk.Ask(dialog.Confirmation{
		Title: "The agent does not react",
		Text:  fmt.Sprintf("It was asked to cancel %s ago. Stopping it ends its process; what is on the screen stays.", toolface.Elapsed(t.program.Now().Sub(t.conv.Turn.Cancelling))),
		Choices: []dialog.Choice{
			{Name: "Go on waiting", Key: "w", Do: dialog.Close{}},
			{Name: "Stop the agent", Key: "k", Risky: true, Do: dialog.Do(stop)},
		},
	})
}

// AskToLeave asks whether to leave the program while agents work: those of the tabs
// with these titles.
func (t *Tab) AskToLeave(titles []string) {
	q := dialog.Confirmation{
		Title: "The agent is at work",
		Text:  "Leaving parley ends it in the middle of its turn.",
		Choices: []dialog.Choice{
			{Name: "Stay", Key: "s", Do: dialog.Close{}},
			{Name: "Leave", Key: "q", Risky: true, Do: dialog.Do(func() tea.Cmd { return send(Quit{Sure: true}) })},
		},
	}
	switch {
	case len(titles) > 1:
		q.Title = fmt.Sprintf("%d agents are at work", len(titles))
		q.Text = "Leaving parley ends them in the middle of their turns:\n• " + strings.Join(titles, "\n• ")
	case !t.Works():
		q.Title = "An agent is at work in another tab"
		q.Text = "Leaving parley ends it in the middle of its turn:\n• " + titles[0]
	}
	t.desk.Ask(q)
}
