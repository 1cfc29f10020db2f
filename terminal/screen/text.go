package screen

import (
	"bytes"
	"unicode/utf8"
)

// PlainText is what a person would have read of an output, as text for a model:
// valid UTF-8 without control sequences, lines ended by \n, tabs kept, lines
// that were only wrapped for want of columns joined again, progress bars in
// their last state. It is never longer than limit bytes; cut says that its
// start was dropped to keep to that.
func PlainText(raw []byte, cols, rows, limit int) (text string, cut bool) {
	var out []byte
	s := New(cols, rows, 0)
	emit := func(r *row) {
		out = appendPlain(out, r.cells)
		if !r.wrapped {
			out = append(out, '\n')
		}
		// Text can be longer than the output it comes from, by cursor
		// movements: never let it grow without bound.
		if len(out) > 2*limit+chunkSize {
			out = out[:copy(out, lastBytes(out, limit))]
			cut = true
		}
	}
	s.evict = emit
	s.Write(raw)
	if s.under != nil {
		for i := range inkRows(s.under) {
			emit(&s.under[i])
		}
	}
	// If the last line was ended, the cursor stands in the line below it.
	for i := range max(inkRows(s.grid), s.y+1) {
		emit(&s.grid[i])
	}
	out = bytes.TrimSuffix(out, []byte{'\n'})
	if len(out) > limit {
		out, cut = lastBytes(out, limit), true
	}
	return string(out), cut
}

// lastBytes cuts p to its last n bytes or somewhat less: at the beginning of a
// character.
func lastBytes(p []byte, n int) []byte {
	p = p[max(len(p)-n, 0):]
	for len(p) > 0 && !utf8.RuneStart(p[0]) {
		p = p[1:]
	}
	return p
}
