package vim

import (
	"slices"
	"strings"
)

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

// mostCount bounds counts, so that no key fills the memory.
const mostCount = 9999

// times returns the count, or 1.
func (c command) times() int { return max(1, c.count) }

// isObject reports whether a command names a text object.
func (c command) isObject() bool { return len(c.name) == 2 && (c.name[0] == 'i' || c.name[0] == 'a') }

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
	"x": {operator: "d"}, "s": {operator: "c"}, "u": {operator: "gu"}, "U": {operator: "gU"}, "~": {operator: "g~"},
	"D": {operator: "d", name: wholeLines}, "S": {operator: "c", name: wholeLines}, "Y": {operator: "y", name: wholeLines},
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

// number reads a count and multiplies it with another; 0 is none.
func (p *parser) number(by int) int {
	n := 0
	for p.at < len(p.keys) {
		k := p.keys[p.at]
		if len(k) != 1 || k[0] < '0' || k[0] > '9' || n == 0 && k == "0" {
			break
		}
		n = min(mostCount, 10*n+int(k[0]-'0'))
		p.at++
	}
	if n == 0 || by == 0 {
		return max(n, by)
	}
	return min(mostCount, n*by)
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
	c.count = p.number(0)
	for p.at < len(keys) && keys[p.at] == `"` {
		p.at++
		switch p.next() {
		case "":
			return c, incomplete
		case "+", "*":
			c.clipboard = true
		case `"`:
		default:
			return c, invalid
		}
		c.count = p.number(c.count)
	}
	name := p.name()
	if name == "" {
		return c, incomplete
	}
	shorts := short
	if visual {
		shorts = shortVisual
	}
	if s, ok := shorts[name]; ok {
		s.count, s.clipboard = c.count, c.clipboard
		return s, complete
	}
	if !slices.Contains(operators, name) {
		return p.motion(c, name, visual)
	}
	if c.operator = name; visual {
		return c, complete
	}
	c.count = p.number(c.count)
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
		if c.arg == "ctrl+r" {
			return c, invalid
		}
	}
	c.name = name
	if _, ok := motions[name]; !ok && c.operator != "" {
		return c, invalid
	}
	return c, complete
}

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
	case c.name == "u" && c.operator == "":
		e.undo(c.times(), e.text.Undo)
	case c.name == "ctrl+r":
		e.undo(c.times(), e.text.Redo)
	case e.visual():
		e.runVisual(c)
	case c.operator == "y":
		e.operate(c)
	case c.operator != "":
		e.changes(c, nil, func() bool { return e.operate(c) })
	case commands[c.name] != nil:
		e.changes(c, nil, func() bool { commands[c.name](e, c); return true })
	case c.name == "v" || c.name == "V":
		e.toggleVisual(c)
	default:
		e.move(c)
	}
}

// changes runs a change of the text, which is one undo step and what the dot repeats.
func (e *Editor) changes(c command, selected *extent, do func() bool) {
	e.text.Begin()
	if do() && !e.replays {
		e.change = change{command: c, selected: selected}
	}
	if e.mode != Insert {
		e.text.End()
		e.clamp()
	}
}

// repeat is the dot: it repeats the last change, with its count or a new one.
func (e *Editor) repeat(c command) {
	last := &e.change
	if last.command == (command{}) {
		return
	}
	if c.count > 0 && last.selected == nil {
		last.command.count = c.count
	}
	e.replays = true
	if last.selected == nil {
		e.run(last.command)
	} else {
		e.changes(last.command, nil, func() bool { e.changeSelected(last.command, e.extended(*last.selected)); return true })
	}
	if e.mode == Insert {
		at := e.text.Cursor()
		e.edit(at, at, last.typed)
		e.stopInserting()
	}
	e.replays = false
}

