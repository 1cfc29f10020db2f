package tui

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/session"
	"parley/tui/dialog"
)

// sessionsList is the name of the list of the agent's sessions.
const sessionsList = "sessions"

// sessionsMsg is a page of the agent's sessions.
type sessionsMsg struct {
	page *acpclient.ListSessionsResponse
	more bool // not the first
	err  error
}

// showSessions asks the agent for its sessions and shows them as they come.
func (m *Model) showSessions() tea.Cmd {
	if m.session == nil || m.conv.Phase != session.PhaseReady && m.conv.Phase != session.PhaseFailed {
		return nil
	}
	m.sessions, m.nextPage = nil, ""
	m.push(dialog.NewSelector(m.env(), m.sessionList(true)))
	return m.pageOfSessions("")
}

func (m *Model) pageOfSessions(cursor string) tea.Cmd {
	s, ctx := m.session, m.ctx
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{page, cursor != "", err}
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
	m.nextPage = msg.page.NextCursor
	list.SetList(m.sessionList(false))
	return nil
}

func (m *Model) sessionList(loading bool) dialog.List {
	l := dialog.List{Name: sessionsList, Title: "Sessions", Loading: loading, More: m.nextPage != "", Empty: "The agent has no earlier sessions.", Filter: true}
	for _, s := range m.sessions {
		title := s.Title
		if title == "" {
			title = string(s.SessionID)
		}
		detail := shortDir(s.Cwd)
		if when := ago(s.UpdatedAt, m.now()); when != "" {
			detail = when + "  " + detail
		}
		l.Items = append(l.Items, dialog.Item{
			ID: string(s.SessionID), Title: title, Detail: detail,
			Current: s.SessionID == m.conv.ID, Do: dialog.OpenSession{Session: s},
		})
	}
	return l
}

// ago says how long ago an ISO 8601 time was.
func ago(at string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
	return t.Format("2006-01-02")
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
