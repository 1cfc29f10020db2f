package vim

import "strings"

// selected is a selection in visual mode.
type selected struct {
	mode           Mode
	anchor, cursor Pos
}

// extent is the size of a selection, on which the dot repeats a change.
type extent struct {
	lines bool
	rows  int // lines beyond the first
	cells int // characters of the last line
	// lineEnd means that it goes to the end of its last line, however long that is.
	lineEnd bool
}

func (e *Editor) beginVisual(m Mode) {
	e.mode, e.anchor = m, e.text.Cursor()
}

// Select selects the text between two positions, as the mouse does. The cursor is at
// the second one, or at the last character.
func (e *Editor) Select(anchor, cursor Pos) {
	if e.mode == Insert || e.mode == Replace {
		return
	}
	e.pending, e.mode, e.keeps = nil, Visual, false
	switch {
	case anchor.Before(cursor) && cursor.Col > 0:
		cursor, _ = e.text.previous(cursor)
	case cursor.Before(anchor) && anchor.Col > 0:
		anchor, _ = e.text.previous(anchor)
	}
	e.anchor = e.text.onCharacter(anchor)
	e.text.Move(e.text.onCharacter(cursor))
}

// reselect is gv. In visual mode it swaps the selection with the previous one.
func (e *Editor) reselect(command) {
	last := e.last
	if e.visual() {
		e.last = selected{e.mode, e.anchor, e.text.Cursor()}
	}
	if last.mode == Visual || last.mode == VisualLine {
		e.mode, e.anchor = last.mode, e.text.aligned(last.anchor)
		e.to(e.text.aligned(last.cursor))
	}
}

func (e *Editor) leaveVisual() {
	e.last = selected{e.mode, e.anchor, e.text.Cursor()}
	e.mode = Normal
}

// selection returns the selected range.
func (e *Editor) selection() textRange {
	from, to := e.anchor, e.text.Cursor()
	if to.Before(from) {
		from, to = to, from
	}
	if e.mode == VisualLine {
		if from == e.anchor {
			from.Col = 0
		}
		return textRange{from: from, to: to, lines: true}
	}
	s := textRange{from: from, to: e.text.after(to)}
	if e.text.atEnd(to) && to.Row < e.text.lastRow() { // with the end of the line
		s.to = Pos{to.Row + 1, 0}
	}
	return s
}

// runVisual executes a command of visual mode. A change is one undo step.
func (e *Editor) runVisual(c command) {
	switch {
	case c.operator != "" || strings.Contains("rJpP", c.name) || c.name == "gJ":
		x, s := e.extent(), e.selection()
		e.leaveVisual()
		if c.operator == "y" {
			e.changeSelected(c, s)
			return
		}
		e.change = change{command: c, selected: &x}
		e.text.Begin()
		e.changeSelected(c, s)
		if e.mode != Insert {
			e.text.End()
			e.clamp()
		}
	case c.name == "v" && e.mode == Visual || c.name == "V" && e.mode == VisualLine:
		e.leaveVisual()
		e.clamp()
	case c.name == "v":
		e.mode = Visual
	case c.name == "V":
		e.mode = VisualLine
	case c.name == "o" || c.name == "O":
		at := e.text.Cursor()
		e.keeps = false
		e.text.Move(e.anchor)
		e.anchor = at
	case c.name == "gv":
		e.reselect(c)
	case len(c.name) == 2 && (c.name[0] == 'i' || c.name[0] == 'a'):
		e.selectObject(c)
	default:
		e.move(c)
	}
}

// extent measures the selection.
func (e *Editor) extent() extent {
	s := e.selection()
	x := extent{lines: s.lines, rows: s.to.Row - s.from.Row}
	if s.lines {
		return x
	}
	x.lineEnd = e.keeps && e.goal >= farRight
	to := s.to
	if to.Col == 0 && x.rows > 0 { // it ends with the newline of the row above
		x.rows--
		x.cells++
		to = e.text.end(to.Row - 1)
	}
	from := Pos{to.Row, 0}
	if x.rows == 0 {
		from = s.from
	}
	for from.Before(to) {
		from = e.text.after(from)
		x.cells++
	}
	return x
}

