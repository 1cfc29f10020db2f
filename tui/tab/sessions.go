package tab

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/store"
)

// ShowSessions lists the sessions to choose one from.
func (t *Tab) ShowSessions() tea.Cmd { return t.address(t.showSessions()) }

func (t *Tab) showSessions() tea.Cmd { return openSessionList(t) }

// openKept opens a stored session, unless it is the one on the screen.
func (t *Tab) openKept(id store.ID) tea.Cmd {
	if id == t.StoredID() {
		return nil
	}
	return send(Open{{ID: id}})
}

// fork goes on with a copy of the open session, where the agent can do that.
func (t *Tab) fork() tea.Cmd { return t.sayIf(t.session.Fork()) }

// openSession goes on with another session of the agent: in this tab if nothing is lost
// by that, else in a tab of its own.
func (t *Tab) openSession(info acpclient.SessionInfo) tea.Cmd {
	switch {
	case info.SessionID == t.conv.ID:
		return nil
	case info.Cwd != "" && filepath.Clean(info.Cwd) != filepath.Clean(t.cwd):
		return t.sayIf(t.session.OpenSession(info)) // which says why not
	case t.loses():
		info.Cwd = t.cwd
		return t.row().Load(t.agent, info)
	}
	return t.sayIf(t.session.OpenSession(info))
}

// loses reports whether something would be lost if another session took the place of this
// one: a turn, prompts that wait, or a transcript that is kept nowhere.
func (t *Tab) loses() bool {
	c := t.conv
	return c.Turn.Running || len(c.Queue)+t.outbox.Len() > 0 || len(c.Items) > 0 && t.StoredID() == ""
}
