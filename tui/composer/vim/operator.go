package vim

import (
	"strings"
	"unicode"
)

// indent is how many spaces > and < move a line.
const indent = 4

// textRange is what an operator works on: the text from from up to to, or the whole
// lines of both and between them.
type textRange struct {
	from, to Pos
	lines    bool
	empty    bool // an object without text, such as (), which c can fill
}

// bounds returns where the text of a range begins and ends.
func (e *Editor) bounds(s textRange) (from, to Pos) {
	if s.lines {
		return Pos{s.from.Row, 0}, e.text.end(s.to.Row)
	}
	return s.from, s.to
}

// operate applies an operator to the range of its motion or text object. It reports
// false without such a range.
func (e *Editor) operate(c command) (done bool) {
	s, ok := e.operand(c)
	if ok {
		e.apply(c, s)
	}
	return ok
}

// operand returns the range that an operator works on.
func (e *Editor) operand(c command) (textRange, bool) {
	at := e.text.Cursor()
	switch {
	case c.name == wholeLines:
		last := e.text.lastRow()
		if c.times() > 1 && at.Row == last {
			return textRange{}, false
		}
		from := at
		if c.operator != "y" {
			from = e.text.firstNonBlank(at.Row)
		}
		return textRange{from: from, to: Pos{min(at.Row+c.times()-1, last), 0}, lines: true}, true
	case c.isObject():
		s, ok := e.object(c)
		return e.adjusted(c, s), ok
	}
	m := motions[c.name]
	kind := m.kind
	if c.name == ";" || c.name == "," {
		kind = motions[e.repeatedFind(c).name].kind
	}
	to, ok := m.to(e, c)
	e.keeps = false
	if !ok {
		return textRange{}, false
	}
	s := textRange{from: at, to: to, lines: kind == linewise}
	if to.Before(at) {
		s.from, s.to = to, at
	}
	if kind == inclusive {
		s.to = e.text.after(s.to)
	}
	return e.adjusted(c, s), true
}

// adjusted applies vim's rules for ranges of several lines (:help o_v): one that ends in
// column 0 ends with the line before, and it becomes whole lines if it begins in the indent,
// for d also if it ends with the last character of a line.
func (e *Editor) adjusted(c command, s textRange) textRange {
	if s.lines || s.from.Row == s.to.Row {
		return s
	}
	ends := c.operator == "d" && strings.Trim(e.text.Line(s.to.Row)[s.to.Col:], " \t") == ""
	if s.to.Col == 0 {
		s.to, ends = e.text.end(s.to.Row-1), true
	}
	s.lines = ends && e.text.inIndent(s.from)
	return s
}

// apply applies an operator to a range.
func (e *Editor) apply(c command, s textRange) {
	from, to := e.bounds(s)
	e.text.Move(e.text.onCharacter(s.from)) // undo restores this cursor
	switch c.operator {
	case "y":
		e.yank(c, s)
		e.to(s.from)
	case "d":
		if e.text.lastRow() > 0 || !e.text.emptyLine(0) {
			e.yank(c, s)
			e.remove(s)
		}
	case "c":
		e.yank(c, s)
		e.edit(from, to, "")
		e.begin(from)
	case "<", ">":
		e.shift(c.operator, s.from.Row, s.to.Row, 1)
	default:
		text := strings.Map(caseOf(c.operator), e.text.Slice(from, to))
		if c.operator == "gU" {
			text = strings.ReplaceAll(text, "ß", "SS")
		}
		e.edit(from, to, text)
		e.to(s.from)
	}
}

// yank copies a range into the register.
func (e *Editor) yank(c command, s textRange) {
	from, to := e.bounds(s)
	if s.empty || !s.lines && from == to {
		return
	}
	e.register = Register{e.text.Slice(from, to), s.lines}
	if c.clipboard {
		e.copied = e.register.Text
		if s.lines {
			e.copied += "\n"
		}
	}
}

// edit replaces text, moves the cursor after it and returns where that is.
func (e *Editor) edit(from, to Pos, text string) Pos {
	e.keeps = false
	if e.text.Slice(from, to) == text {
		return to
	}
	e.text.Replace(from, to, text)
	end := Pos{from.Row, from.Col + len(text)}
	if n := strings.Count(text, "\n"); n > 0 {
		end = Pos{from.Row + n, len(text) - 1 - strings.LastIndexByte(text, '\n')}
	}
	e.text.Move(end)
	return end
}

// remove deletes a range.
func (e *Editor) remove(s textRange) {
	from, to := e.bounds(s)
	if !s.lines {
		e.edit(from, to, "")
		e.to(from)
		return
	}
	if to.Row < e.text.lastRow() {
		to = Pos{to.Row + 1, 0}
	} else if from.Row > 0 {
		from = e.text.end(from.Row - 1)
	}
	e.edit(from, to, "")
	e.to(e.text.firstNonBlank(min(s.from.Row, e.text.lastRow())))
}

// shift changes the indent of lines.
func (e *Editor) shift(operator string, first, last, times int) {
	by := times * indent
	if operator == "<" {
		by = -by
	}
	var lines []string
	for row := first; row <= last; row++ {
		line := e.text.Line(row)
		if line != "" {
			at := e.text.indentEnd(row).Col
			line = strings.Repeat(" ", max(0, e.text.Column(row, at)+by)) + line[at:]
		}
		lines = append(lines, line)
	}
	e.edit(Pos{first, 0}, e.text.end(last), strings.Join(lines, "\n"))
	e.to(e.text.firstNonBlank(first))
}

func caseOf(operator string) func(rune) rune {
	switch operator {
	case "gu":
		return unicode.ToLower
	case "gU":
		return unicode.ToUpper
	}
	return func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}
}
