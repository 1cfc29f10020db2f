package dialog

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/list"
)

// value returns the field's value; set is false if it is left out. problem says why it
// cannot be sent.
func (f *field) value() (v any, set bool, problem string) {
	switch f.kind {
	case otherField:
		if f.required {
			return nil, false, "parley cannot fill this in, and the agent requires it"
		}
		return nil, false, ""
	case manyField:
		return f.many()
	case oneField:
		for i, on := range f.picked {
			if !on {
				continue
			}
			if f.schema.Type == acpclient.PropertyBoolean {
				return f.choices[i].Const == yes, true, ""
			}
			return f.choices[i].Const, true, ""
		}
		if f.required {
			return nil, false, "choose one: the agent requires it"
		}
		return nil, false, ""
	}
	if f.input.Text() == "" {
		if f.required {
			return nil, false, "fill this in: the agent requires it"
		}
		return nil, false, ""
	}
	switch f.schema.Type {
	case acpclient.PropertyInteger:
		n, err := strconv.ParseInt(strings.TrimSpace(f.input.Text()), 10, 64)
		if err != nil {
			return nil, false, "this is not a whole number"
		}
		return n, true, f.outOfBounds(float64(n))
	case acpclient.PropertyNumber:
		n, err := strconv.ParseFloat(strings.TrimSpace(f.input.Text()), 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, false, "this is not a number"
		}
		return n, true, f.outOfBounds(n)
	}
	return f.input.Text(), true, f.badText(f.input.Text())
}

func (f *field) many() (v any, set bool, problem string) {
	values := []string{}
	for i, on := range f.picked {
		if on {
			values = append(values, f.choices[i].Const)
		}
	}
	n := uint64(len(values))
	if n == 0 && !f.required && !f.hadDefault {
		return nil, false, "" // left out, as any field that was not touched
	}
	switch least, most := f.schema.MinItems, f.schema.MaxItems; {
	case least != nil && n < *least:
		return nil, false, fmt.Sprintf("choose %d at least", *least)
	case most != nil && n > *most:
		return nil, false, fmt.Sprintf("choose %d at most", *most)
	}
	return values, true, ""
}

func (f *field) outOfBounds(n float64) string {
	switch least, most := f.schema.Minimum, f.schema.Maximum; {
	case least != nil && n < *least:
		return "this has to be " + number(*least) + " at least"
	case most != nil && n > *most:
		return "this has to be " + number(*most) + " at most"
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f *field) badText(s string) string {
	n := uint32(min(utf8.RuneCountInString(s), math.MaxInt32))
	switch least, most := f.schema.MinLength, f.schema.MaxLength; {
	case least != nil && n < *least:
		return fmt.Sprintf("this has to have %s at least, it has %d", termtext.Count(int(*least), "character"), n)
	case most != nil && n > *most:
		return fmt.Sprintf("this has to have %s at most, it has %d", termtext.Count(int(*most), "character"), n)
	}
	if f.pattern != nil && !f.pattern.MatchString(s) {
		return "this has to match " + termtext.VisibleLine(f.schema.Pattern)
	}
	return badFormat(f.schema.Format, s)
}

// foreign matches escapes that mean a plain letter in JavaScript's regular expressions,
// which JSON Schema uses, and something else in Go's.
var foreign = regexp.MustCompile(`\\[AzQEaC]|\[\[:|\(\?[a-zA-Z]`)

// maxPattern is the longest pattern to check, in bytes.
const maxPattern = 4 << 10

// compile compiles a pattern of JSON Schema. It returns nil if there is none, or if it is
// invalid or different in Go.
func compile(pattern string) *regexp.Regexp {
	if pattern == "" || len(pattern) > maxPattern || foreign.MatchString(pattern) {
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return re
}

func badFormat(format, s string) string {
	switch format {
	case "email":
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return "this is not an email address, such as ada@example.com"
		}
	case "uri":
		if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
			return "this is not an address, such as https://example.com"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return "this is not a date, such as 2026-11-21"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return "this is not a date and time, such as 2026-11-21T18:30:00Z"
		}
	}
	return ""
}

// rules summarizes the constraints of the field.
func (f *field) rules() string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if f.required {
		add("required")
	}
	s := f.schema
	switch f.kind {
	case otherField:
		add("unsupported field")
	case manyField:
		switch {
		case s.MinItems != nil && s.MaxItems != nil && *s.MinItems == *s.MaxItems:
			add("choose %d", *s.MinItems)
		case s.MinItems != nil && s.MaxItems != nil:
			add("choose %d to %d", *s.MinItems, *s.MaxItems)
		case s.MinItems != nil && *s.MinItems > 0:
			add("choose %d at least", *s.MinItems)
		case s.MaxItems != nil:
			add("choose %d at most", *s.MaxItems)
		default:
			add("choose any")
		}
	case textField:
		switch s.Type {
		case acpclient.PropertyInteger:
			add("whole number%s", between(s.Minimum, s.Maximum))
		case acpclient.PropertyNumber:
			add("number%s", between(s.Minimum, s.Maximum))
		default:
			words = append(words, f.textRules()...)
		}
	}
	return strings.Join(words, " · ")
}

func (f *field) textRules() []string {
	var words []string
	s := f.schema
	switch {
	case s.MinLength != nil && *s.MinLength > 0 && s.MaxLength != nil:
		words = append(words, fmt.Sprintf("%d to %d characters", *s.MinLength, *s.MaxLength))
	case s.MinLength != nil && *s.MinLength > 0:
		words = append(words, termtext.Count(int(*s.MinLength), "character")+" at least")
	case s.MaxLength != nil:
		words = append(words, termtext.Count(int(*s.MaxLength), "character")+" at most")
	}
	if s.Format != "" {
		words = append(words, termtext.VisibleLine(s.Format))
	}
	if s.Pattern != "" {
		rule := "matches " + termtext.VisibleLine(list.Clip(s.Pattern))
		if f.pattern == nil {
			rule += ", which cannot be checked here"
		}
		words = append(words, rule)
	}
	return words
}

func between(least, most *float64) string {
	switch {
	case least != nil && most != nil:
		return " from " + number(*least) + " to " + number(*most)
	case least != nil:
		return ", " + number(*least) + " at least"
	case most != nil:
		return ", " + number(*most) + " at most"
	}
	return ""
}
