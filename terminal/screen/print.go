package screen

import (
	"strings"
	"unicode/utf8"

	"parley/internal/termtext"
)

// lineDrawingSet is the DEC special graphics set, from '`' to '~'.
var lineDrawingSet = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

// printASCII writes printable ASCII text at the cursor.
func (s *Screen) printASCII(p []byte) {
	drawsLines := s.lineDrawing[0]
	if s.shifted {
		drawsLines = s.lineDrawing[1]
	}
	if drawsLines {
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
		claimed := s.claim(n)
		for i, b := range p[:n] {
			claimed[i] = cell{char: rune(b), width: 1, style: s.pen}
		}
		s.step(n)
		p = p[n:]
	}
}

// print writes one character that is not ASCII. Each code point with a width gets cells
// of its own: programs that know only wcwidth(3) count on it, and every terminal has
// room for it. What takes room and is not seen is written as what it is.
func (s *Screen) print(r rune) {
	if termtext.Blank(r) && !s.asSent {
		for _, seen := range termtext.VisibleBlanks(string(r)) {
			s.put(seen, 1)
		}
		return
	}
	width := termtext.RuneWidth(r)
	if (width == 0 || regional(r)) && s.join(r) {
		return
	}
	if width > 0 && width <= s.cols {
		s.put(r, width)
	}
}

// regional reports whether r is a regional indicator. Two of them form a flag.
func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// extends reports whether r is one of the common code points that join the character
// before them without changing its width: accents and the joiner of emoji.
func extends(r rune) bool { return r >= 0x300 && r <= 0x36f || r == 0x200d }

// before returns the lead cell of the character that was just written, or nil.
func (s *Screen) before() *cell {
	columns := s.grid[s.y].cells
	x := s.x
	if !s.pendingWrap {
		x--
	}
	for x > 0 && x < len(columns) && columns[x].width == 0 {
		x--
	}
	if x < 0 || x >= len(columns) {
		return nil
	}
	return &columns[x]
}

// join adds r to the character before the cursor if both form one character of the same
// width (a letter and its accent, the halves of a flag). It drops a code point of zero
// width that has nothing to join, or no room.
func (s *Screen) join(r rune) bool {
	if !s.joinable {
		return false
	}
	c := s.before()
	if c == nil || c.char == '\t' {
		return false
	}
	whole := string(c.char) + c.tail + string(r)
	n, width := len(whole), int(c.width)
	if !extends(r) {
		n, width = termtext.Safe.Next(whole)
	}
	switch {
	case n != len(whole):
		return false
	case termtext.Block(whole) != whole || len(c.tail)+utf8.RuneLen(r) > maxTail:
		return !regional(r) // dropped
	case width == int(c.width):
		c.tail = strings.Clone(whole[utf8.RuneLen(c.char):])
	case regional(r):
		return false
	case width == 2 && c.width == 1 && !s.pendingWrap:
		// A variation selector that asks for the emoji form widens the character.
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
	claimed := s.claim(width)
	claimed[0] = cell{char: r, width: uint8(width), style: s.pen}
	for i := 1; i < width; i++ {
		claimed[i] = cell{style: s.pen}
	}
	s.step(width)
}

// claim prepares the next n columns to be overwritten.
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

// step moves the cursor past what was written. In the last column it stays, and the
// next character wraps, as in every terminal since the VT100.
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

// tab moves to the next tab stop, at every eighth column, and keeps the tab in the text
// where nothing was written yet.
func (s *Screen) tab() {
	to := min((s.x/8+1)*8, s.cols-1)
	n := to - s.x
	if n <= 0 {
		return
	}
	r := &s.grid[s.y]
	if s.x >= len(r.cells) {
		claimed := s.claim(n)
		claimed[0] = cell{char: '\t', width: uint8(n)}
		for i := 1; i < n; i++ {
			claimed[i] = cell{}
		}
	}
	s.moveTo(to, s.y)
}
