package demoagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Script is a parsed script. It may be run many times.
type Script struct {
	name  string
	steps []step
}

// step is one line of a script.
type step struct {
	line int
	verb string
	do   action
}

// Load reads and parses a script. Errors name the file and the line.
func Load(path string) (*Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return Parse(filepath.Base(path), string(src))
}

// Parse parses a script; name stands for it in errors.
func Parse(name, src string) (*Script, error) { return parse(name, src, verbs) }

// parse parses a script or a scene, which differ in their verbs.
func parse(name, src string, verbs map[string]verb) (*Script, error) {
	p := &parser{name: name, verbs: verbs, lines: strings.Split(src, "\n")}
	steps, closed, err := p.steps()
	if err != nil {
		return nil, err
	}
	switch closed {
	case "end":
		return nil, p.errorf(p.at, closed, errors.New("no repeat to end"))
	case "else":
		return nil, p.errorf(p.at, closed, errors.New("no if before it"))
	}
	return &Script{name: name, steps: steps}, nil
}

// verb parses the arguments of a verb into what the step does. Errors are kept by args.
type verb func(*args) action

// action is what a step does.
type action func(*runner) error

type parser struct {
	name  string
	verbs map[string]verb
	lines []string
	at    int // lines taken so far: the number of the current one
}

func (p *parser) errorf(line int, verb string, err error) error {
	return fmt.Errorf("%s:%d: %s: %w", p.name, line, verb, err)
}

func (p *parser) next() (string, bool) {
	if p.at == len(p.lines) {
		return "", false
	}
	p.at++
	return strings.TrimSuffix(p.lines[p.at-1], "\r"), true
}

// steps parses up to an end or else, which it returns, or up to the end of the script.
func (p *parser) steps() (out []step, closed string, err error) {
	for {
		line, ok := p.next()
		if !ok {
			return out, "", nil
		}
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		if word == "end" || word == "else" {
			return out, word, nil
		}
		parse, at := p.verbs[word], p.at
		switch word {
		case "repeat":
			parse = p.repeat
		case "if":
			parse = p.either
		}
		if parse == nil {
			return nil, "", fmt.Errorf("%s:%d: there is no step %q", p.name, at, word)
		}
		a := &args{text: line[len(word):], next: p.next}
		do := parse(a)
		if rest := strings.TrimSpace(a.text); a.err == nil && rest != "" {
			a.fail("does not take %q", rest)
		}
		var inside *stepError
		switch {
		case errors.As(a.err, &inside):
			return nil, "", inside
		case a.err != nil:
			return nil, "", &stepError{p.errorf(at, word, a.err)}
		}
		out = append(out, step{at, word, do})
	}
}

// body parses the steps inside another one.
func (p *parser) body(a *args) (steps []step, closed string) {
	if rest := strings.TrimSpace(a.text); a.err != nil || rest != "" {
		return nil, "" // which is an error of the step
	}
	steps, closed, a.err = p.steps()
	if a.err == nil && closed == "" {
		a.fail("end is missing")
	}
	return steps, closed
}

func (p *parser) repeat(a *args) action {
	times := a.word()
	if !placeholder.MatchString(times) {
		a.check(number(times))
	}
	body, closed := p.body(a)
	if closed == "else" {
		a.fail("has no else")
	}
	return expanded(times, func(r *runner, times string) error {
		n, err := number(times)
		if err != nil {
			return err
		}
		return r.repeat(n, body)
	})
}

// either parses an if, with or without an else.
func (p *parser) either(a *args) action {
	name, not := strings.CutPrefix(a.word(), "!")
	value := ""
	if a.take("is") {
		value = a.word()
	}
	yes, closed := p.body(a)
	var no []step
	if closed == "else" {
		if no, closed = p.body(a); closed == "else" {
			a.fail("has more than one else")
		}
	}
	return func(r *runner) error {
		if r.is(name, value) != not {
			return r.steps(yes)
		}
		return r.steps(no)
	}
}

// args are the arguments of a verb. Its methods take from the front, and keep the first
// error.
type args struct {
	text string
	next func() (string, bool) // the next line
	err  error
}

