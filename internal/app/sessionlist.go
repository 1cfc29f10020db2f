package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Sessions are sessions to continue: those that parley stores and those that the agent
// remembers, without duplicates.
type Sessions struct {
	// Agent is the agent that lists Remembered; sessions of the directory Cwd come first.
	Agent string
	Cwd   string

	Stored     []store.Summary
	Remembered []acpclient.SessionInfo
	Found      []Found

	cursors map[string]bool // of the agent's pages
}

// MostSessions bounds the sessions that are listed.
const MostSessions = 2000

// Found is a search hit in a stored session.
type Found struct {
	store.Hit
	Snippet string // the text around the hit
}

// SessionEntry is a session that is stored, that the agent remembers, or both: its ID is "" in the
// one that does not have it.
type SessionEntry struct {
	Stored     store.Summary
	Remembered acpclient.SessionInfo
	Snippet    string // the text around a search hit, or ""
	Elsewhere  bool   // it belongs to another directory
}

// Name returns the best name for the session.
func (e *SessionEntry) Name() string {
	return cmp.Or(e.Stored.Name(), e.Remembered.Title, string(e.Stored.ID), string(e.Remembered.SessionID))
}

// Used returns when the session was last used, zero if unknown.
func (e *SessionEntry) Used() time.Time {
	at := e.Stored.Updated
	if said, err := time.Parse(time.RFC3339, e.Remembered.UpdatedAt); err == nil && said.After(at) {
		at = said
	}
	return at
}

// Cwd returns the session's directory, "" if unknown.
func (e *SessionEntry) Cwd() string { return cmp.Or(e.Stored.Cwd, e.Remembered.Cwd) }

// Preview returns the snippet, or else the first prompt and latest messages of a stored
// session.
func (e *SessionEntry) Preview() string {
	if e.Snippet != "" {
		return e.Snippet
	}
	var lines []string
	if e.Stored.Prompt != "" && e.Stored.Prompt != e.Name() {
		lines = append(lines, "❯ "+e.Stored.Prompt)
	}
	if later := e.Stored.Later(); later != "" && later != e.Stored.Prompt {
		lines = append(lines, "❯ "+later)
	}
	if e.Stored.Last != "" {
		lines = append(lines, "● "+e.Stored.Last)
	}
	return strings.Join(lines, "\n")
}

// Entries returns all sessions without duplicates: remembered ones are matched with stored
// ones by id. Those of the directory come first, then the most recently used.
func (s *Sessions) Entries() []SessionEntry {
	var all []SessionEntry
	byID := map[acpclient.SessionID]int{}
	seen := map[store.ID]bool{}
	add := func(k store.Summary, snippet string) {
		mine := k.Session != "" && config.SameAgent(k.Agent, s.Agent)
		if _, twice := byID[k.Session]; mine && twice {
			return // the agent was restarted: the latest log has the most
		}
		if mine {
			byID[k.Session] = len(all)
		}
		all = append(all, SessionEntry{Stored: k, Snippet: snippet})
	}
	for i := range s.Stored {
		k := s.Stored[i]
		seen[k.ID] = true
		snippet := ""
		if at := slices.IndexFunc(s.Found, func(f Found) bool { return f.ID == k.ID }); at >= 0 {
			snippet = s.Found[at].Snippet
		}
		add(k, snippet)
	}
	for i := range s.Found {
		if f := &s.Found[i]; !seen[f.ID] {
			add(f.Summary, f.Snippet)
		}
	}
	for i := range s.Remembered {
		if at, stored := byID[s.Remembered[i].SessionID]; stored {
			all[at].Remembered = s.Remembered[i]
			continue
		}
		all = append(all, SessionEntry{Remembered: s.Remembered[i]})
	}
	for i := range all {
		dir := all[i].Cwd()
		all[i].Elsewhere = all[i].Stored.From != s.Cwd && dir != "" && dir != s.Cwd
	}
	slices.SortStableFunc(all, func(a, b SessionEntry) int {
		if a.Elsewhere != b.Elsewhere {
			if b.Elsewhere {
				return -1
			}
			return 1
		}
		return b.Used().Compare(a.Used())
	})
	return all
}

// Search finds words in everything said in stored sessions.
func Search(ctx context.Context, lib *store.Library, words string, q store.Query) ([]Found, error) {
	hits, err := lib.Search(ctx, words, q)
	var found []Found
	for _, h := range hits {
		snippet, failed := lib.Snippet(h, words)
		switch {
		case errors.Is(failed, store.ErrNotStored): // deleted meanwhile
		case failed != nil:
			err = failed
		default:
			found = append(found, Found{h, snippet})
		}
	}
	return found, err
}

// Delete deletes a session from the store, and from the agent if it can delete sessions.
func (e *SessionEntry) Delete(ctx context.Context, lib *store.Library, agent Session, agentDeletes bool) error {
	if e.Stored.ID != "" {
		if err := lib.Delete(e.Stored.ID); err != nil {
			return err
		}
	}
	if e.Remembered.SessionID == "" || !agentDeletes {
		return nil
	}
	return session.Try(ctx, agent, session.DeleteSession{ID: e.Remembered.SessionID})
}

// Remember adds a page of the sessions that the agent remembers, without duplicates. It returns the cursor of
// the next page, "" if this is the last one.
func (s *Sessions) Remember(page *acpclient.ListSessionsResponse) (next string) {
	known := map[acpclient.SessionID]bool{}
	for i := range s.Remembered {
		known[s.Remembered[i].SessionID] = true
	}
	for _, info := range page.Sessions {
		if !known[info.SessionID] {
			known[info.SessionID] = true
			s.Remembered = append(s.Remembered, info)
		}
	}
	next = page.NextCursor
	if s.cursors[next] || len(page.Sessions) == 0 || len(s.Remembered) >= MostSessions {
		return ""
	}
	if s.cursors == nil {
		s.cursors = map[string]bool{}
	}
	s.cursors[next] = true
	return next
}

// RememberAll adds all sessions that the agent of a session remembers.
func (s *Sessions) RememberAll(ctx context.Context, agent Session) error {
	for next, more := "", true; more; more = next != "" {
		page, err := session.Do(ctx, agent, session.ListSessions{Cursor: next})
		if err != nil {
			return err
		}
		next = s.Remember(page)
	}
	return nil
}

// ListedBy says that an agent lists a session that parley does not store.
func ListedBy(caps acpclient.AgentCapabilities) string {
	if !caps.LoadSession && caps.SessionCapabilities.Resume != nil {
		return "listed by the agent, without history"
	}
	return "listed by the agent"
}

// Deleted removes a deleted session from the list.
func (s *Sessions) Deleted(e SessionEntry) {
	s.Remembered = slices.DeleteFunc(s.Remembered, func(i acpclient.SessionInfo) bool { return i.SessionID == e.Remembered.SessionID })
	s.Stored = slices.DeleteFunc(s.Stored, func(o store.Summary) bool { return o.ID == e.Stored.ID })
	s.Found = slices.DeleteFunc(s.Found, func(o Found) bool { return o.ID == e.Stored.ID })
}

// titleWidth limits the title of a session, in cells: it may be the agent's, and it goes
// unchanged to the terminal as a window title.
const titleWidth = 80

// Title returns the first of some titles of a session that is not empty, short and sanitised.
func Title(titles ...string) string {
	const most = 16 * titleWidth // bytes: a character can take many
	for _, text := range titles {
		if text = termtext.Truncate(termtext.Line(termtext.Head(text, most, "…")), titleWidth, "…"); text != "" {
			return text
		}
	}
	return ""
}
