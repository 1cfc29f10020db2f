package tab

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/store"
)

// handleStored takes messages that have to do with stored sessions. All others are the
// composer's.
func (t *Tab) handleStored(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reopenedMsg:
		return t.reopened(msg)
	case firstAgentsMsg:
		return msg.list.takeAgents(msg)
	case firstSessionsMsg:
		msg.list.takeSessions(msg)
	default:
		return t.composer.Update(msg)
	}
	return nil
}

// StoredID is the id under which the session is stored, "" if it is not, or not yet.
func (t *Tab) StoredID() store.ID {
	return cmp.Or(app.StoredID(t.session), t.back.from.ID)
}

// Cwd is the directory of the session.
func (t *Tab) Cwd() string { return t.cwd }

// Blank reports that nothing would be lost with the tab.
func (t *Tab) Blank() bool {
	c := t.conv
	return t.reopening == nil && t.composer.Empty() && t.outbox.Len() == 0 && (c == nil || len(c.Items)+len(c.Queue) == 0 && !c.Turn.Running)
}

// LoadDraft brings the draft that was kept for the directory back.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.drafts.Load()) }

// LookForAbandoned looks for sessions of the tab's directory that were never ended, and
// offers to go on with them.
func (t *Tab) LookForAbandoned() tea.Cmd {
	if t.program.Stored == nil {
		return nil
	}
	return t.address(offerRecovery(t, t.program.Stored, t.cwd, func(ids []store.ID) tea.Cmd {
		var all Open
		for _, id := range ids {
			all = append(all, app.Open{ID: id})
		}
		return send(all)
	}))
}
