package vim

import "strings"

// motionKind says what an operator takes: the text up to the motion's end, with the
// character there, or whole lines.
type motionKind int

const (
	exclusive motionKind = iota
	inclusive
	linewise
)

// motion is a movement of the cursor.
type motion struct {
	kind motionKind
	// to returns the motion's end. It reports false if the motion fails.
	to       func(e *Editor, c command) (Pos, bool)
	vertical bool // keeps the goal column
}

// motions are the motions by name. init fills it, since they refer to it.
var motions map[string]motion

func init() {
	motions = map[string]motion{
		"h": {exclusive, (*Editor).left, false}, "l": {exclusive, (*Editor).right, false},
		" ": {exclusive, (*Editor).rightAcrossLines, false}, "backspace": {exclusive, (*Editor).leftAcrossLines, false},
		"j": {linewise, (*Editor).rows, true}, "k": {linewise, (*Editor).rows, true},
		"+": {linewise, (*Editor).nonBlankLine, false}, "-": {linewise, (*Editor).nonBlankLine, false},
		"_": {linewise, (*Editor).nonBlankLine, false},
		"w": {exclusive, (*Editor).wordForward, false}, "W": {exclusive, (*Editor).wordForward, false},
		"b": {exclusive, (*Editor).wordBack, false}, "B": {exclusive, (*Editor).wordBack, false},
		"e": {inclusive, (*Editor).wordEnd, false}, "E": {inclusive, (*Editor).wordEnd, false},
		"ge": {inclusive, (*Editor).wordEndBack, false}, "gE": {inclusive, (*Editor).wordEndBack, false},
		"0": {exclusive, func(e *Editor, _ command) (Pos, bool) { return Pos{e.text.Cursor().Row, 0}, true }, false},
		"^": {exclusive, func(e *Editor, _ command) (Pos, bool) { return e.text.firstNonBlank(e.text.Cursor().Row), true }, false},
		"$": {inclusive, (*Editor).lineEnd, true}, "g_": {inclusive, (*Editor).lastNonBlank, false},
		"|":  {exclusive, (*Editor).column, false},
		"gg": {linewise, func(e *Editor, c command) (Pos, bool) { return e.row(c.times() - 1), true }, false},
		"G":  {linewise, (*Editor).lastLine, false},
		"f":  {inclusive, (*Editor).findNew, false}, "t": {inclusive, (*Editor).findNew, false},
		"F": {exclusive, (*Editor).findNew, false}, "T": {exclusive, (*Editor).findNew, false},
		";": {inclusive, (*Editor).findAgain, false}, ",": {inclusive, (*Editor).findAgain, false},
		"{": {exclusive, (*Editor).paragraphBack, false}, "}": {exclusive, (*Editor).paragraphForward, false},
		"(": {exclusive, (*Editor).sentencesBack, false}, ")": {exclusive, (*Editor).sentencesForward, false},
		"%": {inclusive, (*Editor).matchingBracket, false},
		"*": {exclusive, (*Editor).searchWord, false}, "#": {exclusive, (*Editor).searchWord, false},
		"n": {exclusive, (*Editor).search, false}, "N": {exclusive, (*Editor).search, false},
	}
}

func (e *Editor) left(c command) (Pos, bool) {
	p := e.text.Cursor()
	if p.Col == 0 {
		return p, false
	}
	for n := c.times(); n > 0 && p.Col > 0; n-- {
		p, _ = e.text.previous(p)
	}
	return p, true
}

func (e *Editor) right(c command) (Pos, bool) {
	p := e.text.Cursor()
	edge := e.edge(p.Row)
	if c.operator != "" {
		edge = e.text.end(p.Row)
	}
	if !p.Before(edge) {
		return p, c.operator != ""
	}
	for n := c.times(); n > 0 && p.Before(edge); n-- {
		p = e.text.after(p)
	}
	return p, true
}

// rightAcrossLines and leftAcrossLines continue on other lines. The end of a line
// counts only where the cursor can be there.
func (e *Editor) rightAcrossLines(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q := e.text.after(p)
		if e.text.atEnd(q) && !(c.operator != "" && n == 1 && q != p) {
			if q.Row == e.text.lastRow() {
				return q, c.operator != "" && q != p || n < c.times()
			}
			q = Pos{q.Row + 1, 0}
		}
		p = q
	}
	return p, true
}

func (e *Editor) leftAcrossLines(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		switch {
		case p.Col > 0:
			p, _ = e.text.previous(p)
		case p.Row == 0:
			return p, n < c.times()
		case c.operator != "" && !e.text.emptyLine(p.Row-1):
			p = e.text.end(p.Row - 1)
		default:
			p = e.text.onCharacter(e.text.end(p.Row - 1))
		}
	}
	return p, true
}

// farRight is the goal column of $.
const farRight = 1 << 30

