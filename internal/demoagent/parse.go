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
	do   func(*runner) error
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
	if closed != "" {
		return nil, p.errorf(p.at, closed, errors.New("there is no repeat to end"))
	}
	return &Script{name: name, steps: steps}, nil
}

// verb parses what stands behind a verb into what the step does.
type verb = func(*args) (func(*runner) error, error)

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

// steps parses up to the end of the script, which is "", or an end or else, which it
// returns.
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
		verb, _, _ := strings.Cut(line, " ")
		rest, at := line[len(verb):], p.at
		switch verb {
		case "end", "else":
			return out, verb, nil
		}
		do, err := p.step(verb, rest, at)
		if err != nil {
			return nil, "", err
		}
		out = append(out, step{at, verb, do})
	}
}

func (p *parser) step(verb, rest string, at int) (func(*runner) error, error) {
	a := &args{text: rest, next: p.next}
	var do func(*runner) error
	var err error
	switch parse := p.verbs[verb]; {
	case verb == "repeat":
		do, err = p.repeat(a)
	case verb == "if":
		do, err = p.either(a)
	case parse == nil:
		return nil, fmt.Errorf("%s:%d: there is no step %q", p.name, at, verb)
	default:
		do, err = parse(a)
	}
	if err == nil && strings.TrimSpace(a.text) != "" {
		err = fmt.Errorf("does not take %q", strings.TrimSpace(a.text))
	}
	var inside *stepError
	if err != nil && !errors.As(err, &inside) {
		err = p.errorf(at, verb, err)
	}
	return do, err
}

// body parses the steps inside another one.
func (p *parser) body(a *args) (steps []step, closed string, err error) {
	if rest := strings.TrimSpace(a.text); rest != "" {
		return nil, "", fmt.Errorf("does not take %q", rest)
	}
	steps, closed, err = p.steps()
	switch {
	case err != nil:
		return nil, "", &stepError{err} // it names the step inside
	case closed == "":
		return nil, "", errors.New("its end is missing")
	}
	return steps, closed, nil
}

func (p *parser) repeat(a *args) (func(*runner) error, error) {
	times := a.word()
	if !placeholder.MatchString(times) {
		if _, err := number(times); err != nil {
			return nil, err
		}
	}
	body, closed, err := p.body(a)
	if err == nil && closed == "else" {
		err = errors.New("there is no if for its else")
	}
	return func(r *runner) error {
		text, err := r.expand(times, false)
		if err != nil {
			return err
		}
		n, err := number(text)
		if err != nil {
			return err
		}
		return r.repeat(n, body)
	}, err
}

// either parses an if, with or without an else.
func (p *parser) either(a *args) (func(*runner) error, error) {
	name, not := strings.CutPrefix(a.word(), "!")
	value := ""
	if a.take("is") {
		value = a.word()
	}
	yes, closed, err := p.body(a)
	var no []step
	if err == nil && closed == "else" {
		no, _, err = p.body(a)
	}
	return func(r *runner) error {
		if r.is(name, value) != not {
			return r.steps(yes)
		}
		return r.steps(no)
	}, err
}

// args is what stands behind a verb. Its methods take from the front.
type args struct {
	text string
	next func() (string, bool) // the next line, for JSON that goes on
}

var (
	placeholder = regexp.MustCompile(`\$\{[^{}]+\}`)
	namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

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
func (a *args) block(end string) (string, error) {
	var b strings.Builder
	indentation, found := "", false
	for {
		line, ok := a.next()
		if !ok {
			return "", fmt.Errorf("the text does not end with %q", end)
		}
		text := strings.TrimLeft(line, " ")
		if text == end {
			return b.String(), nil
		}
		if !found && text != "" {
			indentation, found = line[:len(line)-len(text)], true
		}
		b.WriteString(strings.TrimPrefix(line, indentation) + "\n")
	}
}

// lines takes the rest of the line as a line, or a block if there is none.
func (a *args) lines() (string, error) {
	if text := a.rest(); text != "" {
		return text + "\n", nil
	}
	return a.block("end")
}

func (a *args) number() (int, error) { return number(a.word()) }

func number(word string) (int, error) {
	var n int
	if json.Unmarshal([]byte(word), &n) != nil {
		return 0, fmt.Errorf("wants a whole number, not %q", word)
	}
	return n, nil
}

func (a *args) method() (string, error) {
	m := a.word()
	if m == "" {
		return "", errors.New("wants a method")
	}
	return m, nil
}

// name takes a NAME; JSON's own words are none.
func (a *args) name() (string, bool) {
	switch w := a.peek(); w {
	case "true", "false", "null":
		return "", false
	default:
		if !namePattern.MatchString(w) {
			return "", false
		}
		return a.word(), true
	}
}

// as takes an optional "as NAME".
func (a *args) as() (string, error) {
	if !a.take("as") {
		return "", nil
	}
	name, ok := a.name()
	if !ok {
		return "", fmt.Errorf("as wants a name, not %q", a.peek())
	}
	return name, nil
}

// contains takes an optional "contains TEXT"; quotes around the text are
// those of the JSON that it is looked for in, so they stay.
func (a *args) contains() (string, error) {
	if !a.take("contains") {
		return "", nil
	}
	text := strings.TrimSpace(a.rest())
	if text == "" {
		return "", errors.New("contains wants a text")
	}
	return text, nil
}

// json takes one JSON value, from the following lines too if it goes on there;
// "" if there is none. A variable counts as a number, or as part of a string.
func (a *args) json() (string, error) {
	a.text = strings.TrimLeft(a.text, " \t")
	if a.text == "" {
		return "", nil
	}
	for {
		masked := placeholder.ReplaceAllStringFunc(a.text, func(s string) string { return strings.Repeat("1", len(s)) })
		dec := json.NewDecoder(strings.NewReader(masked))
		var v json.RawMessage
		err := dec.Decode(&v)
		if err == nil {
			end := int(dec.InputOffset())
			value := a.text[:end]
			a.text = a.text[end:]
			return value, nil
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			return "", fmt.Errorf("wants JSON: %w", err)
		}
		more, ok := a.next()
		if !ok {
			return "", errors.New("the JSON does not end")
		}
		a.text += "\n" + more
	}
}
