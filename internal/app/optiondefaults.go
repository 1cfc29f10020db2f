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

// DefaultValue returns the configured value of an option for new sessions with an agent.
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

// defaultKey returns the configuration key of an option among an agent's options: an existing
// one, or else "" for the mode and the id for others.
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
		return "model" // the name, since parley made up the id
	}
	return string(o.ID)
}

// HasDefaults reports whether an agent can have defaults.
func HasDefaults(a config.Agent) bool { return a.Source != "" && a.ID != TourID }

// ToggleDefault makes a value the agent's default for an option, or removes it if it already
// is. It returns the changed agent, and a function that writes the change to the
// configuration.
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
	at := []string{"agents", a.ID, "mode"}
	if key != "" {
		at = []string{"agents", a.ID, "options", key}
	}
	return changed, func() error { return config.SavedBeside(config.ConfigFile()).Choose(value, at...) }, nil
}

// RememberModel records that a model was used with an agent, unless the agent came from the
// command line.
func (b *Backend) RememberModel(a config.Agent, model acpclient.ConfigValueID) error {
	if a.Source == "" || len(model) > longestModel {
		return nil
	}
	return b.Recent.Model(a.ID, string(model))
}

const (
	// longestModel limits the remembered ids, in bytes.
	longestModel = 100
	// oftenFrom is how many of the latest uses count as often.
	oftenFrom = 2
	// mostOften limits the number of often used models.
	mostOften = 5
)

// OftenUsed returns the models often used with an agent, most used first.
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
