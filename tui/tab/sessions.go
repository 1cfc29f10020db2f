package tab

import (
	"errors"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/dialog"
)

// mostSessions is how many sessions are listed: page by page until then, so that
// all of them can be searched. keptPage is how many stored ones come at once.
const (
	mostSessions = 2000
	keptPage     = 200
)

// sessionList is an open list of sessions, as far as they have come: those that parley
// keeps, and those that the agent remembers.
type sessionList struct {
	tab    *Tab
	picker *dialog.Selector

	agents []acpclient.SessionInfo
	kept   []store.Summary
	all    bool // the kept ones of all directories
	load   int  // counts how often the kept ones were asked for from the beginning

	asksAgent, asksStore bool // some are on their way

	words string           // what is looked for in all that was said
	hits  map[store.ID]hit // where it was found
	found []store.Summary  // the sessions of the hits
}

// sessionsMsg is a page of the agent's sessions.
type sessionsMsg struct {
	list *sessionList
	page *acpclient.ListSessionsResponse
	err  error
}

// keptMsg is a page of the stored sessions.
type keptMsg struct {
	list *sessionList
	load int
	page []store.Summary
	err  error
}

// ShowSessions lists the sessions to choose one from.
func (t *Tab) ShowSessions() tea.Cmd { return t.address(t.showSessions()) }

// showSessions asks for the sessions and shows them as they come.
func (t *Tab) showSessions() tea.Cmd {
	l := t.listSessions()
	if l == nil {
		return nil
	}
	var cmds []tea.Cmd
	if l.asksAgent {
		cmds = append(cmds, l.page(""))
	}
	if l.asksStore {
		cmds = append(cmds, l.keptFrom(0))
	}
	return tea.Batch(cmds...)
}

// listSessions opens an empty list; it is nil if there is nobody to ask.
func (t *Tab) listSessions() *sessionList {
	l := &sessionList{tab: t, asksStore: t.program.Stored != nil}
	if t.session != nil {
		l.asksAgent = t.conv.Phase == conversation.PhaseReady || t.conv.Phase == conversation.PhaseFailed
	}
	if !l.asksAgent && !l.asksStore {
		return nil
	}
	l.picker = dialog.NewSelector(t.desk.Env(), l.content())
	t.dialogs.Push(l.picker)
	return l
}

// page asks for the page at a cursor.
func (l *sessionList) page(cursor string) tea.Cmd {
	s, ctx := l.tab.session, l.tab.program.Context
	return func() tea.Msg {
		page, err := s.ListSessions(ctx, cursor)
		return sessionsMsg{l, page, err}
	}
}

// take takes a page and asks for the next, unless the list was closed meanwhile. An
// agent that lists no sessions is no trouble where others are listed.
func (l *sessionList) take(msg sessionsMsg) tea.Cmd {
	t := l.tab
	if !t.dialogs.Has(l.picker) {
		return nil
	}
	if msg.err != nil {
		l.asksAgent = false
		unsupported := errors.Is(msg.err, session.ErrUnsupported)
		if t.program.Stored == nil {
			t.dialogs.Close(l.picker)
		} else {
			l.picker.SetList(l.content())
		}
		switch {
		case !unsupported:
			return t.desk.Say("the sessions could not be listed: " + msg.err.Error())
		case t.program.Stored == nil:
			return t.desk.Say("this agent does not list its sessions")
		}
		return nil
	}
	l.agents = append(l.agents, msg.page.Sessions...)
	l.asksAgent = msg.page.NextCursor != "" && len(msg.page.Sessions) > 0 && len(l.agents) < mostSessions
	l.picker.SetList(l.content())
	if l.asksAgent {
		return l.page(msg.page.NextCursor)
	}
	return nil
}

// query is which stored sessions are listed.
func (l *sessionList) query() store.Query {
	if l.all {
		return store.Query{}
	}
	return store.Query{Cwd: l.tab.cwd}
}

// keptFrom asks for the stored sessions behind so many.
func (l *sessionList) keptFrom(offset int) tea.Cmd {
	lib, ctx, q, load := l.tab.program.Stored, l.tab.program.Context, l.query(), l.load
	q.Limit, q.Offset = keptPage, offset
	return func() tea.Msg {
		page, err := lib.List(ctx, q)
		return keptMsg{l, load, page, err}
	}
}

