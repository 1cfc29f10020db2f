// Package script is the language of the agents that follow a script: the tour, whose scenes
// are in internal/demoagent, and the tests' peer, internal/test/peer. Each has further verbs of
// its own.
//
// # Format
//
// Each line is a step: a verb and its arguments. Leading spaces and lines that begin with #
// are ignored. A JSON argument may span several lines. TEXT is the rest of the line. NAME is a
// letter followed by letters, digits, "_" or "-". The steps of all scripts are:
//
//	say TEXT, think TEXT                a message or thought; TEXT in double quotes is a JSON
//	                                    string, and without TEXT it is the lines up to end
//	update JSON                         session/update for the current session
//	notify METHOD [JSON]                a notification
//	request METHOD JSON [as NAME] [id ID]  a request
//	sleep DURATION                      50ms, 2s
//	let NAME TEXT                       set a variable; without TEXT to the lines up to end
//	repeat N … end                      ${n} counts from 1
//	if NAME … else … end                run steps if a variable is set to anything but "no";
//	                                    !NAME negates, NAME is TEXT compares; else is optional
//
// # Variables
//
// ${NAME} is a text or JSON that a step has set, ${NAME.params.prompt.0.text} a value in it;
// ${n} is the count of the innermost repeat; ${x:65536} is x repeated that often; ${now+2s} is
// the time in two seconds, in seconds since 1970. Inside JSON,
// strings are inserted escaped and without quotes, everything else as JSON.
package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Script is a parsed script. It may be run many times, by runners of type R.
type Script[R Runner] struct{ steps []step[R] }

// Runner is one run of a script, which embeds Run.
type Runner interface{ base() *Run }

// Verb parses the arguments of a step into what it does. Args keeps the errors.
type Verb[R Runner] func(*Args) Action[R]

// Action is what a step does.
type Action[R Runner] func(R) error

// step is one line of a script.
type step[R Runner] struct {
	place string // for errors: file, line and verb
	do    Action[R]
}

// stepError is an error that names its step.
type stepError struct{ error }

func (e *stepError) Unwrap() error { return e.error }

// placed adds the place of a step to an error, unless it names one inside that step.
func placed(place string, err error) error {
	if inside, ok := errors.AsType[*stepError](err); ok {
		return inside
	}
	return &stepError{fmt.Errorf("%s: %w", place, err)}
}

// Play runs the steps until one fails or the context of r ends. Errors name the step.
func (s *Script[R]) Play(r R) error { return play(r, s.steps) }

func play[R Runner](r R, steps []step[R]) error {
	for _, s := range steps {
		err := r.base().Context.Err()
		if err == nil {
			err = s.do(r)
		}
		if err != nil {
			return placed(s.place, err)
		}
	}
	return nil
}

// Parse parses a script with these verbs. Errors name its line, and call the script name.
func Parse[R Runner](name, src string, verbs map[string]Verb[R]) (*Script[R], error) {
	p := &parser[R]{name: name, verbs: verbs, lines: strings.Split(src, "\n")}
	steps, closed, err := p.steps()
	if err == nil && closed != "" {
		err = placed(p.place(closed), errors.New("ends no repeat or if"))
	}
	return &Script[R]{steps}, err
}

type parser[R Runner] struct {
	name  string
	verbs map[string]Verb[R]
	lines []string
	at    int // lines taken so far: the number of the current one
}

// place describes the step of the current line.
func (p *parser[R]) place(verb string) string { return fmt.Sprintf("%s:%d: %s", p.name, p.at, verb) }

func (p *parser[R]) next() (string, bool) {
	if p.at == len(p.lines) {
		return "", false
	}
	p.at++
	return strings.TrimSuffix(p.lines[p.at-1], "\r"), true
}

// steps parses up to an end or else, which it returns, or up to the end of the script.
func (p *parser[R]) steps() (out []step[R], closed string, err error) {
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
		parse, place := p.verbs[word], p.place(word)
		switch word {
		case "repeat":
			parse = p.repeat
		case "if":
			parse = p.either
		}
		if parse == nil {
			return nil, "", fmt.Errorf("%s:%d: there is no step %q", p.name, p.at, word)
		}
		a := &Args{text: line[len(word):], next: p.next}
		do := parse(a)
		if rest := strings.TrimSpace(a.text); rest != "" {
			a.Fail("does not take %q", rest)
		}
		if a.err != nil {
			return nil, "", placed(place, a.err)
		}
		out = append(out, step[R]{place, do})
	}
}

// body parses the steps inside another one.
func (p *parser[R]) body(a *Args) (steps []step[R], closed string) {
	if rest := strings.TrimSpace(a.text); a.err != nil || rest != "" {
		return nil, "" // which is an error of the step
	}
	steps, closed, a.err = p.steps()
	if closed == "" {
		a.Fail("end is missing")
	}
	return steps, closed
}

func (p *parser[R]) repeat(a *Args) Action[R] {
	times := a.Word()
	if !placeholder.MatchString(times) {
		a.check(number(times))
	}
	body, closed := p.body(a)
	if closed == "else" {
		a.Fail("has no else")
	}
	return Expanded(times, func(r R, times string) error {
		n, err := number(times)
		if err != nil {
			return err
		}
		run := r.base()
		defer run.Set("n", run.get("n")) // of an outer repeat
		for i := range n {
			run.Let("n", strconv.Itoa(i+1))
			if err := play(r, body); err != nil {
				return err
			}
		}
		return nil
	})
}

// either parses an if, with or without an else.
func (p *parser[R]) either(a *Args) Action[R] {
	name, not := strings.CutPrefix(a.Word(), "!")
	value := ""
	if a.Take("is") {
		value = a.Word()
	}
	yes, closed := p.body(a)
	var no []step[R]
	if closed == "else" {
		if no, closed = p.body(a); closed == "else" {
			a.Fail("has more than one else")
		}
	}
	return func(r R) error {
		if r.base().is(name, value) != not {
			return play(r, yes)
		}
		return play(r, no)
	}
}

// Plain is a verb without arguments.
func Plain[R Runner](do Action[R]) Verb[R] { return func(*Args) Action[R] { return do } }

// Words is a verb whose argument is the rest of the line.
func Words[R Runner](do func(R, string) error) Verb[R] {
	return func(a *Args) Action[R] { return Expanded(a.Rest(), do) }
}

// Expanded replaces the variables in a text when the step runs.
func Expanded[R Runner](text string, do func(R, string) error) Action[R] {
	return func(r R) error {
		s, err := r.base().Expand(text, false)
		if err != nil {
			return err
		}
		return do(r, s)
	}
}

// ExpandedJSON replaces the variables in JSON when the step runs.
func ExpandedJSON[R Runner](text string, do func(R, json.RawMessage) error) Action[R] {
	return func(r R) error {
		raw, err := r.base().ExpandJSON(text)
		if err != nil {
			return err
		}
		return do(r, raw)
	}
}
