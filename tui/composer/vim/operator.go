package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textRange is what an operator works on: the text from from up to to, or the whole
// lines of both and between them.
type textRange struct {
	from, to Pos
	lines    bool
	empty    bool // an object without text, such as (), which c can fill
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
	if c.name == wholeLines {
		row := at.Row + c.times() - 1
		if row > e.text.lastRow() {
			if at.Row == e.text.lastRow() {
				return textRange{}, false
			}
			row = e.text.lastRow()
		}
		from := at
		if c.operator != "y" {
			from = e.text.firstNonBlank(at.Row)
		}
		return textRange{from: from, to: Pos{row, 0}, lines: true}, true
	}
	if len(c.name) == 2 && (c.name[0] == 'i' || c.name[0] == 'a') {
		s, ok := e.object(c)
		return e.adjusted(c, s), ok
	}
	m := motions[c.name]
	k := m.kind
	if c.name == ";" || c.name == "," {
		k = motions[e.repeatedFind(c).name].kind
	}
	to, ok := m.to(e, c)
	e.keeps = false
	if !ok {
		return textRange{}, false
	}
	from := at
	if to.Before(from) {
		from, to = to, from
	}
	switch k {
	case linewise:
		return textRange{from: from, to: to, lines: true}, true
	case inclusive:
		to = e.text.after(to)
		return e.adjustedInclusive(c, textRange{from: from, to: to}), true
	}
	return e.adjusted(c, textRange{from: from, to: to}), true
}

// adjusted is vim's rule for a range that ends in column 0: it ends with the line
// before, and becomes whole lines if it also begins in the indent (:help o_v).
func (e *Editor) adjusted(c command, s textRange) textRange {
	if s.lines || s.to.Col != 0 || s.from.Row == s.to.Row {
		return e.adjustedInclusive(c, s)
	}
	s.to = e.text.end(s.to.Row - 1)
	if e.text.inIndent(s.from) {
		s.lines = true
		return s
	}
	return e.adjustedInclusive(c, s)
}

// adjustedInclusive is vim's rule for d: a range from the indent of a line to the last
// character of another is whole lines.
func (e *Editor) adjustedInclusive(c command, s textRange) textRange {
	if c.operator != "d" || s.lines || s.from.Row == s.to.Row {
		return s
	}
	rest := e.text.Line(s.to.Row)[s.to.Col:]
	s.lines = e.text.inIndent(s.from) && strings.Trim(rest, " \t") == ""
	return s
}

// apply applies an operator to a range.
func (e *Editor) apply(c command, s textRange) {
	e.text.Move(e.text.onCharacter(s.from)) // undo restores this cursor
	switch c.operator {
	case "y":
		e.yank(c, s)
		e.to(s.from)
	case "d":
		if e.text.lastRow() == 0 && e.text.emptyLine(0) {
			return
		}
		e.yank(c, s)
		e.remove(s)
	case "c":
		e.yank(c, s)
		if s.lines {
			s.from, s.to = Pos{s.from.Row, 0}, e.text.end(s.to.Row)
		}
		e.edit(s.from, s.to, "")
		e.text.Move(s.from)
		e.begin(c)
	case "<", ">":
		e.shift(c.operator, s, 1)
	default:
		e.changeCase(c.operator, s)
	}
}

// yank copies a range into the register.
func (e *Editor) yank(c command, s textRange) {
	if s.empty || !s.lines && s.from == s.to {
		return
	}
	if s.lines {
		e.register = Register{e.text.slice(Pos{s.from.Row, 0}, e.text.end(s.to.Row)), true}
	} else {
		e.register = Register{e.text.slice(s.from, s.to), false}
	}
	if c.clipboard {
		e.copied = e.register.Text
		if e.register.Lines {
			e.copied += "\n"
		}
	}
}

// edit replaces text and moves the cursor after it.
func (e *Editor) edit(from, to Pos, text string) Pos {
	e.keeps = false
	if from == to && text == "" {
		return from
	}
	e.text.Replace(from, to, text)
	end := from
	if n := strings.Count(text, "\n"); n > 0 {
		end = Pos{from.Row + n, len(text) - 1 - strings.LastIndexByte(text, '\n')}
	} else {
		end.Col += len(text)
	}
	e.text.Move(end)
	return end
}

// remove deletes a range.
func (e *Editor) remove(s textRange) {
	if !s.lines {
		e.edit(s.from, s.to, "")
		e.to(s.from)
		return
	}
	first, last := s.from.Row, s.to.Row
	switch {
	case last < e.text.lastRow():
		e.edit(Pos{first, 0}, Pos{last + 1, 0}, "")
	case first > 0:
		e.edit(e.text.end(first-1), e.text.end(last), "")
	default:
		e.edit(Pos{}, e.text.end(last), "")
	}
	e.to(e.text.firstNonBlank(min(first, e.text.lastRow())))
}

