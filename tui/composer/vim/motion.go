package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		"G": {linewise, func(e *Editor, c command) (Pos, bool) {
			if c.count == 0 {
				return e.row(e.text.lastRow()), true
			}
			return e.row(c.count - 1), true
		}, false},
		"f": {inclusive, (*Editor).findNew, false}, "t": {inclusive, (*Editor).findNew, false},
		"F": {exclusive, (*Editor).findNew, false}, "T": {exclusive, (*Editor).findNew, false},
		";": {inclusive, (*Editor).findAgain, false}, ",": {inclusive, (*Editor).findAgain, false},
		"{": {exclusive, (*Editor).paragraphBack, false}, "}": {exclusive, (*Editor).paragraphForward, false},
		"(": {exclusive, (*Editor).sentences, false}, ")": {exclusive, (*Editor).sentences, false},
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

// skip steps over characters of a class, at most to an empty line. It reports false if it
// runs into the end of the text.
func (d document) skip(p Pos, step func(Pos) (Pos, bool), kind class, big bool) (_ Pos, moved bool) {
	for d.class(p, big) == kind && !d.emptyLine(p.Row) {
		if p, moved = step(p); !moved {
			return p, false
		}
	}
	return p, true
}

// runStart returns the start of the run of one class around p, on its line.
func (d document) runStart(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for p.Col > 0 {
		q, _ := d.previous(p)
		if d.class(q, big) != kind {
			break
		}
		p = q
	}
	return p
}

// runEnd returns the end of the run of one class around p, on its line.
func (d document) runEnd(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for !d.atEnd(p) && d.class(p, big) == kind {
		p, _ = d.next(p)
	}
	return p
}

// wordEnd is e and E.
func (e *Editor) wordEnd(c command) (Pos, bool) {
	at := e.text.Cursor()
	p, ok := e.text.endOfWord(at, c.times(), c.name == "E", false)
	return p, ok || p != at
}

// endOfWord returns the last character of the count-th word. With stay, as for cw, a
// word that ends at p counts.
func (d document) endOfWord(p Pos, count int, big, stay bool) (Pos, bool) {
	for ; count > 0; count-- {
		kind := d.class(p, big)
		q, moved := d.next(p)
		if !moved {
			return p, false
		}
		switch {
		case kind != blank && d.class(q, big) == kind:
			p = q
		case kind != blank && stay:
			stay = false
			continue
		default:
			for d.class(q, big) == blank {
				if q, moved = d.next(q); !moved {
					return q, false
				}
			}
			p = q
		}
		stay = false
		p, _ = d.previous(d.runEnd(p, big))
	}
	return p, true
}

// wordEndBack is ge and gE.
func (e *Editor) wordEndBack(c command) (Pos, bool) {
	p, big := e.text.Cursor(), c.name == "gE"
	for range c.times() {
		kind := e.text.class(p, big)
		q, moved := e.text.previous(p)
		if !moved {
			return p, false
		}
		p = q
		if kind != blank {
			if p, moved = e.text.skip(p, e.text.previous, kind, big); !moved {
				return p, true
			}
		}
		if p, moved = e.text.skip(p, e.text.previous, blank, big); !moved {
			return p, true
		}
	}
	return p, true
}

// document finds positions, words and text objects in a text. Its methods neither
// edit the text nor move the cursor.
type document struct{ Text }

// end returns the end of a line.
func (d document) end(row int) Pos { return Pos{row, len(d.Line(row))} }

func (d document) lastRow() int { return d.Lines() - 1 }

func (d document) atEnd(p Pos) bool { return p.Col >= len(d.Line(p.Row)) }

func (d document) emptyLine(row int) bool { return d.Line(row) == "" }

// next returns the position after p; the end of a line is a position of its own. It
// reports false at the end of the text.
func (d document) next(p Pos) (Pos, bool) {
	if !d.atEnd(p) {
		return Pos{p.Row, d.Next(p.Row, p.Col)}, true
	}
	if p.Row < d.lastRow() {
		return Pos{p.Row + 1, 0}, true
	}
	return p, false
}

// previous returns the position before p. It reports false at the start of the text.
func (d document) previous(p Pos) (Pos, bool) {
	if p.Col > 0 {
		return Pos{p.Row, d.Previous(p.Row, p.Col)}, true
	}
	if p.Row > 0 {
		return d.end(p.Row - 1), true
	}
	return p, false
}

// after returns the position after the character at p, or p at the end of its line.
func (d document) after(p Pos) Pos {
	if d.atEnd(p) {
		return p
	}
	return Pos{p.Row, d.Next(p.Row, p.Col)}
}

// onCharacter returns p, or the last character of its line if p is the line's end.
func (d document) onCharacter(p Pos) Pos {
	p.Row = min(p.Row, d.lastRow())
	line := d.Line(p.Row)
	if p.Col >= len(line) && line != "" {
		return Pos{p.Row, d.Previous(p.Row, len(line))}
	}
	return Pos{p.Row, min(p.Col, len(line))}
}

