package composer

import (
	"slices"
	"strings"

	"parley/internal/termtext"
)

// pos is a place between two characters: a line and a byte offset in it, always
// at the boundary of a unit (see [chips.next]).
type pos struct{ row, col int }

func (p pos) before(q pos) bool { return p.row < q.row || p.row == q.row && p.col < q.col }

// line is one line of the draft and, once it was needed, how it wraps. Only the
// lines on screen are ever wrapped, which is why a key costs the same in a long
// draft as in a short one.
type line struct {
	text string
	// starts are the offsets where the rows of the wrapped line begin, for the
	// layout wrapped; nil when not yet known.
	starts  []int
	wrapped termtext.Layout
	// change is the edit that starts does not know of yet, nil for none.
	change *change
}

// change is an edit inside of one line: the bytes up to from are as before, and
// those from to on too, but moved by shift.
type change struct{ from, to, shift int }

// buffer is the text of a draft with a cursor. Every change goes through
// replace, so that every change can be taken back.
type buffer struct {
	lines []line
	cur   pos
	// goal is the column that moving up and down tries to keep, -1 for none.
	goal int
	// changes counts edits: two equal counts mean the same text.
	changes    int
	undo, redo []edit
	// current is the number of the step that edits belong to, and grouped says that
	// they all do until its end.
	current int
	grouped bool
	// anchor is the other end of what is selected, if selecting says that anything
	// is. An edit ends the selection.
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

// raw is the text with its chips as they are kept.
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

// replace puts clean text in the place of what is between from and to, and the
// cursor behind it.
func (b *buffer) replace(from, to pos, text string) {
	if from == to && text == "" {
		return
	}
	b.record(edit{at: from, removed: b.slice(from, to), inserted: text, cursor: b.cur})
	b.splice(from, to, text)
}

// splice changes the lines and nothing else.
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

// after is where text that begins at p ends.
func after(p pos, text string) pos {
	if n := strings.Count(text, "\n"); n > 0 {
		return pos{p.row + n, len(text) - strings.LastIndexByte(text, '\n') - 1}
	}
	return pos{p.row, p.col + len(text)}
}