// shift changes the indent of the lines of a range.
func (e *Editor) shift(operator string, s textRange, times int) {
	was := e.text.slice(Pos{s.from.Row, 0}, e.text.end(s.to.Row))
	lines := strings.Split(was, "\n")
	for i, line := range lines {
		if line == "" {
			continue
		}
		rest := strings.TrimLeft(line, " \t")
		width := e.text.Column(s.from.Row+i, len(line)-len(rest))
		if operator == ">" {
			width += times * indent
		} else {
			width = max(0, width-times*indent)
		}
		lines[i] = strings.Repeat(" ", width) + rest
	}
	if is := strings.Join(lines, "\n"); is != was {
		e.edit(Pos{s.from.Row, 0}, e.text.end(s.to.Row), is)
	}
	e.to(e.text.firstNonBlank(s.from.Row))
}

// changeCase is gu, gU and g~.
func (e *Editor) changeCase(operator string, s textRange) {
	from, to := s.from, s.to
	if s.lines {
		from, to = Pos{s.from.Row, 0}, e.text.end(s.to.Row)
	}
	was := e.text.slice(from, to)
	is := strings.Map(caseOf(operator), was)
	if operator == "gU" {
		is = strings.ReplaceAll(is, "ß", "SS")
	}
	if is != was {
		e.edit(from, to, is)
	}
	e.to(s.from)
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

// insertion is the state of insert and replace mode.
type insertion struct {
	from  Pos  // the typed text is between here and the cursor
	times int  // how often to insert it
	lines bool // on a line of its own each time
	// replaced holds the characters that replace mode has overwritten, "" for the end
	// of a line; written, the lengths of what replaced them.
	replaced []string
	written  []int
}

// begin starts insert mode at the cursor.
func (e *Editor) begin(c command) {
	times := c.times()
	if c.operator != "" {
		times = 1
	}
	e.mode = Insert
	e.keeps = false
	e.insert = insertion{from: e.text.Cursor(), times: times}
}

func (e *Editor) beginAt(c command, p Pos) {
	e.text.Move(p)
	e.begin(c)
}

// openLine is o and O.
func (e *Editor) openLine(c command) {
	at := e.text.end(e.text.Cursor().Row)
	if c.name == "O" {
		at.Col = 0
	}
	e.edit(at, at, "\n")
	if c.name == "O" {
		e.text.Move(at)
	}
	e.begin(c)
	e.insert.lines = true
}

// Typed reports a key that the host handled in insert mode. With moved, the cursor
// moved without an edit, and a new insertion begins.
func (e *Editor) Typed(moved bool) {
	if e.mode != Insert {
		return
	}
	if at := e.text.Cursor(); moved {
		e.text.End()
		e.text.Begin()
		e.insert = insertion{from: at, times: 1}
		e.change = change{command: command{name: "i"}}
	} else if at.Before(e.insert.from) {
		e.insert.from = at
	}
}

// stopInserting returns to normal mode. It repeats the typed text as often as the
// count says and keeps it for the dot.
func (e *Editor) stopInserting() {
	at := e.text.Cursor()
	typed := ""
	if e.insert.from.Before(at) && e.insert.from.Row <= e.text.lastRow() && e.insert.from.Col <= len(e.text.Line(e.insert.from.Row)) {
		typed = e.text.slice(e.insert.from, at)
	}
	if !e.replays {
		e.change.typed = typed
	}
	if more := e.insert.times - 1; more > 0 && len(typed)*more <= mostPut {
		switch at := e.text.Cursor(); {
		case e.insert.lines:
			at = e.text.end(at.Row)
			e.edit(at, at, strings.Repeat("\n"+typed, more))
		case e.mode == Replace:
			e.writeOver(strings.Repeat(typed, more))
		default:
			e.edit(at, at, strings.Repeat(typed, more))
		}
	}
	e.text.End()
	e.mode = Normal
	if at = e.text.Cursor(); at.Col > 0 {
		at, _ = e.text.previous(at)
	}
	e.to(at)
}

// writeOver overwrites the characters at the cursor.
func (e *Editor) writeOver(text string) {
	for text != "" {
		at := e.text.Cursor()
		line := e.text.Line(at.Row)
		to := e.text.after(at)
		e.insert.replaced = append(e.insert.replaced, line[at.Col:to.Col])
		// Code points form clusters only inside the text, so write them one by one.
		n := 1
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		e.insert.written = append(e.insert.written, n)
		e.edit(at, to, text[:n])
		text = text[n:]
	}
}

// replaceKey handles a key of replace mode. It reports false if the host handles it.
func (e *Editor) replaceKey(key string) bool {
	switch {
	case key == "backspace" || key == "ctrl+h":
		e.restore()
	case key == "space":
		e.writeOver(" ")
	case len(key) == 1 || isCharacter(key):
		e.writeOver(key)
	default:
		return false
	}
	return true
}

// restore restores the last overwritten character; without one it moves left.
func (e *Editor) restore() {
	at, last := e.text.Cursor(), len(e.insert.replaced)-1
	if last < 0 {
		if at.Col > 0 {
			at, _ = e.text.previous(at)
			e.text.Move(at)
			e.insert.from = at
		}
		return
	}
	from := Pos{at.Row, max(0, at.Col-e.insert.written[last])}
	e.edit(from, at, e.insert.replaced[last])
	e.text.Move(from)
	e.insert.replaced, e.insert.written = e.insert.replaced[:last], e.insert.written[:last]
}
