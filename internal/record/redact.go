package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// hidden replaces a secret.
const hidden = "[secret]"

// leastSecret is the shortest value, in bytes, to search for everywhere. Shorter ones
// are only redacted in the fields that hold secrets, because elsewhere they would match
// by accident.
const leastSecret = 8

// secretName matches the names of environment variables that hold secrets.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth`)

// plain matches characters that JSON writers never escape.
var plain = regexp.MustCompile(`[A-Za-z0-9_.:=+-]+`)

// Redactor removes secrets from what leaves the machine, such as recordings, exports and
// reports: everywhere the values that it was created with, and in messages the values of
// environment variables and headers and the user's answers to forms. It is safe for
// concurrent use.
type Redactor struct {
	probes  [][]byte // parts of the values: JSON without any of them has no secret
	replace *strings.Replacer
}

// NewRedactor returns a redactor for the values of secrets.
func NewRedactor(secrets []string) *Redactor {
	secrets = slices.Clone(secrets)
	// The longer value first, because one may be part of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	r := &Redactor{}
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		if len(s) < leastSecret {
			continue
		}
		pairs = append(pairs, s, hidden)
		// The longest part that is never escaped; "" is in every line.
		longest := ""
		for _, part := range plain.FindAllString(s, -1) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		r.probes = append(r.probes, []byte(longest))
	}
	r.replace = strings.NewReplacer(pairs...)
	return r
}

// SecretsOf returns the values of an environment ("NAME=value") whose names suggest a
// secret.
func SecretsOf(environ []string) []string {
	var out []string
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && secretName.MatchString(name) {
			out = append(out, value)
		}
	}
	return out
}

// Text returns a text without secrets.
func (r *Redactor) Text(text string) string { return r.replace.Replace(text) }

// Line returns a line of an agent, which may be JSON, without secrets.
func (r *Redactor) Line(line string) string {
	if json.Valid([]byte(line)) {
		line = string(r.Message(false, []byte(line)))
	}
	return r.Text(line)
}

// Strings removes the secrets from every text in what v points to.
func (r *Redactor) Strings(v any) { r.strings(reflect.ValueOf(v)) }

func (r *Redactor) strings(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(r.Text(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		r.strings(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			r.strings(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.strings(v.Field(i))
		}
	}
}

// Message returns a message without its secrets. It returns the message itself if there
// are none.
func (r *Redactor) Message(sent bool, line []byte) []byte {
	return r.clean(line, sent && bytes.Contains(line, []byte(`"action"`)))
}

// Event returns the line of an event without secrets.
func (r *Redactor) Event(line []byte) []byte { return r.clean(line, false) }

// clean removes secrets from JSON. With form it also removes the user's answers to
// forms.
func (r *Redactor) clean(line []byte, form bool) []byte {
	suspicious := form || bytes.Contains(line, []byte(`"env"`)) || bytes.Contains(line, []byte(`"headers"`)) ||
		slices.ContainsFunc(r.probes, func(v []byte) bool { return bytes.Contains(line, v) })
	if !suspicious {
		return line
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return []byte(`"` + hidden + `"`)
	}
	if form { // the answers of the user
		message, _ := v.(map[string]any)
		result, _ := message["result"].(map[string]any)
		content, _ := result["content"].(map[string]any)
		if _, answers := result["action"]; answers {
			for name := range content {
				content[name] = hidden
			}
		}
	}
	out, err := json.Marshal(r.value(v))
	if err != nil {
		return []byte(`"` + hidden + `"`)
	}
	return out
}

// value removes secrets from a JSON value.
func (r *Redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
	case map[string]any:
		for name, field := range v {
			if name == "env" || name == "headers" {
				v[name] = hideValues(field)
			} else {
				v[name] = r.value(field)
			}
		}
	}
	return v
}

// hideValues hides the values of variables or headers: an object of them, or a list of
// objects with name and value.
func hideValues(v any) any {
	switch v := v.(type) {
	case string:
		return hidden
	case map[string]any:
		for name := range v {
			v[name] = hidden
		}
	case []any:
		for i := range v {
			if pair, ok := v[i].(map[string]any); ok {
				if _, has := pair["value"]; has {
					pair["value"] = hidden
				}
			} else {
				v[i] = hidden
			}
		}
	}
	return v
}
