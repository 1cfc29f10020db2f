package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/tui/dialog"
)

// fold takes a batch of events into the conversation and asks for the next.
func (t *Tab) fold(batch batchMsg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, 2)
	for _, e := range batch {
		t.conv.Apply(e)
		t.notice(e)
		if t.conv.Restored() {
			t.list.Reset()
			t.reader.Reset()
		}
		if cmd := t.react(e); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	cmds = append(cmds, t.followQuestions(), t.commands.Follow())
	if cmd := t.findSites(batch); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, t.reader.Follow(), t.pump.next)...)
}

// react does what an event asks for beyond being shown.
func (t *Tab) react(e conversation.Event) tea.Cmd {
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear {
			t.list.Reset()
			t.reader.Reset()
			t.back, t.viewed.saved = back{}, store.View{} // they were the other session's
		}
	case conversation.SessionOpened:
		t.setAgain()
		t.outbox.AskToSend()
	case conversation.AuthRequired:
		t.askToSignIn(e)
	case conversation.AuthDone:
		t.signIn.ended(e.Err)
	case conversation.AgentLost:
		t.outbox.Lost()
		t.askAfterLoss()
	case conversation.SessionFailed:
		if t.cannotGoOn() {
			t.askAnew(e.Err)
			break
		}
		t.askToStartAgain("The agent could not open the session", e.Err.Error(), t.session.Stderr())
	case conversation.TerminalExited:
		return t.commands.Ended(e.ID)
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

// followQuestions keeps one dialog for an open question of the agent, above everything
// else: the one that the person looks at, or else, when that is over, the one that
// stands in its place, beginning with the oldest.
func (t *Tab) followQuestions() tea.Cmd {
	c := t.conv
	switch asking := t.dialogs.Follow(c); {
	case asking:
	case len(c.Permissions) > 0:
		t.ended()
		at := 0
		if t.asking != nil && t.asking.Place() <= len(c.Permissions) {
			at = t.asking.Place() - 1
		}
		t.askPermission(at)
	case len(c.Elicitations) > 0:
		t.ended()
		t.dialogs.Push(dialog.NewElicitation(t.desk.Env(), c.Elicitations[0], c.Agent.Name()))
	default:
		t.ended()
	}
	cmd := t.lookWhereItLeads()
	if t.dialogs.Withdrawn() && c.Turn.Running && c.Turn.Cancelling.IsZero() {
		cmd = tea.Batch(cmd, t.desk.Say("the agent has taken its question back"))
	}
	return cmd
}
