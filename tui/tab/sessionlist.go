// This file lists sessions to go on with: those that parley keeps and those that the
// agent remembers, each once, and finds them by what was said in them.

package tab

import (
	"errors"
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

// sessionList is an open list of sessions, as far as they have come.
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

// openSessionList asks for the sessions and shows them as they come.
func openSessionList(t *Tab) tea.Cmd {
	l := newList(t)
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

// newList opens an empty list; it is nil if there is nobody to ask.
func newList(t *Tab) *sessionList {
	l := &sessionList{tab: t, asksStore: t.program.Stored != nil}
	if c := t.conv; c != nil && t.session != nil {
		l.asksAgent = c.Phase == conversation.PhaseReady || c.Phase == conversation.PhaseFailed
	}
	if !l.asksAgent && !l.asksStore {
		return nil
	}
	l.picker = t.choose(l.content())
	return l
}

// page asks for the page at a cursor.
func (l *sessionList) page(cursor string) tea.Cmd {
	agent := l.tab.session
	return beside(func() then {
		page, err := agent.ListSessions(l.tab.program.Context, cursor)
		return func() tea.Cmd { return l.take(page, err) }
	})
}

// take takes a page and asks for the next, unless the list was closed meanwhile. An
// agent that lists no sessions is no trouble where others are listed.
func (l *sessionList) take(page *acpclient.ListSessionsResponse, err error) tea.Cmd {
	if !l.tab.dialogs.Has(l.picker) {
		return nil
	}
	if err != nil {
		l.asksAgent = false
		unsupported := errors.Is(err, session.ErrUnsupported)
		if l.tab.program.Stored == nil {
			l.tab.dialogs.Close(l.picker)
		} else {
			l.picker.SetList(l.content())
		}
		switch {
		case !unsupported:
			return l.tab.say("the sessions could not be listed: " + err.Error())
		case l.tab.program.Stored == nil:
			return l.tab.say("this agent does not list its sessions")
		}
		return nil
	}
	l.agents = append(l.agents, page.Sessions...)
	l.asksAgent = page.NextCursor != "" && len(page.Sessions) > 0 && len(l.agents) < mostSessions
	l.picker.SetList(l.content())
	if l.asksAgent {
		return l.page(page.NextCursor)
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
	lib, q, load := l.tab.program.Stored, l.query(), l.load
	q.Limit, q.Offset = keptPage, offset
	return beside(func() then {
		page, err := lib.List(l.tab.program.Context, q)
		return func() tea.Cmd { return l.takeKept(load, page, err) }
	})
}

// takeKept takes a page of the stored sessions, and asks for the next, unless they were
// asked for from the beginning meanwhile.
func (l *sessionList) takeKept(load int, page []store.Summary, err error) tea.Cmd {
	if !l.tab.dialogs.Has(l.picker) || load != l.load {
		return nil
	}
	l.kept = append(l.kept, page...)
	l.asksStore = err == nil && len(page) == keptPage && len(l.kept) < mostSessions
	l.picker.SetList(l.content())
	switch {
	case err != nil:
		return l.tab.say(err.Error())
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
	l.tab.ask(dialog.Confirmation{
		Title: "Delete a session", Text: s.name() + "\n" + who,
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Do(remove)},
		},
	})
}

// delete deletes a session where it is: in the store, with the agent, or both.
func (l *sessionList) delete(s listed) tea.Cmd {
	lib, agent, agentDeletes := l.tab.program.Stored, l.tab.session, l.agentDeletes()
	return beside(func() then {
		var err error
		if s.kept != nil {
			err = lib.Delete(s.kept.ID)
		}
		if err == nil && s.info != nil && agentDeletes {
			err = agent.DeleteSession(l.tab.program.Context, s.info.SessionID)
		}
		return func() tea.Cmd { return l.deleted(s, err) }
	})
}

func (l *sessionList) deleted(of listed, err error) tea.Cmd {
	if err != nil {
		return l.tab.say("the session was not deleted: " + err.Error())
	}
	if s := of.info; s != nil {
		l.agents = slices.DeleteFunc(l.agents, func(i acpclient.SessionInfo) bool { return i.SessionID == s.SessionID })
	}
	if s := of.kept; s != nil {
		gone := func(k store.Summary) bool { return k.ID == s.ID }
		l.kept, l.found = slices.DeleteFunc(l.kept, gone), slices.DeleteFunc(l.found, gone)
	}
	l.picker.SetList(l.content())
	return l.tab.say("deleted")
}

// agentDeletes reports whether the agent deletes its sessions.
func (l *sessionList) agentDeletes() bool {
	return l.tab.conv != nil && l.tab.conv.Agent.Capabilities.SessionCapabilities.Delete != nil
}
