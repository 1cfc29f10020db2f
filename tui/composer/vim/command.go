package vim

import "strings"

// change is what the dot repeats: a command, how much was selected, and the text that
// was typed.
type change struct {
	command  command
	selected *extent // in visual mode
	typed    string
}

// run executes a complete command.
func (e *Editor) run(c command) {
	switch {
	case c.name == ".":
		e.repeat(c)
	case c.name == "u" && c.operator == "" && !e.visual():
		e.undo(c.times(), e.text.Undo)
	case c.name == "ctrl+r":
		e.undo(c.times(), e.text.Redo)
	case e.visual():
		e.runVisual(c)
	default:
		e.perform(c, nil)
	}
}

// perform executes a command of normal mode; with an extent, one of visual mode on
// that much text from the cursor. A change is one undo step.
func (e *Editor) perform(c command, x *extent) {
	switch {
	case c.operator == "y":
		e.operate(c)
		return
	case c.operator == "" && commands[c.name] == nil:
		e.move(c)
		return
	case c.name == "v" || c.name == "V" || c.name == "gv":
		commands[c.name](e, c)
		return
	}
	e.text.Begin()
	done := true
	switch {
	case x != nil:
		e.changeSelected(c, e.extended(*x))
	case c.operator != "":
		done = e.operate(c)
	default:
		commands[c.name](e, c)
	}
	if done && !e.replays {
		e.change = change{command: c, selected: x}
	}
	if e.mode != Insert && e.mode != Replace {
		e.text.End()
		e.clamp()
	}
}

// move executes a motion without an operator.
func (e *Editor) move(c command) {
	m, known := motions[c.name]
	if !known {
		return
	}
	p, ok := m.to(e, c)
	switch {
	case !ok:
	case m.vertical || c.name == "|":
		e.text.Move(p)
	default:
		e.to(p)
	}
}

// undo applies steps of undo or redo.
func (e *Editor) undo(times int, step func() (Pos, bool)) {
	for ; times > 0; times-- {
		at, ok := step()
		if !ok {
			break
		}
		e.to(at)
	}
	e.clamp()
}

// commands are the commands that are neither motions nor operators. init fills it,
// since they refer to it.
var commands map[string]func(*Editor, command)

func init() {
	commands = map[string]func(*Editor, command){
		"i":  func(e *Editor, c command) { e.begin(c) },
		"a":  func(e *Editor, c command) { e.beginAt(c, e.text.after(e.text.Cursor())) },
		"I":  func(e *Editor, c command) { e.beginAt(c, e.text.indentEnd(e.text.Cursor().Row)) },
		"gI": func(e *Editor, c command) { e.beginAt(c, Pos{e.text.Cursor().Row, 0}) },
		"A":  func(e *Editor, c command) { e.beginAt(c, e.text.end(e.text.Cursor().Row)) },
		"o":  (*Editor).openBelow, "O": (*Editor).openAbove,
		"R": func(e *Editor, c command) { e.begin(c); e.mode = Replace },
		"r": (*Editor).replaceCharacters,
		"J": (*Editor).join, "gJ": (*Editor).join,
		"~": (*Editor).toggleCase,
		"p": (*Editor).put, "P": (*Editor).put,
		"v":  func(e *Editor, c command) { e.beginVisual(Visual) },
		"V":  func(e *Editor, c command) { e.beginVisual(VisualLine) },
		"gv": (*Editor).reselect,
	}
}

// replaceCharacters is r. It does nothing if the line has fewer characters.
func (e *Editor) replaceCharacters(c command) {
	from := e.text.Cursor()
	to := from
	for range c.times() {
		if e.text.atEnd(to) {
			return
		}
		to = e.text.after(to)
	}
	if c.arg == "enter" {
		e.edit(from, to, "\n")
		e.to(e.text.Cursor())
		return
	}
	e.edit(from, to, strings.Repeat(c.arg, c.times()))
	e.to(Pos{from.Row, from.Col + len(c.arg)*(c.times()-1)})
}

// toggleCase is ~.
func (e *Editor) toggleCase(c command) {
	from := e.text.Cursor()
	to := from
	for n := c.times(); n > 0 && !e.text.atEnd(to); n-- {
		to = e.text.after(to)
	}
	was := e.text.slice(from, to)
	if is := strings.Map(caseOf("g~"), was); is != was {
		to = e.edit(from, to, is)
	}
	e.to(to)
}

// join is J, which puts a blank between the lines, and gJ, which does not.
func (e *Editor) join(c command) {
	e.joinRows(e.text.Cursor().Row, max(2, c.times()), c.name == "J")
}

// joinRows joins count lines, or those that there are.
func (e *Editor) joinRows(row, count int, blank bool) {
	if row+count-1 > e.text.lastRow() {
		if row == e.text.lastRow() || count > 2 && row+1 > e.text.lastRow() {
			return
		}
		count = e.text.lastRow() - row + 1
	}
	var joined strings.Builder
	joined.WriteString(e.text.Line(row))
	at := 0
	for next := row + 1; next < row+count; next++ {
		rest := e.text.Line(next)
		at = joined.Len()
		if blank {
			rest = strings.TrimLeft(rest, " \t")
			if before := joined.String(); rest != "" && rest[0] != ')' && before != "" && !strings.ContainsAny(before[at-1:], " \t") {
				joined.WriteByte(' ')
			}
		}
		joined.WriteString(rest)
	}
	e.edit(Pos{row, 0}, e.text.end(row+count-1), joined.String())
	e.to(Pos{row, at})
}

// put is p and P.
func (e *Editor) put(c command) {
	r, at := e.register, e.text.Cursor()
	if r.Text == "" && !r.Lines {
		return
	}
	if len(r.Text)*c.times() > mostPut {
		return
	}
	if r.Lines {
		text, row := strings.Repeat(r.Text+"\n", c.times()), at.Row
		if c.name == "p" {
			e.edit(e.text.end(row), e.text.end(row), "\n"+text[:len(text)-1])
			row++
		} else {
			e.edit(Pos{row, 0}, Pos{row, 0}, text)
		}
		e.to(e.text.firstNonBlank(row))
		return
	}
	if c.name == "p" {
		at = e.text.after(at)
	}
	text := strings.Repeat(r.Text, c.times())
	end := e.edit(at, at, text)
	if strings.Contains(text, "\n") {
		e.to(at)
		return
	}
	e.to(Pos{end.Row, e.text.Previous(end.Row, end.Col)})
}

// mostPut bounds what one p puts, in bytes.
const mostPut = 16 << 20

// repeat is the dot: it repeats the last change, with its count or a new one.
func (e *Editor) repeat(c command) {
	last := e.change
	if last.command.name == "" && last.command.operator == "" {
		return
	}
	if c.count > 0 && last.selected == nil {
		last.command.count = c.count
		e.change.command.count = c.count
	}
	e.replays = true
	e.perform(last.command, last.selected)
	switch at := e.text.Cursor(); e.mode {
	case Insert:
		e.edit(at, at, last.typed)
		e.stopInserting()
	case Replace:
		e.writeOver(last.typed)
		e.stopInserting()
	}
	e.replays = false
}