// rows is j and k.
func (e *Editor) rows(c command) (Pos, bool) {
	p, by := e.text.Cursor(), c.times()
	if c.name == "k" {
		by = -by
	}
	row := p.Row + by
	if row < 0 || row > e.text.lastRow() {
		if p.Row == 0 && by < 0 || p.Row == e.text.lastRow() && by > 0 || c.operator != "" {
			return p, false
		}
		row = max(0, min(row, e.text.lastRow()))
	}
	if !e.keeps {
		e.goal, e.keeps = e.text.Column(p.Row, p.Col), true
	}
	if e.goal >= farRight {
		return e.edge(row), true
	}
	p = Pos{row, e.text.AtColumn(row, e.goal)}
	if edge := e.edge(row); edge.Before(p) {
		p = edge
	}
	return p, true
}

// nonBlankLine is +, - and _.
func (e *Editor) nonBlankLine(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	switch c.name {
	case "+":
		row += c.times()
	case "-":
		row -= c.times()
	default:
		row += c.times() - 1
	}
	if row < 0 || row > e.text.lastRow() {
		return e.text.Cursor(), false
	}
	return e.text.firstNonBlank(row), true
}

func (e *Editor) lineEnd(c command) (Pos, bool) {
	row := e.text.Cursor().Row + c.times() - 1
	if row > e.text.lastRow() {
		if c.operator != "" || e.text.Cursor().Row == e.text.lastRow() {
			return e.text.Cursor(), false
		}
		row = e.text.lastRow()
	}
	e.goal, e.keeps = farRight, true
	return e.edge(row), true
}

// edge returns the last position that the cursor can have on a line: in visual mode
// after the last character, so that it selects the end of the line too.
func (e *Editor) edge(row int) Pos {
	if e.mode == Visual {
		return e.text.end(row)
	}
	return e.text.onCharacter(e.text.end(row))
}

func (e *Editor) lastNonBlank(c command) (Pos, bool) {
	row := e.text.Cursor().Row + c.times() - 1
	if row > e.text.lastRow() {
		return e.text.Cursor(), false
	}
	if line := strings.TrimRight(e.text.Line(row), " \t"); line != "" {
		return Pos{row, e.text.Previous(row, len(line))}, true
	}
	return Pos{row, 0}, true
}

func (e *Editor) column(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	e.goal, e.keeps = c.times()-1, true
	return e.text.onCharacter(Pos{row, e.text.AtColumn(row, e.goal)}), true
}

// row returns the first character of a line, or of the last line.
func (e *Editor) row(row int) Pos { return e.text.firstNonBlank(min(row, e.text.lastRow())) }

func (e *Editor) lastLine(c command) (Pos, bool) {
	if c.count > 0 {
		return e.row(c.count - 1), true
	}
	return e.row(e.text.lastRow()), true
}

// findNew is f, F, t and T.
func (e *Editor) findNew(c command) (Pos, bool) {
	e.find = command{name: c.name, arg: c.arg}
	return e.findOnLine(c, false)
}

var reversed = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}

// findAgain is ; and ,.
func (e *Editor) findAgain(c command) (Pos, bool) {
	again := e.repeatedFind(c)
	if again.name == "" {
		return e.text.Cursor(), false
	}
	return e.findOnLine(again, true)
}

// repeatedFind returns the f, F, t or T that ; or , repeats.
func (e *Editor) repeatedFind(c command) command {
	again := c
	again.name, again.arg = e.find.name, e.find.arg
	if c.name == "," {
		again.name = reversed[again.name]
	}
	return again
}

// findOnLine finds a character on the line. A repeated t skips the character right
// beside the cursor.
func (e *Editor) findOnLine(c command, again bool) (Pos, bool) {
	at := e.text.Cursor()
	p := at
	forward := c.name == "f" || c.name == "t"
	till := c.name == "t" || c.name == "T"
	for n := c.times(); n > 0; {
		q, moved := e.text.next(p)
		if !forward {
			q, moved = e.text.previous(p)
		}
		if !moved || q.Row != at.Row || forward && e.text.atEnd(q) {
			return at, false
		}
		beside := p == at
		p = q
		match := !e.text.atEnd(p) && e.text.Line(p.Row)[p.Col:e.text.Next(p.Row, p.Col)] == c.arg
		if match && !(till && again && beside && c.times() == 1) {
			n--
		}
	}
	switch {
	case till && forward:
		p, _ = e.text.previous(p)
	case till:
		p = e.text.after(p)
	}
	return p, true
}

func (e *Editor) paragraphForward(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	for n := c.times(); n > 0; n-- {
		if row == e.text.lastRow() {
			p := e.text.end(row)
			return p, n < c.times() || p != e.text.Cursor()
		}
		for row < e.text.lastRow() && e.text.emptyLine(row) {
			row++
		}
		for row < e.text.lastRow() && !e.text.emptyLine(row) {
			row++
		}
	}
	if e.text.emptyLine(row) {
		return Pos{row, 0}, true
	}
	return e.text.end(row), true
}

func (e *Editor) paragraphBack(c command) (Pos, bool) {
	row := e.text.Cursor().Row
	for n := c.times(); n > 0; n-- {
		if row == 0 {
			return Pos{}, n < c.times() || e.text.Cursor() != (Pos{})
		}
		for row > 0 && e.text.emptyLine(row) {
			row--
		}
		for row > 0 && !e.text.emptyLine(row) {
			row--
		}
	}
	return Pos{row, 0}, true
}
