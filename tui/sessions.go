package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/session"
	"parley/tui/dialog"
)

// sessionsList is the name of the list of the agent's sessions.
const sessionsList = "sessions"

// mostSessions is how many sessions are listed: page by page until then, so that
// all of them can be searched.
const mostSessions = 2000

// sessionsMsg is a page of the agent's sessions.
type sessionsMsg struct {
	page *acpclient.ListSessionsResponse
	err  error
}

// showSessions asks the agent for its sessions and shows them as they come.
func (m *Model) showSessions() tea.Cmd {
	if m.session == nil || m.conv.Phase != session.PhaseReady && m.conv.Phase != session.PhaseFailed {
		return nil
	}
	m.sessions = nil
	m.push(dialog.NewSelector(m.env(), m.sessionList(true)))
	return m.pageOfSessions("")
}

func (m *Model) pageOfSessions(cursor string) tea.Cmd {
	s, ctx := m.session, m.ctx
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{page, err}
	}
}

func (m *Model) takeSessions(msg sessionsMsg) tea.Cmd {
	var list *dialog.Selector
	for _, d := range m.dialogs {
		if s, ok := d.(*dialog.Selector); ok && s.Name() == sessionsList {
			list = s
		}
	}
	if list == nil {
		return nil // closed meanwhile
	}
	if msg.err != nil {
		m.closeAll(func(d dialog.Dialog) bool { return d == dialog.Dialog(list) })
		if errors.Is(msg.err, session.ErrUnsupported) {
			return m.say("this agent does not list its sessions")
		}
		return m.say("the sessions could not be listed: " + msg.err.Error())
	}
	m.sessions = append(m.sessions, msg.page.Sessions...)
	more := msg.page.NextCursor != "" && len(msg.page.Sessions) > 0 && len(m.sessions) < mostSessions
	list.SetList(m.sessionList(more))
	if more {
		return m.pageOfSessions(msg.page.NextCursor)
	}
	return nil
}

func (m *Model) sessionList(loading bool) dialog.List {
	return dialog.List{
		Name: sessionsList, Title: "Sessions", Loading: loading, Filter: true, Empty: "The agent has no earlier sessions.",
		Items: dialog.SessionItems(m.sessions, m.conv.ID, m.now()),
	}
}

func (m *Model) openSession(info acpclient.SessionInfo) tea.Cmd {
	if info.SessionID == m.conv.ID {
		return nil
	}
	if err := m.session.OpenSession(info); err != nil {
		return m.say(err.Error())
	}
	return nil
}

func (m *Model) newSession() tea.Cmd {
	if m.session == nil {
		return nil
	}
	if err := m.session.Reopen(); err != nil {
		return m.say(err.Error())
	}
	return nil
}
