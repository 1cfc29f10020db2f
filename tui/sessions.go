package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
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
	listing int
	page    *acpclient.ListSessionsResponse
	err     error
}

// showSessions asks the agent for its sessions and shows them as they come.
func (m *Model) showSessions() tea.Cmd {
	if m.session == nil || m.conv.Phase != conversation.PhaseReady && m.conv.Phase != conversation.PhaseFailed {
		return nil
	}
	m.sessions = nil
	m.listing++
	m.push(dialog.NewSelector(m.env(), m.sessionList(true)))
	return m.pageOfSessions("")
}

func (m *Model) pageOfSessions(cursor string) tea.Cmd {
	s, ctx, listing := m.session, m.ctx, m.listing
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{listing, page, err}
	}
}

// sessionSelector is the list on the screen, nil if it was closed.
func (m *Model) sessionSelector() *dialog.Selector {
	for _, d := range m.dialogs {
		if s, ok := d.(*dialog.Selector); ok && s.Name() == sessionsList {
			return s
		}
	}
	return nil
}

func (m *Model) takeSessions(msg sessionsMsg) tea.Cmd {
	list := m.sessionSelector()
	if list == nil || msg.listing != m.listing {
		return nil
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
	items := dialog.SessionItems(m.sessions, m.conv.ID, m.now())
	if m.conv.Agent.Capabilities.SessionCapabilities.Delete != nil {
		for i, s := range m.sessions {
			if s.SessionID != m.conv.ID {
				items[i].Delete = dialog.DeleteSession{Session: s}
			}
		}
	}
	return dialog.List{
		Name: sessionsList, Title: "Sessions", Loading: loading, Filter: true,
		Empty: "The agent has no earlier sessions.", Items: items,
	}
}

// choiceDelete is the name of the question whether to delete a session.
const choiceDelete = "delete"

// askToDelete asks before a session is deleted: nothing brings it back.
func (m *Model) askToDelete(info acpclient.SessionInfo) {
	name := info.Title
	if name == "" {
		name = string(info.SessionID)
	}
	m.push(dialog.NewConfirm(m.env(), dialog.Question{
		Title: "Delete a session", Text: name + "\nThe agent forgets it for good.",
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Choose{List: choiceDelete, ID: string(info.SessionID)}},
		},
	}))
}

// deletedMsg is the end of deleting a session.
type deletedMsg struct {
	id  acpclient.SessionID
	err error
}

func (m *Model) deleteSession(id acpclient.SessionID) tea.Cmd {
	s, ctx := m.session, m.ctx
	return func() tea.Msg { return deletedMsg{id, s.DeleteSession(ctx, id)} }
}

func (m *Model) deleted(msg deletedMsg) tea.Cmd {
	if msg.err != nil {
		return m.say("the session was not deleted: " + msg.err.Error())
	}
	m.sessions = slices.DeleteFunc(m.sessions, func(s acpclient.SessionInfo) bool { return s.SessionID == msg.id })
	if list := m.sessionSelector(); list != nil {
		list.SetList(m.sessionList(false))
	}
	return m.say("deleted")
}

// fork goes on with a copy of the open session, where the agent can do that.
func (m *Model) fork() tea.Cmd {
	if err := m.session.Fork(); err != nil {
		return m.say(err.Error())
	}
	return nil
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
