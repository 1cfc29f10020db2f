package screen

import "unicode/utf8"

// maxTail bounds the bytes of combining characters in one cell, so that a few letters
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
		if c.char != ' ' && c.char != '\t' || c.tail != "" || c.style.visible() {
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
	if s.bg == 0 && to >= len(r.cells) {
		r.cells = r.cells[:min(from, len(r.cells))]
		return
	}
	r.pad(to)
	for i := from; i < to; i++ {
		r.cells[i] = blank(style{bg: s.bg})
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
		r.cells[i] = blank(style{bg: s.bg})
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
