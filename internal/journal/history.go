package journal

import (
	"iter"
	"slices"
	"time"
)

// Source says how the journal learned of a change.
type Source string

// The sources of changes.
const (
	// SourceWrite is a write that the agent made through parley.
	SourceWrite Source = "write"
	// SourceReport is a change that the agent made itself and reported.
	SourceReport Source = "report"
	// SourceSeen is a change found at the end of a turn: anybody may have made it.
	SourceSeen Source = "seen"
	// SourceMerge is a change that the user has merged from elsewhere, such as a worktree. It
	// belongs to the seen part of the file.
	SourceMerge Source = "merge"
	// SourceUser is a change that the user made in the review.
	SourceUser Source = "person" // on disk since before the name
)

// Provenance says how the journal knows what a file contained before a change.
type Provenance string

// The provenances.
const (
	// ProvenanceSeen: parley has read it, or has seen that there was no file.
	ProvenanceSeen Provenance = "seen"
	// ProvenanceClaimed: the agent says so of a file that parley had not seen. It is shown,
	// and never goes back.
	ProvenanceClaimed Provenance = "claimed"
	// ProvenanceNone: unknown.
	ProvenanceNone Provenance = "none"
)

// provenance is that of a change in a log, also of one that was written when the agent's word
// counted for some files, or when there were no provenances.
func (r record) provenance() Provenance {
	switch {
	case r.Before.Lost:
		return ProvenanceNone
	case r.Provenance != "" && r.Provenance != ProvenanceSeen, r.Provenance == "" && r.Source == SourceReport:
		return ProvenanceClaimed
	}
	return ProvenanceSeen
}

// Part is the changes of a file that parley knows the agent made, or those that it only
// saw. Changes of one part undo without the other.
type Part struct {
	Path string
	// Seen means the changes of [SourceSeen]. The user may have made them while the agent
	// worked, so that no undo of a turn includes them.
	Seen bool
}

// Turn is a prompt and everything until the next one.
type Turn struct {
	// Number counts from 1.
	Number int
	At     time.Time
	// Prompt is the beginning of the prompt, on one line; sanitise it before drawing.
	Prompt string
}

type change struct {
	id            int
	turn          int // for the user's changes, only if it undoes a hunk
	path          string
	before, after Image
	source        Source
	provenance    Provenance // of before
	seen          bool       // it belongs to the file's seen part
	act           int        // number of the user's action, 0 for the agent's changes
	reverts       []int      // ids of the changes that it undoes
	open          bool       // begun, and not known to have happened
	earlier       bool       // than changes that were recorded before it
}

// agreement is a change of a part that the user has accepted: the review no longer
// shows it.
type agreement struct {
	id            int
	before, after Image
	whole         bool
}

// history is all that a journal knows, without the contents of files. Ids order changes
// and agreements in time.
type history struct {
	lastID, lastAct int
	turns           []Turn
	session         string   // the last one
	sessions        []string // all sessions of the journal
	dir             string
	changes         []*change // by id
	byPath          map[string][]*change
	byID            map[int]*change
	paths           []string // in the order of their first change
	agreements      map[Part][]agreement
	moves           map[Part]move
	uncounted       map[string]bool // the files that have changed since their lines were counted
	// reverted maps a change's id to the changes that undo it.
	reverted map[int][]*change
	// begun is the number of the act that changes several files and has not ended, 0 if there is
	// none: acts follow each other. rewinds has the turns of those that rewind, by number.
	begun   int
	rewinds map[int]int
}

func newHistory() *history {
	return &history{
		byPath: map[string][]*change{}, byID: map[int]*change{}, agreements: map[Part][]agreement{}, reverted: map[int][]*change{},
		rewinds: map[int]int{}, moves: map[Part]move{}, uncounted: map[string]bool{},
	}
}

