package composer

import (
	"slices"
	"strings"

	"parley/internal/termtext"
	"parley/tui/composer/vim"
)

// pos returns a position between two characters: a line and a byte offset in it, always
// at the boundary of a unit (see [chips.next]).
func pos(row, col int) vim.Pos { return vim.Pos{Row: row, Col: col} }

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

// buffer is the text of a draft with a cursor. Every change goes through Replace, so
// that it can be undone.
type buffer struct {
	lines []line
	cur   vim.Pos
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
	anchor    vim.Pos
	selecting bool
	chips     *chips
}

func newBuffer(c *chips) *buffer { return &buffer{lines: make([]line, 1), goal: -1, chips: c} }

func (b *buffer) empty() bool { return len(b.lines) == 1 && b.lines[0].text == "" }

func (b *buffer) last() vim.Pos {
	row := len(b.lines) - 1
	return pos(row, len(b.lines[row].text))
}

// raw returns the text with its chip characters.
func (b *buffer) raw() string { return b.slice(pos(0, 0), b.last()) }

func (b *buffer) slice(from, to vim.Pos) string {
	if from.Row == to.Row {
		return b.lines[from.Row].text[from.Col:to.Col]
	}
	var s strings.Builder
	s.WriteString(b.lines[from.Row].text[from.Col:])
	for _, l := range b.lines[from.Row+1 : to.Row] {
		s.WriteByte('\n')
		s.WriteString(l.text)
	}
	s.WriteByte('\n')
	s.WriteString(b.lines[to.Row].text[:to.Col])
	return s.String()
}

// Replace replaces the text between from and to by clean text, and moves the cursor
// after it.
func (b *buffer) Replace(from, to vim.Pos, text string) {
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
func (b *buffer) splice(from, to vim.Pos, text string) {
	b.changes++
	b.goal = -1
	b.selecting = false
	head, tail := b.lines[from.Row].text[:from.Col], b.lines[to.Row].text[to.Col:]
	if from.Row == to.Row && !strings.Contains(text, "\n") {
		fresh := line{text: head + text + tail}
		if old := b.lines[from.Row]; old.starts != nil && old.change == nil {
			fresh.starts, fresh.wrapped = old.starts, old.wrapped
			fresh.change = &change{from.Col, from.Col + len(text), len(text) - (to.Col - from.Col)}
		}
		b.lines[from.Row] = fresh
		b.cur = pos(from.Row, from.Col+len(text))
		return
	}
	parts := strings.Split(text, "\n")
	end := pos(from.Row+len(parts)-1, len(parts[len(parts)-1]))
	if len(parts) == 1 {
		end.Col += from.Col
	}
	parts[0] = head + parts[0]
	parts[len(parts)-1] += tail
	fresh := make([]line, len(parts))
	for i, p := range parts {
		fresh[i].text = p
	}
	b.lines = slices.Replace(b.lines, from.Row, to.Row+1, fresh...)
	b.cur = end
}

// after returns the end of text that begins at p.
func after(p vim.Pos, text string) vim.Pos {
	if n := strings.Count(text, "\n"); n > 0 {
		return pos(p.Row+n, len(text)-strings.LastIndexByte(text, '\n')-1)
	}
	return pos(p.Row, p.Col+len(text))
}
