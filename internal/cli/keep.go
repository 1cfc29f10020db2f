package cli

import (
	"path/filepath"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
)

// storeOf is where the sessions are kept, nil if the configuration wants none kept.
func storeOf(c *config.Config) *store.Store {
	if c.Store.Off {
		return nil
	}
	return store.New(storeDir())
}

// storeDir is the directory of the sessions.
func storeDir() string { return filepath.Join(config.StateDir(), "sessions") }

// keeper stores what happens in a session.
type keeper struct{ *store.Recorder }

// keeper makes the keeper of a session with an agent; nil if none is kept. That of the
// tour is not: its project is gone when it ends.
func (l *launcher) keeper(a config.Agent, cwd string) session.Keeper {
	if l.store == nil || a.ID == tourID {
		return nil
	}
	m := store.Meta{Agent: a.ID, Cwd: cwd, Dirs: l.addDirs}
	if t := git.WorktreeAt(cwd); t != nil {
		m.Worktree, m.From = t.Branch, t.From
	}
	if a.Source == "" { // of the command line
		m.Command = a.Words()
	}
	return l.record(m, nil)
}

// record makes the keeper of sessions that begin with a meta; the first goes on in the
// log, if there is one.
func (l *launcher) record(m store.Meta, log *store.Log) keeper {
	r := l.store.Record(m, log)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recorders = append(l.recorders, r)
	return keeper{r}
}

// Keep implements session.Keeper.
func (k keeper) Keep(batch []conversation.Event) []conversation.Event {
	err := k.Take(batch)
	if err == nil {
		return nil
	}
	return []conversation.Event{conversation.Said{
		Severity: acpclient.NoticeError, Title: "From here on this session is not stored", Detail: err.Error(),
	}}
}

// Close implements session.Keeper.
func (k keeper) Close() { _ = k.Recorder.Close() }
