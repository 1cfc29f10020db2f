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
		"h": {exclusive, (*Editor).left, false}, "l": {exclusive, (*Editor).right, false}, " ": {exclusive, (*Editor).right, false},
		"j": {linewise, (*Editor).rows, true}, "k": {linewise, (*Editor).rows, true},
		"w": {exclusive, (*Editor).wordForward, false}, "W": {exclusive, (*Editor).wordForward, false},
		"b": {exclusive, (*Editor).wordBack, false}, "B": {exclusive, (*Editor).wordBack, false},
		"e": {inclusive, (*Editor).wordEnd, false}, "E": {inclusive, (*Editor).wordEnd, false},
		"0":  {exclusive, func(e *Editor, _ command) (Pos, bool) { return Pos{e.text.Cursor().Row, 0}, true }, false},
		"^":  {exclusive, func(e *Editor, _ command) (Pos, bool) { return e.text.firstNonBlank(e.text.Cursor().Row), true }, false},
		"$":  {inclusive, (*Editor).lineEnd, true},
		"gg": {linewise, func(e *Editor, c command) (Pos, bool) { return e.row(c.times() - 1), true }, false},
		"G": {linewise, func(e *Editor, c command) (Pos, bool) {
			if c.count == 0 {
				return e.row(e.text.lastRow()), true
			}
			return e.row(c.count - 1), true
		}, false},
		"f": {inclusive, (*Editor).findNew, false}, "t": {inclusive, (*Editor).findNew, false},
		"F": {exclusive, (*Editor).findNew, false}, "T": {exclusive, (*Editor).findNew, false},
		";": {inclusive, (*Editor).findAgain, false}, ",": {inclusive, (*Editor).findAgain, false},
		"{": {exclusive, (*Editor).paragraph, false}, "}": {exclusive, (*Editor).paragraph, false},
		"%": {inclusive, (*Editor).matchingBracket, false},
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
	edge := e.text.end(p.Row)
	if c.operator == "" {
		edge = e.text.onCharacter(edge)
	}
	if !p.Before(edge) {
		return p, c.operator != ""
	}
	for n := c.times(); n > 0 && p.Before(edge); n-- {
		p = e.text.after(p)
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
	row := max(0, min(p.Row+by, e.text.lastRow()))
	if row == p.Row || row != p.Row+by && c.operator != "" {
		return p, false
	}
	if !e.keeps {
		e.goal, e.keeps = e.text.Column(p.Row, p.Col), true
	}
	return e.text.onCharacter(Pos{row, e.text.AtColumn(row, e.goal)}), true
}

func (e *Editor) lineEnd(c command) (Pos, bool) {
	row := min(e.text.Cursor().Row+c.times()-1, e.text.lastRow())
	e.goal, e.keeps = farRight, true
	return e.text.onCharacter(e.text.end(row)), true
}

// row returns the first character of a line, or of the last line.
func (e *Editor) row(row int) Pos { return e.text.firstNonBlank(min(row, e.text.lastRow())) }

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

// paragraph is } and {: it goes to the next empty line behind a paragraph, or to the end of
// the text.
func (e *Editor) paragraph(c command) (Pos, bool) {
	at, by, last := e.text.Cursor(), 1, e.text.lastRow()
	if c.name == "{" {
		by, last = -1, 0
	}
	row := at.Row
	for range c.times() {
		for row != last && e.text.emptyLine(row) {
			row += by
		}
		for row != last && !e.text.emptyLine(row) {
			row += by
		}
	}
	p := Pos{row, 0}
	if by > 0 {
		p = e.text.end(row)
	}
	return p, p != at
}

// matchingBracket is %: it goes to the match of the first bracket at or after the cursor.
func (e *Editor) matchingBracket(command) (Pos, bool) {
	at := e.text.Cursor()
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

// wordForward is w and W. With an operator, the last word ends with its line; cw is
// ce.
func (e *Editor) wordForward(c command) (Pos, bool) {
	at, big := e.text.Cursor(), c.name == "W"
	if c.operator == "c" && e.text.class(at, false) != blank {
		p, ok := e.text.endOfWord(at, c.times(), big, true)
		return e.text.after(p), ok || p != at
	}
	p := at
	for count := c.times(); count > 0; count-- {
		stays := c.operator != "" && count == 1 // at the end of the line
		kind, onLast := e.text.class(p, big), p.Row == e.text.lastRow()
		q, moved := e.text.next(p)
		crossed := !moved || e.text.atEnd(q) || q.Row != p.Row
		if crossed && onLast {
			return q, q != at
		}
		p = q
		if crossed && stays {
			return p, true
		}
		if kind != blank {
			if p, moved = e.text.skip(p, e.text.next, kind, big); !moved || stays && e.text.atEnd(p) {
				return p, true
			}
		}
		if p, moved = e.text.skip(p, e.text.next, blank, big); !moved {
			return p, true
		}
	}
	return p, true
}

// wordBack is b and B.
func (e *Editor) wordBack(c command) (Pos, bool) {
	p, big := e.text.Cursor(), c.name == "B"
	for range c.times() {
		q, moved := e.text.previous(p)
		if !moved {
			return p, false
		}
		if p, moved = e.text.skip(q, e.text.previous, blank, big); !moved {
			return p, true
		}
		if !e.text.emptyLine(p.Row) {
			p = e.text.runStart(p, big)
		}
	}
	return p, true
}

// wordEnd is e and E.
func (e *Editor) wordEnd(c command) (Pos, bool) {
	at := e.text.Cursor()
	p, ok := e.text.endOfWord(at, c.times(), c.name == "E", false)
	return p, ok || p != at
}

// clamp moves the cursor to a position that normal mode allows.
func (e *Editor) clamp() {
	if at := e.text.Cursor(); at != e.text.onCharacter(at) {
		e.text.Move(e.text.onCharacter(at))
	}
}

// to moves the cursor and resets the goal column.
func (e *Editor) to(p Pos) {
	e.keeps = false
	e.text.Move(e.text.onCharacter(p))
}
