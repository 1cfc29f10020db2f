package diffview

import (
	"sort"
	"strconv"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Mode is how the two texts are put on the screen.
type Mode uint8

const (
	// Auto is Split where there is room and both texts have lines, else Unified.
	Auto Mode = iota
	// Unified has removed and added lines below each other.
	Unified
	// Split has the old text on the left and the new one on the right, if there
	// is room for both; else it is Unified.
	Split
)

// SplitWidth is the least width, in cells, at which the texts are put beside each
// other, even if that is asked for.
const SplitWidth = 120

// minTextWidth is the least width of the text for which line numbers are drawn.
const minTextWidth = 16

// Layout is a diff put into lines of a width. It is immutable and safe for
// concurrent use.
type Layout struct {
	diff   *Diff
	mode   Mode
	width  int
	method termtext.Method
	rows   []row
	// starts holds the first screen line of each row, and the number of lines.
	starts []int
	// unified is the only column of a unified layout; left and right those of
	// a split one.
	unified, left, right column
}

// column is where the lines of one view of the text are drawn.
type column struct {
	width                int
	oldDigits, newDigits int // widths of line numbers, 0 if they are not drawn
	sign                 int // width of the sign and its space, 0 if it is not drawn
}

// text is the width left for text: at least 1.
func (c column) text() int {
	w := c.width - c.sign
	for _, digits := range []int{c.oldDigits, c.newDigits} {
		if digits > 0 {
			w -= digits + 1
		}
	}
	return max(w, 1)
}

// newColumn makes a column. Line numbers and signs are left out where they would
// leave too little room for the text.
func newColumn(width, oldDigits, newDigits int) column {
	c := column{width: width, oldDigits: oldDigits, newDigits: newDigits, sign: 2}
	if c.text() < minTextWidth {
		c.oldDigits, c.newDigits = 0, 0
	}
	if c.text() < tabWidth {
		c.sign = 0
	}
	return c
}

// Layout puts the diff into lines of at most width cells. The first call
// compares the texts; a call with a new width, or another way to measure text in
// use (see cells.Use), measures every line once; a repeated call costs nothing.
func (d *Diff) Layout(width int, mode Mode) *Layout {
	d.compare()
	width = max(width, 1)
	switch {
	case width < SplitWidth:
		mode = Unified
	case mode == Auto && len(d.old) > 0 && len(d.new) > 0:
		mode = Split
	case mode == Auto:
		mode = Unified
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	last, method := d.layouts[mode], termtext.CurrentMethod()
	if last != nil && last.width == width && last.method == method {
		return last
	}
	d.measureBy(method)
	l := &Layout{diff: d, mode: mode, width: width, method: method}
	if last != nil {
		l.rows = last.rows
	} else {
		l.rows = d.rows(mode)
	}
	oldDigits, newDigits := digits(len(d.old), d.first), digits(len(d.new), d.first)
	half := (width - 1) / 2
	l.unified = newColumn(width, oldDigits, newDigits)
	l.left, l.right = newColumn(half, oldDigits, 0), newColumn(width-1-half, 0, newDigits)
	l.starts = make([]int, len(l.rows)+1)
	for i, r := range l.rows {
		l.starts[i+1] = l.starts[i] + l.height(r)
	}
	if d.layouts == nil {
		d.layouts = make(map[Mode]*Layout)
	}
	d.layouts[mode] = l
	return l
}

// measureBy says how texts are measured from now on. What is kept of them
// depends on it, since tabs reach to columns. d.mu is held.
func (d *Diff) measureBy(m termtext.Method) {
	if d.method != m {
		d.method, d.clips, d.words, d.syntax = m, nil, nil, syntax{}
	}
}

// digits is the width of the numbers of a text's lines, 0 if there are none.
func digits(lines, first int) int {
	if lines == 0 || first == 0 {
		return 0
	}
	return len(strconv.Itoa(first + lines - 1))
}

// height is how many screen lines a row takes. diff.mu is held.
func (l *Layout) height(r row) int {
	d := l.diff
	switch r.kind {
	case removedRow:
		return d.textHeight(oldSide, r.old, r.new, l.unified.text())
	case addedRow:
		return d.textHeight(newSide, r.new, r.old, l.unified.text())
	case changedRow:
		return max(
			d.textHeight(oldSide, r.old, r.new, l.left.text()),
			d.textHeight(newSide, r.new, r.old, l.right.text()))
	case contextRow:
		if l.mode == Split {
			return max(
				d.textHeight(oldSide, r.old, none, l.left.text()),
				d.textHeight(newSide, r.new, none, l.right.text()))
		}
		return d.textHeight(newSide, r.new, none, l.unified.text())
	case noteRow:
		return len(d.wrap(d.note(r.old), l.width))
	}
	return 1
}

// textHeight is how many screen lines a line of one of the texts takes. d.mu is
// held.
func (d *Diff) textHeight(s side, line, pair int32, width int) int {
	if line == none {
		return 0
	}
	// Most lines are short: they are not made printable only to be measured.
	if raw := d.raw(s, line); tabWidth*len(raw) <= width && isASCII(raw) {
		return 1
	}
	return len(d.wrap(d.text(s, line, pair), width))
}

// Len is the number of lines. There is always one at least.
func (l *Layout) Len() int { return l.starts[len(l.rows)] }

// Lines draws the lines from (inclusive) to (exclusive), as far as they are
// there. It costs what it draws, whatever the diff's length. No line is wider
// than the layout, and none holds escape sequences other than colours.
func (l *Layout) Lines(from, to int, th *theme.Theme) []string {
	from, to = max(from, 0), min(to, l.Len())
	if from >= to {
		return nil
	}
	d := l.diff
	d.mu.Lock()
	defer d.mu.Unlock()
	d.measureBy(l.method)
	if d.inkOf != th {
		d.inkOf, d.ink = th, newInk(th)
	}
	lines := make([]string, 0, to-from)
	first := sort.Search(len(l.rows), func(i int) bool { return l.starts[i+1] > from })
	for i := first; i < len(l.rows) && l.starts[i] < to; i++ {
		start, end := l.starts[i], l.starts[i+1]
		lines = append(lines, l.draw(l.rows[i], max(from, start)-start, min(to, end)-start, &d.ink)...)
	}
	return lines
}

// Head draws the first lines, at most max, for a collapsed view, and returns
// how many more there are.
func (l *Layout) Head(max int, th *theme.Theme) (lines []string, more int) {
	lines = l.Lines(0, max, th)
	return lines, l.Len() - len(lines)
}
