package doctor

import (
	"encoding/json"
	"slices"
)

// mostSettings is how many modes, and how many options, are tried.
const mostSettings = 8

// nothing is an id that no agent offers.
const nothing = "parley-offers-nothing-like-this"

// modesOf sets every mode of a session, and at last the one that it had.
func (e *exam) modesOf(s *session) {
	if s.state.Modes == nil || e.stopped() {
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
			e.referee.finds(ruleSetMode, a.message, "The mode %q is offered, and cannot be set: %s", words(id), a.err)
		default:
			e.report.once("session/set_mode", a.took)
		}
	}
	a := e.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": nothing})
	if a.message != nil && a.err == nil {
		e.referee.finds(ruleUnknownMode, a.message, "A mode can be set that is not offered")
		e.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": was})
	}
	e.fence()
}

// optionsOf sets options: to what they are, to something else, and back.
func (e *exam) optionsOf(s *session) {
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
				e.referee.finds(ruleWholeState, nil, "The answer to session/set_config_option (line %d) has no option %q", e.line, words(id))
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
	if a := e.call("session/set_config_option", e.setting(s, options[0].id(), nothing)); a.message != nil && a.err == nil {
		e.referee.finds(ruleUnknownValue, a.message, "The option %q takes a value that is not offered", words(options[0].id()))
	}
	e.fence()
}

// setting are the params that set an option.
func (e *exam) setting(s *session, id, value string) map[string]any {
	params := map[string]any{"sessionId": s.id, "configId": id, "value": value}
	if e.referee.dialect == v2 {
		params["type"] = "id"
	}
	return params
}

// setOption sets an option, and returns the new state; nil if it was refused. It is not ok
// if there was no answer.
func (e *exam) setOption(s *session, id, value string) (now []option, ok bool) {
	a := e.call("session/set_config_option", e.setting(s, id, value))
	switch {
	case a.message == nil:
		return nil, false
	case a.err != nil:
		e.referee.finds(ruleSetOption, a.message, "The option %q can be %q, and that cannot be set: %s", words(id), words(value), a.err)
		return nil, true
	}
	e.report.once("session/set_config_option", a.took)
	var result state
	_ = json.Unmarshal(a.result, &result)
	i := slices.IndexFunc(result.Options, func(o option) bool { return o.id() == id })
	if i >= 0 && result.Options[i].current() != value {
		e.referee.finds(ruleSetOption, a.message, "The option %q is %q after it was set to %q", words(id), words(result.Options[i].current()), words(value))
	}
	if i < 0 {
		e.referee.finds(ruleWholeState, a.message, "The answer to session/set_config_option has not the option %q that was set", words(id))
	}
	return result.Options, true
}
