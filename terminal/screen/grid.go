package screen

import (
	"unicode/utf8"
)

// moveTo moves the cursor to a column and row, clamped to the grid.
func (s *Screen) moveTo(x, y int) {
	s.x = min(max(x, 0), s.cols-1)
	s.y = min(max(y, 0), s.rows-1)
	s.pendingWrap, s.joinable = false, false
}

// moveUp and moveDown stop at the edge of the scroll region that they start in.
func (s *Screen) moveUp(n int) {
	limit := 0
	if s.y >= s.top {
		limit = s.top
	}
	s.moveTo(s.x, max(s.y-n, limit))
}

func (s *Screen) moveDown(n int) {
	limit := s.rows - 1
	if s.y <= s.bottom {
		limit = s.bottom
	}
	s.moveTo(s.x, min(s.y+n, limit))
}

func (s *Screen) lineFeed() {
	s.pendingWrap, s.joinable = false, false
	switch {
	case s.y == s.bottom:
		s.scrollUp(1)
	case s.y < s.rows-1:
		s.y++
	}
}

// scrollUp moves the rows of the region up; rows that leave the top of the main grid
// become scrollback.
func (s *Screen) scrollUp(n int) {
	n = min(n, s.bottom-s.top+1)
	if s.top == 0 && s.under == nil {
		for i := range n {
			s.keep(&s.grid[i])
		}
	}
	s.dropRows(s.top, n)
}

// dropRows removes n rows at row from; the rows below move up, and blank ones appear at
// the bottom of the region.
func (s *Screen) dropRows(from, n int) {
	for range min(n, s.bottom-from+1) {
		r := s.grid[from]
		copy(s.grid[from:s.bottom], s.grid[from+1:s.bottom+1])
		r.reset()
		s.grid[s.bottom] = r
	}
}

// scrollDown inserts n blank rows at row from; the rows below move down and out at the
// bottom of the region.
func (s *Screen) scrollDown(from, n int) {
	for range min(n, s.bottom-from+1) {
		r := s.grid[s.bottom]
		copy(s.grid[from+1:s.bottom+1], s.grid[from:s.bottom])
		r.reset()
		s.grid[from] = r
	}
}

func (s *Screen) eraseInLine(what int) {
	r := &s.grid[s.y]
	switch what {
	case 0:
		r.erase(s.x, s.cols, s.cols, s.pen)
	case 1:
		r.erase(0, s.x+1, s.cols, s.pen)
	case 2:
		r.erase(0, s.cols, s.cols, s.pen)
	}
}

func (s *Screen) eraseInScreen(what int) {
	from, to := 0, s.rows // the rows to blank completely
	switch what {
	case 0:
		s.eraseInLine(0)
		from = s.y + 1
	case 1:
		s.eraseInLine(1)
		to = s.y
	case 2:
		s.keepGrid()
	default:
		return // 3 would clear scrollback, which a program cannot take back
	}
	for i := from; i < to; i++ {
		s.grid[i].erase(0, s.cols, s.cols, s.pen)
	}
}

// keepGrid copies the main grid into scrollback.
func (s *Screen) keepGrid() {
	if s.under != nil {
		return
	}
	for i := range inkRows(s.grid) {
		s.keep(&s.grid[i])
	}
}

func (s *Screen) cursor() cursor { return cursor{x: s.x, y: s.y, pen: s.pen} }

func (s *Screen) restore(c cursor) {
	s.moveTo(c.x, c.y)
	s.pen = c.pen
}

func (s *Screen) enterAlt() {
	if s.under != nil {
		return
	}
	s.beforeAlt = s.cursor()
	s.under, s.grid = s.grid, make([]row, s.rows)
	s.top, s.bottom = 0, s.rows-1
}

func (s *Screen) leaveAlt() {
	if s.under == nil {
		return
	}
	s.grid, s.under = s.under, nil
	s.top, s.bottom = 0, s.rows-1
	s.restore(s.beforeAlt)
}

// bytesPerLine limits scrollback on average. A plain line of 80 columns needs 80 bytes;
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

