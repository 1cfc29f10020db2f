package diffview

import (
	"sort"

	"parley/internal/linediff"
)

// Source is a line of one of the texts, and the lines of a layout that show it.
type Source struct {
	// Text is the line as it stands in the file, without its end.
	Text string
	// From and To are the lines of the layout that show it: To is the first one
	// behind them.
	From, To int
	// Lead is how many cells stand left of the text: numbers, the sign, and, side
	// by side, the old text.
	Lead int
}

// Sources returns the lines of the texts that the lines from (inclusive) to
// (exclusive) of the layout show, each whole. Lines of the layout that show none,
// such as notes, are left out. Side by side, the new text counts where there is
// one.
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

// Place says which lines of the texts, from 0, a line of the layout shows; -1 is
// none.
func (l *Layout) Place(line int) (old, new int) {
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

// Spans returns, for each of the edits that made the new text of the old one, the
// lines of the layout that show it. Where none does, because lines differ in their
// ends alone, it is a line near them. The edits are in order.
func (l *Layout) Spans(edits []linediff.Edit) []Span {
	spans := make([]Span, 0, len(edits))
	i, near := 0, 0
	for _, e := range edits {
		for ; i < len(l.rows) && l.rows[i].before(e); i++ {
			if l.rows[i].kind != gapRow && l.rows[i].kind != noteRow {
				near = l.starts[i]
			}
		}
		s := Span{near, near + 1}
		for first := i; i < len(l.rows) && l.rows[i].within(e); i++ {
			s = Span{l.starts[first], l.starts[i+1]}
		}
		spans = append(spans, s)
	}
	return spans
}

// Span is lines of a layout: To is the first one behind them.
type Span struct{ From, To int }

// place is where a row stands: by its line of the old text, or else, byNew, of the
// new one. Rows for added lines may name the old line that they are compared with.
func (r row) place() (at int, byNew bool) {
	if r.kind == addedRow || r.old == none {
		return int(r.new), true
	}
	return int(r.old), false
}

// before reports whether a row stands before the lines of an edit.
func (r row) before(e linediff.Edit) bool {
	if r.kind == gapRow || r.kind == noteRow {
		return true
	}
	at, byNew := r.place()
	if byNew {
		return at < e.NewStart
	}
	return at < e.OldStart
}

// within reports whether a row shows lines of an edit.
func (r row) within(e linediff.Edit) bool {
	if r.kind == gapRow || r.kind == noteRow {
		return false
	}
	at, byNew := r.place()
	if byNew {
		return at >= e.NewStart && at < e.NewEnd
	}
	return at >= e.OldStart && at < e.OldEnd
}

// lead is how many cells stand left of a column's text.
func (c column) lead() int { return c.width - c.text() }
