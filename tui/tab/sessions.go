package tab

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// mostSessions bounds the sessions that are listed. All pages are loaded up to it, so that the filter sees them. storedPage is the page size.
const (
	mostSessions = 2000
	storedPage   = 200
)

// sessionList is an open list of the sessions that parley stores and that the agent
// remembers, each once. It searches the stored transcripts too.
type sessionList struct {
	tab    *Tab
	picker *dialog.Selector

	sessions app.Sessions
	all      bool // list the stored sessions of all directories
	load     int  // number of the current listing; older pages are dropped

	asksAgent, asksStore bool            // pages are pending
	slow                 bool            // the agent takes long over its page
	cursors              map[string]bool // of the agent's pages that were asked for

	running []app.Running // in hosts
	words   string        // the full-text query
}

// openSessionList opens the list and loads the sessions.
func openSessionList(t *Tab) tea.Cmd {
	l := newList(t)
	if l == nil {
		return t.say("no sessions are stored")
	}
	cmds := []tea.Cmd{l.listRunning()}
	if l.asksAgent {
		cmds = append(cmds, l.page(""))
	}
	if l.asksStore {
		cmds = append(cmds, l.storedFrom(0))
	}
	return tea.Batch(cmds...)
}

// newList opens an empty list. It returns nil if there is no source of sessions.
func newList(t *Tab) *sessionList {
	l := &sessionList{tab: t, asksStore: t.program.Stored != nil}
	if with, open := t.live(); open {
		l.asksAgent = with.Conversation.Phase == conversation.PhaseReady || with.Conversation.Phase == conversation.PhaseFailed
	}
	if !l.asksAgent && !l.asksStore && t.program.Running == nil {
		return nil
	}
	l.picker = t.choose(l.content())
	return l
}

// page loads the agent's page at a cursor.
func (l *sessionList) page(cursor string) tea.Cmd {
	agent, answered := l.tab.session(), false
	late := tea.Tick(app.SlowAnswer, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if l.slow = !answered; l.slow && l.tab.dialogs.Has(l.picker) {
				l.picker.SetList(l.content())
			}
			return nil
		})
	})
	return tea.Batch(late, inBackground(func() then {
		page, err := session.Do(l.tab.program.Context, agent, session.ListSessions{Cursor: cursor})
		return func() tea.Cmd {
			answered, l.slow = true, false
			return l.take(page, err)
		}
	}))
}

// take adds a page and loads the next, unless the list was closed. An agent without
// session/list is an error only if there is no other source.
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
			return l.tab.say("cannot list the sessions: " + err.Error())
		case l.tab.program.Stored == nil:
			return l.tab.say("this agent lists no sessions")
		}
		return nil
	}
	l.sessions.Remember(page.Sessions)
	next := page.NextCursor
	l.asksAgent = next != "" && !l.cursors[next] && len(page.Sessions) > 0 && len(l.sessions.Remembered) < mostSessions
	l.picker.SetList(l.content())
	if !l.asksAgent {
		return nil
	}
	if l.cursors == nil {
		l.cursors = map[string]bool{}
	}
	l.cursors[next] = true
	return l.page(next)
}

// query returns the query for stored sessions.
func (l *sessionList) query() store.Query {
	if l.all {
		return store.Query{}
	}
	return store.Query{Cwd: l.tab.cwd}
}

// storedFrom loads a page of stored sessions from an offset.
func (l *sessionList) storedFrom(offset int) tea.Cmd {
	lib, q, load := l.tab.program.Stored, l.query(), l.load
	q.Limit, q.Offset = storedPage, offset
	return inBackground(func() then {
		page, err := lib.List(l.tab.program.Context, q)
		return func() tea.Cmd { return l.takeStored(load, page, err) }
	})
}

// takeStored adds a page of stored sessions and loads the next, unless the listing was
// restarted.
func (l *sessionList) takeStored(load int, page []store.Summary, err error) tea.Cmd {
	if !l.tab.dialogs.Has(l.picker) || load != l.load {
		return nil
	}
	l.sessions.Stored = append(l.sessions.Stored, page...)
	l.asksStore = err == nil && len(page) == storedPage && len(l.sessions.Stored) < mostSessions
	l.picker.SetList(l.content())
	switch {
	case err != nil:
		return l.tab.say(err.Error())
	case l.asksStore:
		return l.storedFrom(len(l.sessions.Stored))
	}
	return nil
}

// widen switches between all directories and this one.
func (l *sessionList) widen() tea.Cmd {
	l.all, l.sessions.Stored, l.asksStore = !l.all, nil, true
	l.load++
	l.picker.SetList(l.content())
	return tea.Batch(l.storedFrom(0), l.searchSoon(l.words))
}