var (
	placeholder = regexp.MustCompile(`\$\{[^{}]+\}`)
	namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

func (a *args) fail(format string, values ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, values...)
	}
}

// check keeps the error of a number.
func (a *args) check(n int, err error) int {
	if err != nil {
		a.fail("%w", err)
	}
	return n
}

// peek returns the next word without taking it.
func (a *args) peek() string {
	word, _, _ := strings.Cut(strings.TrimLeft(a.text, " \t"), " ")
	return word
}

func (a *args) word() string {
	word := a.peek()
	a.text = strings.TrimLeft(a.text, " \t")[len(word):]
	return word
}

// take takes a keyword if it is the next word.
func (a *args) take(keyword string) bool {
	if a.peek() != keyword {
		return false
	}
	a.word()
	return true
}

// rest takes everything but the one space that sets it apart.
func (a *args) rest() string {
	text := strings.TrimPrefix(a.text, " ")
	a.text = ""
	return text
}

// block takes the lines up to one that says only end, without the indentation that the
// first of them has.
func (a *args) block(end string) string {
	var b strings.Builder
	indentation, found := "", false
	for {
		line, ok := a.next()
		text := strings.TrimLeft(line, " ")
		switch {
		case !ok:
			a.fail("the text does not end with %q", end)
			return ""
		case text == end:
			return b.String()
		case !found && text != "":
			indentation, found = line[:len(line)-len(text)], true
		}
		b.WriteString(strings.TrimPrefix(line, indentation) + "\n")
	}
}

// lines takes the rest of the line as a line, or a block if there is none.
func (a *args) lines() string {
	if text := a.rest(); text != "" {
		return text + "\n"
	}
	return a.block("end")
}

func number(word string) (int, error) {
	var n int
	if json.Unmarshal([]byte(word), &n) != nil {
		return 0, fmt.Errorf("wants a whole number, not %q", word)
	}
	return n, nil
}

func (a *args) method() string {
	m := a.word()
	if m == "" {
		a.fail("wants a method")
	}
	return m
}

// name takes a NAME if there is one; JSON's own words are none.
func (a *args) name() string {
	w := a.peek()
	if w == "true" || w == "false" || w == "null" || !namePattern.MatchString(w) {
		return ""
	}
	return a.word()
}

// named takes a NAME of something.
func (a *args) named(what string) string {
	name := a.name()
	if name == "" {
		a.fail("wants the name of a %s", what)
	}
	return name
}

// as takes an optional "as NAME".
func (a *args) as() string {
	if !a.take("as") {
		return ""
	}
	name := a.name()
	if name == "" {
		a.fail("as wants a name, not %q", a.peek())
	}
	return name
}

// contains takes an optional "contains TEXT"; quotes around the text are
// those of the JSON that it is looked for in, so they stay.
func (a *args) contains() string {
	if !a.take("contains") {
		return ""
	}
	text := strings.TrimSpace(a.rest())
	if text == "" {
		a.fail("contains wants a text")
	}
	return text
}

// json takes one JSON value, from the following lines too if it goes on there;
// "" if there is none. A variable counts as a number, or as part of a string.
func (a *args) json() string {
	a.text = strings.TrimLeft(a.text, " \t")
	for a.text != "" && a.err == nil {
		masked := placeholder.ReplaceAllStringFunc(a.text, func(s string) string { return strings.Repeat("1", len(s)) })
		dec := json.NewDecoder(strings.NewReader(masked))
		var v json.RawMessage
		err := dec.Decode(&v)
		if err == nil {
			end := int(dec.InputOffset())
			value := a.text[:end]
			a.text = a.text[end:]
			return value
		}
		more, ok := "", false
		if errors.Is(err, io.ErrUnexpectedEOF) {
			if more, ok = a.next(); !ok {
				a.fail("the JSON does not end")
			}
		} else {
			a.fail("wants JSON: %w", err)
		}
		a.text += "\n" + more
	}
	return ""
}

// needJSON takes one JSON value.
func (a *args) needJSON() string {
	value := a.json()
	if value == "" {
		a.fail("wants JSON")
	}
	return value
}
