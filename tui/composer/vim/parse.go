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