// apply adds a record of the log.
func (h *history) apply(r record) {
	h.lastID, h.lastAct = max(h.lastID, r.ID), max(h.lastAct, r.Act)
	switch r.Kind {
	case kindOpen:
		h.dir = r.Dir
	case kindSession:
		h.session = r.Session
		h.sessions = append(h.sessions, r.Session)
	case kindTurn:
		if r.Turn > h.turn() { // a log may say it twice
			h.turns = append(h.turns, Turn{Number: r.Turn, At: r.At, Prompt: r.Prompt})
		}
	case kindChange:
		if r.Before != nil && r.After != nil && r.Path != "" {
			h.add(&change{
				id: r.ID, turn: r.Turn, path: r.Path, before: *r.Before, after: *r.After,
				source: r.Source, provenance: r.provenance(), seen: r.Seen || r.Source == SourceSeen, act: r.Act, reverts: r.Reverts,
				open: !r.Happened, earlier: r.Earlier,
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
			part := Part{r.Path, r.Seen}
			h.agreements[part] = append(h.agreements[part], agreement{r.ID, *r.Before, *r.After, r.Whole})
		}
	case kindOpened:
		delete(h.agreements, Part{r.Path, r.Seen})
	case kindMoved:
		h.moves[Part{r.Path, r.Seen}] = move{r.From, r.Turn}
		h.uncounted[r.Path] = true
	case kindBegun:
		if h.begun = r.Act; r.Rewind != 0 {
			h.rewinds[r.Act] = r.Rewind
		}
	case kindEnded:
		h.begun = 0
	}
}

// rewindOf returns the turn of the rewind that a change belongs to, 0 if it belongs to
// none.
func (h *history) rewindOf(c *change) int { return h.rewinds[c.act] }

func (h *history) add(c *change) {
	if _, known := h.byPath[c.path]; !known {
		h.paths = append(h.paths, c.path)
	}
	h.changes, h.uncounted[c.path] = append(h.changes, c), true
	h.byPath[c.path] = append(h.byPath[c.path], c)
	h.byID[c.id] = c
	for _, id := range c.reverts {
		h.reverted[id] = append(h.reverted[id], c)
	}
}

// remove removes a change that did not happen.
func (h *history) remove(id int) {
	c := h.byID[id]
	if c == nil {
		return
	}
	h.uncounted[c.path] = true
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

// live reports whether a change has not been undone.
func (h *history) live(c *change) bool {
	return !slices.ContainsFunc(h.reverted[c.id], h.live)
}

// turn returns the number of the last turn, 0 before the first.
func (h *history) turn() int {
	if len(h.turns) == 0 {
		return 0
	}
	return h.turns[len(h.turns)-1].Number
}

// agreed returns what the user has accepted of a part, without what a rewind has undone
// since.
func (h *history) agreed(part Part) []agreement {
	return slices.DeleteFunc(slices.Clone(h.agreements[part]), func(a agreement) bool {
		return slices.ContainsFunc(h.byPath[part.Path], func(c *change) bool {
			return h.rewindOf(c) != 0 && c.id > a.id && slices.Min(c.reverts) < a.id && h.live(c)
		})
	})
}

// agreedUpTo returns the time up to which the user has accepted all changes of a part,
// or 0.
func (h *history) agreedUpTo(part Part) int {
	upTo := 0
	for _, a := range h.agreed(part) {
		if a.whole {
			upTo = a.id
		}
	}
	return upTo
}

// liveSince returns the changes of a part since turn since that are neither undone nor
// accepted, and the user's undos of single hunks of them, the last one first.
func (h *history) liveSince(part Part, since int) []*change {
	upTo := h.agreedUpTo(part)
	return slices.DeleteFunc(h.allSince(part, since), func(c *change) bool { return c.id <= upTo })
}

// allSince is liveSince with those that are accepted.
func (h *history) allSince(part Part, since int) []*change {
	var out []*change
	for _, c := range slices.Backward(h.byPath[part.Path]) {
		undidHunk := c.act != 0 && len(c.reverts) == 0
		if (c.act == 0 || undidHunk) && c.seen == part.Seen && c.turn >= since && h.live(c) {
			out = append(out, c)
		}
	}
	return out
}

// lastLiveTurn returns the last turn that has such a change of the agent's, or -1. Turns
// come last of which nothing can go back.
func (h *history) lastLiveTurn() int {
	last, stuck := -1, -1
	for _, path := range h.paths {
		for _, c := range h.liveSince(Part{Path: path}, last+1) {
			if c.provenance == ProvenanceSeen {
				last = max(last, c.turn)
			}
			stuck = max(stuck, c.turn)
		}
	}
	if last < 0 {
		return stuck
	}
	return last
}

// latest returns what the journal knows last of a file, by its changes.
func latest(all []*change) (is Image) {
	for _, c := range all {
		if !c.earlier {
			is = c.after
		}
	}
	return is
}

// own yields the files that have changes of the agent's which are neither undone nor taken back by
// later ones, in the order of their first change. One that was moved is at its new path.
func (h *history) own() iter.Seq[string] {
	return func(yield func(string) bool) {
		away := h.movedAway(0)
		for _, path := range h.paths {
			all := h.byPath[path]
			if away[Part{Path: path}] {
				continue
			}
			first := slices.IndexFunc(all, func(c *change) bool { return c.act == 0 && !c.seen && h.live(c) })
			if first >= 0 && !all[first].before.same(latest(all)) && !yield(path) {
				return
			}
		}
	}
}

// saw reports whether files have changed during a turn, maybe by the user, and are not put back.
func (h *history) saw() bool {
	for _, all := range h.byPath {
		if slices.ContainsFunc(all, func(c *change) bool { return c.act == 0 && c.seen && h.live(c) }) {
			return true
		}
	}
	return false
}

// redoable returns the changes of the user's last undo that can be redone, or nil. A
// redo is not an undo.
func (h *history) redoable() []*change {
	for _, c := range slices.Backward(h.changes) {
		if c.act == 0 || c.source == SourceMerge || !h.live(c) || h.isRedo(c) {
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

// lastRewind returns the turn of the rewind that a redo would take back, 0 if it would take
// back something else.
func (h *history) lastRewind() int {
	if all := h.redoable(); len(all) > 0 {
		return h.rewindOf(all[0])
	}
	return 0
}

// isRedo reports whether a change undoes an undo of the user's. An undo may include the
// undos of single hunks.
func (h *history) isRedo(c *change) bool {
	return len(c.reverts) > 0 && !slices.ContainsFunc(c.reverts, func(id int) bool {
		o := h.byID[id]
		return o == nil || o.act == 0 || o.source == SourceMerge
	})
}
