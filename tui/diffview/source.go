package diffview

import "sort"

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

// lead is how many cells stand left of a column's text.
func (c column) lead() int { return c.width - c.text() }
