package doctor

import (
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
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Current json.RawMessage `json:"currentValue"`
	Options []choice        `json:"options"`
}

// choice is a value of an option, or a group of them.
type choice struct {
	Value   string   `json:"value"`
	Options []choice `json:"options"`
}

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
		out = append(out, o.ID)
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
			r.finds(ruleBoolean, m, "The option %q is boolean, and the client has not advertised session.configOptions.boolean", words(o.ID))
		case "select":
			values := o.values()
			if value, found := twice(values); found {
				r.finds(ruleOptions, m, "The option %q has the value %q twice", words(o.ID), words(value))
			}
			if !slices.Contains(values, o.current()) {
				r.finds(ruleOptions, m, "The option %q is %q, and can be %s", words(o.ID), words(o.current()), listed(values))
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
