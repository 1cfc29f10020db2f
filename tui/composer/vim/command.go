package vim

import (
	"slices"
	"strings"
)

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
		"o":  (*Editor).openLine, "O": (*Editor).openLine,
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

// command is a parsed command of normal or visual mode.
type command struct {
	clipboard bool   // "+ or "*
	count     int    // 0 without a count
	operator  string // "" without an operator
	// name is the motion, the text object or the command; wholeLines for a doubled
	// operator.
	name string
	arg  string // the character after f, t and r
}

// wholeLines is the motion of dd, yy and the like.
const wholeLines = "lines"

// times returns the count, or 1.
func (c command) times() int { return max(1, c.count) }

type parseState int

const (
	incomplete parseState = iota
	complete
	invalid
)

var operators = []string{"d", "c", "y", ">", "<", "gu", "gU", "g~"}

// short maps normal mode's abbreviations to the commands that they stand for.
var short = map[string]command{
	"x": {operator: "d", name: "l"}, "X": {operator: "d", name: "h"}, "D": {operator: "d", name: "$"},
	"C": {operator: "c", name: "$"}, "s": {operator: "c", name: "l"}, "S": {operator: "c", name: wholeLines},
	"Y": {operator: "y", name: wholeLines},
}

// shortVisual are the abbreviations of visual mode.
var shortVisual = map[string]command{
	"x": {operator: "d"}, "X": {operator: "d", name: wholeLines}, "D": {operator: "d", name: wholeLines},
	"C": {operator: "c", name: wholeLines}, "s": {operator: "c"}, "S": {operator: "c", name: wholeLines},
	"R": {operator: "c", name: wholeLines}, "Y": {operator: "y", name: wholeLines},
	"u": {operator: "gu"}, "U": {operator: "gU"}, "~": {operator: "g~"},
}

// parser reads the keys of a command one by one.
type parser struct {
	keys []string
	at   int
}

// next reads a key, "" at the end.
func (p *parser) next() string {
	if p.at == len(p.keys) {
		return ""
	}
	p.at++
	return p.keys[p.at-1]
}

// number reads a count, 0 without one.
func (p *parser) number() int {
	n := 0
	for p.at < len(p.keys) {
		k := p.keys[p.at]
		if len(k) != 1 || k[0] < '0' || k[0] > '9' || n == 0 && k == "0" {
			break
		}
		n = min(mostCount, 10*n+int(k[0]-'0'))
		p.at++
	}
	return n
}

// name reads the name of a command: a key, or "g" and a key; "" if it is incomplete.
func (p *parser) name() string {
	k := p.next()
	if k != "g" {
		return k
	}
	if second := p.next(); second != "" {
		return "g" + second
	}
	return ""
}

// parse parses the keys of a command.
func parse(keys []string, visual bool) (c command, state parseState) {
	p := parser{keys: keys}
	c.count = p.number()
	for p.at < len(keys) && keys[p.at] == `"` {
		p.at++
		name := p.next()
		switch name {
		case "":
			return c, incomplete
		case "+", "*":
			c.clipboard = true
		case `"`:
		default:
			return c, invalid
		}
		c.count = multiply(c.count, p.number())
	}
	name := p.name()
	if name == "" {
		return c, incomplete
	}
	if slices.Contains(operators, name) {
		c.operator = name
		if visual {
			return c, complete
		}
		c.count = multiply(c.count, p.number())
		begin := p.at
		if p.next() == name[len(name)-1:] { // dd, guu
			c.name = wholeLines
			return c, complete
		}
		p.at = begin
		switch name = p.name(); name {
		case "":
			return c, incomplete
		case c.operator: // gugu
			c.name = wholeLines
			return c, complete
		}
		return p.motion(c, name, true)
	}
	shorts := short
	if visual {
		shorts = shortVisual
	}
	if s, ok := shorts[name]; ok {
		s.count, s.clipboard = c.count, c.clipboard
		return s, complete
	}
	return p.motion(c, name, visual)
}

// motion parses the rest of a motion, of a command or, with objects, of a text object.
func (p *parser) motion(c command, name string, objects bool) (command, parseState) {
	switch {
	case objects && (name == "i" || name == "a"):
		object := p.next()
		if object == "" {
			return c, incomplete
		}
		if !strings.Contains(objectNames, object) {
			return c, invalid
		}
		c.name = name + object
		return c, complete
	case strings.Contains("fFtTr", name):
		if c.arg = p.next(); c.arg == "" {
			return c, incomplete
		}
		if c.arg == "backspace" || c.arg == "ctrl+r" {
			return c, invalid
		}
	}
	c.name = name
	if _, ok := motions[name]; !ok && c.operator != "" {
		return c, invalid
	}
	return c, complete
}

func multiply(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(mostCount, a*b)
}
