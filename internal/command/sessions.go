package command

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

const (
	// All pages are loaded, so that the filter sees them; storedPage is the size of one, and numberedSessions
	// how many sessions get a number.
	storedPage       = 200
	numberedSessions = 20
	// searchDelay is the pause in typing before a search, and mostHits bounds its results.
	searchDelay = 120 * time.Millisecond
	mostHits    = 50
)

// WorktreeMark precedes the names of sessions in worktrees.
const WorktreeMark = "♣ "

// sessionList is an open list of the sessions that parley stores, that run, and that the agent
// remembers, each once. It searches the stored transcripts too.
type sessionList struct {
	f      Front
	live   *app.Live // nil without a session
	update func(Choice) bool

	sessions app.Sessions
	all      bool // list the stored sessions of all directories
	load     int  // number of the current listing; older pages are dropped

	asksAgent, asksStore, asksHosts bool // pages are pending
	slow                            bool // the agent takes long over its page
	unable                          bool // the agent lists no sessions

	running []app.Running // in hosts
	words   string        // the full-text query
}

// ChooseSession lists the sessions, to open one, and loads them.
func ChooseSession(f Front) {
	b := f.Backend()
	l := &sessionList{f: f, live: f.Live(), asksStore: b.Stored != nil, asksHosts: b.Running != nil}
	l.sessions.Cwd = f.Cwd()
	if l.live != nil {
		phase := l.live.Conversation.Phase
		l.sessions.Agent = l.live.Agent.ID
		l.asksAgent = phase == conversation.PhaseReady || phase == conversation.PhaseFailed
	}
	if !l.asksAgent && !l.asksStore && !l.asksHosts {
		f.Say("no sessions are stored")
		return
	}
	l.update = f.Choose(l.choice())
	if l.asksHosts {
		l.listRunning()
	}
	if l.asksAgent {
		l.page("")
	}
	if l.asksStore {
		l.storedAfter(store.Place{})
	}
}

// show shows the list as it is now, and reports whether it is still open.
func (l *sessionList) show() bool { return l.update(l.choice()) }

// listRunning adds the sessions that run in hosts.
func (l *sessionList) listRunning() {
	running := l.f.Backend().Running
	l.f.InBackground(func(ctx context.Context) func() {
		all, err := running(ctx)
		return func() {
			if l.asksHosts = false; err == nil { // the rest of the list is there
				l.running = all
			}
			l.show()
		}
	})
}

// page loads the agent's page at a cursor.
func (l *sessionList) page(cursor string) {
	answered := false
	l.f.After(app.SlowAnswer, func() {
		if l.slow = !answered; l.slow {
			l.show()
		}
	})
	s := l.live.Session
	l.f.InBackground(func(ctx context.Context) func() {
		page, err := session.Do(ctx, s, session.ListSessions{Cursor: cursor})
		return func() {
			answered, l.slow = true, false
			l.take(page, err)
		}
	})
}

// take adds a page and loads the next, unless the list was closed.
func (l *sessionList) take(page *acpclient.ListSessionsResponse, err error) {
	if err != nil {
		l.asksAgent, l.unable = false, errors.Is(err, session.ErrUnsupported)
		if l.show() && !l.unable {
			l.f.Say("cannot list the sessions: " + err.Error())
		}
		return
	}
	next := l.sessions.Remember(page)
	l.asksAgent = next != ""
	if l.show() && l.asksAgent {
		l.page(next)
	}
}

// query returns the query for stored sessions.
func (l *sessionList) query() store.Query {
	if l.all {
		return store.Query{}
	}
	return store.Query{Cwd: l.sessions.Cwd}
}

// storedAfter loads a page of stored sessions, and the next, unless the list was closed or the listing
// restarted.
func (l *sessionList) storedAfter(after store.Place) {
	lib, q, load := l.f.Backend().Stored, l.query(), l.load
	q.Limit, q.After = storedPage, after
	l.f.InBackground(func(ctx context.Context) func() {
		page, err := lib.List(ctx, q)
		return func() {
			if load != l.load {
				return
			}
			l.sessions.Stored = append(l.sessions.Stored, page...)
			l.asksStore = err == nil && len(page) == storedPage && len(l.sessions.Stored) < app.MostSessions
			open := l.show()
			switch {
			case err != nil:
				l.f.Say("cannot list the sessions: " + err.Error())
			case open && l.asksStore && load == l.load:
				l.storedAfter(page[len(page)-1].Place())
			}
		}
	})
}

// widen switches between all directories and this one.
func (l *sessionList) widen() {
	l.all, l.sessions.Stored, l.asksStore = !l.all, nil, true
	l.load++
	l.show()
	l.storedAfter(store.Place{})
	l.searchSoon(l.words)
}

// searchSoon searches the transcripts after a pause in typing.
func (l *sessionList) searchSoon(words string) {
	l.words = words
	if words == "" {
		l.sessions.Found = nil
		l.show()
		return
	}
	l.f.After(searchDelay, func() { l.search(words) })
}

