package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Secrets are named values that may be secret: environment variables or headers. When
// printed, logged or encoded they show only their names; only Expand and Environ return
// values. The zero value is empty.
//
// A value may refer to the environment as "$NAME" or "${NAME}"; "$$" is a dollar sign.
// References are resolved when the values are read, so that a variable that is missing
// for one agent does not affect another.
//
// Secrets is immutable and safe for concurrent use.
type Secrets struct {
	// A function, because fmt calls no methods on unexported fields of other structs,
	// and would print the contents of a map or a pointer to one. Of a function it
	// prints only the address.
	values func() map[string]string
}

// NewSecrets copies values.
func NewSecrets(values map[string]string) Secrets {
	if len(values) == 0 {
		return Secrets{}
	}
	held := maps.Clone(values)
	return Secrets{func() map[string]string { return held }}
}

func (s Secrets) all() map[string]string {
	if s.values == nil {
		return nil
	}
	return s.values()
}

// over merges s into base; values of s win.
func (s Secrets) over(base Secrets) Secrets {
	merged := make(map[string]string, s.Len()+base.Len())
	maps.Copy(merged, base.all())
	maps.Copy(merged, s.all())
	return NewSecrets(merged)
}

// Len returns the number of values.
func (s Secrets) Len() int { return len(s.all()) }

// Names returns the names, sorted.
func (s Secrets) Names() []string { return slices.Sorted(maps.Keys(s.all())) }

// Expand returns the values by name, with references resolved by lookup (usually
// [os.LookupEnv]). The error names every unset variable and never contains a value.
func (s Secrets) Expand(lookup func(name string) (string, bool)) (map[string]string, error) {
	expanded := make(map[string]string, s.Len())
	var errs []error
	for _, name := range s.Names() {
		value, err := Expand(s.all()[name], lookup)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", printable(name), err))
		}
		expanded[name] = value
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return expanded, nil
}

// Environ is Expand in the form that [os/exec] takes: "NAME=value", sorted by name.
func (s Secrets) Environ(lookup func(name string) (string, bool)) ([]string, error) {
	values, err := s.Expand(lookup)
	if err != nil {
		return nil, err
	}
	environ := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		environ = append(environ, name+"="+values[name])
	}
	return environ, nil
}

// String lists the names.
func (s Secrets) String() string {
	return printable("{" + strings.Join(s.Names(), " ") + "}")
}

// Format implements [fmt.Formatter]: no verb prints a value.
func (s Secrets) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'v' && f.Flag('#') {
		text = "config.Secrets" + text
	}
	_, _ = f.Write([]byte(text))
}

// LogValue implements [slog.LogValuer]: it logs the names.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON encodes the names, for logging structs that contain Secrets.
func (s Secrets) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]string{}, s.Names()...))
}

var errStrayDollar = errors.New(`"$" must begin $NAME or ${NAME}; write "$$" for a dollar sign`)

// Expand replaces the references in raw, as in the values of [Secrets]. With a nil lookup it
// only checks their syntax.
func Expand(raw string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(raw, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if rest, ok := strings.CutPrefix(after, "$"); ok {
			b.WriteByte('$')
			raw = rest
			continue
		}
		name, rest, ok := reference(after)
		if !ok {
			return "", errStrayDollar
		}
		if lookup != nil {
			value, set := lookup(name)
			if !set {
				return "", fmt.Errorf("environment variable %s is not set", name)
			}
			b.WriteString(value)
		}
		raw = rest
	}
}

// reference splits the text after a "$" into the name that it refers to and the rest.
func reference(s string) (name, rest string, ok bool) {
	s, braced := strings.CutPrefix(s, "{")
	end := strings.IndexFunc(s, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		end = len(s)
	}
	name, rest = s[:end], s[end:]
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", "", false
	}
	if braced {
		rest, ok = strings.CutPrefix(rest, "}")
		return name, rest, ok
	}
	return name, rest, true
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
