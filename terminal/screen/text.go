package screen

import (
	"bytes"
	"unicode/utf8"
)

// PlainText returns what a user would have read of an output, as text for a model:
// valid UTF-8 without control sequences, lines ended by \n, tabs kept, wrapped lines
// joined again, progress bars in their last state. It is at most limit bytes long; cut
// reports whether its start was dropped for that.
func PlainText(raw []byte, cols, rows, limit int) (text string, cut bool) {
	var out []byte
	s := New(cols, rows, 0)
	emit := func(r *row) {
		for i := range r.cells {
			if c := &r.cells[i]; c.width > 0 {
				out = append(utf8.AppendRune(out, c.char), c.tail...)
			}
		}
		if !r.wrapped {
			out = append(out, '\n')
		}
		// Cursor movements can make the text longer than the output: never let it grow
		// without bound.
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
	// If the last line was ended, the cursor is in the line below it.
	for i := range max(inkRows(s.grid), s.y+1) {
		emit(&s.grid[i])
	}
	out = bytes.TrimSuffix(out, []byte{'\n'})
	if len(out) > limit {
		out, cut = lastBytes(out, limit), true
	}
	return string(out), cut
}

// lastBytes cuts p to at most its last n bytes, at the beginning of a character.
func lastBytes(p []byte, n int) []byte {
	p = p[max(len(p)-n, 0):]
	for len(p) > 0 && !utf8.RuneStart(p[0]) {
		p = p[1:]
	}
	return p
}
