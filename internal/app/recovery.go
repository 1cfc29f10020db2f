package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/store"
	"parley/internal/termtext"
)

// mostUnended limits the sessions offered at once.
const mostUnended = 7

// FindUnended asks whether to continue sessions of a directory that were interrupted because
// parley was killed; nil if there are none.
func FindUnended(ctx context.Context, lib *store.Library, cwd string, now time.Time, open func(...Spec)) (*Question, error) {
	ids, err := lib.Interrupted(cwd)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	ids = ids[:min(len(ids), mostUnended)] // the newest come first
	known := map[store.ID]*store.Summary{}
	if list, err := lib.List(ctx, store.Query{Cwd: cwd, All: true}); err == nil { // without it, the ids have to do
		for i := range list {
			known[list[i].ID] = &list[i]
		}
	}
	var sessions []Choice
	for _, id := range ids {
		c := Choice{Name: string(id), Here: func() { open(Spec{Stored: id}) }}
		if s := known[id]; s != nil {
			c.Name, c.More = Title(cmp.Or(s.Name(), string(id))), whereItStood(s, now)
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
			Choices: []Choice{{Name: "Resume it", Here: only.Here}, notNow},
		}, nil
	}
	var specs []Spec
	for _, id := range slices.Backward(ids) { // list the newest last
		specs = append(specs, Spec{Stored: id})
	}
	all := Choice{Name: "Resume all", Here: func() { open(specs...) }}
	return &Question{
		Title: fmt.Sprintf("%d interrupted sessions", len(ids)), Text: "parley stopped during them. Resume all, or one:",
		Choices: slices.Concat([]Choice{all}, sessions, []Choice{notNow}),
	}, nil
}

// whereItStood distinguishes sessions of the same name: when, who, where, and the last words.
func whereItStood(s *store.Summary, now time.Time) string {
	words := []string{termtext.Ago(now.Sub(s.Updated)), cmp.Or(s.AgentName, s.Agent)}
	if s.Worktree != "" {
		words = append(words, "worktree "+s.Worktree)
	}
	if later := s.Later(); later != "" {
		words = append(words, "❯ "+Title(later))
	}
	if s.Last != "" {
		words = append(words, "● "+Title(s.Last))
	}
	return strings.Join(words, " · ")
}

// Drafts keeps the draft of a prompt and the position in the transcript, so that a session
// reopens as the user left it. A session in which nothing was said has no log to store them
// with: its draft is kept for the directory.
//
// Its methods take the current session, nil before there is one.
type Drafts struct {
	// Library stores the drafts; nil stores nothing. Dir is where sessions begin.
	Library *store.Library
	Dir     string

	saved store.View
	// loose means that the draft is kept for the directory; left is that draft.
	loose bool
	left  string
	// last waits for all earlier saves and saves the latest view; nil if there was none.
	last func() error
}

// SetSaved records the currently stored view.
func (d *Drafts) SetSaved(v store.View) { d.saved = v }

// Saves reports whether anything of a session is saved.
func (d *Drafts) Saves(s Session) bool { return d.Library != nil && s != nil }

// Confirms reports whether the prompts that a session has not confirmed are others than the saved
// ones.
func (d *Drafts) Confirms(s Session) bool {
	return (s.Unsent() == nil) != (d.saved.Unsent == nil) && !unkept(s) && !s.About().LookOn
}

// Stale reports whether the stored draft has since been sent or cleared.
func (d *Drafts) Stale(draft string) bool { return d.saved.Draft != "" && draft == "" }

// Saver returns a function that saves a view; nil if it is already saved. The function may be
// slow, is safe for concurrent use, and waits for earlier savers.
func (d *Drafts) Saver(s Session, v store.View) func() error {
	if !d.Saves(s) || unkept(s) {
		return nil
	}
	id, was, wasLoose := s.StoredID(), d.saved, d.loose
	if v.Unsent = s.Unsent(); s.About().LookOn {
		v.Unsent = was.Unsent
	}
	if reflect.DeepEqual(v, was) && (id == "" || !wasLoose) {
		return nil
	}
	d.saved, d.loose = v, id == "" && v.Draft != ""
	lib, dir, loose, before, left := d.Library, d.Dir, d.loose, d.last, d.left
	if d.left = ""; loose {
		d.left = v.Draft
	}
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // reported to its own caller
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

// SaveLast saves a view before the session is closed, and reports whether its draft will come
// back. It may not: nothing may be stored, the agent may not have started, the disk may be
// full, or another session may keep a draft for the directory.
func (d *Drafts) SaveLast(s Session, v store.View) (kept bool) {
	d.Saver(s, v)
	if d.last != nil {
		_ = d.last() // what counts is what is stored
	}
	switch {
	case d.Library == nil || v.Draft == "":
		return v.Draft == ""
	case s == nil || unkept(s):
		return v.Draft == d.saved.Draft // it is still stored where it was loaded from
	}
	if id := s.StoredID(); id != "" {
		stored, err := d.Library.View(id)
		return err == nil && stored.Draft == v.Draft
	}
	draft, err := d.Library.Draft(d.Dir)
	return err == nil && draft == v.Draft
}

// Load reads the draft kept for the directory, or "".
func (d *Drafts) Load() (string, error) {
	if d.Library == nil {
		return "", nil
	}
	return d.Library.Draft(d.Dir)
}

// Take records that a loaded draft goes into the empty prompt of a session, and reports
// whether it may: it is not for a session that is not stored, such as the tour's.
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

// Leave reports whether the draft in the prompt was loaded and does not belong in the session
// begun since. It stays stored.
func (d *Drafts) Leave(s Session, draft string) bool {
	if !d.loose || s == nil || !unkept(s) || draft != d.saved.Draft {
		return false
	}
	d.loose, d.left, d.saved.Draft = false, "", ""
	return true
}

// unkept reports whether a session is not stored.
func unkept(s Session) bool { return !s.About().Stored }

// SaveUnsent saves which prompts a session that was left has not confirmed.
func SaveUnsent(lib *store.Library, s Session) {
	id := s.StoredID()
	if lib == nil || id == "" || unkept(s) || s.About().LookOn {
		return
	}
	v, err := lib.View(id)
	if u := s.Unsent(); err == nil && (u != nil || v.Unsent != nil) {
		v.Unsent = u
		_ = lib.SaveView(id, v) // best effort: the prompt history has them, too
	}
}