// search searches for words, unless they have changed since.
func (l *sessionList) search(words string) {
	if words != l.words {
		return
	}
	lib, q, load := l.f.Backend().Stored, l.query(), l.load
	q.Limit = mostHits
	l.f.InBackground(func(ctx context.Context) func() {
		found, err := app.Search(ctx, lib, words, q)
		return func() {
			switch {
			case words != l.words || load != l.load:
			case err != nil:
				l.f.Say(err.Error())
			default:
				l.sessions.Found = found
				l.show()
			}
		}
	})
}

func (l *sessionList) choice() Choice {
	c := Choice{
		Title: "Sessions", Ask: "Which session? Latest first.", Loading: l.asksAgent || l.asksStore || l.asksHosts, Filter: true, Numbers: numberedSessions, Leaves: "Resume another session",
		Empty: "The agent has no sessions.",
	}
	if l.unable {
		c.Empty = "This agent lists no sessions."
	}
	if l.asksAgent && l.slow {
		c.Slow = "no answer from the agent yet"
	}
	if l.f.Backend().Stored != nil {
		c.Empty = "No sessions of this directory."
		c.Search = l.searchSoon
		c.Wider, c.WiderHint = l.widen, "all directories"
		if l.all {
			c.Empty, c.WiderHint = "No sessions.", "this directory"
		}
	}
	for _, r := range l.running {
		if l.all || r.Cwd == l.sessions.Cwd {
			c.Items = append(c.Items, l.runningItem(r))
		}
	}
	for _, s := range l.sessions.Entries() {
		if id := s.Stored.ID; id != "" && slices.ContainsFunc(l.running, func(r app.Running) bool { return r.Stored == id }) {
			continue
		}
		item := l.item(s)
		switch {
		case l.all && s.Elsewhere:
			item.Group = "elsewhere"
		case l.all:
			item.Group = "this directory"
		}
		c.Items = append(c.Items, item)
	}
	return c
}

// runningItem returns the item of a session that runs in a host.
func (l *sessionList) runningItem(r app.Running) Item {
	return Item{
		ID: "running " + r.ID, Title: r.Name(), Group: "running", Used: r.Active,
		Detail:  strings.Join(append([]string{r.State(), termtext.Line(r.Agent)}, r.Viewers...), "  "),
		Current: l.live != nil && r.ID == l.live.Running(),
		Do:      func() { l.f.Open(app.Spec{Stored: r.Stored, Running: r.ID}) },
	}
}

// item returns the item of a session.
func (l *sessionList) item(s app.SessionEntry) Item {
	var about []string // what tells sessions of one title apart comes first: a row may be short
	if agent := cmp.Or(s.Stored.AgentName, s.Stored.Agent); agent != "" {
		about = append(about, agent)
	}
	if s.Stored.Worktree != "" {
		about = append(about, WorktreeMark+s.Stored.Worktree) // more useful than its long path
	}
	if s.Elsewhere {
		about = append(about, l.f.Path("", s.Cwd()))
	}
	if later := s.Stored.Later(); later != "" {
		about = append(about, "❯ "+later)
	}
	if s.Stored.ID == "" {
		about = append(about, app.ListedBy(l.live.Conversation.Agent.Capabilities))
	}
	item := Item{Title: s.Name(), Used: s.Used(), Detail: strings.Join(about, "  "), Found: s.Snippet != ""}
	if id := s.Stored.ID; id != "" {
		item.ID, item.Current, item.About = "kept "+string(id), id == l.f.StoredID(), s.Preview()
		item.Do = func() { l.f.Open(app.Spec{Stored: id}) }
	} else {
		info := s.Remembered
		item.ID, item.Current = string(info.SessionID), info.SessionID == l.live.Conversation.ID
		item.Do = func() { l.f.OpenRemembered(info) }
	}
	if !item.Current && (s.Stored.ID != "" || l.agentDeletes()) {
		item.Delete = func() { l.askToDelete(s) }
	}
	return item
}

// agentDeletes reports whether the agent deletes its sessions.
func (l *sessionList) agentDeletes() bool {
	return l.live != nil && l.live.Conversation.Agent.Capabilities.SessionCapabilities.Delete != nil
}

// askToDelete asks before it deletes a session for good.
func (l *sessionList) askToDelete(s app.SessionEntry) {
	who := "The agent deletes it for good."
	switch {
	case s.Stored.ID != "" && s.Remembered.SessionID != "" && l.agentDeletes():
		who = "parley and the agent delete it for good."
	case s.Stored.ID != "":
		who = "parley deletes it for good."
	}
	l.f.Ask(app.Question{
		Title: "Delete a session", Text: s.Name() + "\n" + who,
		Choices: []app.Choice{{Name: "Keep it", Key: "k"}, {Name: "Delete it", Key: "d", Risky: true, Here: func() { l.delete(s) }}},
	})
}

func (l *sessionList) delete(s app.SessionEntry) {
	lib, agentDeletes := l.f.Backend().Stored, l.agentDeletes()
	var agent app.Session
	if l.live != nil {
		agent = l.live.Session
	}
	Get(l.f, "cannot delete the session: ", func(ctx context.Context) (app.SessionEntry, error) {
		return s, s.Delete(ctx, lib, agent, agentDeletes)
	}, func(s app.SessionEntry) {
		l.sessions.Deleted(s)
		l.show()
		l.f.Say("deleted")
	})
}
