package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/store"
)

// fold applies a batch of events to the conversation and asks for the next.
func (t *Tab) fold(batch batchMsg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, 2)
	for _, e := range batch {
		t.conv.Apply(e)
		t.info.Notice(e, t.conv)
		if t.conv.Restored() {
			t.list.Reset()
			t.reader.Reset()
		}
		for _, cmd := range []tea.Cmd{t.react(e), t.options.Follow(e)} {
			if cmd != nil {
				cmds = append(cmds, cmd)
			}
		}
	}
	cmds = append(cmds, t.questions.Follow(), t.commands.Follow())
	if cmd := t.diffPositions.Find(batch); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, t.reader.Follow(), t.pump.next)...)
}

// react handles what an event requires beyond being shown.
func (t *Tab) react(e conversation.Event) tea.Cmd {
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear {
			t.list.Reset()
			t.reader.Reset()
			t.stored = storedSession{} // it belongs to the other session
			t.drafts.SetSaved(store.View{})
		}
	case conversation.SessionOpened:
		t.queue.AskToSend()
	case conversation.AuthRequired:
		t.signIn.Ask(e)
	case conversation.AuthDone:
		t.signIn.Ended(e.Err)
	case conversation.AgentLost:
		t.queue.Lost()
		t.lifecycle.Lost(t.agent)
	case conversation.SessionFailed:
		if t.starter.cannotGoOn() {
			t.starter.askForNewSession(e.Err)
			break
		}
		t.lifecycle.AskToStartAgain("The agent could not open the session", e.Err.Error(), t.session.Stderr())
	case conversation.TerminalExited:
		return t.commands.Ended(e.ID)
	case conversation.TurnEnded:
		return tea.Batch(t.starter.readBranch(), saveName(t))
	case conversation.Update:
		if _, ok := e.Update.(*acpclient.AvailableCommandsUpdate); ok {
			t.composer.SetCommands(t.conv.Commands)
		}
	}
	return nil
}

// waits reports whether a question of the agent is open.
func waits(c *conversation.Conversation) bool {
	return c != nil && c.Turn.Cancelling.IsZero() && len(c.Permissions)+len(c.Elicitations) > 0
}
