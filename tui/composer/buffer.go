package composer

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/prompt"
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
}

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

// blankFrom reports whether the lines from a row on hold blanks at most.
func (b *buffer) blankFrom(row int) bool {
	return !slices.ContainsFunc(b.lines[row:], func(l line) bool { return !isSpace(l.text) })
}

func (b *buffer) last() vim.Pos {
	row := len(b.lines) - 1
	return pos(row, len(b.lines[row].text))
}

// raw returns the text with its chip characters.
func (b *buffer) raw() string { return b.Slice(pos(0, 0), b.last()) }

func (b *buffer) Slice(from, to vim.Pos) string {
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
	b.undo = append(b.undo, edit{at: from, removed: b.Slice(from, to), inserted: text, cursor: b.cur, step: b.current})
	b.splice(from, to, text)
}

// splice changes only the lines.
func (b *buffer) splice(from, to vim.Pos, text string) {
	b.changes++
	b.goal = -1
	b.selecting = false
	head, tail := b.lines[from.Row].text[:from.Col], b.lines[to.Row].text[to.Col:]
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

// left and right return the positions beside p, across line ends.
func (b *buffer) left(p vim.Pos) vim.Pos {
	if p.Col > 0 {
		return pos(p.Row, b.chips.previous(b.lines[p.Row].text, p.Col))
	}
	if p.Row > 0 {
		return pos(p.Row-1, len(b.lines[p.Row-1].text))
	}
	return p
}

func (b *buffer) right(p vim.Pos) vim.Pos {
	if s := b.lines[p.Row].text; p.Col < len(s) {
		n, _ := b.chips.next(s, p.Col)
		return pos(p.Row, p.Col+n)
	}
	if p.Row+1 < len(b.lines) {
		return pos(p.Row+1, 0)
	}
	return p
}

// inWord reports whether the unit at an offset of a line belongs to a word of letters
// and digits. A chip is a word.
func inWord(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || prompt.IsChip(r)
}

// wordLeft and wordRight are readline's word motions.
func (b *buffer) wordLeft(p vim.Pos) vim.Pos {
	return b.back(p, func(s string, i int) bool { return inWord(s, i) })
}

func (b *buffer) wordRight(p vim.Pos) vim.Pos {
	for seen := false; ; {
		q := b.right(p)
		in := q != p && q.Row == p.Row && inWord(b.lines[p.Row].text, p.Col)
		if q == p || seen && !in {
			return p
		}
		seen = seen || in
		p = q
	}
}

// spaceLeft returns the beginning of the word before p, where only spaces end words.
func (b *buffer) spaceLeft(p vim.Pos) vim.Pos {
	return b.back(p, func(s string, i int) bool { return i < len(s) && !isSpace(s[i:i+1]) })
}

func (b *buffer) back(p vim.Pos, in func(s string, i int) bool) vim.Pos {
	for seen := false; ; {
		q := b.left(p)
		hit := q != p && in(b.lines[q.Row].text, q.Col)
		if q == p || seen && !hit {
			return p
		}
		seen = seen || hit
		p = q
	}
}

func (b *buffer) lineStart() vim.Pos { return pos(b.cur.Row, 0) }
func (b *buffer) lineEnd() vim.Pos   { return pos(b.cur.Row, len(b.lines[b.cur.Row].text)) }

// Move moves the cursor.
func (b *buffer) Move(p vim.Pos) { b.cur, b.goal = b.snapped(p), -1 }

// cut deletes and returns the text between the cursor and p.
func (b *buffer) cut(p vim.Pos) string {
	from, to := b.cur, p
	if to.Before(from) {
		from, to = to, from
	}
	text := b.Slice(from, to)
	b.Replace(from, to, "")
	return text
}

// swap exchanges the units around the cursor, as readline's transpose-chars.
func (b *buffer) swap() {
	mid := b.cur
	if mid == b.lineEnd() {
		mid = b.left(mid)
	}
	if mid.Col == 0 || mid.Row != b.cur.Row {
		return
	}
	from, to := b.left(mid), b.right(mid)
	b.Replace(from, to, b.Slice(mid, to)+b.Slice(from, mid))
}

// edit is one change of the text, with what is needed to undo and redo it.
type edit struct {
	at                vim.Pos
	removed, inserted string
	cursor            vim.Pos // before the edit
	typed             bool
	// step is the undo step that it belongs to. A step is undone at once: a typed word,
	// a paste, a vim command.
	step int
}

// undoDepth bounds the edits that can be undone.
const undoDepth = 1000

// Begin and End enclose the edits of one step. They do not nest.
func (b *buffer) Begin() {
	b.next()
	b.grouped = true
}

// next begins another step, and drops the oldest if there are too many.
func (b *buffer) next() {
	b.current++
	if len(b.undo) < undoDepth {
		return
	}
	n := undoDepth / 4
	for n < len(b.undo) && b.undo[n].step == b.undo[n-1].step {
		n++ // a step is dropped as a whole
	}
	b.undo = slices.Delete(b.undo, 0, n)
}

func (b *buffer) End() { b.grouped = false }

// typeText inserts typed text, or replaces the selection by it. A word is one undo
// step.
func (b *buffer) typeText(text string) {
	if text == "" {
		return
	}
	if n := len(b.undo); n > 0 && len(b.redo) == 0 && !b.selecting {
		e := &b.undo[n-1]
		ends := pos(e.at.Row, e.at.Col+len(e.inserted))
		if e.typed && ends == b.cur && e.step == b.current && (b.grouped || isSpace(text) || !isSpace(e.inserted[len(e.inserted)-1:])) {
			e.inserted += text
			b.splice(b.cur, b.cur, text)
			return
		}
	}
	b.insert(text)
	b.undo[len(b.undo)-1].typed = true
}

func isSpace(s string) bool { return strings.TrimSpace(s) == "" }

// Undo undoes the last step, and returns the earlier position of the cursor; false
// if there is none.
func (b *buffer) Undo() (vim.Pos, bool) {
	n := len(b.undo)
	if n == 0 {
		return pos(0, 0), false
	}
	for step := b.undo[n-1].step; n > 0 && b.undo[n-1].step == step; n-- {
		e := b.undo[n-1]
		e.typed = false
		b.redo = append(b.redo, e)
		b.splice(e.at, after(e.at, e.inserted), e.removed)
		b.cur = e.cursor
	}
	b.undo = b.undo[:n]
	b.current++ // the next edit belongs to another step
	return b.cur, true
}

// Redo redoes the last undone step, and returns the position of the cursor before
// that step.
func (b *buffer) Redo() (vim.Pos, bool) {
	n := len(b.redo)
	if n == 0 {
		return pos(0, 0), false
	}
	before := b.redo[n-1].cursor
	for step := b.redo[n-1].step; n > 0 && b.redo[n-1].step == step; n-- {
		e := b.redo[n-1]
		b.undo = append(b.undo, e)
		b.splice(e.at, after(e.at, e.removed), e.inserted)
	}
	b.redo = b.redo[:n]
	b.current++
	return before, true
}

// rows returns where the rows of a line begin when it is wrapped to width columns:
// between words if possible, inside a unit only if it is wider than a row. Spaces that
// do not fit hang over the edge, as in every editor.
func (b *buffer) rows(row, width int) []int {
	l, layout := &b.lines[row], termtext.NewLayout(width)
	if l.starts == nil || l.wrapped != layout {
		l.starts, l.wrapped = b.chips.wrap(l.text, width), layout
	}
	return l.starts
}

// wrap returns the starts of all rows.
func (c *chips) wrap(s string, width int) []int {
	starts := []int{0}
	x, at := 0, 0         // columns of the row so far, and where it begins
	split, splitX := 0, 0 // the last possible break in the row
	for i := 0; i < len(s); {
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
			split, splitX = at, 0
		}
		i, x = i+n, x+w
		if c.breakable(s[i-n:i], w) { // wide characters need no spaces between words
			split, splitX = i, x
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
