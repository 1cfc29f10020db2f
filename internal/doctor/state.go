package doctor

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// state is what a session says of its modes and options.
type state struct {
	Modes   *modes   `json:"modes"`
	Options []option `json:"configOptions"`
}

// modes are the modes of a session.
type modes struct {
	Current   string `json:"currentModeId"`
	Available []struct {
		ID string `json:"id"`
	} `json:"availableModes"`
}

func (m *modes) ids() []string {
	var out []string
	for _, mode := range m.Available {
		out = append(out, mode.ID)
	}
	return out
}

// option is a config option.
type option struct {
	IDV1    string          `json:"id"`
	IDV2    string          `json:"configId"`
	Type    string          `json:"type"`
	Current json.RawMessage `json:"currentValue"`
	Options []choice        `json:"options"`
}

// choice is a value of an option, or a group of them.
type choice struct {
	Value   string   `json:"value"`
	Options []choice `json:"options"`
}

// id is the option's: each version has a name of its own for it.
func (o *option) id() string { return cmp.Or(o.IDV2, o.IDV1) }

// current is the value of an option to choose from.
func (o *option) current() string {
	var value string
	_ = json.Unmarshal(o.Current, &value)
	return value
}

// values are those to choose from.
func (o *option) values() []string {
	var out []string
	for _, c := range o.Options {
		if c.Options == nil {
			out = append(out, c.Value)
		}
		for _, in := range c.Options {
			out = append(out, in.Value)
		}
	}
	return out
}

func ids(options []option) []string {
	var out []string
	for _, o := range options {
		out = append(out, o.id())
	}
	return out
}

// twice is an element that is there twice.
func twice(list []string) (string, bool) {
	sorted := slices.Sorted(slices.Values(list))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i], true
		}
	}
	return "", false
}

// opened takes the state that a session opens with.
func (r *referee) opened(m *message, s *session, now state) {
	if now.Modes != nil {
		s.state.Modes = now.Modes
		if id, found := twice(now.Modes.ids()); found {
			r.finds(ruleModes, m, "Two modes have the id %q", words(id))
		}
		r.mode(m, s, &now.Modes.Current)
	}
	if now.Options != nil {
		r.options(m, s, now)
	}
}

// mode takes the current mode.
func (r *referee) mode(m *message, s *session, current *string) {
	if current == nil || s.state.Modes == nil {
		return
	}
	s.state.Modes.Current = *current
	if available := s.state.Modes.ids(); !slices.Contains(available, *current) {
		r.finds(ruleModes, m, "The current mode is %q, and can be %s", words(*current), listed(available))
	}
}

// options takes the state of all options.
func (r *referee) options(m *message, s *session, now state) {
	s.state.Options = now.Options
	if id, found := twice(ids(now.Options)); found {
		r.finds(ruleOptions, m, "Two options have the id %q", words(id))
	}
	for _, o := range now.Options {
		switch o.Type {
		case "boolean":
			if r.dialect == v2 {
				continue // every client of it knows them
			}
			r.finds(ruleBoolean, m, "The option %q is boolean, and the client has not advertised session.configOptions.boolean", words(o.id()))
		case "select":
			values := o.values()
			if value, found := twice(values); found {
				r.finds(ruleOptions, m, "The option %q has the value %q twice", words(o.id()), words(value))
			}
			if !slices.Contains(values, o.current()) {
				r.finds(ruleOptions, m, "The option %q is %q, and can be %s", words(o.id()), words(o.current()), listed(values))
			}
		}
	}
}

// listed is a list of a few words.
func listed(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return words(strings.Join(list, ", "))
}
