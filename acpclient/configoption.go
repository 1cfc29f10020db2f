package acpclient

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ConfigID identifies a config option, ConfigValueID one of its values.
type (
	ConfigID      string
	ConfigValueID string
)

// ConfigOptionType is the type of a config option.
type ConfigOptionType string

// The types that the protocol defines. An option of another type is kept in Raw and
// cannot be set.
const (
	ConfigSelect  ConfigOptionType = "select"
	ConfigBoolean ConfigOptionType = "boolean"
)

// ConfigCategory is a hint for placement and keys (schema type
// SessionConfigOptionCategory). Any other string is allowed.
type ConfigCategory string

// The categories that the protocol defines.
const (
	CategoryMode         ConfigCategory = "mode"
	CategoryModel        ConfigCategory = "model"
	CategoryModelConfig  ConfigCategory = "model_config"
	CategoryThoughtLevel ConfigCategory = "thought_level"
)

// SessionConfigOption is a setting of the session and its current value (schema type
// SessionConfigOption; "Session Config Options" in the protocol's pages).
type SessionConfigOption struct {
	ID          ConfigID         `json:"id" acp:"required"`
	Name        string           `json:"name" acp:"required"`
	Description string           `json:"description,omitempty"`
	Category    ConfigCategory   `json:"category,omitempty"`
	Type        ConfigOptionType `json:"type" acp:"required"`

	// CurrentValue is the id of one of the Options for a select, or a boolean.
	CurrentValue ConfigValue `json:"currentValue" acp:"of=select|boolean"`
	// Options are the values of a select.
	Options ConfigSelectOptions `json:"options,omitempty" acp:"of=select"`

	Meta Meta `json:"_meta,omitempty"`

	// Raw is the whole option if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

// ConfigValue is the value of a config option: a boolean if IsBool, else an id.
type ConfigValue struct {
	ID     ConfigValueID
	Bool   bool
	IsBool bool
}

// SelectValue returns the value of a select.
func SelectValue(id ConfigValueID) ConfigValue { return ConfigValue{ID: id} }

// BoolValue returns the value of a boolean option.
func BoolValue(on bool) ConfigValue { return ConfigValue{Bool: on, IsBool: true} }

// MarshalJSON encodes a string or a boolean.
func (v ConfigValue) MarshalJSON() ([]byte, error) {
	if v.IsBool {
		return Marshal(v.Bool)
	}
	return Marshal(v.ID)
}

// UnmarshalJSON takes a string or a boolean.
func (v *ConfigValue) UnmarshalJSON(b []byte) error {
	*v = ConfigValue{}
	if json.Unmarshal(b, &v.Bool) == nil && !isNull(b) {
		v.IsBool = true
		return nil
	}
	return json.Unmarshal(b, &v.ID)
}

// ConfigSelectOptions are the values of a select, in groups. Ungrouped values form one
// group without an id.
type ConfigSelectOptions []ConfigSelectGroup

// ConfigSelectGroup is a group of values (schema type SessionConfigSelectGroup).
type ConfigSelectGroup struct {
	Group   string                   `json:"group" acp:"required"`
	Name    string                   `json:"name" acp:"required"`
	Options List[ConfigSelectOption] `json:"options"`
	Meta    Meta                     `json:"_meta,omitempty"`
}

// ConfigSelectOption is one value of a select (schema type
// SessionConfigSelectOption).
type ConfigSelectOption struct {
	Value       ConfigValueID `json:"value" acp:"required"`
	Name        string        `json:"name" acp:"required"`
	Description string        `json:"description,omitempty"`
	Meta        Meta          `json:"_meta,omitempty"`
}

// Ungrouped returns the options of a select without groups.
func Ungrouped(options ...ConfigSelectOption) ConfigSelectOptions {
	return ConfigSelectOptions{{Options: options}}
}

// All returns every value, in the agent's order.
func (o ConfigSelectOptions) All() []ConfigSelectOption {
	if len(o) == 1 {
		return o[0].Options
	}
	var all []ConfigSelectOption
	for _, g := range o {
		all = append(all, g.Options...)
	}
	return all
}

// MarshalJSON encodes the groups, or just the values of a single unnamed group.
func (o ConfigSelectOptions) MarshalJSON() ([]byte, error) {
	if len(o) == 1 && o[0].Group == "" && o[0].Name == "" {
		return Marshal(o[0].Options)
	}
	return Marshal(List[ConfigSelectGroup](o))
}

func (o *ConfigSelectOptions) decodeVariant(raw json.RawMessage) error {
	if raw[0] != '[' {
		return wrongKind{raw[0], "an array"}
	}
	*o = nil
	for item := range Elements(raw) {
		var g ConfigSelectGroup
		if decode(item, &g) == nil {
			*o = append(*o, g)
			continue
		}
		var v ConfigSelectOption
		if decode(item, &v) != nil {
			continue
		}
		if n := len(*o); n == 0 || (*o)[n-1].Group != "" {
			*o = append(*o, ConfigSelectGroup{})
		}
		last := &(*o)[len(*o)-1]
		last.Options = append(last.Options, v)
	}
	return nil
}

func (o *SessionConfigOption) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, o); err != nil {
		return err
	}
	var value struct {
		CurrentValue *ConfigValueID `json:"currentValue"`
	}
	switch {
	case o.Type == ConfigSelect && (decode(raw, &value) != nil || value.CurrentValue == nil):
		return errors.New("a select has no current value")
	case o.Type == ConfigBoolean && !o.CurrentValue.IsBool:
		return errors.New("a boolean has no current value")
	case o.Type != ConfigSelect && o.Type != ConfigBoolean:
		o.Raw = bytes.Clone(raw)
	}
	return nil
}

// MarshalJSON encodes the option; one of unknown type stays as received.
func (o SessionConfigOption) MarshalJSON() ([]byte, error) { return marshalUnion(o, o.Type, o.Raw) }

// SetSessionConfigOptionRequest sets an option (method
// session/set_config_option).
type SetSessionConfigOptionRequest struct {
	SessionID SessionID   `json:"sessionId" acp:"required"`
	ConfigID  ConfigID    `json:"configId" acp:"required"`
	Value     ConfigValue `json:"value"`
	Meta      Meta        `json:"_meta,omitempty"`
}

// MarshalJSON adds the type, which the schema requires for a boolean.
func (r SetSessionConfigOptionRequest) MarshalJSON() ([]byte, error) {
	type plain SetSessionConfigOptionRequest
	b, err := Marshal(plain(r))
	if err == nil && r.Value.IsBool {
		b = splice("type", string(ConfigBoolean), b)
	}
	return b, err
}

// SetSessionConfigOptionResponse has the complete state of all options.
type SetSessionConfigOptionResponse struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          Meta                      `json:"_meta,omitempty"`
}

// ConfigOptionUpdate has the complete state of all options (the session update
// "config_option_update").
type ConfigOptionUpdate struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          Meta                      `json:"_meta,omitempty"`
}
