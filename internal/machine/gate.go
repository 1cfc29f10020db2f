package machine

import (
	"context"
	"path/filepath"
	"sync"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/session"
)

// gate decides which files need a question, asks the user about them, and remembers the
// answers for the session. It is safe for concurrent use.
type gate struct {
	asker session.Asker // nil refuses
	table *policy.SensitiveFiles
	// asking is the lock for asking. It makes an answer for the session apply to the
	// questions that wait, and keeps only one waiting change in memory a second time.
	asking chan struct{}

	mu      sync.Mutex
	granted map[grant]bool
	// seen holds the versions of files that the agent read or wrote last.
	seen recent[fs.Version]
	// decoded holds the files that the user knows not to be UTF-8.
	decoded recent[bool]
	shown   recent[shown] // what an editor has of files
}

// grant is a yes for the session.
type grant struct {
	path   string
	write  bool
	folder bool // the files directly in the folder at path
}

// rule has the rules judge what the agent asks for. The error says which rule denies it;
// why, if not empty, is why the user is to be asked.
func (g *gate) rule(ctx context.Context, call *acpclient.ToolCallUpdate) (why string, err error) {
	if g.asker == nil {
		return "", nil
	}
	r := g.asker.Judge(ctx, call)
	if r.Verdict == policy.Deny {
		return "", g.asker.Deny(ctx, call, r)
	}
	return r.Why, nil
}

// fileCall is the use of a file as a call, by its path as the agent named it and by where
// that leads.
func fileCall(p fs.ResolvedPath, write bool) *acpclient.ToolCallUpdate {
	verb, kind := "Read", acpclient.ToolRead
	if write {
		verb, kind = "Write", acpclient.ToolEdit
	}
	title := verb + " " + p.Path
	call := &acpclient.ToolCallUpdate{Title: &title, Kind: &kind, Locations: []acpclient.ToolCallLocation{{Path: p.Path}}}
	if p.Target != p.Path {
		call.Locations = append(call.Locations, acpclient.ToolCallLocation{Path: p.Target})
	}
	return call
}

// judge returns the question to ask before a file is used, nil if there is none. rule is
// why a rule says to ask, "" if none does.
func (g *gate) judge(p fs.ResolvedPath, write bool, rule string) *conversation.FileQuestion {
	q := &conversation.FileQuestion{
		Path: p.Path, Target: p.Target, Write: write, Outside: p.Outside, Links: p.Links, Rule: rule,
		Secret: g.table.Match(policy.Reading, p.Target), Own: g.table.Own(p.Target),
	}
	sensible := q.Secret != "" || q.Own || rule != ""
	if write {
		q.Runs = g.table.Match(policy.Writing, p.Target)
		sensible = sensible || q.Runs != "" || p.Links > 1
	} else if p.Outside && !sensible {
		q.Folder = filepath.Dir(p.Target)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	granted := g.granted[grant{path: q.Target, write: q.Write}] || q.Folder != "" && g.granted[grant{path: q.Folder, folder: true}]
	if !p.Outside && !sensible || granted {
		return nil
	}
	return q
}

// mayWrite reports whether the user has allowed writing a file for the session.
func (g *gate) mayWrite(target string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.granted[grant{path: target, write: true}]
}

// lock waits for the right to ask.
func (g *gate) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case g.asking <- struct{}{}:
		return func() { <-g.asking }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask asks the user whether the file may be used.
func (g *gate) ask(ctx context.Context, q *conversation.FileQuestion, before *string, after string) (allowed bool, err error) {
	if g.asker == nil {
		return false, nil
	}
	answer, err := g.asker.Ask(ctx, conversation.PermissionOpened{Request: conversation.FileRequest(q, before, after), File: q}, "")
	if err == nil && answer == conversation.FileSession {
		given := grant{path: q.Target, write: q.Write}
		if q.Folder != "" {
			given = grant{path: q.Folder, folder: true}
		}
		g.mu.Lock()
		g.granted[given] = true
		g.mu.Unlock()
	}
	return answer != conversation.FileNo, err
}

// knows returns the version of the file that the agent knows; ok is false if there is
// none, or if changes of the file do not matter. Text that the user has not saved does.
func (g *gate) knows(target string) (v fs.Version, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v, ok = g.seen.get(target)
	return v, ok && (v.Elsewhere() || !g.granted[grant{path: target, write: true}])
}

// saw records the version of a file that the agent knows now.
func (g *gate) saw(target string, v fs.Version) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before, _ := g.seen.get(target)
	g.seen.put(target, v.Since(before))
}

// announces reports whether to announce a file's encoding to the user, once per file.
func (g *gate) announces(target string, e fs.Encoding) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, _ := g.decoded.get(target); known || e == fs.UTF8 {
		return false
	}
	g.decoded.put(target, true)
	return true
}

// recent is a map that drops old entries. The zero value is empty.
type recent[V any] struct{ young, old map[string]V }

// maxRecent is the least number of entries that a recent keeps.
const maxRecent = 2000

func (r *recent[V]) get(key string) (V, bool) {
	v, ok := r.young[key]
	if !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent[V]) put(key string, v V) {
	if len(r.young) >= maxRecent {
		r.old, r.young = r.young, nil
	}
	if r.young == nil {
		r.young = map[string]V{}
	}
	r.young[key] = v
}
