package tab

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/store"
)

const (
	// lookTime is how long nothing must be typed before it is looked for.
	lookTime = 120 * time.Millisecond
	// mostHits is how many sessions are found at once.
	mostHits = 50
)

// lookFor looks for words in all that was said, once no more are typed.
func (l *sessionList) lookFor(words string) tea.Cmd {
	l.words = words
	if words == "" {
		l.hits, l.found = nil, nil
		l.picker.SetList(l.content())
		return nil
	}
	return tea.Tick(lookTime, func(time.Time) tea.Msg {
		return then(func() tea.Cmd { return l.look(words) })
	})
}

// hits are the sessions in which words were found.
type hits struct {
	words string
	all   bool
	by    map[store.ID]hit
	found []store.Summary
	err   error
}

// look looks for words, if they are still those that are wanted.
func (l *sessionList) look(words string) tea.Cmd {
	if words != l.words || !l.tab.dialogs.Has(l.picker) {
		return nil
	}
	lib, q, out := l.tab.program.Stored, l.query(), hits{words: words, all: l.all, by: map[store.ID]hit{}}
	q.Limit = mostHits
	return beside(func() then {
		out.search(l.tab.program.Context, lib, q)
		return func() tea.Cmd { return l.takeHits(out) }
	})
}

// search looks in all that was said.
func (h *hits) search(ctx context.Context, lib *store.Library, q store.Query) {
	found, err := lib.Search(ctx, h.words, q)
	h.err = err
	for _, f := range found {
		snippet, err := lib.Snippet(f, h.words)
		if err != nil {
			if !errors.Is(err, store.ErrNotStored) { // it was deleted meanwhile
				h.err = err
			}
			continue
		}
		h.by[f.ID] = hit{snippet}
		h.found = append(h.found, f.Summary)
	}
}

// takeHits shows the sessions that were found, unless other words are looked for by
// now.
func (l *sessionList) takeHits(h hits) tea.Cmd {
	if h.words != l.words || h.all != l.all || !l.tab.dialogs.Has(l.picker) {
		return nil
	}
	if h.err != nil {
		return l.tab.say(h.err.Error())
	}
	l.hits, l.found = h.by, h.found
	l.picker.SetList(l.content())
	return nil
}
