package tab

import (
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

// lookMsg says that the words of a list may have stood still long enough.
type lookMsg struct {
	list  *sessionList
	words string
}

// hitsMsg are the sessions in which words were found.
type hitsMsg struct {
	list  *sessionList
	words string
	all   bool
	hits  map[store.ID]hit
	found []store.Summary
	err   error
}

// lookFor looks for words in all that was said, once no more are typed.
func (l *sessionList) lookFor(words string) tea.Cmd {
	l.words = words
	if words == "" {
		l.hits, l.found = nil, nil
		l.picker.SetList(l.content())
		return nil
	}
	return tea.Tick(lookTime, func(time.Time) tea.Msg { return lookMsg{l, words} })
}

// look looks for words, if they are still those that are wanted.
func (l *sessionList) look(msg lookMsg) tea.Cmd {
	t := l.tab
	if msg.words != l.words || !t.dialogs.Has(l.picker) {
		return nil
	}
	lib, ctx, q, all := t.program.Stored, t.program.Context, l.query(), l.all
	q.Limit = mostHits
	return func() tea.Msg {
		out := hitsMsg{list: l, words: msg.words, all: all, hits: map[store.ID]hit{}}
		x, err := lib.Index(ctx)
		if err != nil {
			out.err = err
			return out
		}
		hits, err := x.Search(ctx, msg.words, q)
		out.err = err
		for _, h := range hits {
			snippet, err := x.Snippet(h, msg.words)
			if err != nil {
				if !errors.Is(err, store.ErrNotStored) { // it was deleted meanwhile
					out.err = err
				}
				continue
			}
			out.hits[h.ID] = hit{snippet}
			out.found = append(out.found, h.Summary)
		}
		return out
	}
}

// takeHits shows the sessions that were found, unless other words are looked for by
// now.
func (l *sessionList) takeHits(msg hitsMsg) tea.Cmd {
	if msg.words != l.words || msg.all != l.all || !l.tab.dialogs.Has(l.picker) {
		return nil
	}
	if msg.err != nil {
		return l.tab.desk.Say(msg.err.Error())
	}
	l.hits, l.found = msg.hits, msg.found
	l.picker.SetList(l.content())
	return nil
}
