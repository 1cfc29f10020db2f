package screen

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/safetext"
)

// lineDrawingSet is the DEC special graphics set, from '`' to '~'.
var lineDrawingSet = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

// printASCII writes printable ASCII text at the cursor.
func (s *Screen) printASCII(p []byte) {
	if s.drawsLines() {
		for _, b := range p {
			if b >= '`' {
				s.put(lineDrawingSet[b-'`'], 1)
			} else {
				s.put(rune(b), 1)
			}
		}
		return
	}
	for len(p) > 0 {
		s.wrapIfPending()
		n := min(len(p), s.cols-s.x)
		cells := s.claim(n)
		for i, b := range p[:n] {
			cells[i] = cell{char: rune(b), width: 1, style: s.pen}
		}
		s.step(n)
		p = p[n:]
	}
}

func (s *Screen) drawsLines() bool {
	if s.shifted {
		return s.lineDrawing[1]
	}
	return s.lineDrawing[0]
}

// print writes one character that is not ASCII.
func (s *Screen) print(r rune) {
	width := commonWidth(r)
	if width == 0 || !s.joinable || !s.simpleBefore() {
		if s.join(r) {
			return
		}
	}
	if width == 0 {
		text := string(r)
		if safetext.Block(text) != text && r != utf8.RuneError {
			return // a control character, or one that reorders text
		}
		_, width = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	}
	if width > 0 && width <= s.cols {
		s.put(r, width)
	}
}

// commonWidth knows the widths of the most frequent characters that are not
// ASCII and join no character before them; 0 means that it takes a look at the
// Unicode tables.
func commonWidth(r rune) int {
	switch {
	case r >= 0xa1 && r <= 0x2ff && r != 0xad, r >= 0x400 && r <= 0x45f, r >= 0x2500 && r <= 0x259f:
		return 1
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3001 && r <= 0x3029, r >= 0xff01 && r <= 0xff60, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa:
		return 2
	}
	return 0
}

// simpleBefore reports whether the character before the cursor cannot be joined
// by one that commonWidth knows.
func (s *Screen) simpleBefore() bool {
	c := s.before()
	return c == nil || c.tail == "" && (c.char < utf8.RuneSelf || commonWidth(c.char) > 0)
}

// before is the lead cell of the character that was just written, or nil.
func (s *Screen) before() *cell {
	cells := s.grid[s.y].cells
	x := s.x
	if !s.pendingWrap {
		x--
	}
	for x > 0 && x < len(cells) && cells[x].width == 0 {
		x--
	}
	if x < 0 || x >= len(cells) {
		return nil
	}
	return &cells[x]
}

// join adds r to the character before the cursor, if both are one character to
// the reader (a letter and its accent, the parts of a family or a flag), and
// drops it if it has no width of its own and nothing to join.
func (s *Screen) join(r rune) bool {
	if !s.joinable {
		return false
	}
	c := s.before()
	if c == nil || c.char == '\t' {
		return false
	}
	whole := string(c.char) + c.tail + string(r)
	cluster, width := ansi.FirstGraphemeCluster(whole, ansi.GraphemeWidth)
	if len(cluster) != len(whole) {
		return false
	}
	if safetext.Block(whole) != whole || len(c.tail)+utf8.RuneLen(r) > maxTail {
		return true // it is dropped
	}
	switch {
	case width == int(c.width):
		c.tail = strings.Clone(whole[utf8.RuneLen(c.char):])
	case width == 2 && c.width == 1 && !s.pendingWrap:
		// A variation selector that asks for the emoji form makes the character wider.
		c.tail, c.width = strings.Clone(whole[utf8.RuneLen(c.char):]), 2
		s.claim(1)[0] = cell{style: c.style}
		s.step(1)
	}
	return true
}

// put writes one character of the given width at the cursor.
func (s *Screen) put(r rune, width int) {
	s.wrapIfPending()
	if s.x+width > s.cols {
		if s.noWrap {
			return
		}
		s.wrap()
	}
	cells := s.claim(width)
	cells[0] = cell{char: r, width: uint8(width), style: s.pen}
	for i := 1; i < width; i++ {
		cells[i] = cell{style: s.pen}
	}
	s.step(width)
}

// claim makes the next n columns ready to be overwritten.
func (s *Screen) claim(n int) []cell {
	r := &s.grid[s.y]
	r.pad(s.x)
	r.detach(s.x)
	r.detach(s.x + n - 1)
	if end := s.x + n; end > len(r.cells) {
		if end > cap(r.cells) {
			grown := make([]cell, len(r.cells), min(max(end, 2*cap(r.cells), 16), s.cols))
			copy(grown, r.cells)
			r.cells = grown
		}
		r.cells = r.cells[:end]
	}
	return r.cells[s.x : s.x+n]
}

// step moves the cursor behind what was written. In the last column it stays,
// and the wrap waits for the next character, as in every terminal since the VT100.
func (s *Screen) step(n int) {
	s.x += n
	s.joinable = true
	s.pendingWrap = false
	if s.x >= s.cols {
		s.x = s.cols - 1
		s.pendingWrap = true
	}
}

func (s *Screen) wrapIfPending() {
	if s.pendingWrap && !s.noWrap {
		s.wrap()
	}
}

func (s *Screen) wrap() {
	s.grid[s.y].wrapped = true
	s.lineFeed()
	s.x = 0
}

// tab moves to the next of the stops, which stand at every eighth column, and
// leaves the tab in the text where nothing was written yet.
func (s *Screen) tab() {
	to := min((s.x/8+1)*8, s.cols-1)
	n := to - s.x
	if n <= 0 {
		return
	}
	r := &s.grid[s.y]
	if s.x >= len(r.cells) {
		cells := s.claim(n)
		cells[0] = cell{char: '\t', width: uint8(n)}
		for i := 1; i < n; i++ {
			cells[i] = cell{}
		}
	}
	s.moveTo(to, s.y)
}
