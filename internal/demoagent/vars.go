package demoagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxVariable bounds the text of one ${x:N}, in bytes.
const maxVariable = 1 << 30

// expand replaces the variables in a text. With asJSON it escapes their values for the
// inside of a JSON string.
func (r *runner) expand(text string, asJSON bool) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(v string) string {
		s, err := r.value(v[2:len(v)-1], asJSON)
		if err != nil && failed == nil {
			failed = err
		}
		return s
	})
	return out, failed
}

// expandJSON replaces the variables in JSON and puts it on one line.
func (r *runner) expandJSON(text string) (json.RawMessage, error) {
	s, err := r.expand(text, true)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		return nil, fmt.Errorf("is not JSON after expanding variables: %w", err)
	}
	return b.Bytes(), nil
}

func (r *runner) value(name string, asJSON bool) (string, error) {
	if unit, count, ok := strings.Cut(name, ":"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || len(unit)*n > maxVariable {
			return "", fmt.Errorf("${%s}: %q is not a count", name, count)
		}
		return escape(strings.Repeat(unit, n), asJSON), nil
	}
	switch name {
	case "n":
		if len(r.counts) == 0 {
			return "", fmt.Errorf("${n} has no value outside a repeat")
		}
		return strconv.Itoa(r.counts[len(r.counts)-1]), nil
	case "session", "cwd":
		r.mu.Lock()
		defer r.mu.Unlock()
		if name == "cwd" {
			return escape(r.cwd, asJSON), nil
		}
		return escape(r.session, asJSON), nil
	}
	head, path, _ := strings.Cut(name, ".")
	raw, ok := r.captured[head]
	if !ok {
		return "", fmt.Errorf("${%s}: nothing is called %q", name, head)
	}
	for key := range strings.SplitSeq(path, ".") {
		if key != "" {
			raw = child(raw, key)
		}
	}
	if raw == nil {
		return "", fmt.Errorf("${%s}: no such value in %s", name, r.captured[head])
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return escape(s, asJSON), nil
	}
	return string(raw), nil
}

// is reports whether a variable has a value or, if want is "", is set to anything but
// "no".
func (r *runner) is(name, want string) bool {
	text, err := r.value(name, false)
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

func escape(s string, asJSON bool) string {
	if !asJSON {
		return s
	}
	quoted := encode(s)
	return string(quoted[1 : len(quoted)-1])
}
