package screen

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Retained keeps the newest bytes of an output, up to its limit. It drops bytes from
// the start, and what is left begins neither inside a UTF-8 sequence nor inside an
// escape sequence. It is not safe for concurrent use.
type Retained struct {
	limit     int
	kept      []byte
	truncated bool         // something was dropped
	parser    *ansi.Parser // follows what is dropped
	dropping  bool         // the last drop still needs a boundary to end at
}

// NewRetained returns an empty Retained that keeps at most limit bytes.
func NewRetained(limit int) *Retained {
	return &Retained{limit: limit, parser: newParser()}
}

// Write appends to the output.
func (r *Retained) Write(p []byte) {
	r.kept = append(r.kept, p...)
	if r.dropping || len(r.kept) > r.limit {
		r.drop(len(r.kept) - r.limit)
	}
}

// Drop drops at least n bytes from the start, or all if there are fewer.
func (r *Retained) Drop(n int) {
	if n > 0 {
		r.drop(n)
	}
}

// Close drops everything, including later writes.
func (r *Retained) Close() { r.limit, r.kept, r.truncated = 0, nil, true }

// drop removes at least n bytes, and then up to the next boundary.
func (r *Retained) drop(n int) {
	used, found := skip(r.parser, r.kept, n)
	r.kept, r.truncated, r.dropping = r.kept[used:], true, !found
}

// Limit returns the maximum number of bytes kept.
func (r *Retained) Limit() int { return r.limit }

// Size returns the number of bytes kept.
func (r *Retained) Size() int { return len(r.kept) }

// Truncated reports whether the start of the output was dropped.
func (r *Retained) Truncated() bool { return r.truncated }

// Bytes returns a copy of the kept output.
func (r *Retained) Bytes() []byte { return bytes.Clone(r.kept) }

// skip consumes at least n bytes of p, up to the first byte that begins a character
// outside of escape sequences. If p ends before that, found is false, all of p is
// consumed, and the search continues in what follows.
func skip(parser *ansi.Parser, p []byte, n int) (used int, found bool) {
	i := 0
	for i < len(p) {
		if parser.State() != ground {
			advance(parser, p[i])
			i++
			continue
		}
		if i >= n && utf8.RuneStart(p[i]) {
			return i, true
		}
		// In plain text only an escape character matters: jump to it.
		end := min(max(n, i+1), len(p))
		if esc := bytes.IndexByte(p[i:end], ansi.ESC); esc >= 0 {
			advance(parser, ansi.ESC)
			end = i + esc + 1
		}
		i = end
	}
	return i, false
}

// slack is how much longer than its limit a text may grow before it is cut.
const slack = 32 << 10

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
		if len(out) > 2*limit+slack {
			out = out[:copy(out, lastBytes(out, limit))]
			cut = true
		}
	}
	s.evict, s.asSent = emit, true
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
