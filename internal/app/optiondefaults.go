package app

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// DefaultValue returns the value that the configuration gives one of the options when a
// session with an agent begins.
func DefaultValue(a config.Agent, options []acpclient.SessionConfigOption, o *acpclient.SessionConfigOption) (acpclient.ConfigValue, bool) {
	key := defaultKey(a, options, o)
	name, ok := a.Options[key]
	if key == "" {
		name, ok = a.Mode, a.Mode != ""
	}
	if !ok {
		return acpclient.ConfigValue{}, false
	}
	return conversation.ValueNamed(o, name)
}

// defaultKey returns the key of an option among an agent's options in the configuration:
// the one that is there already, or else "" for the mode and the id for others.
func defaultKey(a config.Agent, options []acpclient.SessionConfigOption, o *acpclient.SessionConfigOption) string {
	for _, key := range slices.Sorted(maps.Keys(a.Options)) {
		if conversation.OptionNamed(options, key) == o {
			return key
		}
	}
	first := slices.IndexFunc(options, func(other acpclient.SessionConfigOption) bool { return other.Category == acpclient.CategoryMode })
	switch {
	case first >= 0 && &options[first] == o:
		return ""
	case o.ID == conversation.LegacyModelID:
		return "model" // its name; the id is parley's own
	}
	return string(o.ID)
}

// HasDefaults reports whether an agent can have defaults.
func HasDefaults(a config.Agent) bool { return a.Source != "" && a.ID != TourID }

// ToggleDefault makes a value of one of the options the default of an agent, or removes
// the default if it is that value. It returns the agent with that, and what writes it into
// the configuration.
func ToggleDefault(a config.Agent, options []acpclient.SessionConfigOption, o *acpclient.SessionConfigOption, v acpclient.ConfigValue) (changed config.Agent, save func() error, err error) {
	if !HasDefaults(a) {
		return a, nil, errors.New("this agent is not in the configuration, so it has no defaults")
	}
	key := defaultKey(a, options, o)
	name, value := string(v.ID), any(string(v.ID))
	if v.IsBool {
		name, value = strconv.FormatBool(v.Bool), v.Bool
	}
	if now, is := DefaultValue(a, options, o); is && now == v {
		name, value = "", nil
	}
	changed = a
	switch {
	case key == "":
		changed.Mode = name
	case value == nil:
		changed.Options = maps.Clone(a.Options)
		delete(changed.Options, key)
	default:
		changed.Options = map[string]string{key: name}
		for other, value := range a.Options {
			if other != key {
				changed.Options[other] = value
			}
		}
	}
	return changed, func() error { return config.SaveDefault(config.ConfigFile(), a.ID, key, value) }, nil
}

// RememberModel notes which model an agent is used with, unless the agent is one of the
// command line.
func (b *Backend) RememberModel(a config.Agent, model acpclient.ConfigValueID) error {
	if a.Source == "" || len(model) > longestModel {
		return nil
	}
	return b.Recent.Model(a.ID, string(model))
}

const (
	// longestModel bounds the ids that are remembered, in bytes.
	longestModel = 100
	// oftenFrom is how many of the latest uses make a model one that is used often.
	oftenFrom = 2
	// mostOften bounds the models that are used often.
	mostOften = 5
)

// OftenUsed returns the models that an agent is used with often, most used first.
func (b *Backend) OftenUsed(a config.Agent) []acpclient.ConfigValueID {
	uses := map[string]int{}
	var models []string // latest first
	for _, m := range b.Recent.Used().Models[a.ID] {
		if uses[m]++; uses[m] == 1 {
			models = append(models, m)
		}
	}
	slices.SortStableFunc(models, func(x, y string) int { return cmp.Compare(uses[y], uses[x]) })
	var often []acpclient.ConfigValueID
	for _, m := range models {
		if uses[m] >= oftenFrom && len(often) < mostOften {
			often = append(often, acpclient.ConfigValueID(m))
		}
	}
	return often
}
