package screen

// bytesPerLine bounds scrollback on average. A plain line of 80 columns needs 80 bytes;
// a hostile one, with a colour and combining marks for each letter, needs thousands.
const bytesPerLine = 512

// line is a row that has left the grid, as text that never changes again.
type line struct {
	text    string
	wrapped bool
}

// history is a ring of the newest lines, bounded in number and in bytes.
type history struct {
	limit int
	lines []line
	first int // the oldest line, once the ring is full
	bytes int
}

func (h *history) len() int { return len(h.lines) }

// at returns line i, counted from the oldest.
func (h *history) at(i int) line {
	i += h.first
	if i >= len(h.lines) {
		i -= len(h.lines)
	}
	return h.lines[i]
}

func (h *history) push(l line) {
	if h.limit <= 0 {
		return
	}
	if h.bytes+len(l.text) > h.limit*bytesPerLine {
		h.shrink(h.limit * bytesPerLine / 2)
	}
	h.bytes += len(l.text)
	if len(h.lines) < h.limit {
		h.lines = append(h.lines, l)
		return
	}
	h.bytes -= len(h.lines[h.first].text)
	h.lines[h.first] = l
	h.first++
	if h.first == len(h.lines) {
		h.first = 0
	}
}

// shrink drops the oldest lines until at most size bytes are left. It frees room for
// many lines at once, because it copies the ring.
func (h *history) shrink(size int) {
	drop := 0
	for drop < h.len() && h.bytes > size {
		h.bytes -= len(h.at(drop).text)
		drop++
	}
	kept := make([]line, 0, h.len()-drop)
	for i := drop; i < h.len(); i++ {
		kept = append(kept, h.at(i))
	}
	h.lines, h.first = kept, 0
}
