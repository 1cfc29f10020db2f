package vim

import "strings"

// kind is how an operator takes what is between the cursor and where a motion goes.
type kind int

const (
	exclusive kind = iota // up to there
	inclusive             // with the character there
	linewise              // whole lines
)

// motion goes from the cursor to a place. It reports false if there is no such place;
// where the command is not for an operator, the cursor goes as far as the place says
// nevertheless.
type motion struct {
	kind kind
	to   func(e *Editor, c command) (Pos, bool)
	// vertical motions keep the goal.
	vertical bool
}

// motions are those that need nothing but the text and the cursor. It is filled
// below, since finding uses it.
var motions map[string]motion

func init() {
	motions = map[string]motion{
		"h": {exclusive, (*Editor).left, false}, "l": {exclusive, (*Editor).right, false},
		" ": {exclusive, (*Editor).rightOn, false}, "backspace": {exclusive, (*Editor).leftOn, false},
		"j": {linewise, (*Editor).down, true}, "k": {linewise, (*Editor).up, true},
		"+": {linewise, nonBlank(1), false}, "-": {linewise, nonBlank(-1), false}, "_": {linewise, (*Editor).underscore, false},
		"w": {exclusive, wordsForward(false), false}, "W": {exclusive, wordsForward(true), false},
		"b": {exclusive, wordsBack(false), false}, "B": {exclusive, wordsBack(true), false},
		"e": {inclusive, wordEnds(false), false}, "E": {inclusive, wordEnds(true), false},
		"ge": {inclusive, wordEndsBack(false), false}, "gE": {inclusive, wordEndsBack(true), false},
		"0": {exclusive, func(e *Editor, _ command) (Pos, bool) { return Pos{e.text.Cursor().Row, 0}, true }, false},
		"^": {exclusive, func(e *Editor, _ command) (Pos, bool) { return e.firstNonBlank(e.text.Cursor().Row), true }, false},
		"$": {inclusive, (*Editor).lineEnd, true}, "g_": {inclusive, (*Editor).lastNonBlank, false},
		"|":  {exclusive, (*Editor).column, false},
		"gg": {linewise, func(e *Editor, c command) (Pos, bool) { return e.row(c.times() - 1), true }, false},
		"G":  {linewise, (*Editor).lastLine, false},
		"f":  {inclusive, (*Editor).findNew, false}, "t": {inclusive, (*Editor).findNew, false},
		"F": {exclusive, (*Editor).findNew, false}, "T": {exclusive, (*Editor).findNew, false},
		";": {inclusive, (*Editor).findAgain, false}, ",": {inclusive, (*Editor).findAgain, false},
		"{": {exclusive, (*Editor).paragraphBack, false}, "}": {exclusive, (*Editor).paragraphForward, false},
		"(": {exclusive, (*Editor).sentencesBack, false}, ")": {exclusive, (*Editor).sentencesForward, false},
		"%": {inclusive, (*Editor).matching, false},
		"*": {exclusive, (*Editor).wordUnder, false}, "#": {exclusive, (*Editor).wordUnder, false},
		"n": {exclusive, (*Editor).search, false}, "N": {exclusive, (*Editor).search, false},
	}
}

func (e *Editor) left(c command) (Pos, bool) {
	p := e.text.Cursor()
	if p.Col == 0 {
		return p, false
	}
	for n := c.times(); n > 0 && p.Col > 0; n-- {
		p, _ = e.previous(p)
	}
	return p, true
}

func (e *Editor) right(c command) (Pos, bool) {
	p := e.text.Cursor()
	edge := e.edge(p.Row)
	if c.operator != "" {
		edge = e.end(p.Row)
	}
	if !p.before(edge) {
		return p, c.operator != ""
	}
	for n := c.times(); n > 0 && p.before(edge); n-- {
		p = e.after(p)
	}
	return p, true
}

