package tab

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/dialog"
)

// mostSessions is how many sessions are listed: page by page until then, so that
// all of them can be searched.
const mostSessions = 2000

// sessionList is an open list of the agent's sessions, as far as they have come.
type sessionList struct {
	tab      *Tab
	picker   *dialog.Selector
	sessions []acpclient.SessionInfo
	more     bool // sessions are on their way
}

// sessionsMsg is a page of the agent's sessions.
type sessionsMsg struct {
	list *sessionList
	page *acpclient.ListSessionsResponse
	err  error
}

// showSessions asks the agent for its sessions and shows them as they come.
func (t *Tab) showSessions() tea.Cmd {
	if t.session == nil || t.conv.Phase != conversation.PhaseReady && t.conv.Phase != conversation.PhaseFailed {
		return nil
	}
	l := &sessionList{tab: t, more: true}
	l.picker = dialog.NewSelector(t.env(), l.content())
	t.dialogs.Push(l.picker)
	return l.page("")
}

// page asks for the page at a cursor.
func (l *sessionList) page(cursor string) tea.Cmd {
	s, ctx := l.tab.session, l.tab.program.Context
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{l, page, err}
	}
}

// take takes a page and asks for the next, unless the list was closed meanwhile.
func (l *sessionList) take(msg sessionsMsg) tea.Cmd {
	t := l.tab
	if !t.dialogs.Has(l.picker) {
		return nil
	}
	if msg.err != nil {
		t.dialogs.Close(l.picker)
		if errors.Is(msg.err, session.ErrUnsupported) {
			return t.say("this agent does not list its sessions")
		}
		return t.say("the sessions could not be listed: " + msg.err.Error())
	}
	l.sessions = append(l.sessions, msg.page.Sessions...)
	l.more = msg.page.NextCursor != "" && len(msg.page.Sessions) > 0 && len(l.sessions) < mostSessions
	l.picker.SetList(l.content())
	if l.more {
		return l.page(msg.page.NextCursor)
	}
	return nil
}

// content is what the list shows.
func (l *sessionList) content() dialog.List {
	t := l.tab
	items := dialog.SessionItems(l.sessions, t.conv.ID, t.program.Now())
	if t.conv.Agent.Capabilities.SessionCapabilities.Delete != nil {
		for i, s := range l.sessions {
			if s.SessionID != t.conv.ID {
				items[i].Delete = dialog.Stay(func() tea.Cmd { l.askToDelete(s); return nil })
			}
		}
	}
	return dialog.List{
		Title: "Sessions", Loading: l.more, Filter: true, Items: items,
		Empty: "The agent has no earlier sessions.",
	}
}

// askToDelete asks before a session is deleted: nothing brings it back.
func (l *sessionList) askToDelete(info acpclient.SessionInfo) {
	name := info.Title
	if name == "" {
		name = string(info.SessionID)
	}
	remove := func() tea.Cmd { return l.delete(info.SessionID) }
	l.tab.ask(dialog.Confirmation{
		Title: "Delete a session", Text: name + "\nThe agent forgets it for good.",
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Do(remove)},
		},
	})
}

// deletedMsg is the end of deleting a session.
type deletedMsg struct {
	list *sessionList
	id   acpclient.SessionID
	err  error
}

func (l *sessionList) delete(id acpclient.SessionID) tea.Cmd {
	s, ctx := l.tab.session, l.tab.program.Context
	return func() tea.Msg { return deletedMsg{l, id, s.DeleteSession(ctx, id)} }
}

func (l *sessionList) deleted(msg deletedMsg) tea.Cmd {
	if msg.err != nil {
		return l.tab.say("the session was not deleted: " + msg.err.Error())
	}
	l.sessions = slices.DeleteFunc(l.sessions, func(s acpclient.SessionInfo) bool { return s.SessionID == msg.id })
	l.picker.SetList(l.content())
	return l.tab.say("deleted")
}

// fork goes on with a copy of the open session, where the agent can do that.
func (t *Tab) fork() tea.Cmd { return t.sayIf(t.session.Fork()) }

// openSession goes on with another session of the agent.
func (t *Tab) openSession(info acpclient.SessionInfo) tea.Cmd {
	if info.SessionID == t.conv.ID {
		return nil
	}
	return t.sayIf(t.session.OpenSession(info))
}

// newSession begins a new session with the agent.
func (t *Tab) newSession() tea.Cmd {
	if t.session == nil {
		return nil
	}
	return t.sayIf(t.session.Reopen())
}

// sayIf says what went wrong, if something did.
func (t *Tab) sayIf(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return t.say(err.Error())
}
