package diffview

import (
	"sort"
	"strconv"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Mode is the arrangement of the two texts.
type Mode uint8

const (
	// Auto is Split where there is room and both texts have lines, else Unified.
	Auto Mode = iota
	// Unified shows removed and added lines below each other.
	Unified
	// Split shows the old text on the left and the new one on the right if there is
	// room for both, else it is Unified.
	Split
)

// SplitWidth is the minimum width, in cells, of a split layout.
const SplitWidth = 120

// minTextWidth is the minimum width of the text for which line numbers are drawn.
const minTextWidth = 16

// Layout is a diff laid out in lines of a width. It is immutable and safe for
// concurrent use.
type Layout struct {
	diff   *Diff
	mode   Mode
	width  int
	method termtext.Method
	rows   []row
	// starts holds the first screen line of each row, and the number of lines.
	starts []int
	// unified is the only column of a unified layout; left and right those of a split
	// one.
	unified, left, right column
}

// column is where the lines of one view of the text are drawn.
type column struct {
	width                int
	oldDigits, newDigits int // widths of line numbers, 0 if they are not drawn
	sign                 int // width of the sign and its space, 0 if it is not drawn
}

// text returns the width left for text, at least 1.
func (c column) text() int {
	w := c.width - c.sign
	for _, digits := range []int{c.oldDigits, c.newDigits} {
		if digits > 0 {
			w -= digits + 1
		}
	}
	return max(w, 1)
}

// newColumn returns a column. It omits line numbers and signs where they would leave
// too little room for the text.
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

// Layout lays the diff out in lines of at most width cells. The first call compares the
// texts; a call with a new width, or after a change of method (see termtext.UseMethod),
// measures every line once; a repeated call costs nothing.
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

// measureBy sets the method for measuring texts and drops what depends on it, such as
// expanded tabs. d.mu must be held.
func (d *Diff) measureBy(m termtext.Method) {
	if d.method != m {
		d.method, d.clips, d.words, d.syntax = m, nil, nil, syntax{}
	}
}

// digits returns the width of a text's line numbers, 0 if there are none.
func digits(lines, first int) int {
	if lines == 0 || first == 0 {
		return 0
	}
	return len(strconv.Itoa(first + lines - 1))
}

// height returns how many screen lines a row takes. diff.mu must be held.
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

// textHeight returns how many screen lines a line of one of the texts takes. d.mu must
// be held.
func (d *Diff) textHeight(s side, line, pair int32, width int) int {
	if line == none {
		return 0
	}
	// Most lines are short enough not to need the conversion.
	if raw := d.raw(s, line); tabWidth*len(raw) <= width && isASCII(raw) {
		return 1
	}
	return len(d.wrap(d.text(s, line, pair), width))
}

// Len returns the number of lines, at least one.
func (l *Layout) Len() int { return l.starts[len(l.rows)] }

// Lines draws the existing lines from (inclusive) to (exclusive). Its cost does not
// depend on the diff's length. No line is wider than the layout, and none contains
// escape sequences other than colours.
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

// Head draws at most max lines from the top, for a collapsed view, and returns how many
// more there are.
func (l *Layout) Head(max int, th *theme.Theme) (lines []string, more int) {
	lines = l.Lines(0, max, th)
	return lines, l.Len() - len(lines)
}

// Preference is how the user wants to see diffs in a session. The zero value means side
// by side wherever there is room. All views of the session share one; it is not safe
// for concurrent use.
type Preference struct {
	// Mode is the mode for diffs that are shown whole.
	Mode Mode
}

// Toggle switches between side by side and unified. It returns false if width is too
// small for the two to differ.
func (p *Preference) Toggle(width int) bool {
	if width < SplitWidth {
		return false
	}
	if p.Mode == Unified {
		p.Mode = Auto
	} else {
		p.Mode = Unified
	}
	return true
}

// SideBySide reports whether a diff is drawn side by side in a width. A nil preference
// is the zero one.
func (p *Preference) SideBySide(d *Diff, width int) bool {
	return width >= SplitWidth && (p == nil || p.Mode != Unified) && d.Change() == Changed
}

// Layout lays a diff out as the user wants to see it.
func (p *Preference) Layout(d *Diff, width int) *Layout {
	if p.SideBySide(d, width) {
		return d.Layout(width, Split)
	}
	return d.Layout(width, Unified)
}

// MoreContext returns the next step of context: more lines, then the whole file, then
// the default again.
func MoreContext(lines int) int {
	switch {
	case lines <= DefaultContext:
		return moreLines
	case lines < Whole:
		return Whole
	}
	return DefaultContext
}

// moreLines is the first step of more context.
const moreLines = 12