// move executes a motion without an operator.
func (e *Editor) move(c command) {
	m, known := motions[c.name]
	if !known {
		return
	}
	switch p, ok := m.to(e, c); {
	case !ok:
	case m.vertical:
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

// commands are the changes that are not operators. init fills it, since they refer to it.
var commands map[string]func(*Editor, command)

func init() {
	commands = map[string]func(*Editor, command){
		"i": func(e *Editor, _ command) { e.begin(e.text.Cursor()) },
		"a": func(e *Editor, _ command) { e.begin(e.text.after(e.text.Cursor())) },
		"I": func(e *Editor, _ command) { e.begin(e.text.indentEnd(e.text.Cursor().Row)) },
		"A": func(e *Editor, _ command) { e.begin(e.text.end(e.text.Cursor().Row)) },
		"o": (*Editor).openLine, "O": (*Editor).openLine,
		"r": (*Editor).replaceCharacters, "~": (*Editor).toggleCase,
		"J": func(e *Editor, c command) { e.join(e.text.Cursor().Row, max(2, c.times())) },
		"p": (*Editor).put, "P": (*Editor).put,
	}
}

// begin starts insert mode.
func (e *Editor) begin(at Pos) {
	e.text.Move(at)
	e.mode, e.keeps, e.inserted = Insert, false, at
}

// stopInserting returns to normal mode and keeps the typed text for the dot.
func (e *Editor) stopInserting() {
	at, from := e.text.Cursor(), e.inserted
	if !e.replays {
		if e.change.typed = ""; from.Before(at) && from.Col <= len(e.text.Line(from.Row)) {
			e.change.typed = e.text.Slice(from, at)
		}
	}
	e.text.End()
	e.mode = Normal
	if at.Col > 0 {
		at, _ = e.text.previous(at)
	}
	e.to(at)
}

// openLine is o and O.
func (e *Editor) openLine(c command) {
	at := e.text.end(e.text.Cursor().Row)
	if c.name == "O" {
		at.Col = 0
	}
	next := e.edit(at, at, "\n")
	if c.name == "O" {
		next = at
	}
	e.begin(next)
}

// characters returns the range of count characters from the cursor, fewer at the end of the
// line.
func (e *Editor) characters(count int) (from, to Pos, all bool) {
	from = e.text.Cursor()
	for to = from; count > 0 && !e.text.atEnd(to); count-- {
		to = e.text.after(to)
	}
	return from, to, count == 0
}

// replaceCharacters is r. It does nothing if the line has fewer characters.
func (e *Editor) replaceCharacters(c command) {
	from, to, all := e.characters(c.times())
	switch {
	case !all:
	case c.arg == "enter":
		e.to(e.edit(from, to, "\n"))
	default:
		e.edit(from, to, strings.Repeat(c.arg, c.times()))
		e.to(Pos{from.Row, from.Col + len(c.arg)*(c.times()-1)})
	}
}

// toggleCase is ~.
func (e *Editor) toggleCase(c command) {
	from, to, _ := e.characters(c.times())
	e.to(e.edit(from, to, strings.Map(caseOf("g~"), e.text.Slice(from, to))))
}

// join joins count lines, or those that there are, with a blank between them.
func (e *Editor) join(row, count int) {
	if last := e.text.lastRow(); row+count-1 > last {
		if count = last - row + 1; count < 2 {
			return
		}
	}
	joined, at := e.text.Line(row), 0
	for next := row + 1; next < row+count; next++ {
		rest := strings.TrimLeft(e.text.Line(next), " \t")
		if at = len(joined); rest != "" && rest[0] != ')' && joined != "" && !strings.ContainsAny(joined[at-1:], " \t") {
			joined += " "
		}
		joined += rest
	}
	e.edit(Pos{row, 0}, e.text.end(row+count-1), joined)
	e.to(Pos{row, at})
}

// mostPut bounds what one p puts, in bytes.
const mostPut = 16 << 20

// put is p and P.
func (e *Editor) put(c command) {
	r, at := e.register, e.text.Cursor()
	if r == (Register{}) || len(r.Text)*c.times() > mostPut {
		return
	}
	switch {
	case r.Lines && c.name == "p":
		e.edit(e.text.end(at.Row), e.text.end(at.Row), strings.Repeat("\n"+r.Text, c.times()))
		e.to(e.text.firstNonBlank(at.Row + 1))
		return
	case r.Lines:
		e.edit(Pos{at.Row, 0}, Pos{at.Row, 0}, strings.Repeat(r.Text+"\n", c.times()))
		e.to(e.text.firstNonBlank(at.Row))
		return
	case c.name == "p":
		at = e.text.after(at)
	}
	e.toPut(at, e.edit(at, at, strings.Repeat(r.Text, c.times())))
}

// toPut moves the cursor to text that was put: to its last character, or to the first one of
// several lines.
func (e *Editor) toPut(from, end Pos) {
	if from.Row == end.Row && end.Col > 0 {
		from = Pos{end.Row, e.text.Previous(end.Row, end.Col)}
	}
	e.to(from)
}
