package journal

import (
	"slices"

	"parley/fs"
	"parley/internal/termtext"
)

// move says that a file was at another path when a turn began, of which it has at least half of the
// text.
type move struct {
	from string
	turn int
}

// Bounds for finding moves: the files of a turn that are compared, and the size of each in bytes.
const (
	mostMoved = 50
	maxMoved  = 256 << 10
)

// movedFrom returns the path that the file of a part was at before the changes since a turn, "" if it
// was not moved or is undone. j.mu must be held.
func (h *history) movedFrom(part Part, since int) string {
	m, moved := h.moves[part]
	if !moved || m.turn < since {
		return ""
	}
	created, deleted := h.allSince(part, since), h.allSince(Part{m.from, part.Seen}, since)
	if len(created) == 0 || len(deleted) == 0 || !created[len(created)-1].before.Absent || !deleted[0].after.Absent {
		return ""
	}
	return m.from
}

// movedAway returns the parts that were moved to others since a turn.
func (h *history) movedAway(since int) map[Part]bool {
	away := map[Part]bool{}
	for part := range h.moves {
		if from := h.movedFrom(part, since); from != "" {
			away[Part{from, part.Seen}] = true
		}
	}
	return away
}

// fromElsewhere compares a file that was moved with what it was at its former path. j.mu must not be held.
func (j *Journal) fromElsewhere(c *Comparison) {
	j.mu.Lock()
	from := j.history.movedFrom(c.Part, c.Since)
	changes := j.history.allSince(Part{from, c.Seen}, c.Since)
	j.mu.Unlock()
	if from == "" || !c.Before.Absent {
		return
	}
	p, err := j.revertAll(from, changes)
	if err != nil || p.check() != nil {
		return
	}
	if was, kept := p.both(nil); was != nil && same(was, kept) {
		c.From, c.Before, c.Added, c.Removed = from, versionOf(was), 0, 0
		c.findHunks(was.Content)
	}
}

// withFormer returns a part, and that of its former path if it was moved since a turn.
func (j *Journal) withFormer(part Part, since int) []Part {
	j.mu.Lock()
	defer j.mu.Unlock()
	if from := j.history.movedFrom(part, since); from != "" {
		return []Part{part, {from, part.Seen}}
	}
	return []Part{part}
}

// findMoves records which of the files that the turn created were moved.
func (t *turnWatch) findMoves() {
	type file struct {
		part  Part
		image Image
	}
	var created, deleted []file
	t.j.mu.Lock()
	for _, path := range t.j.history.paths {
		for _, seen := range []bool{false, true} {
			part := Part{path, seen}
			all := t.j.history.allSince(part, t.turn)
			if len(all) == 0 {
				continue
			}
			was, is := all[len(all)-1].before, all[0].after
			switch {
			case was.Absent && !is.Absent && is.Size > 0:
				created = append(created, file{part, is})
			case is.Absent && !was.Absent && was.Size > 0:
				deleted = append(deleted, file{part, was})
			}
		}
	}
	t.j.mu.Unlock()
	found := func(c file, score func(d file) float64) bool {
		best, most := -1, 0.5
		for i, d := range deleted {
			if d.part.Seen == c.part.Seen && d.image.Mode.Type() == c.image.Mode.Type() {
				if s := score(d); s >= most {
					best, most = i, s
				}
			}
		}
		if best >= 0 {
			t.j.add(record{Kind: kindMoved, Path: c.part.Path, Seen: c.part.Seen, From: deleted[best].part.Path, Turn: t.turn}, false)
			deleted = slices.Delete(deleted, best, best+1)
		}
		return best >= 0
	}
	created = slices.DeleteFunc(created, func(c file) bool {
		return found(c, func(d file) float64 {
			if c.image.Hash != "" && c.image.Hash == d.image.Hash {
				return 1
			}
			return 0
		})
	})
	contents := map[string]*fs.Snapshot{}
	text := func(f file) string {
		s, read := contents[f.part.Path]
		if !read {
			if f.image.Size <= maxMoved {
				s, _ = t.j.content(f.image) // nil if it is not kept
			}
			contents[f.part.Path] = s
		}
		if s == nil || !isText(s.Content) {
			return ""
		}
		return s.Content
	}
	if len(created) > mostMoved || len(deleted) > mostMoved {
		return
	}
	for _, c := range created {
		found(c, func(d file) float64 { return likeness(text(d), text(c)) })
	}
}

// likeness returns which part of the longer one of two texts is in both.
func likeness(was, is string) float64 {
	if most := max(len(was), len(is)); 2*min(len(was), len(is)) < most || most == 0 {
		return 0
	}
	lines, same := termtext.SplitLines(was), len(was)
	for _, h := range Hunks(was, is) {
		for _, line := range lines[h.OldStart:h.OldEnd] {
			same -= len(line)
		}
	}
	return float64(same) / float64(max(len(was), len(is)))
}
