package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/store"
)

// mostUnended is how many sessions are offered at once.
const mostUnended = 7

// FindUnended asks whether to continue sessions of a directory that were never ended,
// because parley was stopped; nil if there are none.
func FindUnended(ctx context.Context, lib *store.Library, cwd string, now time.Time) (*Question, error) {
	ids, err := lib.Interrupted(cwd)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	ids = ids[:min(len(ids), mostUnended)] // the newest first
	known := map[store.ID]*store.Summary{}
	if list, err := lib.List(ctx, store.Query{Cwd: cwd, All: true}); err == nil { // else the ids have to do
		for i := range list {
			known[list[i].ID] = &list[i]
		}
	}
	var sessions []Choice
	for _, id := range ids {
		c := Choice{Name: string(id), Open: []Open{{ID: id}}}
		if s := known[id]; s != nil {
			c.Name, c.More = shortTitle(cmp.Or(s.Name(), string(id))), whereItStood(s, now)
		}
		sessions = append(sessions, c)
	}
	notNow := Choice{Name: "Not now", Do: func() (Outcome, error) {
		for _, id := range ids {
			if err := lib.Forget(id); err != nil {
				return Outcome{}, err
			}
		}
		return Outcome{}, nil
	}}
	if len(ids) == 1 {
		only := sessions[0]
		lines := []string{only.Name}
		if only.More != "" {
			lines = append(lines, only.More)
		}
		return &Question{
			Title: "An interrupted session", Text: "parley stopped during it:", Lines: lines,
			Choices: []Choice{{Name: "Resume it", Open: only.Open}, notNow},
		}, nil
	}
	all := Choice{Name: "Resume all"}
	for _, id := range slices.Backward(ids) { // the newest is shown last
		all.Open = append(all.Open, Open{ID: id})
	}
	return &Question{
		Title: fmt.Sprintf("%d interrupted sessions", len(ids)), Text: "parley stopped during them. Resume all, or one:",
		Choices: slices.Concat([]Choice{all}, sessions, []Choice{notNow}),
	}, nil
}

// whereItStood tells sessions of the same name apart: when, who, where, and the last words.
func whereItStood(s *store.Summary, now time.Time) string {
	words := []string{Ago(now.Sub(s.Updated)), cmp.Or(s.AgentName, s.Agent)}
	if s.Worktree != "" {
		words = append(words, "worktree "+s.Worktree)
	}
	if later := s.Later(); later != "" {
		words = append(words, "❯ "+shortTitle(later))
	}
	if s.Last != "" {
		words = append(words, "● "+shortTitle(s.Last))
	}
	return strings.Join(words, " · ")
}

// Drafts keeps the draft of a prompt and the place in the transcript, so that a session
// comes back as the user has left it. A session in which nothing was said has no log to
// keep them with: then the draft is kept for the directory.
//
// Its methods get the session of the moment, which is nil before there is one.
type Drafts struct {
	// Library stores the drafts; nil stores nothing. Dir is where the sessions are begun.
	Library *store.Library
	Dir     string

	saved store.View
	// loose says that the draft is kept for the directory; left is that draft.
	loose bool
	left  string
	// last saves the view once more than the saves before it; nil if there was none.
	last func() error
}

// SetSaved notes how the session is stored at this moment.
func (d *Drafts) SetSaved(v store.View) { d.saved = v }

// Saves reports whether anything of a session is saved.
func (d *Drafts) Saves(s Session) bool { return d.Library != nil && s != nil }

// Stale reports whether the stored draft has been sent or cleared.
func (d *Drafts) Stale(draft string) bool { return d.saved.Draft != "" && draft == "" }

// Saver returns what saves a view; nil if it is saved. It takes its time, may be called
// from any goroutine, and waits for the savers before it.
func (d *Drafts) Saver(s Session, v store.View) func() error {
	if !d.Saves(s) || unkept(s) {
		return nil
	}
	id, was, wasLoose := s.StoredID(), d.saved, d.loose
	if sameView(v, was) && (id == "" || !wasLoose) {
		return nil
	}
	d.saved, d.loose = v, id == "" && v.Draft != ""
	lib, dir, loose, before, left := d.Library, d.Dir, d.loose, d.last, d.left
	if d.left = ""; loose {
		d.left = v.Draft
	}
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // its own caller gets its error
		}
		var err error
		switch {
		case loose && (v.Draft != was.Draft || !wasLoose):
			err = lib.SaveDraft(dir, left, v.Draft)
		case wasLoose && !loose:
			err = lib.SaveDraft(dir, left, "")
		}
		if id != "" {
			err = errors.Join(err, lib.SaveView(id, v))
		}
		return err
	})
	return d.last
}

// SaveLast saves a view before the session is closed, and reports whether its draft comes
// back. It may not: nothing may be stored, the agent may not have started, the disk may be
// full, or another session may keep a draft for the directory.
func (d *Drafts) SaveLast(s Session, v store.View) (kept bool) {
	d.Saver(s, v)
	if d.last != nil {
		_ = d.last() // what counts is whether it is there
	}
	switch {
	case d.Library == nil || v.Draft == "":
		return v.Draft == ""
	case s == nil || unkept(s):
		return v.Draft == d.saved.Draft // it is still where it was loaded from
	}
	if id := s.StoredID(); id != "" {
		stored, err := d.Library.View(id)
		return err == nil && stored.Draft == v.Draft
	}
	draft, err := d.Library.Draft(d.Dir)
	return err == nil && draft == v.Draft
}

// Load reads the draft that is kept for the directory, "" if there is none.
func (d *Drafts) Load() (string, error) {
	if d.Library == nil {
		return "", nil
	}
	return d.Library.Draft(d.Dir)
}

// Take notes that a loaded draft comes into the empty prompt of a session, and reports
// whether it may: it is not meant for a session that is not stored, such as the tour's.
func (d *Drafts) Take(s Session, draft string) bool {
	if s != nil && unkept(s) {
		return false
	}
	d.loose, d.left = true, draft
	if s == nil || s.StoredID() == "" {
		d.saved.Draft = draft
	}
	return true
}

// Leave reports whether the draft in the prompt is one that was taken and is not meant for
// the session that was begun since. It stays kept.
func (d *Drafts) Leave(s Session, draft string) bool {
	if !d.loose || s == nil || !unkept(s) || draft != d.saved.Draft {
		return false
	}
	d.loose, d.left, d.saved.Draft = false, "", ""
	return true
}

// unkept reports whether nothing of a session is stored.
func unkept(s Session) bool { return !s.About().Stored }

func sameView(a, b store.View) bool {
	return a.Draft == b.Draft && (a.Top == nil) == (b.Top == nil) && (a.Top == nil || *a.Top == *b.Top)
}
