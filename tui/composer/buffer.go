package composer

import (
	"slices"
	"strings"

	"parley/internal/termtext"
)

// pos is a position between two characters: a line and a byte offset in it, always at
// the boundary of a unit (see [chips.next]).
type pos struct{ row, col int }

func (p pos) before(q pos) bool { return p.row < q.row || p.row == q.row && p.col < q.col }

// line is one line of the draft, with its wrapping once that was needed. Only visible
// lines are wrapped, so a key costs the same in long and short drafts.
type line struct {
	text string
	// starts are the offsets where the rows of the wrapped line begin, for the layout
	// wrapped; nil if unknown.
	starts  []int
	wrapped termtext.Layout
	// change is the edit that starts does not include yet, or nil.
	change *change
}

// change is an edit inside one line: the bytes up to from are unchanged, and so are
// those from to on, moved by shift.
type change struct{ from, to, shift int }

// buffer is the text of a draft with a cursor. Every change goes through replace, so
// that it can be undone.
type buffer struct {
	lines []line
	cur   pos
	// goal is the column that moving up and down tries to keep, -1 for none.
	goal int
	// changes counts edits: equal counts mean equal text.
	changes    int
	undo, redo []edit
	// current is the number of the undo step for new edits, and grouped means that the
	// step stays open.
	current int
	grouped bool
	// anchor is the other end of the selection, if selecting is set. An edit ends the
	// selection.
	anchor    pos
	selecting bool
	chips     *chips
}

func newBuffer(c *chips) *buffer { return &buffer{lines: make([]line, 1), goal: -1, chips: c} }

func (b *buffer) empty() bool { return len(b.lines) == 1 && b.lines[0].text == "" }

func (b *buffer) last() pos {
	row := len(b.lines) - 1
	return pos{row, len(b.lines[row].text)}
}

// raw returns the text with its chip characters.
func (b *buffer) raw() string { return b.slice(pos{}, b.last()) }

func (b *buffer) slice(from, to pos) string {
	if from.row == to.row {
		return b.lines[from.row].text[from.col:to.col]
	}
	var s strings.Builder
	s.WriteString(b.lines[from.row].text[from.col:])
	for _, l := range b.lines[from.row+1 : to.row] {
		s.WriteByte('\n')
		s.WriteString(l.text)
	}
	s.WriteByte('\n')
	s.WriteString(b.lines[to.row].text[:to.col])
	return s.String()
}

// replace replaces the text between from and to by clean text, and moves the cursor
// after it.
func (b *buffer) replace(from, to pos, text string) {
	if from == to && text == "" {
		return
	}
	b.redo = nil
	if !b.grouped {
		b.next()
	}
	b.undo = append(b.undo, edit{at: from, removed: b.slice(from, to), inserted: text, cursor: b.cur, step: b.current})
	b.splice(from, to, text)
}

// splice changes only the lines.
func (b *buffer) splice(from, to pos, text string) {
	b.changes++
	b.goal = -1
	b.selecting = false
	head, tail := b.lines[from.row].text[:from.col], b.lines[to.row].text[to.col:]
	if from.row == to.row && !strings.Contains(text, "\n") {
		fresh := line{text: head + text + tail}
		if old := b.lines[from.row]; old.starts != nil && old.change == nil {
			fresh.starts, fresh.wrapped = old.starts, old.wrapped
			fresh.change = &change{from.col, from.col + len(text), len(text) - (to.col - from.col)}
		}
		b.lines[from.row] = fresh
		b.cur = pos{from.row, from.col + len(text)}
		return
	}
	parts := strings.Split(text, "\n")
	end := pos{from.row + len(parts) - 1, len(parts[len(parts)-1])}
	if len(parts) == 1 {
		end.col += from.col
	}
	parts[0] = head + parts[0]
	parts[len(parts)-1] += tail
	fresh := make([]line, len(parts))
	for i, p := range parts {
		fresh[i].text = p
	}
	b.lines = slices.Replace(b.lines, from.row, to.row+1, fresh...)
	b.cur = end
}

// after returns the end of text that begins at p.
func after(p pos, text string) pos {
	if n := strings.Count(text, "\n"); n > 0 {
		return pos{p.row + n, len(text) - strings.LastIndexByte(text, '\n') - 1}
	}
	return pos{p.row, p.col + len(text)}
}
