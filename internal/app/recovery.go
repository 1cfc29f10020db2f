package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/store"
	"parley/internal/termtext"
)

// mostUnended limits the sessions offered at once.
const mostUnended = 7

// FindUnended asks whether to continue sessions of a directory that were interrupted: parley
// was killed, or their agent has exited while nobody looked on; nil if there are none.
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
			Title: "An interrupted session", Text: "It stopped unexpectedly:", Lines: lines,
			Choices: []Choice{{Name: "Resume it", Here: only.Here}, notNow},
		}, nil
	}
	var specs []Spec
	for _, id := range slices.Backward(ids) { // list the newest last
		specs = append(specs, Spec{Stored: id})
	}
	all := Choice{Name: "Resume all", Here: func() { open(specs...) }}
	return &Question{
		Title: fmt.Sprintf("%d interrupted sessions", len(ids)), Text: "They stopped unexpectedly. Resume all, or one:",
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

// SaveUnsent saves which prompts a session that was left has not confirmed. view is what the viewer has saved,
// of this session or of another one; nil is nothing.
func SaveUnsent(lib *store.Library, s Session, view *store.Viewing) {
	id := s.StoredID()
	if lib == nil || id == "" || !s.About().Stored || s.About().LookOn {
		return
	}
	if view == nil || view.ID() != id {
		view = lib.NewViewing(id, store.View{})
	}
	v := view.Saved
	if v.Unsent = s.Unsent(); v.Unsent != nil || view.Saved.Unsent != nil {
		_ = view.Save(v) // best effort: the prompt history has them, too
	}
	view.Leave()
}
