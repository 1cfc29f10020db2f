package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Form is a form of the agent that is being filled in.
type Form struct {
	Asked  *conversation.Elicitation
	Fields []*FormField
}

// NewForm returns the form that an elicitation asks for, with its defaults.
func NewForm(asked *conversation.Elicitation) *Form {
	f := &Form{Asked: asked}
	s := asked.Request.RequestedSchema
	if s == nil {
		return f
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		f.Fields = append(f.Fields, newFormField(p, slices.Contains(s.Required, p.Name)))
	}
	for _, name := range s.Required {
		if !slices.ContainsFunc(f.Fields, func(f *FormField) bool { return f.Name == name }) {
			// The schema requires it but does not describe it.
			missing := &acpclient.ElicitationProperty{Name: name, Schema: acpclient.ElicitationPropertySchema{Raw: []byte("null")}}
			f.Fields = append(f.Fields, newFormField(missing, true))
		}
	}
	return f
}

// Message returns the agent's message.
func (f *Form) Message() string {
	lines := []string{termtext.Block(strings.TrimSpace(f.Asked.Request.Message))}
	if s := f.Asked.Request.RequestedSchema; s != nil && strings.TrimSpace(s.Description) != "" {
		lines = append(lines, termtext.Block(strings.TrimSpace(s.Description)))
	}
	return strings.Join(lines, "\n")
}

// Summary lists the fields with their values, one per line.
func (f *Form) Summary() string {
	var lines []string
	for _, field := range f.Fields {
		value := field.Words()
		if value == "" {
			value = "left out"
		}
		lines = append(lines, field.Label()+": "+value)
	}
	return strings.Join(lines, "\n")
}

// Blank reports whether the form has fields and none of them is filled in.
func (f *Form) Blank() bool {
	return len(f.Fields) > 0 && !slices.ContainsFunc(f.Fields, func(field *FormField) bool {
		return field.Text != "" || slices.Contains(field.Picked, true)
	})
}

// Content returns the values of the fields. problem says why the form cannot be accepted;
// invalid is the index of the field to correct, -1 for none.
func (f *Form) Content() (content map[string]any, invalid int, problem string) {
	invalid = -1
	if m := f.Asked.Request.Mode; m != acpclient.ElicitForm && m != "" {
		return nil, invalid, "parley does not support this kind of form (" + termtext.VisibleLine(string(m)) + "), so it cannot be accepted"
	}
	content = map[string]any{}
	for i, field := range f.Fields {
		v, set, why := field.Value()
		switch {
		case why != "" && field.Kind == OtherField:
			problem = "cannot accept this: " + field.Label() + " is required, but parley does not support its type"
		case why != "" && invalid < 0:
			invalid = i
		case set:
			content[field.Name] = v
		}
	}
	return content, invalid, problem
}

// FieldKind is how a field is filled in.
type FieldKind uint8

const (
	TextField  FieldKind = iota // a line of text, for strings and numbers
	OneField                    // at most one choice
	ManyField                   // any number of choices
	OtherField                  // of a kind unknown to parley
)

// FormField is a field of a form, and its value.
type FormField struct {
	Name     string
	Schema   *acpclient.ElicitationPropertySchema
	Kind     FieldKind
	Required bool

	// Text is the value of a text field; Picked says which of Choices are taken.
	Text    string
	Choices []acpclient.EnumOption
	Picked  []bool

	// pattern is nil without one that Go can check.
	pattern *regexp.Regexp
	// hadDefault means that the agent filled it in: the user's emptying it is a decision.
	hadDefault bool
}

const (
	yes = "true"
	no  = "false"
)

func newFormField(p *acpclient.ElicitationProperty, required bool) *FormField {
	f := &FormField{Name: p.Name, Schema: &p.Schema, Required: required, pattern: compile(p.Schema.Pattern)}
	switch {
	case len(p.Schema.Raw) > 0:
		f.Kind = OtherField
	case p.Schema.Type == acpclient.PropertyBoolean:
		f.Kind = OneField
		f.Choices = []acpclient.EnumOption{{Const: yes, Title: "yes"}, {Const: no, Title: "no"}}
	case p.Schema.Type == acpclient.PropertyArray:
		f.Kind, f.Choices = ManyField, p.Schema.Choices()
	case p.Schema.Type == acpclient.PropertyString && len(p.Schema.Choices()) > 0:
		f.Kind, f.Choices = OneField, p.Schema.Choices()
	}
	f.Picked = make([]bool, len(f.Choices))
	f.fillIn()
	return f
}

