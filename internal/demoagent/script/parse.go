package script

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
func Parse(name, src string) (*Script, error) {
	p := &parser{name: name, lines: strings.Split(src, "\n")}
	steps, closed, err := p.steps()
	if err != nil {
		return nil, err
	}
	if closed {
		return nil, p.errorf(p.at, "end", errors.New("there is no repeat to end"))
	}
	return &Script{name: name, steps: steps}, nil
}

type parser struct {
	name  string
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

// steps parses up to the end of the script or of a repeat, and says which.
func (p *parser) steps() (out []step, closed bool, err error) {
	for {
		line, ok := p.next()
		if !ok {
			return out, false, nil
		}
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		verb, _, _ := strings.Cut(line, " ")
		rest, at := line[len(verb):], p.at
		switch verb {
		case "end":
			return out, true, nil
		case "repeat":
			s, err := p.repeat(at, rest)
			if err != nil {
				return nil, false, err
			}
			out = append(out, step{at, verb, s})
			continue
		}
		parse := verbs[verb]
		if parse == nil {
			return nil, false, fmt.Errorf("%s:%d: there is no step %q", p.name, at, verb)
		}
		a := &args{text: rest, next: p.next}
		do, err := parse(a)
		if err == nil && strings.TrimSpace(a.text) != "" {
			err = fmt.Errorf("does not take %q", strings.TrimSpace(a.text))
		}
		if err != nil {
			return nil, false, p.errorf(at, verb, err)
		}
		out = append(out, step{at, verb, do})
	}
}

func (p *parser) repeat(at int, rest string) (func(*runner) error, error) {
	a := &args{text: rest}
	n, err := a.number()
	if err != nil {
		return nil, p.errorf(at, "repeat", err)
	}
	body, closed, err := p.steps()
	switch {
	case err != nil:
		return nil, err // of a step inside, which it names
	case !closed:
		return nil, p.errorf(at, "repeat", errors.New("its end is missing"))
	}
	return func(r *runner) error { return r.repeat(n, body) }, nil
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

func (a *args) number() (int, error) {
	word := a.word()
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
