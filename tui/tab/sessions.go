package tab

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/record"
	"parley/internal/session"
)

// openSession opens another of the agent's sessions: here if that loses no turn, queued
// prompt or transcript that is not stored, else in a new tab.
func (l *live) openSession(info acpclient.SessionInfo) tea.Cmd {
	c := l.Conversation
	switch {
	case info.SessionID == c.ID:
		return nil
	case info.Cwd != "" && filepath.Clean(info.Cwd) != filepath.Clean(l.cwd):
		return l.try(l.Session, session.OpenSession{Info: info}) // reports the error
	case c.Turn.Running || len(c.Queue) > 0 || len(c.Items) > 0 && l.Tab.StoredID() == "":
		return l.openBeside(app.Spec{Agent: &l.Agent, Cwd: l.cwd, Session: info.SessionID})
	}
	return l.try(l.Session, session.OpenSession{Info: info})
}

// Redactor removes what is secret about the tab's agent from what leaves the machine.
func (t *Tab) Redactor() *record.Redactor { return t.program.Redactor(t.agent()) }
