package diffview

import (
	"sort"

	"parley/internal/termtext"
)

// Source is a line of one of the texts, and the lines of a layout that show it.
type Source struct {
	// Text is the line as in the file, without its end.
	Text string
	// From (inclusive) and To (exclusive) are the lines of the layout that show it.
	From, To int
	// Lead is the number of cells before the text: numbers, the sign, and, side by
	// side, the old text.
	Lead int
}

// Sources returns the lines of the texts that the lines from (inclusive) to (exclusive)
// of the layout show, each whole. It skips lines that show none, such as notes. Side by
// side, it prefers the new text.
func (l *Layout) Sources(from, to int) []Source {
	from, to = max(from, 0), min(to, l.Len())
	d := l.diff
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Source
	first := sort.Search(len(l.rows), func(i int) bool { return l.starts[i+1] > from })
	for i := first; i < len(l.rows) && l.starts[i] < to; i++ {
		r := l.rows[i]
		s := Source{From: l.starts[i], To: l.starts[i+1]}
		switch r.kind {
		case gapRow, noteRow:
			continue
		case removedRow:
			s.Text, s.Lead = d.raw(oldSide, r.old), l.unified.lead()
		default:
			if r.new == none {
				s.Text, s.Lead = d.raw(oldSide, r.old), l.left.lead()
				break
			}
			s.Text, s.Lead = d.raw(newSide, r.new), l.unified.lead()
			if l.mode == Split {
				s.Lead = l.left.width + 1 + l.right.lead()
			}
		}
		out = append(out, s)
	}
	return out
}

// LinesAt returns which lines of the texts, from 0, a line of the layout shows; -1 for
// none.
func (l *Layout) LinesAt(line int) (old, new int) {
	i := sort.Search(len(l.rows), func(i int) bool { return l.starts[i+1] > line })
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

// FirstChange returns the first line that shows a changed line, 0 if none does.
func (l *Layout) FirstChange() int {
	for i, r := range l.rows {
		if r.kind != contextRow && r.kind != gapRow && r.kind != noteRow {
			return l.starts[i]
		}
	}
	return 0
}

// Ranges returns, for each edit in order, the lines of the layout that show it, or a
// line near them if lines differ only in their ends.
func (l *Layout) Ranges(edits []termtext.LineEdit) []LineRange {
	spans := make([]LineRange, 0, len(edits))
	i, near := 0, 0
	for _, e := range edits {
		for ; i < len(l.rows) && l.rows[i].before(e); i++ {
			if l.rows[i].kind != gapRow && l.rows[i].kind != noteRow {
				near = l.starts[i]
			}
		}
		s := LineRange{near, near + 1}
		for first := i; i < len(l.rows) && l.rows[i].within(e); i++ {
			s = LineRange{l.starts[first], l.starts[i+1]}
		}
		spans = append(spans, s)
	}
	return spans
}

// LineRange is a range of a layout's lines; To is exclusive.
type LineRange struct{ From, To int }

// position returns the position of a row: its line in the old text or, with byNew, in the
// new one. Rows for added lines may have the old line that they are compared with.
func (r row) position() (at int, byNew bool) {
	if r.kind == addedRow || r.old == none {
		return int(r.new), true
	}
	return int(r.old), false
}

// before reports whether a row precedes the lines of an edit.
func (r row) before(e termtext.LineEdit) bool {
	if r.kind == gapRow || r.kind == noteRow {
		return true
	}
	at, byNew := r.position()
	if byNew {
		return at < e.NewStart
	}
	return at < e.OldStart
}

// within reports whether a row shows lines of an edit.
func (r row) within(e termtext.LineEdit) bool {
	if r.kind == gapRow || r.kind == noteRow {
		return false
	}
	at, byNew := r.position()
	if byNew {
		return at >= e.NewStart && at < e.NewEnd
	}
	return at >= e.OldStart && at < e.OldEnd
}

// lead returns the number of cells before a column's text.
func (c column) lead() int { return c.width - c.text() }
