package vim

import (
	"slices"
	"strings"
)

// command is what a sequence of keys says.
type command struct {
	clipboard bool   // "+ or "*
	count     int    // 0 if none was typed
	operator  string // "" if there is none
	// name is the motion, the text object or the command; wholeLines for an operator
	// that was typed twice.
	name string
	arg  string // the character that f, t and r take
}

// wholeLines is the motion of dd, yy and the like.
const wholeLines = "lines"

// times is the count, 1 if none was typed.
func (c command) times() int { return max(1, c.count) }

type parsed int

const (
	incomplete parsed = iota
	complete
	invalid
)

var operators = []string{"d", "c", "y", ">", "<", "gu", "gU", "g~"}

// short are commands that are others, written shorter.
var short = map[string]command{
	"x": {operator: "d", name: "l"}, "X": {operator: "d", name: "h"}, "D": {operator: "d", name: "$"},
	"C": {operator: "c", name: "$"}, "s": {operator: "c", name: "l"}, "S": {operator: "c", name: wholeLines},
	"Y": {operator: "y", name: wholeLines},
}

// shortVisual are the same for what is selected.
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

// next is the next key, "" if there is none yet.
func (p *parser) next() string {
	if p.at == len(p.keys) {
		return ""
	}
	p.at++
	return p.keys[p.at-1]
}

// number reads a count, 0 if there is none.
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

// name reads the name of a command: a key, or two behind a "g".
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

// parse says what keys mean.
func parse(keys []string, visual bool) (c command, state parsed) {
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
		return p.operated(c)
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

// operated reads what an operator is for.
func (p *parser) operated(c command) (command, parsed) {
	c.count = multiply(c.count, p.number())
	begin := p.at
	name := p.next()
	if name == "" {
		return c, incomplete
	}
	if doubled := c.operator[len(c.operator)-1:]; name == doubled {
		c.name = wholeLines
		return c, complete
	}
	p.at = begin
	if name = p.name(); name == "" {
		return c, incomplete
	}
	if name == c.operator { // gugu
		c.name = wholeLines
		return c, complete
	}
	return p.motion(c, name, true)
}

// motion reads the rest of a motion, of a text object where there can be one, or of
// a command.
func (p *parser) motion(c command, name string, objects bool) (command, parsed) {
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
