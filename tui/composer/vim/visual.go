package vim

import "strings"

// extent is the size of a selection, on which the dot repeats a change: the lines beyond the
// first, and the characters of the last line.
type extent struct {
	lines       bool
	rows, cells int
}

// toggleVisual is v and V: it begins visual mode, changes its kind, or ends it.
func (e *Editor) toggleVisual(c command) {
	mode := Visual
	if c.name == "V" {
		mode = VisualLine
	}
	if !e.visual() {
		e.anchor = e.text.Cursor()
	} else if e.mode == mode {
		mode = Normal
	}
	e.mode = mode
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
	return textRange{from: from, to: e.text.after(to)}
}

// runVisual executes a command of visual mode.
func (e *Editor) runVisual(c command) {
	switch {
	case c.operator != "" || strings.Contains("rJpP", c.name):
		x, s := e.extent(), e.selection()
		if e.mode = Normal; c.operator == "y" {
			e.changeSelected(c, s)
			return
		}
		e.changes(c, &x, func() bool { e.changeSelected(c, s); return true })
	case c.name == "v" || c.name == "V":
		e.toggleVisual(c)
	case c.name == "o":
		at := e.text.Cursor()
		e.to(e.anchor)
		e.anchor = at
	case c.isObject():
		e.selectObject(c)
	default:
		e.move(c)
	}
}

// extent measures the selection.
func (e *Editor) extent() extent {
	s := e.selection()
	x := extent{lines: s.lines, rows: s.to.Row - s.from.Row}
	from := Pos{s.to.Row, 0}
	if x.rows == 0 {
		from = s.from
	}
	for ; from.Before(s.to); x.cells++ {
		from = e.text.after(from)
	}
	return x
}

// extended returns the range of an extent from the cursor.
func (e *Editor) extended(x extent) textRange {
	at := e.text.Cursor()
	to := at
	if row := min(at.Row+x.rows, e.text.lastRow()); row > at.Row {
		to = Pos{row, 0}
	}
	for range x.cells {
		to = e.text.after(to)
	}
	return textRange{from: at, to: to, lines: x.lines}
}

// changeSelected executes a command of visual mode on a range.
func (e *Editor) changeSelected(c command, s textRange) {
	s.lines = s.lines || c.name == wholeLines
	from, to := e.bounds(s)
	e.text.Move(e.text.onCharacter(s.from))
	switch {
	case c.operator == "<" || c.operator == ">":
		e.shift(c.operator, from.Row, to.Row, c.times())
	case c.operator != "":
		e.apply(c, s)
	case c.name == "r":
		e.edit(from, to, e.filled(from, to, c.arg))
		e.to(from)
	case c.name == "J":
		e.join(from.Row, max(2, to.Row-from.Row+1))
	default:
		e.putOver(c, s)
	}
}

// filled returns text with a character for each one of a range; lines keep their ends.
func (e *Editor) filled(from, to Pos, character string) string {
	var out strings.Builder
	for p := from; p.Before(to); {
		if e.text.atEnd(p) {
			out.WriteByte('\n')
		} else {
			out.WriteString(character)
		}
		p, _ = e.text.next(p)
	}
	return out.String()
}

// putOver replaces a range with the register. With p the replaced text becomes the
// register.
func (e *Editor) putOver(c command, s textRange) {
	r := e.register
	if r == (Register{}) || len(r.Text)*c.times() > mostPut {
		return
	}
	if c.name == "p" {
		e.yank(command{}, s)
	}
	text := strings.Repeat(r.Text, c.times())
	if r.Lines {
		text = r.Text + strings.Repeat("\n"+r.Text, c.times()-1)
	}
	from, to := e.bounds(s)
	switch {
	case s.lines:
		e.edit(from, to, text)
		e.to(e.text.firstNonBlank(from.Row))
	case r.Lines:
		e.edit(from, to, "\n"+text+"\n")
		e.to(e.text.firstNonBlank(from.Row + 1))
	default:
		e.toPut(from, e.edit(from, to, text))
	}
}

// selectObject selects a text object.
func (e *Editor) selectObject(c command) {
	s, ok := e.object(c)
	if !ok || s.empty {
		return
	}
	e.mode, e.anchor = Visual, s.from
	if s.lines {
		e.mode = VisualLine
	} else {
		s.to, _ = e.text.previous(s.to)
	}
	e.to(s.to)
}
