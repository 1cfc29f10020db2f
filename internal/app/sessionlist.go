package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Sessions are sessions to continue: those that parley stores and those that the agent
// remembers, each once.
type Sessions struct {
	// Agent is the agent that lists Remembered; Cwd is the directory of which the sessions
	// come first.
	Agent string
	Cwd   string

	Stored     []store.Summary
	Remembered []acpclient.SessionInfo
	Found      []Found
}

// Found is a stored session in which words were found.
type Found struct {
	store.Hit
	Snippet string // where they were found
}

// SessionEntry is a session that is stored, that the agent remembers, or both.
type SessionEntry struct {
	Stored     *store.Summary         // nil if it is not stored
	Remembered *acpclient.SessionInfo // nil if the agent does not list it
	Snippet    string                 // where words were found, "" if none were
	Elsewhere  bool                   // it is of another directory
}

// Name is the best name for it.
func (e SessionEntry) Name() string {
	name, id := "", ""
	if e.Stored != nil {
		name, id = e.Stored.Name(), string(e.Stored.ID)
	}
	if e.Remembered != nil {
		name, id = cmp.Or(name, e.Remembered.Title), cmp.Or(id, string(e.Remembered.SessionID))
	}
	return cmp.Or(name, id)
}

// Used is when it was used last, zero if that is not known.
func (e SessionEntry) Used() time.Time {
	var at time.Time
	if e.Stored != nil {
		at = e.Stored.Updated
	}
	if e.Remembered != nil {
		if said, err := time.Parse(time.RFC3339, e.Remembered.UpdatedAt); err == nil && said.After(at) {
			at = said
		}
	}
	return at
}

// Cwd is its directory, "" if that is not known.
func (e SessionEntry) Cwd() string {
	if e.Stored != nil {
		return e.Stored.Cwd
	}
	return e.Remembered.Cwd
}