// content returns what the list shows.
func (l *sessionList) content() dialog.List {
	list := dialog.List{
		Title: "Sessions", Loading: l.asksAgent || l.asksStore, Filter: true,
		Empty: "The agent has no sessions.",
	}
	if l.asksAgent && l.slow {
		list.Slow = "no answer from the agent yet"
	}
	if l.tab.program.Stored != nil {
		list.Empty = "No sessions of this directory."
		list.Search = l.searchSoon
		list.Wider, list.WiderHint = dialog.Stay(l.widen), "all directories"
		if l.all {
			list.Empty, list.WiderHint = "No sessions.", "this directory"
		}
	}
	l.sessions.Agent, l.sessions.Cwd = l.tab.state.agent().ID, l.tab.cwd
	for _, r := range l.running {
		if l.all || r.Cwd == l.tab.cwd {
			list.Items = append(list.Items, l.runningItem(r))
		}
	}
	for _, s := range l.sessions.Entries() {
		if s.Stored != nil && l.runs(s.Stored.ID) {
			continue
		}
		item := l.item(s)
		switch {
		case l.all && s.Elsewhere:
			item.Group = "elsewhere"
		case l.all:
			item.Group = "this directory"
		}
		list.Items = append(list.Items, item)
	}
	return list
}

// item returns the item of a session.
func (l *sessionList) item(s app.SessionEntry) dialog.Item {
	var about []string // what tells sessions of one title apart comes first: a row may be short
	if s.Stored != nil {
		about = append(about, cmp.Or(s.Stored.AgentName, s.Stored.Agent))
		if s.Stored.Worktree != "" {
			about = append(about, worktreeMark+s.Stored.Worktree) // more useful than its long path
		}
	}
	if s.Elsewhere {
		about = append(about, toolview.PathsIn("").Path(s.Cwd()))
	}
	if s.Stored != nil {
		if later := s.Stored.Later(); later != "" {
			about = append(about, "❯ "+later)
		}
	}
	of, open := l.tab.live()
	item := dialog.SessionItem(s.Name(), s.Used(), l.tab.program.Now(), about...)
	item.Found = s.Snippet != ""
	switch {
	case s.Stored != nil:
		id := s.Stored.ID
		item.ID, item.Current = "kept "+string(id), id == l.tab.StoredID()
		item.About = s.Preview()
		item.Do = dialog.Do(func() tea.Cmd { return l.tab.goToStored(id) })
	default:
		item.ID, item.Do = string(s.Remembered.SessionID), dialog.OpenSession{Session: *s.Remembered}
		item.Current = open && s.Remembered.SessionID == of.Conversation.ID
	}
	if !item.Current && (s.Stored != nil || l.agentDeletes()) {
		item.Delete = dialog.Stay(func() tea.Cmd { l.askToDelete(s); return nil })
	}
	return item
}

// agentDeletes reports whether the agent deletes its sessions.
func (l *sessionList) agentDeletes() bool {
	of, open := l.tab.live()
	return open && app.AgentDeletes(of.Conversation)
}

// askToDelete asks before it deletes a session for good.
func (l *sessionList) askToDelete(s app.SessionEntry) {
	who := "The agent deletes it for good."
	switch {
	case s.Stored != nil && s.Remembered != nil && l.agentDeletes():
		who = "parley and the agent delete it for good."
	case s.Stored != nil:
		who = "parley deletes it for good."
	}
	l.tab.ask(dialog.Confirmation{
		Title: "Delete a session", Text: s.Name() + "\n" + who,
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Delete it", Key: "d", Risky: true, Do: dialog.Do(func() tea.Cmd { return l.delete(s) })},
		},
	})
}

func (l *sessionList) delete(s app.SessionEntry) tea.Cmd {
	p, agent, agentDeletes := l.tab.program, l.tab.session(), l.agentDeletes()
	return inBackground(func() then {
		err := s.Delete(p.Context, p.Stored, agent, agentDeletes)
		return func() tea.Cmd {
			if err != nil {
				return l.tab.say("cannot delete the session: " + err.Error())
			}
			l.sessions.Deleted(s)
			l.picker.SetList(l.content())
			return l.tab.say("deleted")
		}
	})
}

const (
	// searchDelay is the pause in typing before a search.
	searchDelay = 120 * time.Millisecond
	// mostHits bounds the sessions that a search returns.
	mostHits = 50
)

// searchSoon searches the transcripts after a pause in typing.
func (l *sessionList) searchSoon(words string) tea.Cmd {
	l.words = words
	if words == "" {
		l.sessions.Found = nil
		l.picker.SetList(l.content())
		return nil
	}
	return tea.Tick(searchDelay, func(time.Time) tea.Msg {
		return then(func() tea.Cmd { return l.search(words) })
	})
}

// search searches for words, unless they have changed since.
func (l *sessionList) search(words string) tea.Cmd {
	if words != l.words || !l.tab.dialogs.Has(l.picker) {
		return nil
	}
	p, q, all := l.tab.program, l.query(), l.all
	q.Limit = mostHits
	return inBackground(func() then {
		found, err := app.Search(p.Context, p.Stored, words, q)
		return func() tea.Cmd {
			switch {
			case words != l.words || all != l.all || !l.tab.dialogs.Has(l.picker):
				return nil
			case err != nil:
				return l.tab.say(err.Error())
			}
			l.sessions.Found = found
			l.picker.SetList(l.content())
			return nil
		}
	})
}

// ShowSessions lists the sessions.
func (t *Tab) ShowSessions() tea.Cmd { return t.address(openSessionList(t)) }

