package vim

import "strings"

// change is what the dot does again: a command, for what was selected how much, and
// what was typed then.
type change struct {
	command  command
	selected *extent // in visual mode
	typed    string
}

// run does a complete command.
func (e *Editor) run(c command) {
	switch {
	case c.name == ".":
		e.repeat(c)
		return
	case c.name == "u" && c.operator == "" && !e.visual():
		e.undo(c.times(), e.text.Undo)
		return
	case c.name == "ctrl+r":
		e.undo(c.times(), e.text.Redo)
		return
	}
	if e.visual() {
		e.runVisual(c)
		return
	}
	e.perform(c, nil)
}

// perform does a command of normal mode, or with an extent one of visual mode on so
// much text from the cursor on; as one step that can be undone.
func (e *Editor) perform(c command, x *extent) {
	changes := c.operator != "" && c.operator != "y" || commands[c.name] != nil && !unchanging(c.name)
	if !changes {
		e.look(c, x)
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

// look does what changes nothing.
func (e *Editor) look(c command, x *extent) {
	switch {
	case x != nil:
		e.changeSelected(c, e.extended(*x))
	case c.operator != "":
		e.operate(c)
	case commands[c.name] != nil:
		commands[c.name](e, c)
	default:
		e.move(c)
	}
}

// move is a motion that stands alone.
func (e *Editor) move(c command) bool {
	m, known := motions[c.name]
	if !known {
		return false
	}
	p, ok := m.to(e, c)
	if !ok {
		return false
	}
	if m.vertical || c.name == "|" {
		e.text.Move(p)
	} else {
		e.to(p)
	}
	return true
}

// undo takes steps back, or does them again.
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

// unchanging are the commands that change no text.
func unchanging(name string) bool { return name == "v" || name == "V" || name == "gv" }

// commands are those that are neither motions nor operators. It is filled below,
// since what they do uses it.
var commands map[string]func(*Editor, command)

func init() {
	commands = map[string]func(*Editor, command){
		"i":  func(e *Editor, c command) { e.begin(c) },
		"a":  func(e *Editor, c command) { e.beginAt(c, e.after(e.text.Cursor())) },
		"I":  func(e *Editor, c command) { e.beginAt(c, e.firstLetter()) },
		"gI": func(e *Editor, c command) { e.beginAt(c, Pos{e.text.Cursor().Row, 0}) },
		"A":  func(e *Editor, c command) { e.beginAt(c, e.end(e.text.Cursor().Row)) },
		"o":  (*Editor).openBelow, "O": (*Editor).openAbove,
		"R": (*Editor).beginReplace, "r": (*Editor).replaceOne,
		"J": (*Editor).join, "gJ": (*Editor).join,
		"~": (*Editor).toggle,
		"p": (*Editor).put, "P": (*Editor).put,
		"v":  func(e *Editor, c command) { e.beginVisual(Visual) },
		"V":  func(e *Editor, c command) { e.beginVisual(VisualLine) },
		"gv": (*Editor).reselect,
	}
}

// firstLetter is where I inserts: behind the indent.
func (e *Editor) firstLetter() Pos {
	row := e.text.Cursor().Row
	line := e.text.Line(row)
	return Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))}
}

// replaceOne is r: so many characters become another.
func (e *Editor) replaceOne(c command) {
	from := e.text.Cursor()
	to := from
	for range c.times() {
		if e.atEnd(to) {
			return // there are not so many
		}
		to = e.after(to)
	}
	if c.arg == "enter" {
		e.edit(from, to, "\n")
		e.to(e.text.Cursor())
		return
	}
	e.edit(from, to, strings.Repeat(c.arg, c.times()))
	e.to(Pos{from.Row, from.Col + len(c.arg)*(c.times()-1)})
}

// toggle is ~: the case of so many characters changes.
func (e *Editor) toggle(c command) {
	from := e.text.Cursor()
	to := from
	for n := c.times(); n > 0 && !e.atEnd(to); n-- {
		to = e.after(to)
	}
	was := e.slice(from, to)
	if is := strings.Map(caseOf("g~"), was); is != was {
		to = e.edit(from, to, is)
	}
	e.to(to)
}

// join is J, which puts a blank between lines, and gJ, which does not.
func (e *Editor) join(c command) {
	e.joinRows(e.text.Cursor().Row, max(2, c.times()), c.name == "J")
}

func (e *Editor) joinRows(row, count int, blank bool) {
	if row+count-1 > e.lastRow() {
		if row == e.lastRow() || count > 2 && row+1 > e.lastRow() {
			return
		}
		count = e.lastRow() - row + 1
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
	e.edit(Pos{row, 0}, e.end(row+count-1), joined.String())
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
		e.putLines(r.Text, c, at.Row)
		return
	}
	if c.name == "p" {
		at = e.after(at)
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

func (e *Editor) putLines(text string, c command, row int) {
	text = strings.Repeat(text+"\n", c.times())
	if c.name == "p" {
		e.edit(e.end(row), e.end(row), "\n"+text[:len(text)-1])
		row++
	} else {
		e.edit(Pos{row, 0}, Pos{row, 0}, text)
	}
	e.to(e.firstNonBlank(row))
}

// repeat is the dot: the last change, with its count or another.
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
	if e.mode == Insert || e.mode == Replace {
		e.retype(last.typed)
	}
	e.replays = false
}
