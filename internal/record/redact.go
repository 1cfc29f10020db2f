package record

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// hidden stands where a secret was.
const hidden = "[secret]"

// leastSecret is the shortest value in bytes that is looked for everywhere. Shorter ones
// are found by their place alone: everywhere, they would be found in what is no secret.
const leastSecret = 8

// secretName matches the names of environment variables that hold secrets.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth`)

// plain matches characters that nobody writes as escape sequences in JSON.
var plain = regexp.MustCompile(`[A-Za-z0-9_.:=+-]+`)

// Redactor takes secrets out of what is recorded: the values of environment variables
// and headers wherever the protocol has them, what the person has filled in, and, in all
// text, the values that it was made with, where they stand whole. It may be used from
// any goroutine.
type Redactor struct {
	probes  [][]byte // parts of the values: a line of JSON without any of them has no secret
	replace *strings.Replacer
}

// NewRedactor makes a redactor that knows the values of secrets.
func NewRedactor(secrets []string) *Redactor {
	secrets = slices.Clone(secrets)
	// A value that is a part of another must not be found first.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	r := &Redactor{}
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		if len(s) < leastSecret {
			continue
		}
		pairs = append(pairs, s, hidden)
		r.probes = append(r.probes, []byte(longestPlain(s)))
	}
	r.replace = strings.NewReplacer(pairs...)
	return r
}

// longestPlain is the longest part of a text that stands in JSON as it is; "" if there
// is none, which every line has.
func longestPlain(text string) string {
	longest := ""
	for _, part := range plain.FindAllString(text, -1) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// SecretsOf are the values of an environment, "NAME=value" each, whose names say that
// they are secrets.
func SecretsOf(environ []string) []string {
	var out []string
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && secretName.MatchString(name) {
			out = append(out, value)
		}
	}
	return out
}

// Text is a text without secrets.
func (r *Redactor) Text(text string) string { return r.replace.Replace(text) }

// Message is a message of the wire without secrets. It is the message itself if it has
// none.
func (r *Redactor) Message(sent bool, line []byte) []byte {
	return r.clean(line, sent && bytes.Contains(line, []byte(`"action"`)))
}

// line is a line of the wire without secrets, also one that is no message.
func (r *Redactor) line(sent bool, line []byte) []byte {
	if !json.Valid(line) {
		return []byte(r.Text(string(line)))
	}
	return r.Message(sent, line)
}

// Event is the line of an event without secrets.
func (r *Redactor) Event(line []byte) []byte { return r.clean(line, false) }

// clean takes secrets out of JSON. If it may be an answer to a form, what was filled in
// is taken out as well.
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
	if form {
		hideAnswers(v)
	}
	out, err := json.Marshal(r.value(v))
	if err != nil {
		return []byte(`"` + hidden + `"`)
	}
	return out
}

// value is a value of JSON without secrets.
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

// hideAnswers hides what the person has filled in, if a message is the answer to a form.
func hideAnswers(v any) {
	message, _ := v.(map[string]any)
	result, _ := message["result"].(map[string]any)
	content, _ := result["content"].(map[string]any)
	if _, answers := result["action"]; answers {
		for name := range content {
			content[name] = hidden
		}
	}
}
