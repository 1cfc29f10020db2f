package composer

import (
	"slices"
	"sort"

	"parley/internal/termtext"
	"parley/tui/composer/vim"
)

// rows returns where the rows of a line begin when it is wrapped to width columns:
// between words if possible, inside a unit only if it is wider than a row. Spaces that
// do not fit hang over the edge, as in every editor.
func (b *buffer) rows(row, width int) []int {
	l, layout := &b.lines[row], termtext.NewLayout(width)
	switch {
	case l.starts == nil || l.wrapped != layout:
		l.starts = b.chips.wrap(l.text, width, []int{0}, func(int) bool { return false })
	case l.change != nil:
		l.starts = b.chips.rewrap(l.text, width, l.starts, *l.change)
	}
	l.wrapped, l.change = layout, nil
	return l.starts
}

// wrap appends the starts of all rows after the last of starts, until done says that
// the rest is known. The breaks of a row do not depend on anything before its start.
func (c *chips) wrap(s string, width int, starts []int, done func(start int) bool) []int {
	x := 0                      // columns of the row so far
	at := starts[len(starts)-1] // where the row begins
	split, splitX := at, 0      // the last possible break in the row
	for i := at; i < len(s); {
		n, w := c.part(s, i, width)
		if n == 1 && (s[i] == ' ' || s[i] == '\t') {
			i, x = i+n, x+w
			split, splitX = i, x
			continue
		}
		for x+w > width && x > 0 {
			if split > at {
				at, x = split, x-splitX
			} else {
				at, x = i, 0
			}
			starts = append(starts, at)
			if done(at) {
				return starts
			}
			split, splitX = at, 0
		}
		i, x = i+n, x+w
		if c.breakable(s[i-n:i], w) { // wide characters need no spaces between words
			split, splitX = i, x
		}
	}
	return starts
}

// rewrap wraps a line again after a change. It begins two rows before it, since a word
// may now fit into the previous row, and ends where the rows are unchanged.
func (c *chips) rewrap(s string, width int, old []int, ch change) []int {
	kept := max(1, sort.SearchInts(old, ch.from+1)-2)
	same := -1
	starts := c.wrap(s, width, slices.Clone(old[:kept]), func(start int) bool {
		if start < ch.to+maxUnit { // typed text may join with what follows
			return false
		}
		i, found := slices.BinarySearch(old, start-ch.shift)
		if found {
			same = i
		}
		return found
	})
	if same >= 0 {
		for _, start := range old[same+1:] {
			starts = append(starts, start+ch.shift)
		}
	}
	return starts
}

// wrappedRow is a row of the wrapped text.
type wrappedRow struct{ line, row int }

func (p wrappedRow) before(q wrappedRow) bool {
	return p.line < q.line || p.line == q.line && p.row < q.row
}

// rowOf returns the row that contains a position.
func (b *buffer) rowOf(p vim.Pos, width int) wrappedRow {
	starts := b.rows(p.Row, width)
	return wrappedRow{p.Row, sort.SearchInts(starts, p.Col+1) - 1}
}

// bounds returns the offsets of a row in its line.
func (b *buffer) bounds(p wrappedRow, width int) (from, to int) {
	starts := b.rows(p.line, width)
	if p.row+1 < len(starts) {
		return starts[p.row], starts[p.row+1]
	}
	return starts[p.row], len(b.lines[p.line].text)
}

// step goes n rows down, or up if negative, as far as possible, and returns how far it
// went.
func (b *buffer) step(p wrappedRow, n, width int) (wrappedRow, int) {
	moved := 0
	for ; moved < n; moved++ {
		switch {
		case p.row+1 < len(b.rows(p.line, width)):
			p.row++
		case p.line+1 < len(b.lines):
			p = wrappedRow{p.line + 1, 0}
		default:
			return p, moved
		}
	}
	for ; moved > n; moved-- {
		switch {
		case p.row > 0:
			p.row--
		case p.line > 0:
			p = wrappedRow{p.line - 1, len(b.rows(p.line-1, width)) - 1}
		default:
			return p, moved
		}
	}
	return p, moved
}

// column returns the distance of a position from the left edge of its row.
func (b *buffer) column(p vim.Pos, width int) int {
	from, _ := b.bounds(b.rowOf(p, width), width)
	return b.chips.width(b.lines[p.Row].text[from:p.Col])
}

// offsetAt returns the position in a row that is nearest to a column.
func (b *buffer) offsetAt(p wrappedRow, column, width int) vim.Pos {
	from, to := b.bounds(p, width)
	text := b.lines[p.line].text
	last := to < len(text) // then the end of the row is the start of the next
	x := 0
	for i := from; i < to; {
		n, w := b.chips.part(text, i, width)
		if x+w > column || last && i+n >= to {
			return pos(p.line, i)
		}
		i, x = i+n, x+w
	}
	return pos(p.line, to)
}

// vertical moves the cursor by rows and returns false if it cannot.
func (b *buffer) vertical(n, width int) bool {
	goal := b.goal
	if goal < 0 {
		goal = b.column(b.cur, width)
	}
	to, moved := b.step(b.rowOf(b.cur, width), n, width)
	if moved == 0 {
		return false
	}
	b.cur = b.offsetAt(to, goal, width)
	b.goal = goal
	return true
}