// extended returns the range of an extent from the cursor.
func (e *Editor) extended(x extent) textRange {
	at := e.text.Cursor()
	s := textRange{from: at, to: Pos{min(at.Row+x.rows, e.text.lastRow()), 0}, lines: x.lines}
	if x.rows == 0 {
		s.to = at
	}
	if x.lineEnd {
		s.to, _ = e.text.next(e.text.end(s.to.Row))
		return s
	}
	for n := x.cells; n > 0; n-- {
		if e.text.atEnd(s.to) { // a size that is larger takes the newline, too
			s.to, _ = e.text.next(s.to)
			break
		}
		s.to = e.text.after(s.to)
	}
	return s
}

// changeSelected executes a command of visual mode on a range.
func (e *Editor) changeSelected(c command, s textRange) {
	if c.name == wholeLines {
		s.lines = true
	}
	e.text.Move(e.text.onCharacter(s.from))
	lastRow := s.to.Row
	if !s.lines && s.to.Col == 0 && lastRow > s.from.Row { // it ends with the newline of the row above
		lastRow--
	}
	switch {
	case c.operator == "<" || c.operator == ">":
		e.shift(c.operator, textRange{from: s.from, to: Pos{lastRow, 0}}, c.times())
	case c.operator != "":
		e.apply(c, s)
	case c.name == "r":
		e.replaceAll(c.arg, s)
	case c.name == "J", c.name == "gJ":
		e.joinRows(s.from.Row, max(2, lastRow-s.from.Row+1), c.name == "J")
	default:
		e.putOver(c, s)
	}
}

// replaceAll replaces each character of a range; lines keep their ends.
func (e *Editor) replaceAll(character string, s textRange) {
	from, to := s.from, s.to
	if s.lines {
		from, to = Pos{from.Row, 0}, e.text.end(to.Row)
	}
	var out strings.Builder
	for p := from; p.Before(to); {
		if e.text.atEnd(p) {
			out.WriteByte('\n')
		} else {
			out.WriteString(character)
		}
		p, _ = e.text.next(p)
	}
	e.edit(from, to, out.String())
	e.to(from)
}

// putOver replaces a range with the register. With p the replaced text becomes the
// register.
func (e *Editor) putOver(c command, s textRange) {
	r, keep := e.register, e.register
	if r.Text == "" && !r.Lines {
		return
	}
	e.yank(command{}, s)
	if c.name == "P" {
		e.register = keep
	}
	if len(r.Text)*c.times() > mostPut {
		return
	}
	text := strings.Repeat(r.Text, c.times())
	if r.Lines {
		text = strings.Repeat(r.Text+"\n", c.times())
		text = text[:len(text)-1]
	}
	switch from, to := s.from, s.to; {
	case s.lines:
		from, to = Pos{from.Row, 0}, e.text.end(to.Row)
		e.edit(from, to, text)
		e.to(e.text.firstNonBlank(from.Row))
	case r.Lines:
		e.edit(from, to, "\n"+text+"\n")
		e.to(e.text.firstNonBlank(from.Row + 1))
	default:
		end := e.edit(from, to, text)
		if strings.Contains(text, "\n") {
			e.to(from)
		} else if end.Col > 0 {
			e.to(Pos{end.Row, e.text.Previous(end.Row, end.Col)})
		}
	}
}

// selectObject selects a text object, or extends a selection by the next one.
func (e *Editor) selectObject(c command) {
	at := e.text.Cursor()
	extend := e.anchor != at && strings.Contains("wWsp", c.name[1:])
	if extend && e.anchor.Before(at) {
		next, moved := e.text.next(at)
		if moved && e.text.atEnd(next) {
			next, moved = e.text.next(next)
		}
		if !moved {
			return
		}
		e.text.Move(next)
	}
	s, ok := e.object(c)
	if !ok || s.empty {
		e.text.Move(at)
		return
	}
	if s.lines {
		e.mode = VisualLine
		s.to = e.text.onCharacter(Pos{s.to.Row, 0})
	} else {
		e.mode = Visual
		s.to, _ = e.text.previous(s.to)
	}
	if !extend {
		e.anchor = s.from
	}
	e.to(s.to)
}
