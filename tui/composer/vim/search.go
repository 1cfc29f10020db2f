package vim

import "strings"

const (
	opening = "([{"
	closing = ")]}"
)

// matchingBracket is %: it goes to the match of the first bracket at or after the
// cursor; with a count, to that percentage of the text.
func (e *Editor) matchingBracket(c command) (Pos, bool) {
	at := e.text.Cursor()
	if c.count > 0 {
		return e.row((min(c.count, 100)*e.text.Lines()+99)/100 - 1), c.count <= 100
	}
	line := e.text.Line(at.Row)
	i := strings.IndexAny(line[at.Col:], opening+closing)
	if i < 0 {
		return at, false
	}
	at.Col += i
	if k := strings.IndexByte(opening, line[at.Col]); k >= 0 {
		return e.text.closes(Pos{at.Row, at.Col + 1}, opening[k], closing[k])
	}
	k := strings.IndexByte(closing, line[at.Col])
	return e.text.opens(at, opening[k], closing[k])
}

// closes returns the bracket that closes the one before p.
func (d document) closes(p Pos, open, shut byte) (Pos, bool) {
	depth, col := 0, p.Col
	for row := p.Row; row <= d.lastRow(); row, col = row+1, 0 {
		line := d.Line(row)
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

// opens returns the bracket before p that is still open at p.
func (d document) opens(p Pos, open, shut byte) (Pos, bool) {
	depth := 0
	line := d.Line(p.Row)[:p.Col]
	for row := p.Row; ; line = d.Line(row) {
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

// pattern is the word that a search looks for.
type pattern struct {
	word  string
	whole bool // not as part of a longer word
	back  bool
}

// searchWord is * and #: it searches for the word at or after the cursor.
func (e *Editor) searchWord(c command) (Pos, bool) {
	at := e.text.Cursor()
	p := at
	for !e.text.atEnd(p) && e.text.class(p, false) != word {
		p, _ = e.text.next(p)
	}
	if e.text.atEnd(p) {
		p = at
		for !e.text.atEnd(p) && e.text.class(p, false) == blank {
			p, _ = e.text.next(p)
		}
	}
	if e.text.atEnd(p) {
		return at, false
	}
	from, to := e.text.runStart(p, false), e.text.runEnd(p, false)
	e.pattern = pattern{e.text.slice(from, to), e.text.class(from, false) == word, c.name == "#"}
	return e.searchFrom(from, c.times(), e.pattern.back)
}

// search is n and N.
func (e *Editor) search(c command) (Pos, bool) {
	return e.searchFrom(e.text.Cursor(), c.times(), e.pattern.back != (c.name == "N"))
}

// searchFrom searches for the pattern after or before p, and wraps around the ends of
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
			break // the only match
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
		if col := e.searchLine(row, from, to, back); col >= 0 {
			return Pos{row, col}, true
		}
	}
	return p, false
}

// searchLine returns the first match on a line, or with back the last, that begins in
// [from, to); a to of -1 is the end of the line. It returns -1 without a match.
func (e *Editor) searchLine(row, from, to int, back bool) int {
	line, found := e.text.Line(row), -1
	if to < 0 {
		to = len(line)
	}
	for from < to {
		i := strings.Index(line[from:], e.pattern.word)
		if i < 0 || from+i >= to {
			break
		}
		if at := from + i; e.isMatch(row, at) {
			if !back {
				return at
			}
			found = at
		}
		from += i + 1
	}
	return found
}

// isMatch reports whether the pattern's text at an offset is whole characters and, if
// the pattern says so, a whole word.
func (e *Editor) isMatch(row, col int) bool {
	behind := col + len(e.pattern.word)
	line := e.text.Line(row)
	if behind < len(line) && line[behind] >= 0x80 || col < len(line) && line[col] >= 0x80 {
		if !e.text.boundary(row, col) || !e.text.boundary(row, behind) {
			return false
		}
	}
	if !e.pattern.whole {
		return true
	}
	if col > 0 && e.text.class(Pos{row, e.text.Previous(row, col)}, false) == word {
		return false
	}
	return e.text.class(Pos{row, behind}, false) != word
}

// boundary reports whether a character begins or ends at an offset.
func (d document) boundary(row, col int) bool {
	return col == 0 || d.Next(row, d.Previous(row, col)) == col
}
