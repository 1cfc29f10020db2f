package vim

import "strings"

// selected is a selection of visual mode.
type selected struct {
	mode           Mode
	anchor, cursor Pos
}

// extent is how much was selected: what the dot works on after a change in visual
// mode.
type extent struct {
	lines bool
	rows  int // lines beyond the first
	cells int // characters of the last line
}

func (e *Editor) beginVisual(m Mode) {
	e.mode, e.anchor = m, e.text.Cursor()
}

// Select selects what is between two places, as the mouse does. The cursor is at the
// second one, or at the last character.
func (e *Editor) Select(anchor, cursor Pos) {
	if e.mode == Insert || e.mode == Replace {
		return
	}
	e.pending, e.mode, e.keeps = nil, Visual, false
	switch {
	case anchor.before(cursor) && cursor.Col > 0:
		cursor, _ = e.previous(cursor)
	case cursor.before(anchor) && anchor.Col > 0:
		anchor, _ = e.previous(anchor)
	}
	e.anchor = e.onLine(anchor)
	e.text.Move(e.onLine(cursor))
}

func (e *Editor) reselect(command) {
	if e.last.mode != Visual && e.last.mode != VisualLine {
		return
	}
	e.mode, e.anchor = e.last.mode, e.aligned(e.last.anchor)
	e.to(e.aligned(e.last.cursor))
}

func (e *Editor) leaveVisual() {
	e.last = selected{e.mode, e.anchor, e.text.Cursor()}
	e.mode = Normal
}

// selection is what is selected.
func (e *Editor) selection() span {
	from, to := e.anchor, e.text.Cursor()
	if to.before(from) {
		from, to = to, from
	}
	if e.mode == VisualLine {
		if from == e.anchor {
			from.Col = 0
		}
		return span{from: from, to: to, lines: true}
	}
	s := span{from: from, to: e.after(to)}
	if e.atEnd(to) && to.Row < e.lastRow() { // the end of the line, or all of an empty one
		s.to = Pos{to.Row + 1, 0}
	}
	return s
}

// runVisual does a command while something is selected.
func (e *Editor) runVisual(c command) {
	switch {
	case c.operator != "" || strings.Contains("rJpP", c.name) || c.name == "gJ":
		x := e.extent()
		s := e.selection()
		e.leaveVisual()
		e.performSelected(c, s, x)
	case c.name == "v" || c.name == "V":
		e.toggleVisual(c.name)
	case c.name == "o" || c.name == "O":
		at := e.text.Cursor()
		e.keeps = false
		e.text.Move(e.anchor)
		e.anchor = at
	case c.name == "gv":
		was := e.last
		e.last = selected{e.mode, e.anchor, e.text.Cursor()}
		if was.mode == Visual || was.mode == VisualLine {
			e.mode, e.anchor = was.mode, e.aligned(was.anchor)
			e.to(e.aligned(was.cursor))
		}
	case len(c.name) == 2 && (c.name[0] == 'i' || c.name[0] == 'a'):
		e.selectObject(c)
	default:
		e.move(c)
	}
}

func (e *Editor) toggleVisual(name string) {
	mode := Visual
	if name == "V" {
		mode = VisualLine
	}
	if e.mode == mode {
		e.leaveVisual()
		e.clamp()
		return
	}
	e.mode = mode
}

// extent is how much is selected now.
func (e *Editor) extent() extent {
	s := e.selection()
	x := extent{lines: s.lines, rows: s.to.Row - s.from.Row}
	if s.lines {
		return x
	}
	from := Pos{s.to.Row, 0}
	if x.rows == 0 {
		from = s.from
	}
	for from.before(s.to) {
		from = e.after(from)
		x.cells++
	}
	return x
}

// extended is so much text from the cursor on.
func (e *Editor) extended(x extent) span {
	at := e.text.Cursor()
	s := span{from: at, to: Pos{min(at.Row+x.rows, e.lastRow()), 0}, lines: x.lines}
	if x.rows == 0 {
		s.to = at
	}
	for n := x.cells; n > 0 && !e.atEnd(s.to); n-- {
		s.to = e.after(s.to)
	}
	return s
}

// performSelected does a command of visual mode as one step that can be undone.
func (e *Editor) performSelected(c command, s span, x extent) {
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
}

// changeSelected does a command of visual mode on a span.
func (e *Editor) changeSelected(c command, s span) {
	if c.name == wholeLines {
		s.lines = true
	}
	e.text.Move(e.onLine(s.from))
	switch {
	case c.operator == "<" || c.operator == ">":
		e.shift(c.operator, s, c.times())
	case c.operator != "":
		e.apply(c, s)
	case c.name == "r":
		e.replaceAll(c.arg, s)
	case c.name == "J", c.name == "gJ":
		e.joinRows(s.from.Row, max(2, s.to.Row-s.from.Row+1), c.name == "J")
	default:
		e.putOver(c, s)
	}
}

// replaceAll writes one character over all that are selected.
func (e *Editor) replaceAll(character string, s span) {
	from, to := s.from, s.to
	if s.lines {
		from, to = Pos{from.Row, 0}, e.end(to.Row)
	}
	var out strings.Builder
	for p := from; p.before(to); {
		if e.atEnd(p) {
			out.WriteByte('\n')
		} else {
			out.WriteString(character)
		}
		p, _ = e.next(p)
	}
	e.edit(from, to, out.String())
	e.to(from)
}

// putOver puts the register in the place of what is selected, which with p goes into
// the register.
func (e *Editor) putOver(c command, s span) {
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
		from, to = Pos{from.Row, 0}, e.end(to.Row)
		e.edit(from, to, text)
		e.to(e.firstNonBlank(from.Row))
	case r.Lines:
		e.edit(from, to, "\n"+text+"\n")
		e.to(e.firstNonBlank(from.Row + 1))
	default:
		end := e.edit(from, to, text)
		if strings.Contains(text, "\n") {
			e.to(from)
		} else if end.Col > 0 {
			e.to(Pos{end.Row, e.text.Previous(end.Row, end.Col)})
		}
	}
}

// selectObject selects a text object, or goes on to the next one where something is
// selected already.
func (e *Editor) selectObject(c command) {
	at := e.text.Cursor()
	goesOn := e.anchor != at && strings.Contains("wWsp", c.name[1:])
	if goesOn && e.anchor.before(at) {
		next, moved := e.next(at)
		if moved && e.atEnd(next) {
			next, moved = e.next(next)
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
		s.to = e.onLine(Pos{s.to.Row, 0})
	} else {
		e.mode = Visual
		s.to, _ = e.previous(s.to)
	}
	if !goesOn {
		e.anchor = s.from
	}
	e.to(s.to)
}
