package diffview

import (
	"sort"
	"strconv"
	"strings"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// SplitWidth is the minimum width, in cells, of a split layout.
const SplitWidth = 120

// minTextWidth is the minimum width of the text for which line numbers are drawn.
const minTextWidth = 16

// Layout is a diff laid out in lines of a width. It is immutable and safe for
// concurrent use.
type Layout struct {
	diff   *Diff
	split  bool // the old text on the left and the new one on the right, not below each other
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
// measures every line once; a repeated call costs nothing. If split is set and there is room, the
// old text is left of the new one; else removed and added lines are below each other.
func (d *Diff) Layout(width int, split bool) *Layout {
	d.compare()
	width = max(width, 1)
	split = split && d.splits(width)
	d.mu.Lock()
	defer d.mu.Unlock()
	last, method := d.layouts[split], termtext.CurrentMethod()
	if last != nil && last.width == width && last.method == method {
		return last
	}
	d.measureBy(method)
	l := &Layout{diff: d, split: split, width: width, method: method}
	if last != nil {
		l.rows = last.rows
	} else {
		l.rows = d.rows(split)
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
		d.layouts = make(map[bool]*Layout)
	}
	d.layouts[split] = l
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
		if l.split {
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

// rowAt returns the index of the row that shows a line of the layout, or len(l.rows).
func (l *Layout) rowAt(line int) int {
	return sort.Search(len(l.rows), func(i int) bool { return l.starts[i+1] > line })
}

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
	for i := l.rowAt(from); i < len(l.rows) && l.starts[i] < to; i++ {
		start, end := l.starts[i], l.starts[i+1]
		lines = append(lines, l.draw(l.rows[i], max(from, start)-start, min(to, end)-start, &d.ink)...)
	}
	return lines
}

// Preference is how the user wants to see diffs in a session. The zero value means side
// by side wherever there is room. All views of the session share one; it is not safe
// for concurrent use.
type Preference struct {
	// Unified means that it is not side by side.
	Unified bool
}

// Toggle switches between side by side and unified. It returns false if width is too
// small for the two to differ.
func (p *Preference) Toggle(width int) bool {
	if width < SplitWidth {
		return false
	}
	p.Unified = !p.Unified
	return true
}

// SideBySide reports whether a diff is drawn side by side in a width. A nil preference
// is the zero one.
func (p *Preference) SideBySide(d *Diff, width int) bool {
	return (p == nil || !p.Unified) && d.splits(width)
}

// splits reports whether there is room for both texts side by side, and something in both.
func (d *Diff) splits(width int) bool { return width >= SplitWidth && d.Change() == Changed }

// Layout lays a diff out as the user wants to see it.
func (p *Preference) Layout(d *Diff, width int) *Layout {
	return d.Layout(width, p == nil || !p.Unified)
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

// DefaultContext is the default number of unchanged lines around a change.
const DefaultContext = 3

// none means that there is no line.
const none int32 = -1

// row is one logical line of the view, which takes one or more lines of the screen. The
// rows of a diff are computed once per mode.
type row struct {
	kind rowKind
	// The lines that it shows, from 0, or none. In the unified view a removed or added
	// row has both if the lines are a pair, whose words are compared.
	old, new int32
}

type rowKind uint8

const (
	contextRow rowKind = iota
	removedRow
	addedRow
	changedRow // side by side: removed on the left, added on the right
	gapRow     // replaces hidden unchanged lines; old is their number
	noteRow    // a note about the change; old is one of the notes below
)

// The notes that a noteRow can show.
const (
	sameNote int32 = iota
	emptyNote
	coarseNote
	newlineNote
	endingsNote
)

// note returns the words of a note.
func (d *Diff) note(which int32) string {
	switch which {
	case emptyNote:
		return "empty file"
	case coarseNote:
		return "large change, compared coarsely"
	case newlineNote:
		return d.finalNewline
	case endingsNote:
		return d.endings
	}
	return "no changes"
}

// rows returns the rows of the view. d.mu must be held.
func (d *Diff) rows(split bool) []row {
	var rows []row
	if d.coarse {
		rows = append(rows, row{kind: noteRow, old: coarseNote})
	}
	if d.endings != "" {
		rows = append(rows, row{kind: noteRow, old: endingsNote})
	}
	oldAt, newAt := 0, 0 // the first lines without a row
	for i, e := range d.edits {
		// Unchanged lines before the edit. Those after the previous edit already have
		// rows.
		from := max(oldAt, e.OldStart-d.context)
		if from == oldAt+1 && i > 0 {
			from = oldAt // a gapRow for one line would save nothing
		}
		if from > oldAt && i > 0 {
			rows = append(rows, row{kind: gapRow, old: int32(from - oldAt)})
		}
		newAt = e.NewStart - (e.OldStart - from)
		rows = appendContext(rows, from, newAt, e.OldStart-from)
		rows = appendEdit(rows, e, split)
		oldAt, newAt = e.OldEnd, e.NewEnd
		next := len(d.old)
		if i+1 < len(d.edits) {
			next = d.edits[i+1].OldStart
		}
		n := min(d.context, next-oldAt)
		rows = appendContext(rows, oldAt, newAt, n)
		oldAt += n
	}
	if d.finalNewline != "" {
		rows = append(rows, row{kind: noteRow, old: newlineNote})
	}
	if len(rows) == 0 {
		which := sameNote
		if d.oldText == "" && d.newText == "" {
			which = emptyNote
		}
		rows = append(rows, row{kind: noteRow, old: which})
	}
	return rows
}

// appendContext appends rows for n unchanged lines.
func appendContext(rows []row, old, new, n int) []row {
	for i := range n {
		rows = append(rows, row{kind: contextRow, old: int32(old + i), new: int32(new + i)})
	}
	return rows
}

// appendEdit appends the rows of an edit. It pairs its first removed line with its
// first added one, the second with the second, and so on.
func appendEdit(rows []row, e termtext.LineEdit, split bool) []row {
	removed, added := e.OldEnd-e.OldStart, e.NewEnd-e.NewStart
	at := func(start, i, n int) int32 {
		if i < n {
			return int32(start + i)
		}
		return none
	}
	if split {
		for i := range max(removed, added) {
			rows = append(rows, row{kind: changedRow, old: at(e.OldStart, i, removed), new: at(e.NewStart, i, added)})
		}
		return rows
	}
	for i := range removed {
		rows = append(rows, row{kind: removedRow, old: int32(e.OldStart + i), new: at(e.NewStart, i, added)})
	}
	for i := range added {
		rows = append(rows, row{kind: addedRow, old: at(e.OldStart, i, removed), new: int32(e.NewStart + i)})
	}
	return rows
}

// Rows says what the lines from (inclusive) to (exclusive) of the layout show. Side by side,
// that is the new text where a line has both.
func (l *Layout) Rows(from, to int) []termtext.Row {
	from, to = max(from, 0), min(to, l.Len())
	d := l.diff
	d.mu.Lock()
	defer d.mu.Unlock()
	d.measureBy(l.method)
	var out []termtext.Row
	for i := l.rowAt(from); i < len(l.rows) && l.starts[i] < to; i++ {
		r, start := l.rows[i], l.starts[i]
		for n := max(from, start); n < min(to, l.starts[i+1]); n++ {
			out = append(out, l.row(r, n-start))
		}
	}
	return out
}

// row says what a line of a row shows. diff.mu must be held.
func (l *Layout) row(r row, n int) termtext.Row {
	d := l.diff
	if !r.shows() {
		return termtext.Row{Soft: n > 0}
	}
	s, line, pair, c, before := newSide, r.new, r.old, l.unified, 0
	switch {
	case r.kind == removedRow || r.new == none:
		s, line, pair = oldSide, r.old, r.new
		if l.split {
			c = l.left
		}
	case l.split:
		c, before = l.right, l.left.width+1
	}
	if r.kind == contextRow {
		pair = none
	}
	row := termtext.Row{Lead: before + c.width - c.text(), End: before + c.width, Soft: n > 0}
	text := d.text(s, line, pair)
	ends := append([]int{0}, d.wrap(text, c.text())...)
	if n+1 >= len(ends) { // only the other column has this line
		row.Lead = row.End
	} else if shown := text[ends[n]:ends[n+1]]; strings.IndexByte(shown, tabHead) >= 0 {
		row.Text = sentTabs.Replace(shown)
	}
	return row
}

// LinesAt returns which lines of the texts, from 0, a line of the layout shows; -1 for
// none.
func (l *Layout) LinesAt(line int) (old, new int) {
	i := l.rowAt(line)
	if i == len(l.rows) || line < 0 {
		return int(none), int(none)
	}
	switch r := l.rows[i]; r.kind {
	case gapRow, noteRow:
		return int(none), int(none)
	case removedRow:
		return int(r.old), int(none)
	case addedRow:
		return int(none), int(r.new)
	default:
		return int(r.old), int(r.new)
	}
}

// Ranges returns, for each edit in order, the lines of the layout that show it, or a
// line near them if lines differ only in their ends.
func (l *Layout) Ranges(edits []termtext.LineEdit) []LineRange {
	spans := make([]LineRange, 0, len(edits))
	i, near := 0, 0
	for _, e := range edits {
		for ; i < len(l.rows) && l.rows[i].compare(e) < 0; i++ {
			if l.rows[i].shows() {
				near = l.starts[i]
			}
		}
		s := LineRange{near, near + 1}
		for first := i; i < len(l.rows) && l.rows[i].compare(e) == 0; i++ {
			s = LineRange{l.starts[first], l.starts[i+1]}
		}
		spans = append(spans, s)
	}
	return spans
}

// LineRange is a range of a layout's lines; To is exclusive.
type LineRange struct{ From, To int }

// shows reports whether a row shows lines of the texts.
func (r row) shows() bool { return r.kind != gapRow && r.kind != noteRow }

// compare returns 0 if a row shows lines of an edit, -1 if it precedes them, and 1 if it
// follows them. A row without lines precedes any edit.
func (r row) compare(e termtext.LineEdit) int {
	at, start, end := int(r.old), e.OldStart, e.OldEnd
	if r.kind == addedRow || r.old == none { // its old line is the one that it is compared with
		at, start, end = int(r.new), e.NewStart, e.NewEnd
	}
	switch {
	case !r.shows() || at < start:
		return -1
	case at < end:
		return 0
	}
	return 1
}
