package vim

import (
	"strings"
)

const (
	opening = "([{"
	closing = ")]}"
)

// matching is %: the bracket that belongs to the first one at or behind the cursor.
func (e *Editor) matching(c command) (Pos, bool) {
	at := e.text.Cursor()
	if c.count > 0 { // a part of the text, in percent
		return e.row((min(c.count, 100)*e.text.Lines()+99)/100 - 1), c.count <= 100
	}
	line := e.text.Line(at.Row)
	i := strings.IndexAny(line[at.Col:], opening+closing)
	if i < 0 {
		return at, false
	}
	at.Col += i
	if k := strings.IndexByte(opening, line[at.Col]); k >= 0 {
		return e.closes(Pos{at.Row, at.Col + 1}, opening[k], closing[k])
	}
	k := strings.IndexByte(closing, line[at.Col])
	return e.opens(at, opening[k], closing[k])
}

// closes is the bracket that closes the one before p.
func (e *Editor) closes(p Pos, open, shut byte) (Pos, bool) {
	depth, col := 0, p.Col
	for row := p.Row; row <= e.lastRow(); row, col = row+1, 0 {
		line := e.text.Line(row)
		for ; col < len(line); col++ {
			switch line[col] {
			case open:
				depth++
			case shut:
				if depth == 0 {
					return Pos{row, col}, true
				}
				depth--
			}
		}
	}
	return p, false
}

// opens is the bracket before p that is not closed before p.
func (e *Editor) opens(p Pos, open, shut byte) (Pos, bool) {
	depth := 0
	line := e.text.Line(p.Row)[:p.Col]
	for row := p.Row; ; line = e.text.Line(row) {
		for col := len(line) - 1; col >= 0; col-- {
			switch line[col] {
			case shut:
				depth++
			case open:
				if depth == 0 {
					return Pos{row, col}, true
				}
				depth--
			}
		}
		if row--; row < 0 {
			return p, false
		}
	}
}

// pattern is a word that is looked for.
type pattern struct {
	word string
	// whole says that it must not be part of a longer one.
	whole bool
	back  bool
}

// wordUnder is * and #: the next place of the word at the cursor, or behind it.
func (e *Editor) wordUnder(c command) (Pos, bool) {
	at := e.text.Cursor()
	p := at
	for !e.atEnd(p) && e.class(p, false) != word {
		p, _ = e.next(p)
	}
	if e.atEnd(p) {
		p = at
		for !e.atEnd(p) && e.class(p, false) == blank {
			p, _ = e.next(p)
		}
	}
	if e.atEnd(p) {
		return at, false
	}
	from, to := e.runStart(p, false), e.runEnd(p, false)
	e.pattern = pattern{e.slice(from, to), e.class(from, false) == word, c.name == "#"}
	return e.searchFrom(from, c.times(), e.pattern.back)
}

// search is n and N.
func (e *Editor) search(c command) (Pos, bool) {
	return e.searchFrom(e.text.Cursor(), c.times(), e.pattern.back != (c.name == "N"))
}

// searchFrom looks for the pattern from behind or before p, and around the ends of
// the text.
func (e *Editor) searchFrom(p Pos, count int, back bool) (Pos, bool) {
	if e.pattern.word == "" {
		return p, false
	}
	for ; count > 0; count-- {
		q, found := e.searchOnce(p, back)
		if !found {
			return e.text.Cursor(), false
		}
		if q == p && count > 1 {
			break // it is the only one
		}
		p = q
	}
	return p, true
}

func (e *Editor) searchOnce(p Pos, back bool) (Pos, bool) {
	rows := e.text.Lines()
	for i := range rows + 1 {
		row, from, to := (p.Row+i)%rows, 0, -1
		if back {
			row = (p.Row - i + rows) % rows
		}
		switch {
		case i == 0 && back:
			to = p.Col
		case i == 0:
			from = p.Col + 1
		}
		if col := e.onRow(row, from, to, back); col >= 0 {
			return Pos{row, col}, true
		}
	}
	return p, false
}

// onRow is the first place of the pattern on a line, or with back the last, that
// begins at or behind from and before to; a to of -1 is the end of the line.
func (e *Editor) onRow(row, from, to int, back bool) int {
	line, found := e.text.Line(row), -1
	if to < 0 {
		to = len(line)
	}
	for from < to {
		i := strings.Index(line[from:], e.pattern.word)
		if i < 0 || from+i >= to {
			break
		}
		if at := from + i; e.standsAlone(row, at) {
			if !back {
				return at
			}
			found = at
		}
		from += i + 1
	}
	return found
}

// standsAlone reports whether the pattern at an offset is what is looked for.
func (e *Editor) standsAlone(row, col int) bool {
	behind := col + len(e.pattern.word)
	line := e.text.Line(row)
	if behind < len(line) && line[behind] >= 0x80 || col < len(line) && line[col] >= 0x80 {
		if !e.boundary(row, col) || !e.boundary(row, behind) {
			return false
		}
	}
	if !e.pattern.whole {
		return true
	}
	if col > 0 && e.class(Pos{row, e.text.Previous(row, col)}, false) == word {
		return false
	}
	return e.class(Pos{row, behind}, false) != word
}

// boundary reports whether an offset is between two characters.
func (e *Editor) boundary(row, col int) bool {
	return col == 0 || e.text.Next(row, e.text.Previous(row, col)) == col
}