// aligned moves a position from before a change to where a character begins.
func (d document) aligned(p Pos) Pos {
	p = d.onCharacter(p)
	if !d.boundary(p.Row, p.Col) {
		p.Col = d.Previous(p.Row, p.Col)
	}
	return p
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
	if e.mode != Visual || p.Row > e.text.lastRow() || p != e.text.end(p.Row) {
		p = e.text.onCharacter(p)
	}
	e.text.Move(p)
}

// indentEnd returns the end of a line's indent.
func (d document) indentEnd(row int) Pos {
	line := d.Line(row)
	return Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))}
}

// firstNonBlank returns the first character of a line that is not blank, or its last.
func (d document) firstNonBlank(row int) Pos { return d.onCharacter(d.indentEnd(row)) }

// inIndent reports whether only blanks precede a position on its line.
func (d document) inIndent(p Pos) bool {
	return strings.Trim(d.Line(p.Row)[:p.Col], " \t") == ""
}

// slice returns the text between two positions.
func (d document) slice(from, to Pos) string {
	if from.Row == to.Row {
		return d.Line(from.Row)[from.Col:to.Col]
	}
	var s strings.Builder
	s.WriteString(d.Line(from.Row)[from.Col:])
	for row := from.Row + 1; row < to.Row; row++ {
		s.WriteByte('\n')
		s.WriteString(d.Line(row))
	}
	s.WriteByte('\n')
	s.WriteString(d.Line(to.Row)[:to.Col])
	return s.String()
}

// class is the class of a character. A word has characters of one class; the end of a
// line is blank.
type class int

const (
	blank class = iota
	punctuation
	word
	emoji
	private // private use: placeholders, such as a folded paste
	han
	hiragana
	katakana
	hangul
)

// class returns the class of the character at p. With big, as for W, everything but
// blanks is of one class.
func (d document) class(p Pos, big bool) class {
	if d.atEnd(p) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(d.Line(p.Row)[p.Col:])
	switch {
	case r == ' ' || r == '\t':
		return blank
	case r >= 0x80 && unicode.IsSpace(r):
		return blank
	case big || r == '_' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return word
	case r < 0x80:
		return punctuation
	case unicode.Is(unicode.Co, r):
		return private
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case r >= 0x1F000 && unicode.Is(unicode.So, r):
		return emoji
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return punctuation
	}
	return word
}

// A sentence ends with a ".", "!" or "?", closing brackets and quotes, and then a
// blank or the end of the line. Paragraphs end it too. Consecutive empty lines are one.

// endsSentence reports whether a sentence ends before an offset of a line.
func endsSentence(line string, col int) bool {
	if col < len(line) && line[col] != ' ' && line[col] != '\t' {
		return false
	}
	before := strings.TrimRight(line[:col], ")]\"'")
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0
}

// beginsSentence reports whether a sentence, or a gap between paragraphs, begins at p.
func (d document) beginsSentence(p Pos) bool {
	if d.emptyLine(p.Row) {
		return p.Row == 0 || !d.emptyLine(p.Row-1)
	}
	if p == (Pos{}) {
		return true
	}
	if d.atEnd(p) || d.class(p, true) == blank {
		return false
	}
	if !d.inIndent(p) {
		line := d.Line(p.Row)
		trimmed := strings.TrimRight(line[:p.Col], " \t")
		return len(trimmed) < p.Col && endsSentence(line, len(trimmed))
	}
	for row := p.Row - 1; row >= 0; row-- {
		line := d.Line(row)
		if line == "" {
			return true
		}
		if trimmed := strings.TrimRight(line, " \t"); trimmed != "" {
			return endsSentence(line, len(trimmed))
		}
	}
	return false
}

// sentence returns the nearest start of a sentence that steps from p lead to. It reports
// false at the end of the text that it reaches without one.
func (d document) sentence(p Pos, step func(Pos) (Pos, bool)) (Pos, bool) {
	for {
		q, moved := step(p)
		if !moved {
			return p, false
		}
		if p = q; d.beginsSentence(p) {
			return p, true
		}
	}
}

// sentences is ( and ).
func (e *Editor) sentences(c command) (Pos, bool) {
	step := e.text.next
	if c.name == "(" {
		step = e.text.previous
	}
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q, found := e.text.sentence(p, step)
		if !found {
			return q, q != p && (n == 1 || c.operator == "" || c.name == "(")
		}
		p = q
	}
	return p, true
}

// sentencePart returns the sentence at p without the blanks after it, or those blanks
// if p is among them.
func (d document) sentencePart(p Pos) (from, to Pos, blanks bool) {
	from = p
	if !d.beginsSentence(p) {
		from, _ = d.sentence(p, d.previous)
	}
	next, found := d.sentence(from, d.next)
	if !found {
		next = d.end(d.lastRow())
	}
	text := from
	to = from
	for text.Before(next) {
		if d.class(text, true) != blank {
			to = d.after(text)
		}
		text, _ = d.next(text)
	}
	if d.emptyLine(from.Row) {
		return from, next, false
	}
	if !p.Before(to) {
		return to, next, true
	}
	return from, to, false
}