// takeKept takes a page of the stored sessions, and asks for the next.
func (l *sessionList) takeKept(msg keptMsg) tea.Cmd {
	if !l.tab.dialogs.Has(l.picker) || msg.load != l.load {
		return nil
	}
	l.kept = append(l.kept, msg.page...)
	l.asksStore = msg.err == nil && len(msg.page) == keptPage && len(l.kept) < mostSessions
	l.picker.SetList(l.content())
	switch {
	case msg.err != nil:
		return l.tab.desk.Say(msg.err.Error())
	case l.asksStore:
		return l.keptFrom(len(l.kept))
	}
	return nil
}

// widen lists the stored sessions of all directories, or of this one again.
func (l *sessionList) widen() tea.Cmd {
	l.all, l.kept, l.asksStore = !l.all, nil, true
	l.load++
	l.picker.SetList(l.content())
	return tea.Batch(l.keptFrom(0), l.lookFor(l.words))
}

// askToDelete asks before a session is deleted: nothing brings it back.
func (l *sessionList) askToDelete(s listed) {
	who := "The agent forgets it for good."
	switch {
	case s.kept != nil && s.info != nil && l.agentDeletes():
		who = "parley and the agent forget it for good."
	case s.kept != nil:
		who = "parley forgets it for good."
	}
	remove := func() tea.Cmd { return l.delete(s) }
	l.tab.desk.Ask(dialog.Confirmation{
		Title: "Delete a session", Text: s.name() + "\n" + who,
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Do(remove)},
		},
	})
}

// deletedMsg is the end of deleting a session.
type deletedMsg struct {
	list    *sessionList
	session listed
	err     error
}

// delete deletes a session where it is: in the store, with the agent, or both.
func (l *sessionList) delete(s listed) tea.Cmd {
	t, ctx, agentDeletes := l.tab, l.tab.program.Context, l.agentDeletes()
	return func() tea.Msg {
		var err error
		if s.kept != nil {
			err = t.program.Stored.Delete(s.kept.ID)
		}
		if err == nil && s.info != nil && agentDeletes {
			err = t.session.DeleteSession(ctx, s.info.SessionID)
		}
		return deletedMsg{l, s, err}
	}
}

func (l *sessionList) deleted(msg deletedMsg) tea.Cmd {
	if msg.err != nil {
		return l.tab.desk.Say("the session was not deleted: " + msg.err.Error())
	}
	if s := msg.session.info; s != nil {
		l.agents = slices.DeleteFunc(l.agents, func(i acpclient.SessionInfo) bool { return i.SessionID == s.SessionID })
	}
	if s := msg.session.kept; s != nil {
		gone := func(k store.Summary) bool { return k.ID == s.ID }
		l.kept, l.found = slices.DeleteFunc(l.kept, gone), slices.DeleteFunc(l.found, gone)
	}
	l.picker.SetList(l.content())
	return l.tab.desk.Say("deleted")
}

// agentDeletes reports whether the agent deletes its sessions.
func (l *sessionList) agentDeletes() bool {
	return l.tab.conv != nil && l.tab.conv.Agent.Capabilities.SessionCapabilities.Delete != nil
}

// fork goes on with a copy of the open session, where the agent can do that.
func (t *Tab) fork() tea.Cmd { return t.desk.SayIf(t.session.Fork()) }

// openSession goes on with another session of the agent: in this tab if nothing is lost
// by that, else in a tab of its own.
func (t *Tab) openSession(info acpclient.SessionInfo) tea.Cmd {
	switch {
	case info.SessionID == t.conv.ID:
		return nil
	case info.Cwd != "" && filepath.Clean(info.Cwd) != filepath.Clean(t.cwd):
		return t.desk.SayIf(t.session.OpenSession(info)) // which says why not
	case t.loses():
		info.Cwd = t.cwd
		return t.row().Load(t.agent, info)
	}
	return t.desk.SayIf(t.session.OpenSession(info))
}

// loses reports whether something would be lost if another session took the place of this
// one: a turn, prompts that wait, or a transcript that is kept nowhere.
func (t *Tab) loses() bool {
	c := t.conv
	return c.Turn.Running || len(c.Queue)+t.outbox.Len() > 0 || len(c.Items) > 0 && t.StoredID() == ""
}