// fillIn applies the default if it is valid.
func (f *FormField) fillIn() {
	raw := f.Schema.Default
	if len(raw) == 0 {
		return
	}
	var values []string
	switch f.Kind {
	case TextField:
		f.Text = defaultText(f.Schema.Type, raw)
		f.hadDefault = f.Text != ""
		return
	case OneField:
		values = []string{Decoded[string](raw)}
		if f.Schema.Type == acpclient.PropertyBoolean {
			values[0] = string(bytes.TrimSpace(raw))
		}
	case ManyField:
		values = Decoded[[]string](raw)
	}
	for i, c := range f.Choices {
		if slices.Contains(values, c.Const) && (f.Kind == ManyField || !f.hadDefault) {
			f.Picked[i], f.hadDefault = true, true
		}
	}
}

// Decoded decodes a JSON value, or returns the zero value if its type differs.
func Decoded[T any](raw json.RawMessage) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

func defaultText(t acpclient.ElicitationPropertyType, raw json.RawMessage) string {
	if t == acpclient.PropertyString {
		return Decoded[string](raw)
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	if t == acpclient.PropertyInteger {
		var i int64
		if json.Unmarshal(raw, &i) == nil {
			return strconv.FormatInt(i, 10)
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Label returns the field's name.
func (f *FormField) Label() string {
	if t := strings.TrimSpace(f.Schema.Title); t != "" {
		return termtext.VisibleLine(t)
	}
	if n := termtext.VisibleLine(f.Name); n != "" {
		return n
	}
	return "unnamed field"
}

// Words returns the field's value as text, or "".
func (f *FormField) Words() string {
	if f.Kind == TextField {
		return termtext.VisibleLine(f.Text)
	}
	var names []string
	for i, on := range f.Picked {
		if on {
			names = append(names, termtext.VisibleLine(f.Choices[i].Title))
		}
	}
	return strings.Join(names, ", ")
}

// Prompt returns lines of text that ask for a value. fills is false if parley cannot fill in
// the field.
func (f *FormField) Prompt() (text string, fills bool) {
	lines := []string{f.Label()}
	if rules := f.Rules(); rules != "" {
		lines[0] += " (" + strings.ReplaceAll(rules, " · ", ", ") + ")"
	}
	if about := strings.TrimSpace(f.Schema.Description); about != "" {
		lines = append(lines, termtext.Block(about))
	}
	for n, c := range f.Choices {
		line := fmt.Sprintf("%d. %s", n+1, termtext.VisibleLine(c.Title))
		if c.Description != "" {
			line += ": " + termtext.VisibleLine(c.Description)
		}
		lines = append(lines, line)
	}
	switch now := f.Words(); {
	case f.Kind == OtherField:
	case now != "":
		lines = append(lines, "An empty line keeps it: "+now)
	default:
		lines = append(lines, "An empty line skips it.")
	}
	return strings.Join(lines, "\n"), f.Kind != OtherField
}

// FillIn sets the field from a line: text, or the numbers of choices. An empty line keeps the
// value. If problem is not "", it says why the value is invalid: ask again.
func (f *FormField) FillIn(line string) (problem string) {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
	case f.Kind == TextField:
		f.Text = line
	default:
		picked, problem := f.numbers(line)
		if problem != "" {
			return problem
		}
		f.Picked = picked
	}
	_, _, problem = f.Value()
	return problem
}

// numbers parses the numbers of choices.
func (f *FormField) numbers(line string) (picked []bool, problem string) {
	picked = make([]bool, len(f.Choices))
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(picked) {
			return nil, fmt.Sprintf("%q is not one of the choices 1 to %d", termtext.VisibleLine(word), len(picked))
		}
		picked[n-1] = true
	}
	if f.Kind == OneField && len(words) > 1 {
		return nil, "choose only one"
	}
	return picked, ""
}

// Value returns the field's value; set is false if it is left out. problem says why it cannot
// be sent.
func (f *FormField) Value() (v any, set bool, problem string) {
	switch f.Kind {
	case OtherField:
		if f.Required {
			return nil, false, "required by the agent, but not supported by parley"
		}
		return nil, false, ""
	case ManyField:
		return f.many()
	case OneField:
		for i, on := range f.Picked {
			if !on {
				continue
			}
			if f.Schema.Type == acpclient.PropertyBoolean {
				return f.Choices[i].Const == yes, true, ""
			}
			return f.Choices[i].Const, true, ""
		}
		if f.Required {
			return nil, false, "choose one"
		}
		return nil, false, ""
	}
	if f.Text == "" {
		if f.Required {
			return nil, false, "fill this in"
		}
		return nil, false, ""
	}
	switch f.Schema.Type {
	case acpclient.PropertyInteger:
		n, err := strconv.ParseInt(strings.TrimSpace(f.Text), 10, 64)
		if err != nil {
			return nil, false, "not a whole number"
		}
		return n, true, f.outOfBounds(float64(n))
	case acpclient.PropertyNumber:
		n, err := strconv.ParseFloat(strings.TrimSpace(f.Text), 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, false, "not a number"
		}
		return n, true, f.outOfBounds(n)
	}
	return f.Text, true, f.badText(f.Text)
}

func (f *FormField) many() (v any, set bool, problem string) {
	values := []string{}
	for i, on := range f.Picked {
		if on {
			values = append(values, f.Choices[i].Const)
		}
	}
	n := uint64(len(values))
	if n == 0 && !f.Required && !f.hadDefault {
		return nil, false, "" // left out, like any untouched field
	}
	switch least, most := f.Schema.MinItems, f.Schema.MaxItems; {
	case least != nil && n < *least:
		return nil, false, fmt.Sprintf("choose at least %d", *least)
	case most != nil && n > *most:
		return nil, false, fmt.Sprintf("choose at most %d", *most)
	}
	return values, true, ""
}

func (f *FormField) outOfBounds(n float64) string {
	switch least, most := f.Schema.Minimum, f.Schema.Maximum; {
	case least != nil && n < *least:
		return "must be at least " + number(*least)
	case most != nil && n > *most:
		return "must be at most " + number(*most)
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f *FormField) badText(s string) string {
	n := uint32(min(utf8.RuneCountInString(s), math.MaxInt32))
	switch least, most := f.Schema.MinLength, f.Schema.MaxLength; {
	case least != nil && n < *least:
		return fmt.Sprintf("needs at least %s, has %d", termtext.Count(int(*least), "character"), n)
	case most != nil && n > *most:
		return fmt.Sprintf("allows at most %s, has %d", termtext.Count(int(*most), "character"), n)
	}
	if f.pattern != nil && !f.pattern.MatchString(s) {
		return "must match " + termtext.VisibleLine(f.Schema.Pattern)
	}
	return badFormat(f.Schema.Format, s)
}

// foreign matches escapes that mean a plain letter in JavaScript's regular expressions, which
// JSON Schema uses, but something else in Go's.
var foreign = regexp.MustCompile(`\\[AzQEaC]|\[\[:|\(\?[a-zA-Z]`)

// maxPattern is the longest pattern to check, in bytes.
const maxPattern = 4 << 10

// compile compiles a pattern of JSON Schema. It returns nil for none, and for one that is
// invalid or means something else in Go.
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
			return "not an email address, such as ada@example.com"
		}
	case "uri":
		if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
			return "not a URL, such as https://example.com"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return "not a date, such as 2026-11-21"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return "not a date and time, such as 2026-11-21T18:30:00Z"
		}
	}
	return ""
}

