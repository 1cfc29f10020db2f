package app

import (
	"path/filepath"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
)

// StoreDir is the directory of the stored sessions.
func StoreDir() string { return filepath.Join(config.StateDir(), "sessions") }

// StoreOf is the store of the sessions; nil if the configuration switches it off.
func StoreOf(c *config.Config) *store.Store {
	if c.Store.Off {
		return nil
	}
	return store.New(StoreDir())
}

// StoredID is the id under which a session is stored now, "" if it is not.
func StoredID(s *session.Session) store.ID {
	if s == nil {
		return ""
	}
	return keptAs(s.Options().Recorder)
}

// keptAs is the id under which a keeper stores its session now.
func keptAs(k session.Recorder) store.ID {
	if k, ok := k.(interface{ ID() store.ID }); ok {
		return k.ID()
	}
	return ""
}

// keeper stores what happens in a session.
type keeper struct{ *store.Recorder }

// keeper makes the keeper of a new session; nil if nothing is stored. The tour is not:
// its project is temporary.
func (l *Launcher) keeper(a config.Agent, cwd string) session.Recorder {
	if l.Store == nil || a.ID == TourID {
		return nil
	}
	m := store.Meta{Agent: a.ID, Cwd: cwd, Dirs: l.Dirs}
	if t := git.WorktreeAt(cwd); t != nil {
		m.Worktree, m.From = t.Branch, t.From
	}
	if a.Source == "" { // of the command line
		m.Command = a.Words()
	}
	return l.record(m, nil)
}

// record makes the keeper of sessions that begin with a meta. The first continues the
// log, if there is one.
func (l *Launcher) record(m store.Meta, log *store.Log) keeper {
	r := l.Store.Record(m, log)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logs = append(l.logs, r)
	return keeper{r}
}

// Record implements session.Recorder.
func (k keeper) Record(batch []conversation.Event) []conversation.Event {
	err := k.Take(batch)
	if err == nil {
		return nil
	}
	return []conversation.Event{conversation.Said{
		Severity: acpclient.NoticeError, Title: "From here on this session is not stored", Detail: err.Error(),
	}}
}

// Close implements session.Recorder.
func (k keeper) Close() { _ = k.Recorder.Close() }
