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

// sessionList is a list of the agent's sessions, as far as they have come.
type sessionList struct {
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
	list := &sessionList{more: true}
	list.picker = dialog.NewSelector(t.env(), t.sessionItems(list))
	t.dialogs.Push(list.picker)
	return t.pageOfSessions(list, "")
}

func (t *Tab) pageOfSessions(list *sessionList, cursor string) tea.Cmd {
	s, ctx := t.session, t.program.Context
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{list, page, err}
	}
}

func (t *Tab) takeSessions(msg sessionsMsg) tea.Cmd {
	list := msg.list
	if !t.dialogs.Has(list.picker) {
		return nil
	}
	if msg.err != nil {
		t.dialogs.Close(list.picker)
		if errors.Is(msg.err, session.ErrUnsupported) {
			return t.say("this agent does not list its sessions")
		}
		return t.say("the sessions could not be listed: " + msg.err.Error())
	}
	list.sessions = append(list.sessions, msg.page.Sessions...)
	list.more = msg.page.NextCursor != "" && len(msg.page.Sessions) > 0 && len(list.sessions) < mostSessions
	list.picker.SetList(t.sessionItems(list))
	if list.more {
		return t.pageOfSessions(list, msg.page.NextCursor)
	}
	return nil
}

// sessionItems are the sessions of a list to choose from.
func (t *Tab) sessionItems(list *sessionList) dialog.List {
	items := dialog.SessionItems(list.sessions, t.conv.ID, t.program.Now())
	if t.conv.Agent.Capabilities.SessionCapabilities.Delete != nil {
		for i, s := range list.sessions {
			if s.SessionID != t.conv.ID {
				items[i].Delete = dialog.Stay(func() tea.Cmd { t.askToDelete(list, s); return nil })
			}
		}
	}
	return dialog.List{
		Title: "Sessions", Loading: list.more, Filter: true, Items: items,
		Empty: "The agent has no earlier sessions.",
	}
}

// askToDelete asks before a session is deleted: nothing brings it back.
func (t *Tab) askToDelete(list *sessionList, info acpclient.SessionInfo) {
	name := info.Title
	if name == "" {
		name = string(info.SessionID)
	}
	remove := func() tea.Cmd { return t.deleteSession(list, info.SessionID) }
	t.dialogs.Push(dialog.NewConfirm(t.env(), dialog.Confirmation{
		Title: "Delete a session", Text: name + "\nThe agent forgets it for good.",
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Do(remove)},
		},
	}))
}

// deletedMsg is the end of deleting a session.
type deletedMsg struct {
	list *sessionList
	id   acpclient.SessionID
	err  error
}

func (t *Tab) deleteSession(list *sessionList, id acpclient.SessionID) tea.Cmd {
	s, ctx := t.session, t.program.Context
	return func() tea.Msg { return deletedMsg{list, id, s.DeleteSession(ctx, id)} }
}

func (t *Tab) deleted(msg deletedMsg) tea.Cmd {
	if msg.err != nil {
		return t.say("the session was not deleted: " + msg.err.Error())
	}
	list := msg.list
	list.sessions = slices.DeleteFunc(list.sessions, func(s acpclient.SessionInfo) bool { return s.SessionID == msg.id })
	list.picker.SetList(t.sessionItems(list))
	return t.say("deleted")
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