// rightOn and leftOn go on to other lines, where the end of a line counts only as
// much as it is a place of the cursor.
func (e *Editor) rightOn(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q := e.after(p)
		if e.atEnd(q) && !(c.operator != "" && n == 1 && q != p) {
			if q.Row == e.lastRow() {
				return q, c.operator != "" && q != p || n < c.times()
			}
			q = Pos{q.Row + 1, 0}
		}
		p = q
	}
	return p, true
}

func (e *Editor) leftOn(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		switch {
		case p.Col > 0:
			p, _ = e.previous(p)
		case p.Row == 0:
			return p, n < c.times()
		case c.operator != "" && !e.emptyLine(p.Row-1):
			p = e.end(p.Row - 1)
		default:
			p = e.onLine(e.end(p.Row - 1))
		}
	}
	return p, true
}

func (e *Editor) down(c command) (Pos, bool) { return e.rows(c.times(), c) }
func (e *Editor) up(c command) (Pos, bool)   { return e.rows(-c.times(), c) }

// farRight is the goal at the end of lines.
const farRight = 1 << 30

func (e *Editor) rows(by int, c command) (Pos, bool) {
	p := e.text.Cursor()
	row := p.Row + by
	if row < 0 || row > e.lastRow() {
		if p.Row == 0 && by < 0 || p.Row == e.lastRow() && by > 0 || c.operator != "" {
			return p, false
		}
		row = max(0, min(row, e.lastRow()))
	}
	if !e.keeps {
		e.goal, e.keeps = e.text.Column(p.Row, p.Col), true
	}
	if e.goal >= farRight {
		return e.edge(row), true
	}
	p = Pos{row, e.text.AtColumn(row, e.goal)}
	if edge := e.edge(row); edge.before(p) {
		p = edge
	}
	return p, true
}

// nonBlank is the motion to the first character of a line further down or up.
func nonBlank(by int) func(*Editor, command) (Pos, bool) {
	return func(e *Editor, c command) (Pos, bool) {
		row := e.text.Cursor().Row + by*c.times()
		if row < 0 || row > e.lastRow() {
			return e.text.Cursor(), false
		}
		return e.firstNonBlank(row), true
	}
}

func (e *Editor) underscore(c command) (Pos, bool) {
	row := e.text.Cursor().Row + c.times() - 1
	if row > e.lastRow() {
		return e.text.Cursor(), false
	}
	return e.firstNonBlank(row), true
}

func wordsForward(big bool) func(*Editor, command) (Pos, bool) {
	return func(e *Editor, c command) (Pos, bool) {
		at := e.text.Cursor()
		if c.operator == "c" && e.class(at, false) != blank {
			p, ok := e.wordEnd(at, c.times(), big, true)
			return e.after(p), ok || p != at
		}
		p, ok := e.wordForward(at, c.times(), big, c.operator != "")
		return p, ok || p != at
	}
}

func wordsBack(big bool) func(*Editor, command) (Pos, bool) {
	return func(e *Editor, c command) (Pos, bool) {
		return e.wordBack(e.text.Cursor(), c.times(), big)
	}
}

func wordEnds(big bool) func(*Editor, command) (Pos, bool) {
	return func(e *Editor, c command) (Pos, bool) {
		at := e.text.Cursor()
		p, ok := e.wordEnd(at, c.times(), big, false)
		return p, ok || p != at
	}
}

func wordEndsBack(big bool) func(*Editor, command) (Pos, bool) {
	return func(e *Editor, c command) (Pos, bool) {
		return e.wordEndBack(e.text.Cursor(), c.times(), big)
	}
}

func (e *Editor) lineEnd(c command) (Pos, bool) {
	row := e.text.Cursor().Row + c.times() - 1
	if row > e.lastRow() {
		if c.operator != "" || e.text.Cursor().Row == e.lastRow() {
			return e.text.Cursor(), false
		}
		row = e.lastRow()
	}
	e.goal, e.keeps = farRight, true
	return e.edge(row), true
}

