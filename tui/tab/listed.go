package tab

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/store"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// listed is a session in the list: one that parley keeps, one that the agent remembers,
// or both.
type listed struct {
	kept *store.Summary
	info *acpclient.SessionInfo
	hit  hit // where the words were found that are looked for
}

// hit is where words were found in a session.
type hit struct{ snippet string }

// name is the best name for it.
func (s listed) name() string {
	name := ""
	if s.kept != nil {
		name = cmp.Or(s.kept.Title, s.kept.AgentTitle)
	}
	if s.info != nil {
		name = cmp.Or(name, s.info.Title)
	}
	switch {
	case name != "":
	case s.kept != nil:
		name = cmp.Or(s.kept.Name(), string(s.kept.ID))
	default:
		name = string(s.info.SessionID)
	}
	return name
}

// used is when it was used last, zero if that is not known.
func (s listed) used() time.Time {
	var at time.Time
	if s.kept != nil {
		at = s.kept.Updated
	}
	if s.info != nil {
		if said, err := time.Parse(time.RFC3339, s.info.UpdatedAt); err == nil && said.After(at) {
			at = said
		}
	}
	return at
}

// cwd is its directory, "" if that is not known.
func (s listed) cwd() string {
	if s.kept != nil {
		return s.kept.Cwd
	}
	return s.info.Cwd
}

// sessions are all that the list has, each once: those of the agent are matched with
// the kept ones by their id. The ones used last come first, and those of this directory
// before all others.
func (l *sessionList) sessions() []listed {
	var all []listed
	byID := map[acpclient.SessionID]int{}
	add := func(k *store.Summary, h hit) {
		mine := k.Session != "" && k.Agent == l.tab.agent.ID
		if _, twice := byID[k.Session]; mine && twice {
			return // the agent was started again meanwhile: the log written last has most
		}
		if mine {
			byID[k.Session] = len(all)
		}
		all = append(all, listed{kept: k, hit: h})
	}
	seen := map[store.ID]bool{}
	for i := range l.kept {
		k := &l.kept[i]
		seen[k.ID] = true
		add(k, l.hits[k.ID])
	}
	for i := range l.found {
		if k := &l.found[i]; !seen[k.ID] {
			add(k, l.hits[k.ID])
		}
	}
	for i := range l.agents {
		if at, kept := byID[l.agents[i].SessionID]; kept {
			all[at].info = &l.agents[i]
			continue
		}
		all = append(all, listed{info: &l.agents[i]})
	}
	slices.SortStableFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(l.distance(a), l.distance(b)), b.used().Compare(a.used()))
	})
	return all
}

// distance is 0 for a session of this directory.
func (l *sessionList) distance(s listed) int {
	if s.kept != nil && s.kept.From == l.tab.cwd {
		return 0 // its worktree was made for this directory
	}
	if dir := s.cwd(); dir == "" || dir == l.tab.cwd {
		return 0
	}
	return 1
}

// content is what the list shows.
func (l *sessionList) content() dialog.List {
	list := dialog.List{
		Title: "Sessions", Loading: l.asksAgent || l.asksStore, Filter: true,
		Empty: "The agent has no earlier sessions.",
	}
	if l.tab.program.Stored != nil {
		list.Empty = "There are no earlier sessions of this directory."
		list.Search = l.lookFor
		list.Wider, list.WiderHint = dialog.Stay(l.widen), "all directories"
		if l.all {
			list.Empty, list.WiderHint = "There are no earlier sessions.", "this directory"
		}
	}
	for _, s := range l.sessions() {
		item := l.item(s)
		if l.all {
			item.Group = []string{"this directory", "elsewhere"}[l.distance(s)]
		}
		list.Items = append(list.Items, item)
	}
	return list
}

// item is a session as an item of the list.
func (l *sessionList) item(s listed) dialog.Item {
	where := []string{toolview.In("").Path(s.cwd())}
	if s.kept != nil {
		where = append(where, cmp.Or(s.kept.AgentName, s.kept.Agent))
		if s.kept.Worktree != "" {
			where = append([]string{worktreeMark + s.kept.Worktree}, where...) // its path tells less, and is long
		}
	}
	item := dialog.SessionItem(s.name(), s.used(), l.tab.program.Now(), where...)
	item.Found = s.hit.snippet != ""
	switch {
	case s.kept != nil:
		id := s.kept.ID
		item.ID, item.Current = "kept "+string(id), id == l.tab.StoredID()
		item.About = preview(s)
		item.Do = dialog.Do(func() tea.Cmd { return l.tab.openKept(id) })
	default:
		item.ID, item.Do = string(s.info.SessionID), dialog.OpenSession{Session: *s.info}
		item.Current = l.tab.conv != nil && s.info.SessionID == l.tab.conv.ID
	}
	if !item.Current && (s.kept != nil || l.agentDeletes()) {
		item.Delete = dialog.Stay(func() tea.Cmd { l.askToDelete(s); return nil })
	}
	return item
}

// preview is where the words were found that are looked for, or else how the session
// began and where it has got to.
func preview(s listed) string {
	if s.hit.snippet != "" {
		return s.hit.snippet
	}
	var lines []string
	if s.kept.Prompt != "" && s.kept.Prompt != s.name() {
		lines = append(lines, "❯ "+s.kept.Prompt)
	}
	if s.kept.Last != "" {
		lines = append(lines, "● "+s.kept.Last)
	}
	return strings.Join(lines, "\n")
}
