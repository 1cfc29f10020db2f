package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// fold takes a batch of events into the conversation and asks for the next.
func (t *Tab) fold(batch batchMsg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, 2)
	for _, e := range batch {
		t.conv.Apply(e)
		if cmd := t.react(e); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	t.feedInside()
	cmds = append(cmds, t.followQuestions(), t.enterShell())
	if cmd := t.findSites(batch); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, t.reader.follow(), t.pump.next)...)
}

// react does what an event asks for beyond being shown.
func (t *Tab) react(e conversation.Event) tea.Cmd {
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear {
			t.list.Reset()
			t.reader.reset()
		}
	case conversation.AuthRequired:
		t.askToSignIn(e)
	case conversation.AuthDone:
		t.signIn.ended(e.Err)
	case conversation.AgentLost:
		t.askAfterLoss()
	case conversation.SessionFailed:
		t.askToStartAgain("The agent could not open the session", e.Err.Error(), t.session.Stderr())
	case conversation.TerminalExited:
		return t.terminalEnded(e.ID)
	case conversation.TurnEnded:
		return readBranch(t.cwd)
	case conversation.Update:
		if _, ok := e.Update.(*acpclient.AvailableCommandsUpdate); ok {
			t.composer.SetCommands(t.conv.Commands)
		}
	}
	return nil
}

// waits reports whether the agent waits for the person.
func (t *Tab) waits() bool {
	c := t.conv
	return c != nil && c.Turn.Cancelling.IsZero() && len(c.Permissions)+len(c.Elicitations) > 0
}

// followQuestions keeps one dialog for the oldest open question of the agent,
// above everything else.
func (t *Tab) followQuestions() tea.Cmd {
	c := t.conv
	switch asking := t.dialogs.Follow(c); {
	case asking:
	case len(c.Permissions) > 0:
		t.dialogs.Push(dialog.NewPermission(t.env(), c.Permissions[0], len(c.Permissions)))
	case len(c.Elicitations) > 0:
		t.dialogs.Push(dialog.NewElicitation(t.env(), c.Elicitations[0], c.Agent.Name()))
	}
	if t.dialogs.Withdrawn() && c.Turn.Running && c.Turn.Cancelling.IsZero() {
		return t.say("the agent has taken its question back")
	}
	return nil
}
