package tab

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
)

// followStart reads the stderr of an agent that starts, once a second.
func (l *live) followStart() tea.Cmd {
	if l.readingStderr || !l.Conversation.Opening() {
		return nil
	}
	l.readingStderr = true
	return tea.Tick(showStderrAfter, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			return act(l.ui, l.Session, session.Stderr{}, func(text string, _ error) tea.Cmd {
				l.stderr, l.readingStderr = text, false
				return l.followStart()
			})
		})
	})
}

// cancel handles esc without a dialog: it leaves a starting agent, takes back a switch that
// the agent does not answer, or cancels the turn. If the agent ignores that, it offers to
// stop the agent.
func (l *live) cancel() tea.Cmd {
	switch {
	case l.Conversation.Opening():
		return l.leaveStart()
	case l.options.TakeBack():
	case l.Conversation.WaitsForLimit():
		session.Post(l.Session, session.StopWaiting{})
	case !l.Conversation.Turn.Running:
		return l.prompts.Escape(l.Conversation)
	case l.Conversation.Turn.Cancelling.IsZero():
		session.Post(l.Session, session.Cancel{})
	case l.ignoresCancel():
		l.askToStop()
	}
	return nil
}

// cancels reports whether ctrl+c in an empty prompt cancels the turn.
func (l *live) cancels() bool {
	return l.Conversation.Turn.Running && l.Conversation.Turn.Cancelling.IsZero()
}

// ignoresCancel reports whether the agent has not ended a turn that was cancelled a while ago.
func (l *live) ignoresCancel() bool {
	since := l.Conversation.Turn.Cancelling
	return l.Conversation.Turn.Running && !since.IsZero() && l.program.Now().Sub(since) >= slowCancel
}

// askToStop offers to stop an agent that ignores a cancel.
func (l *live) askToStop() {
	l.ask(app.Question{
		Title: "The agent does not respond",
		Text:  "parley asked it to cancel at " + l.Conversation.Turn.Cancelling.Format("15:04:05") + ". Stopping it ends its process; the transcript stays.",
		Choices: []app.Choice{
			{Name: "Keep waiting", Key: "w"},
			{Name: "Stop the agent", Key: "k", Risky: true, Here: func() { session.Post(l.Session, session.Kill{}) }},
		},
		While: func() bool { return l.Works() && !l.Conversation.Turn.Cancelling.IsZero() },
	})
}

// askAboutLost reports that the agent exited, and offers to restart it.
func (l *live) askAboutLost() {
	l.askToStartAgain(l.GoneText(), l.GoneReason(), l.Conversation.Agent.Stderr)
}

// askToStartAgain asks what to do about an agent that cannot be used. stderr is the end of
// what it has written there.
func (l *live) askToStartAgain(title, reason, stderr string) {
	name := "Restart it"
	switch {
	case l.HostGone():
		name = "Open it again"
	case l.Session.About().Connects:
		name = "Reconnect"
	}
	var choices []app.Choice
	if l.Installable() && l.unused() {
		choices = append(choices, app.Choice{Name: "Install " + l.Agent.Name, Key: "i", Here: l.here(func() tea.Cmd { return l.instead(command.Install(l.Agent)) })})
	}
	if !l.OverForGood() {
		choices = append(choices, app.Choice{Name: name, Key: "r", Here: func() { command.Restart(l.acting) }})
	}
	if l.unused() {
		choices = append(choices, app.Choice{Name: "Choose another agent", Key: "c", Here: l.here(func() tea.Cmd { return l.instead(command.ChooseAgent) })})
	}
	choices = append(choices, app.Choice{Name: "Stay and read", Key: "s"}, l.leaving.LeaveChoice("q"))
	phase := l.Conversation.Phase
	l.ask(app.Question{
		Title: title, Text: reason, Detail: stderr, Choices: choices,
		While: func() bool { // another viewer may start it again, or a key open it again
			shown, _ := l.live()
			return shown == l && l.opening == nil && l.Conversation.Phase == phase
		},
	})
}

// leaveStart ends an agent that is still starting. If it was the tab's first, the user
// can choose another.
func (l *live) leaveStart() tea.Cmd {
	if !l.unused() || l.opening != nil { // there is something to read
		session.Post(l.Session, session.Kill{})
		return nil
	}
	return l.instead(command.ChooseAgent)
}

// unused reports whether the agent has opened no session yet.
func (l *live) unused() bool {
	c := l.Conversation
	spoken := func(it conversation.Item) bool { _, note := it.(*conversation.Note); return !note }
	return c.ID == "" && !slices.ContainsFunc(c.Items, spoken)
}

// instead ends the tab's agent and lets the user choose another, or install it.
func (l *live) instead(choose func(command.Front)) tea.Cmd {
	left := l.Session
	l.become(&unopened{l.Tab}, conversation.New())
	// It may hold prompts whose events have not arrived.
	back := act(l.ui, left, session.EmptyQueue{}, func(held []conversation.QueuedPrompt, _ error) tea.Cmd { return l.prompts.stay(held...) })
	return tea.Batch(back, send(End{func(ctx context.Context) { app.End(ctx, left) }}), l.front(choose))
}