// Preview is the snippet, or else how a stored session began and where it has got to.
func (e SessionEntry) Preview() string {
	if e.Snippet != "" || e.Stored == nil {
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

// Ago describes a time span roughly.
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 2*day:
		return "yesterday"
	case d < 60*day:
		return fmt.Sprintf("%d d ago", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d mo ago", d/(30*day))
	}
	return fmt.Sprintf("%d y ago", d/(365*day))
}

// Entries are all sessions, each once: the remembered ones are matched with the stored
// ones by their ids. Those of the directory come first, and those used last before others.
func (s *Sessions) Entries() []SessionEntry {
	var all []SessionEntry
	byID := map[acpclient.SessionID]int{}
	seen := map[store.ID]bool{}
	add := func(k *store.Summary, snippet string) {
		mine := k.Session != "" && k.Agent == s.Agent
		if _, twice := byID[k.Session]; mine && twice {
			return // the agent was started again meanwhile: the log written last has most
		}
		if mine {
			byID[k.Session] = len(all)
		}
		all = append(all, SessionEntry{Stored: k, Snippet: snippet})
	}
	for i := range s.Stored {
		k := &s.Stored[i]
		seen[k.ID] = true
		snippet := ""
		if at := slices.IndexFunc(s.Found, func(f Found) bool { return f.ID == k.ID }); at >= 0 {
			snippet = s.Found[at].Snippet
		}
		add(k, snippet)
	}
	for i := range s.Found {
		if f := &s.Found[i]; !seen[f.ID] {
			add(&f.Summary, f.Snippet)
		}
	}
	for i := range s.Remembered {
		if at, stored := byID[s.Remembered[i].SessionID]; stored {
			all[at].Remembered = &s.Remembered[i]
			continue
		}
		all = append(all, SessionEntry{Remembered: &s.Remembered[i]})
	}
	for i := range all {
		dir := all[i].Cwd()
		ownWorktree := all[i].Stored != nil && all[i].Stored.From == s.Cwd
		all[i].Elsewhere = !ownWorktree && dir != "" && dir != s.Cwd
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

// Search finds words in all that was said in stored sessions.
func Search(ctx context.Context, lib *store.Library, words string, q store.Query) ([]Found, error) {
	hits, err := lib.Search(ctx, words, q)
	var found []Found
	for _, h := range hits {
		snippet, failed := lib.Snippet(h, words)
		switch {
		case errors.Is(failed, store.ErrNotStored): // it was deleted meanwhile
		case failed != nil:
			err = failed
		default:
			found = append(found, Found{h, snippet})
		}
	}
	return found, err
}

// AgentDeletes reports whether the agent of a conversation, which may be nil, deletes its
// sessions.
func AgentDeletes(c *conversation.Conversation) bool {
	return c != nil && c.Agent.Capabilities.SessionCapabilities.Delete != nil
}

// Delete deletes a session where it is: in the store, with the agent if it deletes its
// sessions, or both.
func (e SessionEntry) Delete(ctx context.Context, lib *store.Library, agent Session, agentDeletes bool) error {
	if e.Stored != nil {
		if err := lib.Delete(e.Stored.ID); err != nil {
			return err
		}
	}
	if e.Remembered == nil || !agentDeletes {
		return nil
	}
	return session.Try(ctx, agent, session.DeleteSession{ID: e.Remembered.SessionID})
}

// Remember adds sessions that the agent remembers, each once.
func (s *Sessions) Remember(page []acpclient.SessionInfo) {
	known := map[acpclient.SessionID]bool{}
	for i := range s.Remembered {
		known[s.Remembered[i].SessionID] = true
	}
	for _, info := range page {
		if !known[info.SessionID] {
			known[info.SessionID] = true
			s.Remembered = append(s.Remembered, info)
		}
	}
}

// Deleted takes a deleted session out.
func (s *Sessions) Deleted(e SessionEntry) {
	if r := e.Remembered; r != nil {
		s.Remembered = slices.DeleteFunc(s.Remembered, func(i acpclient.SessionInfo) bool { return i.SessionID == r.SessionID })
	}
	if k := e.Stored; k != nil {
		s.Stored = slices.DeleteFunc(s.Stored, func(o store.Summary) bool { return o.ID == k.ID })
		s.Found = slices.DeleteFunc(s.Found, func(o Found) bool { return o.ID == k.ID })
	}
}

// titleWidth bounds the title of a session, in cells: it may be the agent's, and terminals
// pass the title of a window on as it is.
const titleWidth = 80

// shortTitle is how a text begins, in one line that is fit to be drawn.
func shortTitle(text string) string {
	if most := 16 * titleWidth; len(text) > most { // characters can be made of many bytes
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return termtext.Truncate(termtext.Line(text), titleWidth, "…")
}

// Naming is what a session is called: by the user, or by its first prompt.
type Naming struct {
	name  string
	asked string
}

// Name is what the user calls the session, "" if they have given it no name.
func (n *Naming) Name() string { return n.name }

// SetName gives the session a name; "" removes it.
func (n *Naming) SetName(name string) { n.name = shortTitle(name) }

// Asked is how the first prompt begins.
func (n *Naming) Asked() string { return n.asked }

// Forget forgets the first prompt: another session begins.
func (n *Naming) Forget() { n.asked = "" }

// Remember takes the first prompt of a conversation.
func (n *Naming) Remember(c *conversation.Conversation) {
	n.asked = ""
	for _, item := range c.Items {
		m, ok := item.(*conversation.Message)
		if !ok || m.Chunk != acpclient.UserMessageChunk {
			continue
		}
		for i := range m.Parts {
			if n.asked = shortTitle(m.Parts[i].Text()); n.asked != "" {
				return
			}
		}
	}
}

// Notice takes an event that was folded into a conversation.
func (n *Naming) Notice(e conversation.Event, c *conversation.Conversation) {
	switch e := e.(type) {
	case conversation.PromptSent:
		for _, b := range e.Prompt {
			if n.asked == "" {
				n.asked = shortTitle(b.Text)
			}
		}
	case conversation.SessionOpening:
		if e.Clear && c.ID == "" { // else the same session comes again
			n.asked = ""
		}
	}
}

// Title returns what the session is called: by the user, by its own title, or by its
// first prompt; "" if there is none. It is the same in the tab line, in the window's title
// and in lists.
func (n *Naming) Title(own string) string {
	for _, words := range []string{n.name, own, n.asked} {
		if words = shortTitle(words); words != "" {
			return words
		}
	}
	return ""
}

// Label is Title, or else the first of other names that is not empty.
func (n *Naming) Label(own string, others ...string) string {
	title := n.Title(own)
	for _, words := range others {
		title = cmp.Or(title, shortTitle(words))
	}
	return cmp.Or(title, "new")
}
