package script

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Run is what every run of a script has: a context, which ends it, and variables. It may be
// used from several goroutines.
type Run struct {
	Context context.Context

	mu   sync.Mutex
	vars map[string]json.RawMessage
}

func (r *Run) base() *Run { return r }

// Set sets a variable to JSON; nil removes it.
func (r *Run) Set(name string, value json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vars == nil {
		r.vars = map[string]json.RawMessage{}
	}
	r.vars[name] = value
}

// Let sets a variable to a text.
func (r *Run) Let(name, text string) { r.Set(name, Encode(text)) }

func (r *Run) get(name string) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.vars[name]
}

// Text returns a string of a variable or in it, or other JSON as it is written.
func (r *Run) Text(name string) (string, error) {
	raw, err := r.value(name)
	return textOf(raw, false), err
}

// Expand replaces the variables in a text. With asJSON it escapes their values for the inside
// of a JSON string.
func (r *Run) Expand(text string, asJSON bool) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(v string) string {
		raw, err := r.value(v[2 : len(v)-1])
		failed = cmp.Or(failed, err)
		return textOf(raw, asJSON)
	})
	return out, failed
}

// ExpandJSON replaces the variables in JSON and puts it on one line.
func (r *Run) ExpandJSON(text string) (json.RawMessage, error) {
	s, err := r.Expand(text, true)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		return nil, fmt.Errorf("is not JSON after expanding variables: %w", err)
	}
	return b.Bytes(), nil
}

// maxVariable limits the text of one ${x:N}, in bytes.
const maxVariable = 1 << 30

func (r *Run) value(name string) (json.RawMessage, error) {
	if ahead, ok := strings.CutPrefix(name, "now+"); ok { // a time, in seconds since 1970
		d, err := time.ParseDuration(ahead)
		return Encode(float64(time.Now().Add(d).UnixMilli()) / 1000), err
	}
	if unit, count, ok := strings.Cut(name, ":"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || len(unit)*n > maxVariable {
			return nil, fmt.Errorf("${%s}: %q is not a count", name, count)
		}
		return Encode(strings.Repeat(unit, n)), nil
	}
	head, path, _ := strings.Cut(name, ".")
	whole := r.get(head)
	if whole == nil {
		return nil, fmt.Errorf("${%s}: nothing is called %q", name, head)
	}
	raw := whole
	for key := range strings.SplitSeq(path, ".") {
		if key != "" {
			raw = child(raw, key)
		}
	}
	if raw == nil {
		return nil, fmt.Errorf("${%s}: no such value in %s", name, whole)
	}
	return raw, nil
}

// textOf returns a string without quotes, escaped if it is for the inside of a JSON string, or
// other JSON as it is.
func textOf(raw json.RawMessage, escaped bool) string {
	var s string
	switch {
	case json.Unmarshal(raw, &s) != nil:
		return string(raw)
	case escaped && s != "":
		return string(raw[1 : len(raw)-1])
	}
	return s
}

// is reports whether a variable has a value or, if want is "", is set to anything but "no".
func (r *Run) is(name, want string) bool {
	text, err := r.Text(name)
	if want != "" {
		return text == want
	}
	return err == nil && text != "" && text != "no"
}

// child returns the value of a key of an object, or of an index of an array.
func child(raw json.RawMessage, key string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		return object[key]
	}
	var array []json.RawMessage
	i, err := strconv.Atoi(key)
	if err != nil || json.Unmarshal(raw, &array) != nil || i < 0 || i >= len(array) {
		return nil
	}
	return array[i]
}

// Encode encodes JSON without escaping HTML, so that a script's text is sent as it is.
func Encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // cannot happen: callers pass valid JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
