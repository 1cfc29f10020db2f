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

// againTime is how soon a key must be pressed again to confirm.
const againTime = 2 * time.Second

// lifecycle ends turns, agents, the tab and the program, and asks first where something
// would be lost. When an agent ends by itself, it asks what to do.
type lifecycle struct {
	tab *Tab

	first   time.Time     // first of two ctrl+c that quit
	restart dialog.Dialog // the last dialog of AskToStartAgain, or nil
}

// Acted resets the first of two ctrl+c after any other action.
func (e *lifecycle) Acted() { e.first = time.Time{} }

// Interrupt clears the draft, else cancels the turn, else quits on a second press.
func (e *lifecycle) Interrupt() tea.Cmd {
	switch {
	case !e.tab.composer.Empty():
		return e.tab.composer.Clear()
	case e.cancels():
		e.tab.session().Cancel()
		return nil
	case e.Leaving():
		return send(Quit{Despite: e.tab.id})
	}
	e.first = e.tab.program.Now()
	return redraw(againTime)
}

// Cancel handles esc without a dialog: it leaves a starting agent, takes back a switch that
// the agent does not answer, or cancels the turn. If the agent ignores that, it offers to
// stop the agent.
func (e *lifecycle) Cancel() tea.Cmd {
	switch {
	case e.tab.session() == nil:
	case e.tab.conv().Starts():
		return e.tab.leaveStart()
	case e.tab.options.TakeBack():
	case !e.tab.conv().Turn.Running:
		return e.tab.queue.Escape()
	case e.tab.conv().Turn.Cancelling.IsZero():
		e.tab.session().Cancel()
	case e.tab.program.Now().Sub(e.tab.conv().Turn.Cancelling) >= slowCancel:
		e.AskToStop()
	}
	return nil
}

// Leave quits if there is no draft, else says how to. It asks first while an agent works.
func (e *lifecycle) Leave() tea.Cmd {
	if !e.tab.composer.Empty() {
		words := fmt.Sprintf("%s quits when the draft is empty: %s clears it", e.tab.keyOf(config.ActionQuit), e.tab.keyOf(config.ActionInterrupt))
		return e.tab.sayWhile(words, func() bool { return !e.tab.composer.Empty() })
	}
	return send(Quit{})
}

// Leaving reports whether another ctrl+c quits.
func (e *lifecycle) Leaving() bool {
	return !e.first.IsZero() && e.tab.program.Now().Sub(e.first) < againTime && e.tab.composer.Empty() && !e.cancels()
}

// cancels reports whether ctrl+c in an empty prompt cancels the turn.
func (e *lifecycle) cancels() bool {
	return e.tab.session() != nil && e.tab.conv().Turn.Running && e.tab.conv().Turn.Cancelling.IsZero()
}

// AskToStop offers to stop an agent that ignores a cancel.
func (e *lifecycle) AskToStop() {
	stop := func() tea.Cmd { e.tab.session().Kill(); return nil }
	e.tab.ask(dialog.Confirmation{
		Title: "The agent does not respond",
		Text:  fmt.Sprintf("parley asked it to cancel %s ago. Stopping it ends its process; the transcript stays.", toolview.Elapsed(e.tab.program.Now().Sub(e.tab.conv().Turn.Cancelling))),
		Choices: []dialog.Choice{
			{Name: "Keep waiting", Key: "w", Do: dialog.Close{}},
			{Name: "Stop the agent", Key: "k", Risky: true, Do: dialog.Do(stop)},
		},
		While: func() bool { return e.tab.Works() && !e.tab.conv().Turn.Cancelling.IsZero() },
	})
}

