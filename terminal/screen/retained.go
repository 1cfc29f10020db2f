package screen

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// chunkSize is the size of one chunk of a Retained: small enough that a short output
// costs little, large enough that there are few chunks.
const chunkSize = 32 << 10

// Retained keeps the newest bytes of an output, up to its limit. It drops bytes from
// the start, and what is left begins neither inside a UTF-8 sequence nor inside an
// escape sequence. It is not safe for concurrent use.
type Retained struct {
	limit     int
	chunks    [][]byte // oldest first; none is empty
	size      int
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
	for len(p) > 0 {
		n := min(len(p), chunkSize)
		r.append(p[:n])
		p = p[n:]
		if r.dropping || r.size > r.limit {
			r.drop(r.size - r.limit)
		}
	}
}

func (r *Retained) append(p []byte) {
	r.size += len(p)
	if last := len(r.chunks) - 1; last >= 0 {
		n := min(len(p), max(chunkSize-len(r.chunks[last]), 0))
		r.chunks[last] = append(r.chunks[last], p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	size := len(p) // most outputs are short
	if len(r.chunks) > 0 {
		size = chunkSize
	}
	r.chunks = append(r.chunks, append(make([]byte, 0, size), p...))
}

// Drop drops at least n bytes from the start, or all if there are fewer.
func (r *Retained) Drop(n int) {
	if n > 0 {
		r.drop(n)
	}
}

// Close drops everything, including later writes.
func (r *Retained) Close() {
	r.limit, r.size, r.chunks, r.truncated = 0, 0, nil, true
}

// drop removes at least n bytes, and then up to the next boundary.
func (r *Retained) drop(n int) {
	r.truncated = true
	r.dropping = true
	for len(r.chunks) > 0 {
		used, found := skip(r.parser, r.chunks[0], n)
		r.chunks[0] = r.chunks[0][used:]
		r.size -= used
		n -= used
		if len(r.chunks[0]) == 0 {
			r.chunks[0] = nil
			r.chunks = r.chunks[1:]
		}
		if found {
			r.dropping = false
			return
		}
	}
}

// Limit returns the maximum number of bytes kept.
func (r *Retained) Limit() int { return r.limit }

// Size returns the number of bytes kept.
func (r *Retained) Size() int { return r.size }

// Truncated reports whether the start of the output was dropped.
func (r *Retained) Truncated() bool { return r.truncated }

// Bytes returns a copy of the kept output.
func (r *Retained) Bytes() []byte { return bytes.Join(r.chunks, nil) }

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