// maxTail limits the bytes of combining characters in one cell, so that a few letters
// cannot hide kilobytes.
const maxTail = 32

// cell is one column of a row. A character wider than one column is a lead cell with
// its width, followed by cells of width zero. A tab is a lead cell too, because plain
// text needs it back.
type cell struct {
	tail  string // what joins the character: combining marks, joiners, selectors
	char  rune
	width uint8
	style style
}

func blank(s style) cell { return cell{char: ' ', width: 1, style: s} }

// row is one line of the grid. Its cells end after the last written one.
type row struct {
	cells   []cell
	wrapped bool // the text continues in the next row without a newline
}

func (r *row) reset() { r.cells, r.wrapped = r.cells[:0], false }

// inkEnd returns the column after the last visible cell, 0 if nothing is visible.
func (r *row) inkEnd() int {
	for i := len(r.cells); i > 0; i-- {
		c := &r.cells[i-1]
		if c.width == 0 {
			continue // the lead cell of the character decides
		}
		if c.char != ' ' && c.char != '\t' || c.tail != "" || visible(&c.style) {
			return min(i-1+int(c.width), len(r.cells))
		}
	}
	return 0
}

// pad makes the row at least n columns long.
func (r *row) pad(n int) {
	for len(r.cells) < n {
		r.cells = append(r.cells, blank(style{}))
	}
}

// detach prepares column x to be overwritten: the rest of a wide character or tab that
// covers it becomes blank.
func (r *row) detach(x int) {
	if x >= len(r.cells) || r.cells[x].width == 1 {
		return
	}
	lead := x
	for lead > 0 && r.cells[lead].width == 0 {
		lead--
	}
	s := r.cells[lead].style
	r.cells[lead] = blank(s)
	for i := lead + 1; i < len(r.cells) && r.cells[i].width == 0; i++ {
		r.cells[i] = blank(s)
	}
}

// erase blanks the columns from..to in the background of s, as terminals do.
func (r *row) erase(from, to, cols int, s style) {
	if from >= to {
		return
	}
	r.detach(from)
	r.detach(to)
	if to >= cols {
		r.wrapped = false
	}
	if s.Bg == nil && to >= len(r.cells) {
		r.cells = r.cells[:min(from, len(r.cells))]
		return
	}
	r.pad(to)
	for i := from; i < to; i++ {
		r.cells[i] = blank(style{Bg: s.Bg})
	}
}

// insert shifts the cells from x on by n columns to the right.
func (r *row) insert(x, n, cols int, s style) {
	if x >= len(r.cells) {
		return
	}
	r.detach(x)
	n = min(n, cols-x)
	r.cells = append(r.cells, make([]cell, n)...)
	copy(r.cells[x+n:], r.cells[x:])
	for i := x; i < x+n; i++ {
		r.cells[i] = blank(style{Bg: s.Bg})
	}
	if len(r.cells) > cols {
		r.detach(cols)
		r.cells = r.cells[:cols]
	}
	r.wrapped = false
}

// remove removes n columns at x; the cells after them move left.
func (r *row) remove(x, n int) {
	if x >= len(r.cells) {
		return
	}
	n = min(n, len(r.cells)-x)
	r.detach(x)
	r.detach(x + n)
	r.cells = append(r.cells[:x], r.cells[x+n:]...)
	r.wrapped = false
}

// appendStyled appends the cells as text with SGR sequences. The text begins and ends
// in the plain style.
func appendStyled(dst []byte, cells []cell) []byte {
	var pen style
	for i := range cells {
		c := &cells[i]
		if c.width == 0 {
			continue
		}
		if c.style != pen {
			dst = appendSGR(dst, pen, c.style)
			pen = c.style
		}
		switch {
		case c.char == '\t':
			for range c.width {
				dst = append(dst, ' ')
			}
		case c.char < utf8.RuneSelf:
			dst = append(append(dst, byte(c.char)), c.tail...)
		default:
			dst = append(utf8.AppendRune(dst, c.char), c.tail...)
		}
	}
	return appendSGR(dst, pen, style{})
}