// Rules summarises the constraints of the field.
func (f *FormField) Rules() string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if f.Required {
		add("required")
	}
	s := f.Schema
	switch f.Kind {
	case OtherField:
		add("unsupported field")
	case ManyField:
		switch {
		case s.MinItems != nil && s.MaxItems != nil && *s.MinItems == *s.MaxItems:
			add("choose %d", *s.MinItems)
		case s.MinItems != nil && s.MaxItems != nil:
			add("choose %d to %d", *s.MinItems, *s.MaxItems)
		case s.MinItems != nil && *s.MinItems > 0:
			add("choose at least %d", *s.MinItems)
		case s.MaxItems != nil:
			add("choose at most %d", *s.MaxItems)
		default:
			add("choose any")
		}
	case TextField:
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

func (f *FormField) textRules() []string {
	var words []string
	s := f.Schema
	switch {
	case s.MinLength != nil && *s.MinLength > 0 && s.MaxLength != nil:
		words = append(words, fmt.Sprintf("%d to %d characters", *s.MinLength, *s.MaxLength))
	case s.MinLength != nil && *s.MinLength > 0:
		words = append(words, "at least "+termtext.Count(int(*s.MinLength), "character"))
	case s.MaxLength != nil:
		words = append(words, "at most "+termtext.Count(int(*s.MaxLength), "character"))
	}
	if s.Format != "" {
		words = append(words, termtext.VisibleLine(s.Format))
	}
	if s.Pattern != "" {
		rule := "matches " + termtext.VisibleLine(strings.ToValidUTF8(s.Pattern[:min(len(s.Pattern), maxPattern)], ""))
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
		return ", at least " + number(*least)
	case most != nil:
		return ", at most " + number(*most)
	}
	return ""
}