// AskToLeave asks whether to quit while agents work in the tabs with these titles.
func (e *lifecycle) AskToLeave(titles []string) {
	q := dialog.Confirmation{
		Title: "The agent is working",
		Text:  "Quitting stops it in the middle of its turn.",
		Choices: []dialog.Choice{
			{Name: "Stay", Key: "s", Do: dialog.Close{}},
			{Name: "Leave", Key: "q", Risky: true, Do: dialog.Do(func() tea.Cmd { return send(Quit{Sure: true}) })},
		},
	}
	switch {
	case len(titles) > 1:
		q.Title = fmt.Sprintf("%d agents are working", len(titles))
		q.Text = "Quitting stops them in the middle of their turns:\n• " + strings.Join(titles, "\n• ")
	case !e.tab.Works():
		q.Title = "An agent is working in another tab"
		q.Text = "Quitting stops it in the middle of its turn:\n• " + titles[0]
	default:
		q.While = e.tab.Works
	}
	e.tab.ask(q)
}

// Close closes the tab. It asks first if that would end or lose something.
func (e *lifecycle) Close() tea.Cmd {
	switch {
	case e.tab.program.Tabs.Alone():
		return e.tab.say("this is the only tab: " + e.tab.keyOf(config.ActionQuit) + " leaves parley")
	case e.tab.Works():
		e.askToClose("The agent is working", "Closing the tab stops it in the middle of its turn.", e.tab.Works)
	case e.tab.queue.Queued() > 0:
		e.askToClose("Prompts are queued", "Closing the tab drops them. They stay in the prompt history.", func() bool { return e.tab.queue.Queued() > 0 })
	default:
		return e.closeNow()
	}
	return nil
}

// closeNow closes the tab. The draft goes into the history.
func (e *lifecycle) closeNow() tea.Cmd {
	var keep tea.Cmd
	if !e.tab.composer.Empty() {
		keep = e.tab.composer.Clear()
	}
	return tea.Batch(keep, e.tab.program.Tabs.Close())
}

func (e *lifecycle) askToClose(title, text string, while func() bool) {
	e.tab.ask(dialog.Confirmation{Title: title, Text: text, While: while, Choices: []dialog.Choice{
		{Name: "Keep it open", Key: "k", Do: dialog.Close{}},
		{Name: "Close it", Key: "c", Risky: true, Do: dialog.Do(e.closeNow)},
	}})
}

// Lost reports that the agent exited, and offers to restart it.
func (e *lifecycle) Lost(l *app.Live) {
	e.AskToStartAgain(l.GoneText(), l.GoneReason(), l.Conversation.Agent.Stderr)
}

// AskToStartAgain asks what to do about an agent that cannot be used. stderr is the end of
// its output there.
func (e *lifecycle) AskToStartAgain(title, reason, stderr string) {
	again := func() tea.Cmd { e.tab.session().Start(); return nil }
	name := "Restart it"
	if e.tab.session().Connects() {
		name = "Reconnect"
	}
	choices := []dialog.Choice{{Name: name, Key: "r", Do: dialog.Do(again)}}
	if e.tab.unused() {
		choices = append(choices, dialog.Choice{Name: "Choose another agent", Key: "c", Do: dialog.Do(e.tab.chooseInstead)})
	}
	choices = append(choices, dialog.Choice{Name: "Stay and read", Key: "s", Do: dialog.Close{}}, e.LeaveChoice("q"))
	e.restart = dialog.NewConfirm(e.tab.env(), dialog.Confirmation{Title: title, Text: reason, Detail: stderr, Choices: choices})
	e.tab.dialogs.Push(e.restart)
}

// LeaveChoice is the answer that closes the tab, or quits if it is the only one.
func (e *lifecycle) LeaveChoice(key string) dialog.Choice {
	if e.tab.program.Tabs.Alone() {
		return dialog.Choice{Name: "Quit parley", Key: key, Do: dialog.Do(func() tea.Cmd { return send(Quit{Despite: e.tab.id}) })}
	}
	return dialog.Choice{Name: "Close this tab", Key: key, Do: dialog.Do(e.closeNow)}
}

// StartAgain restarts an agent that has gone, and reopens the session if possible.
func (e *lifecycle) StartAgain() tea.Cmd {
	switch {
	case e.tab.session() == nil:
		return nil
	case !e.tab.conv().Gone():
		return e.tab.say("the agent is already running")
	}
	e.tab.dialogs.Close(e.restart) // it asks the same
	e.tab.session().Start()
	return nil
}