// edge is the last place of a line that the cursor can have: in visual mode that is
// behind the last character, so that the end of the line is selected too.
func (e *Editor) edge(row int) Pos {
	if e.mode == Visual {
		return e.end(row)
	}
	return e.onLine(e.end(row))
}

func (e *Editor) lastNonBlank(c command) (Pos, bool) {
	row := e.text.Cursor().Row + c.times() - 1
	if row > e.lastRow() {
		return e.text.Cursor(), false
	}
	return e.onLine(Pos{row, len(strings.TrimRight(e.text.Line(row), " \t"))}).lastOf(e), true
}

// lastOf is the character before p, where p is behind the last that is not blank.
func (p Pos) lastOf(e *Editor) Pos {
	if line := strings.TrimRight(e.text.Line(p.Row), " \t"); line != "" {
		return Pos{p.Row, e.text.Previous(p.Row, len(line))}
	}
	return Pos{p.Row, 0}
}

func (e *Editor) column(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	e.goal, e.keeps = c.times()-1, true
	return e.onLine(Pos{row, e.text.AtColumn(row, e.goal)}), true
}

// row is the first character of a line, or of the last one.
func (e *Editor) row(row int) Pos { return e.firstNonBlank(min(row, e.lastRow())) }

func (e *Editor) lastLine(c command) (Pos, bool) {
	if c.count > 0 {
		return e.row(c.count - 1), true
	}
	return e.row(e.lastRow()), true
}

// findNew is f, F, t and T.
func (e *Editor) findNew(c command) (Pos, bool) {
	e.find = command{name: c.name, arg: c.arg}
	return e.findOnLine(c, false)
}

var turned = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}

// findAgain is ; and , which is the same to the other side.
func (e *Editor) findAgain(c command) (Pos, bool) {
	again := e.found(c)
	if again.name == "" {
		return e.text.Cursor(), false
	}
	return e.findOnLine(again, true)
}

// found is the f, F, t or T that ; or , stands for.
func (e *Editor) found(c command) command {
	again := c
	again.name, again.arg = e.find.name, e.find.arg
	if c.name == "," {
		again.name = turned[again.name]
	}
	return again
}

// findOnLine finds a character on the line. A t that is repeated does not stay
// before the one that it stands before.
func (e *Editor) findOnLine(c command, again bool) (Pos, bool) {
	at := e.text.Cursor()
	p := at
	forward := c.name == "f" || c.name == "t"
	till := c.name == "t" || c.name == "T"
	for n := c.times(); n > 0; {
		q, moved := e.next(p)
		if !forward {
			q, moved = e.previous(p)
		}
		if !moved || q.Row != at.Row || forward && e.atEnd(q) {
			return at, false
		}
		beside := p == at
		if p = q; e.is(p, c.arg) && !(till && again && beside && c.times() == 1) {
			n--
		}
	}
	switch {
	case till && forward:
		p, _ = e.previous(p)
	case till:
		p = e.after(p)
	}
	return p, true
}

// is reports whether a character is at p.
func (e *Editor) is(p Pos, character string) bool {
	return !e.atEnd(p) && e.text.Line(p.Row)[p.Col:e.text.Next(p.Row, p.Col)] == character
}

func (e *Editor) paragraphForward(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	for n := c.times(); n > 0; n-- {
		if row == e.lastRow() {
			p := e.end(row)
			return p, n < c.times() || p != e.text.Cursor()
		}
		for row < e.lastRow() && e.emptyLine(row) {
			row++
		}
		for row < e.lastRow() && !e.emptyLine(row) {
			row++
		}
	}
	if e.emptyLine(row) {
		return Pos{row, 0}, true
	}
	return e.end(row), true
}

func (e *Editor) paragraphBack(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	for n := c.times(); n > 0; n-- {
		if row == 0 {
			return Pos{}, n < c.times() || e.text.Cursor() != (Pos{})
		}
		for row > 0 && e.emptyLine(row) {
			row--
		}
		for row > 0 && !e.emptyLine(row) {
			row--
		}
	}
	return Pos{row, 0}, true
}
