package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// Args are the arguments of a step. Its methods take from the front, and keep the first
// error.
type Args struct {
	text string
	next func() (string, bool) // the next line
	err  error
}

var (
	placeholder = regexp.MustCompile(`\$\{[^{}]+\}`)
	namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// Fail keeps an error, unless there is one.
func (a *Args) Fail(format string, values ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, values...)
	}
}

// check keeps the error of a number.
func (a *Args) check(n int, err error) int {
	if err != nil {
		a.Fail("%w", err)
	}
	return n
}

// Peek returns the next word without taking it.
func (a *Args) Peek() string {
	word, _, _ := strings.Cut(strings.TrimLeft(a.text, " \t"), " ")
	return word
}

// Word takes the next word; "" if there is none.
func (a *Args) Word() string {
	word := a.Peek()
	a.text = strings.TrimLeft(a.text, " \t")[len(word):]
	return word
}

// Take takes a keyword if it is the next word.
func (a *Args) Take(keyword string) bool {
	if a.Peek() != keyword {
		return false
	}
	a.Word()
	return true
}

// Rest takes the rest of the line without the space before it.
func (a *Args) Rest() string {
	text := strings.TrimPrefix(a.text, " ")
	a.text = ""
	return text
}

// Text takes the rest of the line, or a block up to end if that is empty.
func (a *Args) Text() string {
	if text := a.Rest(); text != "" {
		return text
	}
	return a.Block("end")
}

// Block takes the lines up to one that says only end. It removes the indentation of the
// first one.
func (a *Args) Block(end string) string {
	var b strings.Builder
	indentation, found := "", false
	for {
		line, ok := a.next()
		text := strings.TrimLeft(line, " ")
		switch {
		case !ok:
			a.Fail("the text does not end with %q", end)
			return ""
		case text == end:
			return b.String()
		case !found && text != "":
			indentation, found = line[:len(line)-len(text)], true
		}
		b.WriteString(strings.TrimPrefix(line, indentation) + "\n")
	}
}

func number(word string) (int, error) {
	var n int
	if json.Unmarshal([]byte(word), &n) != nil {
		return 0, fmt.Errorf("wants a whole number, not %q", word)
	}
	return n, nil
}

// Number takes a whole number.
func (a *Args) Number() int { return a.check(number(a.Word())) }

// Duration takes a duration that is not negative.
func (a *Args) Duration() time.Duration {
	d, err := time.ParseDuration(a.Word())
	if err != nil || d < 0 {
		a.Fail("wants a duration such as 50ms")
	}
	return d
}

// Method takes the name of a method.
func (a *Args) Method() string {
	m := a.Word()
	if m == "" {
		a.Fail("wants a method")
	}
	return m
}

// Name takes an optional NAME. The words true, false and null belong to JSON.
func (a *Args) Name() string {
	w := a.Peek()
	if w == "true" || w == "false" || w == "null" || !namePattern.MatchString(w) {
		return ""
	}
	return a.Word()
}

// Named takes a NAME of something.
func (a *Args) Named(what string) string {
	name := a.Name()
	if name == "" {
		a.Fail("wants the name of a %s", what)
	}
	return name
}

// As takes an optional "as NAME".
func (a *Args) As() string {
	if !a.Take("as") {
		return ""
	}
	return a.Named("value")
}

// JSON takes one JSON value, which may go on in the following lines; "" if there is none.
// A variable counts as a number, or as part of a string.
func (a *Args) JSON() string {
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
				a.Fail("the JSON does not end")
			}
		} else {
			a.Fail("wants JSON: %w", err)
		}
		a.text += "\n" + more
	}
	return ""
}

// NeedJSON takes one JSON value.
func (a *Args) NeedJSON() string {
	value := a.JSON()
	if value == "" {
		a.Fail("wants JSON")
	}
	return value
}
