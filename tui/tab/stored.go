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

// OfferUnended offers to continue sessions of the tab's directory that were never ended.
func (t *Tab) OfferUnended() tea.Cmd {
	lib, cwd := t.program.Stored, t.cwd
	if lib == nil {
		return nil
	}
	return t.address(beside(func() then {
		q, err := app.FindUnended(lib, cwd)
		if err != nil || q == nil {
			return nil // nobody has asked for it
		}
		return func() tea.Cmd { t.ask(t.confirmation(*q)); return nil }
	}))
}
