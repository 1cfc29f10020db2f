package journal

import (
	"slices"
	"time"
)

// Source says how it is known that a file changed.
type Source string

// The sources of changes.
const (
	// SourceWrite is a write that the agent asked parley for.
	SourceWrite Source = "write"
	// SourceReport is a change that the agent made itself, and told of.
	SourceReport Source = "report"
	// SourceSeen is a change that was seen in the work tree when a turn had ended.
	SourceSeen Source = "seen"
	// SourcePerson is a change that the person made from the journal.
	SourcePerson Source = "person"
)

// Turn is a prompt, and what followed it.
type Turn struct {
	// Number counts from 1.
	Number int
	At     time.Time
	// Prompt is the beginning of what was asked, in a line; it is not fit to be drawn.
	Prompt string
}

// change is one change of one file.
type change struct {
	id, turn      int
	path          string
	before, after Image
	source        Source
	act           int   // what the person did, 0 if it was the agent
	reverts       []int // the changes that it takes back
	open          bool  // it has begun, and is not known to have happened
}

// agreement is a change of a file that the person has agreed to: it is no longer
// shown among what changed before it.
type agreement struct {
	id            int
	before, after Image
	whole         bool
}

// history is all that a journal knows, but for the contents. Times are ids: they
// count changes and agreements together.
type history struct {
	lastID, lastAct int
	turns           []Turn
	session         string
	dir             string
	changes         []*change // by id
	byPath          map[string][]*change
	byID            map[int]*change
	paths           []string // in the order in which they first changed
	agreements      map[string][]agreement
	// reverted has the changes that take a change back, by its id.
	reverted map[int][]*change
}

func newHistory() *history {
	return &history{
		byPath: map[string][]*change{}, byID: map[int]*change{}, agreements: map[string][]agreement{}, reverted: map[int][]*change{},
	}
}

// apply takes a record in.
func (h *history) apply(r record) {
	h.lastID, h.lastAct = max(h.lastID, r.ID), max(h.lastAct, r.Act)
	switch r.Kind {
	case kindOpen:
		h.dir = r.Dir
	case kindSession:
		h.session = r.Session
	case kindTurn:
		h.turns = append(h.turns, Turn{Number: r.Turn, At: r.At, Prompt: r.Prompt})
	case kindChange:
		if r.Before != nil && r.After != nil && r.Path != "" {
			h.add(&change{
				id: r.ID, turn: r.Turn, path: r.Path, before: *r.Before, after: *r.After,
				source: r.Source, act: r.Act, reverts: r.Reverts, open: !r.Happened,
			})
		}
	case kindDone:
		if c := h.byID[r.ID]; c != nil {
			c.open = false
		}
	case kindFailed:
		h.remove(r.ID)
	case kindKept:
		if r.Before != nil && r.After != nil {
			h.agreements[r.Path] = append(h.agreements[r.Path], agreement{r.ID, *r.Before, *r.After, r.Whole})
		}
	case kindOpened:
		delete(h.agreements, r.Path)
	}
}

func (h *history) add(c *change) {
	if _, known := h.byPath[c.path]; !known {
		h.paths = append(h.paths, c.path)
	}
	h.changes = append(h.changes, c)
	h.byPath[c.path] = append(h.byPath[c.path], c)
	h.byID[c.id] = c
	for _, id := range c.reverts {
		h.reverted[id] = append(h.reverted[id], c)
	}
}

// remove forgets a change that did not happen.
func (h *history) remove(id int) {
	c := h.byID[id]
	if c == nil {
		return
	}
	is := func(o *change) bool { return o == c }
	delete(h.byID, id)
	h.changes = slices.DeleteFunc(h.changes, is)
	h.byPath[c.path] = slices.DeleteFunc(h.byPath[c.path], is)
	if len(h.byPath[c.path]) == 0 {
		delete(h.byPath, c.path)
		h.paths = slices.DeleteFunc(h.paths, func(p string) bool { return p == c.path })
	}
	for _, id := range c.reverts {
		h.reverted[id] = slices.DeleteFunc(h.reverted[id], is)
	}
}

// live reports whether a change has not been taken back.
func (h *history) live(c *change) bool {
	return !slices.ContainsFunc(h.reverted[c.id], h.live)
}

// turn is the number of the last turn, 0 before the first.
func (h *history) turn() int {
	if len(h.turns) == 0 {
		return 0
	}
	return h.turns[len(h.turns)-1].Number
}

// agreedUpTo is the time up to which the person has agreed to all that became of a
// file; 0 if they have not.
func (h *history) agreedUpTo(path string) int {
	upTo := 0
	for _, a := range h.agreements[path] {
		if a.whole {
			upTo = a.id
		}
	}
	return upTo
}

// first is the first change of a file by the agent in the turns from since on that
// the person has not agreed to, nil if there is none.
func (h *history) first(path string, since int) *change {
	upTo := h.agreedUpTo(path)
	for _, c := range h.byPath[path] {
		if c.act == 0 && c.turn >= since && c.id > upTo {
			return c
		}
	}
	return nil
}

// liveSince are the agent's changes of a file in the turns from since on that are
// neither taken back nor agreed to, the last one first.
func (h *history) liveSince(path string, since int) []*change {
	var out []*change
	upTo := h.agreedUpTo(path)
	for _, c := range slices.Backward(h.byPath[path]) {
		if c.act == 0 && c.turn >= since && c.id > upTo && h.live(c) {
			out = append(out, c)
		}
	}
	return out
}

// lastLiveTurn is the last turn that has such a change; -1 if there is none.
func (h *history) lastLiveTurn() int {
	last := -1
	for _, path := range h.paths {
		if all := h.liveSince(path, last+1); len(all) > 0 {
			last = all[0].turn
		}
	}
	return last
}

// redoable returns the changes of the last thing that the person took back and that
// can be done again, nil if there is none. What took it back again is none.
func (h *history) redoable() []*change {
	for _, c := range slices.Backward(h.changes) {
		if c.act == 0 || !h.live(c) || h.isRedo(c) {
			continue
		}
		var act []*change
		for _, o := range h.changes {
			if o.act == c.act && h.live(o) {
				act = append(act, o)
			}
		}
		return act
	}
	return nil
}

// isRedo reports whether a change took back what the person had taken back.
func (h *history) isRedo(c *change) bool {
	for _, id := range c.reverts {
		if o := h.byID[id]; o != nil && o.act != 0 {
			return true
		}
	}
	return false
}