// goToStored opens a stored session, unless this tab shows it.
func (t *Tab) goToStored(id store.ID) tea.Cmd {
	if id == t.StoredID() {
		return nil
	}
	return send(Open{{ID: id}})
}

// openSession opens another of the agent's sessions: here if that loses no turn, queued
// prompt or transcript that is not stored, else in a new tab.
func (l *live) openSession(info acpclient.SessionInfo) tea.Cmd {
	t, c := l.tab, l.Conversation
	switch {
	case info.SessionID == c.ID:
		return nil
	case info.Cwd != "" && filepath.Clean(info.Cwd) != filepath.Clean(t.cwd):
		return t.try(l.Session, session.OpenSession{Info: info}) // reports the error
	case c.Turn.Running || len(c.Queue) > 0 || len(c.Items) > 0 && t.StoredID() == "":
		info.Cwd = t.cwd
		return t.program.Tabs.Load(l.Agent, info)
	}
	return t.try(l.Session, session.OpenSession{Info: info})
}

// stepTime bounds how long each step of collecting items may block the screen.
const stepTime = 5 * time.Millisecond

// exporter exports one session as shown, whether or not it is stored.
type exporter struct {
	tab  *Tab
	conv *conversation.Conversation
	// named is the person's name for the session, or "". title is a fallback for the file
	// name.
	named, title string
	// open opens a file with the desktop's program.
	open func(path string) tea.Cmd
}

// export asks how to export the session.
func (l *live) export() {
	t := l.tab
	x := &exporter{
		tab: t, conv: l.Conversation, named: cmp.Or(t.info.Name(), termtext.Line(t.stored.title)), title: t.Title(),
		open: func(path string) tea.Cmd { return open(path, t.sayIf) },
	}
	x.choose()
}

// Redactor removes what is secret about the tab's agent from what leaves the machine.
func (t *Tab) Redactor() *record.Redactor { return t.program.Redactor(t.state.agent()) }

// choose asks for the export format.
func (x *exporter) choose() {
	var items []dialog.Item
	for _, f := range app.ExportFormats {
		items = append(items, dialog.Item{ID: f.Name, Title: f.What, Detail: "." + f.Name, Do: dialog.Do(func() tea.Cmd {
			x.askWhere(f, f.FileName(cmp.Or(x.named, x.title)))
			return nil
		})})
	}
	x.tab.choose(dialog.List{Title: "Export this session as", Items: items})
}

// askWhere asks for the file, relative to parley's working directory.
func (x *exporter) askWhere(f app.ExportFormat, name string) {
	x.tab.dialogs.Push(dialog.NewEntry(x.tab.env(), dialog.Entry{
		Title: "Export as " + f.What + ", to the file", Text: name, Hint: "a file's name",
		Do: func(name string) tea.Cmd {
			if name = strings.TrimSpace(name); name == "" {
				return x.tab.say("not exported: the file has no name")
			}
			return x.exportTo(f, name, false)
		},
	}))
}

// exportTo exports the session to a file.
func (x *exporter) exportTo(f app.ExportFormat, name string, replace bool) tea.Cmd {
	e, err := app.NewExport(f, x.conv, x.tab.Redactor(), x.named, x.tab.StoredID(), x.tab.base, name)
	if err != nil {
		return x.tab.say("not exported: " + err.Error())
	}
	return x.step(e, name, replace)
}

// step collects more items, and writes the file when done.
func (x *exporter) step(e *app.Export, name string, replace bool) tea.Cmd {
	if !e.Collect(stepTime) {
		return inBackground(func() then { return func() tea.Cmd { return x.step(e, name, replace) } })
	}
	return inBackground(func() then {
		err := e.Write(replace)
		return func() tea.Cmd { return x.exported(e, name, replace, err) }
	})
}

// exported reports the outcome. It asks before it replaces a file.
func (x *exporter) exported(e *app.Export, name string, replace bool, err error) tea.Cmd {
	switch {
	case errors.Is(err, os.ErrExist) && !replace:
		x.tab.ask(dialog.Confirmation{
			Title: "The file already exists", Text: "The session was not exported.", Lines: []string{e.Path},
			Choices: []dialog.Choice{
				{Name: "Choose another name", Key: "a", Do: dialog.Do(func() tea.Cmd { x.askWhere(e.Format, name); return nil })},
				{Name: "Replace it", Key: "r", Risky: true, Do: dialog.Do(func() tea.Cmd { return x.exportTo(e.Format, name, true) })},
			},
		})
		return nil
	case err != nil:
		return x.tab.say("not exported: " + err.Error())
	case !e.Format.Opens:
		return x.tab.say("exported to " + e.Path)
	}
	x.tab.ask(dialog.Confirmation{
		Title: "The session is exported", Text: "It is in the file", Lines: []string{e.Path},
		Choices: []dialog.Choice{
			{Name: "Open it", Key: "o", Do: dialog.Do(func() tea.Cmd { return x.open(e.Path) })},
			{Name: "Close", Key: "c", Do: dialog.Close{}},
		},
	})
	return nil
}
