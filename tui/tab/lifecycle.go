package tab

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// lifecycle ends turns and the agent of a session, and starts it again. When the agent
// ends by itself, it asks what to do.
type lifecycle struct {
	live *live

	restart dialog.Dialog // the last dialog of AskToStartAgain, or nil
	stderr  string        // the end of what a starting agent has written that is not a message
	asking  bool          // it is asked for
}

// FollowStart reads the stderr of an agent that starts, once a second.
func (e *lifecycle) FollowStart() tea.Cmd {
	if e.asking || !e.live.conv.Opening() {
		return nil
	}
	e.asking = true
	return tea.Tick(showStderrAfter, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			return act(e.live.tab.ui, e.live.Session, session.Stderr{}, func(text string, _ error) tea.Cmd {
				e.stderr, e.asking = text, false
				return e.FollowStart()
			})
		})
	})
}

// Cancel handles esc without a dialog: it leaves a starting agent, takes back a switch that
// the agent does not answer, or cancels the turn. If the agent ignores that, it offers to
// stop the agent.
func (e *lifecycle) Cancel() tea.Cmd {
	switch {
	case e.live.conv.Opening():
		return e.leaveStart()
	case e.live.options.TakeBack():
	case !e.live.conv.Turn.Running:
		return e.live.tab.prompts.Escape(e.live.conv)
	case e.live.conv.Turn.Cancelling.IsZero():
		session.Post(e.live.Session, session.Cancel{})
	case e.live.ignoresCancel():
		e.AskToStop()
	}
	return nil
}

// cancels reports whether ctrl+c in an empty prompt cancels the turn.
func (l *live) cancels() bool {
	return l.conv.Turn.Running && l.conv.Turn.Cancelling.IsZero()
}

// ignoresCancel reports whether the agent has not ended a turn that was cancelled a while ago.
func (l *live) ignoresCancel() bool {
	since := l.conv.Turn.Cancelling
	return l.conv.Turn.Running && !since.IsZero() && l.tab.program.Now().Sub(since) >= slowCancel
}

// AskToStop offers to stop an agent that ignores a cancel.
func (e *lifecycle) AskToStop() {
	stop := func() tea.Cmd { session.Post(e.live.Session, session.Kill{}); return nil }
	e.live.tab.ask(dialog.Confirmation{
		Title: "The agent does not respond",
		Text:  fmt.Sprintf("parley asked it to cancel %s ago. Stopping it ends its process; the transcript stays.", toolview.Elapsed(e.live.tab.program.Now().Sub(e.live.conv.Turn.Cancelling))),
		Choices: []dialog.Choice{
			{Name: "Keep waiting", Key: "w", Do: dialog.Close{}},
			{Name: "Stop the agent", Key: "k", Risky: true, Do: dialog.Do(stop)},
		},
		While: func() bool { return e.live.tab.Works() && !e.live.conv.Turn.Cancelling.IsZero() },
	})
}

// Lost reports that the agent exited, and offers to restart it.
func (e *lifecycle) Lost() {
	l := e.live
	e.AskToStartAgain(l.GoneText(), l.GoneReason(), l.conv.Agent.Stderr)
}

// AskToStartAgain asks what to do about an agent that cannot be used. stderr is the end of
// its output there.
func (e *lifecycle) AskToStartAgain(title, reason, stderr string) {
	again := func() tea.Cmd { session.Post(e.live.Session, session.Start{}); return nil }
	name := "Restart it"
	switch {
	case e.live.HostGone():
		again, name = e.live.openAgain, "Open it again"
	case e.live.Session.About().Connects:
		name = "Reconnect"
	}
	choices := []dialog.Choice{{Name: name, Key: "r", Do: dialog.Do(again)}}
	if e.unused() {
		choices = append(choices, dialog.Choice{Name: "Choose another agent", Key: "c", Do: dialog.Do(e.chooseInstead)})
	}
	choices = append(choices, dialog.Choice{Name: "Stay and read", Key: "s", Do: dialog.Close{}}, e.live.tab.leaving.LeaveChoice("q"))
	phase := e.live.conv.Phase
	e.restart = dialog.NewConfirm(e.live.tab.env(), dialog.Confirmation{
		Title: title, Text: reason, Detail: stderr, Choices: choices,
		While: func() bool { return e.live.conv.Phase == phase }, // another viewer may start it again
	})
	e.live.tab.dialogs.Push(e.restart)
}

// StartAgain restarts the agent, and reopens the session if possible. It asks first whether
// to start one that the user has not agreed to, and whether to end one that runs.
func (e *lifecycle) StartAgain() tea.Cmd {
	switch t := e.live.tab; {
	case t.stored.untrusted != nil && !t.dialogs.Asks():
		e.live.askToTrustAgent()
		return nil
	case t.stored.readOnly != "":
		return t.say(t.stored.readOnly)
	case e.live.conv.Opening(): // nothing is lost
		session.Post(e.live.Session, session.Reconnect{})
		return nil
	case !e.live.conv.Gone():
		e.askToRestart()
		return nil
	}
	e.live.tab.dialogs.Close(e.restart) // this question replaces it
	if e.live.HostGone() {
		return e.live.openAgain()
	}
	session.Post(e.live.Session, session.Start{})
	return nil
}

// askToRestart asks whether to restart an agent that runs.
func (e *lifecycle) askToRestart() {
	text := "The agent is running. parley restarts it and resumes the session."
	if e.live.conv.Turn.Running {
		text = "The agent is working: this ends its turn. parley restarts it and resumes the session."
	}
	again := func() tea.Cmd { session.Post(e.live.Session, session.Reconnect{}); return nil }
	e.live.tab.ask(dialog.Confirmation{
		Title: "Restart the agent?", Text: text,
		Choices: []dialog.Choice{
			{Name: "Keep it running", Key: "k", Do: dialog.Close{}},
			{Name: "Restart it", Key: "r", Risky: true, Do: dialog.Do(again)},
		},
		While: func() bool { return e.live.conv.Phase == conversation.PhaseReady },
	})
}

// leaveStart ends an agent that is still starting. If it was the tab's first, the user
// can choose another.
func (e *lifecycle) leaveStart() tea.Cmd {
	if !e.unused() || e.live.reopens() { // there is something to read
		session.Post(e.live.Session, session.Kill{})
		return nil
	}
	return e.chooseInstead()
}

// unused reports whether the agent has opened no session yet.
func (e *lifecycle) unused() bool {
	c := e.live.conv
	spoken := func(it conversation.Item) bool { _, note := it.(*conversation.Note); return !note }
	return c.ID == "" && !slices.ContainsFunc(c.Items, spoken)
}

// chooseInstead ends the tab's agent and lets the user choose another.
func (e *lifecycle) chooseInstead() tea.Cmd {
	t, left := e.live.tab, e.live.Session
	// It may hold prompts whose events have not arrived.
	looked := act(t.ui, left, session.EmptyQueue{}, func(held []conversation.QueuedPrompt, _ error) tea.Cmd { return t.prompts.ReturnToDraft(held...) })
	t.become(&choosing{unopened{t}})
	return tea.Batch(looked, send(End{func(ctx context.Context) { app.End(ctx, left) }}), chooseAgent(t))
}
