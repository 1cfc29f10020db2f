package doctor

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// state is the modes and options of a session.
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

func (m *modes) ids() (out []string) {
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

func (o *option) id() string { return cmp.Or(o.IDV2, o.IDV1) }

// current returns the value of a select option.
func (o *option) current() string {
	var value string
	_ = json.Unmarshal(o.Current, &value)
	return value
}

// values returns the values of a select option.
func (o *option) values() (out []string) {
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

func ids(options []option) (out []string) {
	for _, o := range options {
		out = append(out, o.id())
	}
	return out
}

// twice returns an element that occurs twice.
func twice(list []string) (string, bool) {
	sorted := slices.Sorted(slices.Values(list))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i], true
		}
	}
	return "", false
}

// opened handles the state that a session opens with.
func (r *referee) opened(m *message, s *session, now state) {
	if now.Modes != nil && r.has(ruleModes) {
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

// mode handles the current mode.
func (r *referee) mode(m *message, s *session, current *string) {
	if current == nil || s.state.Modes == nil {
		return
	}
	s.state.Modes.Current = *current
	if available := s.state.Modes.ids(); !slices.Contains(available, *current) {
		r.finds(ruleModes, m, "The current mode is %q, but the modes are %s", words(*current), listed(available))
	}
}

// partial is an update of the options that lacked some of the earlier ones.
type partial struct {
	message *message
	options []option
	lacks   []string
}

// contradicted reports whether a lacking option is back although none of the others changed
// its value: an option may depend only on the value of another one.
func (p *partial) contradicted(now []option) bool {
	for _, was := range p.options {
		i := slices.IndexFunc(now, func(o option) bool { return o.id() == was.id() })
		if i < 0 || string(now[i].Current) != string(was.Current) {
			return false
		}
	}
	return slices.ContainsFunc(now, p.lacked)
}

func (p *partial) lacked(o option) bool { return slices.Contains(p.lacks, o.id()) }

// whole checks that updates of the options are complete. A lacking option may no longer
// exist; the next update tells.
func (r *referee) whole(m *message, s *session, now []option) {
	if p := s.partial; p != nil && slices.ContainsFunc(now, p.lacked) {
		if p.contradicted(now) {
			r.finds(ruleWholeState, p.message, "A config_option_update lacks the option %q, which still exists afterwards (line %d)", words(p.lacks[0]), m.number)
		}
		s.partial = nil
	}
	if m.method != "session/update" || s.partial != nil {
		return
	}
	present := ids(now)
	lacks := slices.DeleteFunc(ids(s.state.Options), func(id string) bool { return slices.Contains(present, id) })
	if len(lacks) > 0 {
		s.partial = &partial{m, now, lacks}
	}
}

// options handles the state of all options.
func (r *referee) options(m *message, s *session, now state) {
	r.whole(m, s, now.Options)
	s.state.Options = now.Options
	if id, found := twice(ids(now.Options)); found {
		r.finds(ruleOptions, m, "Two options have the id %q", words(id))
	}
	for _, o := range now.Options {
		switch o.Type {
		case "boolean":
			r.finds(ruleBoolean, m, "The option %q is boolean, but the client did not advertise session.configOptions.boolean", words(o.id()))
		case "select":
			values := o.values()
			if value, found := twice(values); found {
				r.finds(ruleOptions, m, "The option %q has the value %q twice", words(o.id()), words(value))
			}
			if !slices.Contains(values, o.current()) {
				r.finds(ruleOptions, m, "The option %q is %q, but the values are %s", words(o.id()), words(o.current()), listed(values))
			}
		}
	}
}

func listed(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return words(strings.Join(list, ", "))
}

// mostSettings limits how many modes and how many options are tried.
const mostSettings = 8

// nothing is an id that no agent offers.
const nothing = "parley-offers-nothing-like-this"

// setModes sets every mode of a session, and then the original one.
func (e *exam) setModes(s *session) {
	if s.state.Modes == nil {
		return
	}
	was := s.state.Modes.Current
	list := s.state.Modes.ids()
	list = append(list[:min(len(list), mostSettings)], was)
	for _, id := range list {
		a := e.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": id})
		switch {
		case a.message == nil:
			return
		case a.err != nil:
			e.referee.finds(ruleSetMode, a.message, "The offered mode %q cannot be set: %s", words(id), a.err)
		default:
			e.report.once("session/set_mode", a.took)
		}
	}
	a := e.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": nothing})
	if a.message != nil && a.err == nil {
		e.referee.finds(ruleUnknownMode, a.message, "An unknown mode was accepted")
		e.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": was})
	}
	e.fence()
}

// setOptions sets each option to its value, to another one, and back.
func (e *exam) setOptions(s *session) {
	options := slices.Clone(s.state.Options)
	if len(options) == 0 || e.stopped() {
		return
	}
	before := ids(options)
	for i, o := range options[:min(len(options), mostSettings)] {
		if o.Type != "select" {
			continue
		}
		was := o.current()
		now, ok := e.setOption(s, o.id(), was)
		if !ok {
			return
		}
		for _, id := range before {
			if now != nil && i == 0 && !slices.Contains(ids(now), id) {
				e.referee.finds(ruleWholeState, nil, "The response to session/set_config_option (line %d) has no option %q", e.line, words(id))
			}
		}
		if other := slices.IndexFunc(o.values(), func(v string) bool { return v != was }); other >= 0 {
			e.setOption(s, o.id(), o.values()[other])
			e.setOption(s, o.id(), was)
		}
		if e.stopped() {
			return
		}
	}
	// This changes nothing, but its response shows whether earlier updates were complete.
	if last := options[min(len(options), mostSettings)-1]; last.Type == "select" {
		e.setOption(s, last.id(), last.current())
	}
	a := e.callSetOption(s, options[0].id(), nothing)
	e.mustRefuse(a, ruleUnknownValue, 0, "The option %q accepted an unknown value", words(options[0].id()))
	e.fence()
}

func (e *exam) callSetOption(s *session, id, value string) answer {
	params := map[string]any{"sessionId": s.id, "configId": id, "value": value}
	maps.Copy(params, e.referee.dialect.setOption)
	return e.call("session/set_config_option", params)
}

// setOption sets an option and returns the new state; nil if that was refused. It is not
// ok without an answer.
func (e *exam) setOption(s *session, id, value string) (now []option, ok bool) {
	a := e.callSetOption(s, id, value)
	switch {
	case a.message == nil:
		return nil, false
	case a.err != nil:
		e.referee.finds(ruleSetOption, a.message, "The offered value of the option %q, %q, cannot be set: %s", words(id), words(value), a.err)
		return nil, true
	}
	e.report.once("session/set_config_option", a.took)
	var result state
	_ = json.Unmarshal(a.result, &result)
	i := slices.IndexFunc(result.Options, func(o option) bool { return o.id() == id })
	if i >= 0 && result.Options[i].current() != value {
		e.referee.finds(ruleSetOption, a.message, "The option %q is %q after being set to %q", words(id), words(result.Options[i].current()), words(value))
	}
	if i < 0 {
		e.referee.finds(ruleWholeState, a.message, "The response to session/set_config_option lacks the option %q that was set", words(id))
	}
	return result.Options, true
}
