package conversation

import (
	"cmp"
	"slices"
	"strings"

	"parley/acpclient"
)

// The ids of the config options that stand for the modes and the models of an
// agent that has no config options of its own. Each is the name of the method
// that sets it, so that no agent calls an option of its own the same.
const (
	LegacyModeID  acpclient.ConfigID = "session/set_mode"
	LegacyModelID acpclient.ConfigID = "session/set_model"
)

// settings is what is known of the options beyond what the agent says of them.
type settings struct {
	// pending is the latest switch of each option, until the agent has answered.
	pending map[acpclient.ConfigID]OptionChosen
	// settled is the number of the latest switch of each option that the agent
	// has carried out.
	settled map[acpclient.ConfigID]int
	// optionsGiven says that the agent has config options: they replace its modes
	// and models, for display and for switching.
	optionsGiven bool
}

// replaceOptions takes the state of all options, as the agent gives it.
func (c *Conversation) replaceOptions(o []acpclient.SessionConfigOption) {
	c.Options, c.optionsGiven = o, true
}

// takeLegacy makes options of the modes and models of an agent that has no
// options. What the state does not mention stays as it was.
func (c *Conversation) takeLegacy(s acpclient.SessionState) {
	mode, model := c.Option(LegacyModeID), c.Option(LegacyModelID)
	if s.Modes != nil {
		var values []acpclient.ConfigSelectOption
		for _, m := range s.Modes.AvailableModes {
			values = append(values, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.ID), Name: m.Name, Description: m.Description})
		}
		mode = legacyOption(LegacyModeID, acpclient.CategoryMode, acpclient.ConfigValueID(s.Modes.CurrentModeID), values)
	}
	if s.Models != nil {
		var values []acpclient.ConfigSelectOption
		for _, m := range s.Models.AvailableModels {
			values = append(values, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.ModelID), Name: cmp.Or(m.Name, m.ModelID), Description: m.Description})
		}
		model = legacyOption(LegacyModelID, acpclient.CategoryModel, acpclient.ConfigValueID(s.Models.CurrentModelID), values)
	}
	var options []acpclient.SessionConfigOption
	for _, o := range []*acpclient.SessionConfigOption{mode, model} {
		if o != nil && len(o.Options.All()) > 0 {
			options = append(options, *o)
		}
	}
	c.Options = options
}

func legacyOption(id acpclient.ConfigID, category acpclient.ConfigCategory, current acpclient.ConfigValueID, values []acpclient.ConfigSelectOption) *acpclient.SessionConfigOption {
	return &acpclient.SessionConfigOption{
		ID: id, Name: legacyName(id), Category: category, Type: acpclient.ConfigSelect,
		CurrentValue: acpclient.SelectValue(current), Options: acpclient.Ungrouped(values...),
	}
}

// legacyName is the name of a legacy option for people, "" for any other.
func legacyName(id acpclient.ConfigID) string {
	switch id {
	case LegacyModeID:
		return "Mode"
	case LegacyModelID:
		return "Model"
	}
	return ""
}

// applyMode takes the mode that the agent is in now. Agents that have config
// options and modes may tell of the change only in this older way, so the option
// of the category mode follows it. A config option takes only the values that it
// offers; a mode that the agent has not listed is shown under its id.
func (c *Conversation) applyMode(id acpclient.SessionModeID) {
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil || o.Type != acpclient.ConfigSelect {
		return
	}
	value := acpclient.ConfigValueID(id)
	offered := slices.ContainsFunc(o.Options.All(), func(v acpclient.ConfigSelectOption) bool { return v.Value == value })
	if offered || o.ID == LegacyModeID {
		c.setOption(o.ID, acpclient.SelectValue(value))
	}
}

// setOption changes the value of one option; what was received stays as it was.
func (c *Conversation) setOption(id acpclient.ConfigID, v acpclient.ConfigValue) {
	c.Options = slices.Clone(c.Options)
	if o := c.Option(id); o != nil {
		o.CurrentValue = v
	}
}

// applyOptionSettled takes the agent's answer to a switch. While a later switch of
// the option waits for its answer, that one goes on being shown; and an answer
// that a later one has overtaken does not count.
func (c *Conversation) applyOptionSettled(e OptionSettled) {
	if c.pending[e.Option].Seq <= e.Seq {
		delete(c.pending, e.Option)
	}
	if e.Err != nil {
		c.addFailure(c.optionName(e.Option)+" was not changed", e.Err)
		return
	}
	overtaken := e.Seq < c.settled[e.Option]
	c.settled[e.Option] = max(e.Seq, c.settled[e.Option])
	switch {
	case e.Options != nil: // the whole state, as the agent has it now
		c.replaceOptions(e.Options)
	case !overtaken:
		c.setOption(e.Option, e.Value)
	}
}

// optionName is the name of an option for people, also when it is gone.
func (c *Conversation) optionName(id acpclient.ConfigID) string {
	if o := c.Option(id); o != nil {
		return o.Name
	}
	if name := legacyName(id); name != "" {
		return name
	}
	return string(id)
}

// Option returns the option with this id, nil if there is none.
func (c *Conversation) Option(id acpclient.ConfigID) *acpclient.SessionConfigOption {
	for i := range c.Options {
		if c.Options[i].ID == id {
			return &c.Options[i]
		}
	}
	return nil
}

// OptionByCategory returns the first option of a category, nil if there is
// none. Order is the agent's priority.
func (c *Conversation) OptionByCategory(cat acpclient.ConfigCategory) *acpclient.SessionConfigOption {
	for i := range c.Options {
		if c.Options[i].Category == cat {
			return &c.Options[i]
		}
	}
	return nil
}

// OptionValue is the value to show for an option, and whether it still waits
// for the agent's answer.
func (c *Conversation) OptionValue(o *acpclient.SessionConfigOption) (v acpclient.ConfigValue, pending bool) {
	if p, ok := c.pending[o.ID]; ok {
		return p.Value, true
	}
	return o.CurrentValue, false
}

// CategoryValue is the name of the value to show for the first option of a
// category, and whether it still waits for the agent's answer. It is "" if there
// is no such option.
func (c *Conversation) CategoryValue(cat acpclient.ConfigCategory) (name string, pending bool) {
	o := c.OptionByCategory(cat)
	if o == nil {
		return "", false
	}
	v, pending := c.OptionValue(o)
	return ValueName(o, v), pending
}

// OptionNamed finds an option by its id, or else by its name; nil if there is none.
func OptionNamed(options []acpclient.SessionConfigOption, name string) *acpclient.SessionConfigOption {
	for i := range options {
		if string(options[i].ID) == name {
			return &options[i]
		}
	}
	for i := range options {
		if strings.EqualFold(options[i].Name, name) {
			return &options[i]
		}
	}
	return nil
}

// ValueNamed finds a value of an option by its id, or else by its name; of one that
// is on or off, by such a word.
func ValueNamed(o *acpclient.SessionConfigOption, name string) (acpclient.ConfigValue, bool) {
	if o.Type == acpclient.ConfigBoolean {
		switch strings.ToLower(name) {
		case "true", "on", "yes":
			return acpclient.BoolValue(true), true
		case "false", "off", "no":
			return acpclient.BoolValue(false), true
		}
		return acpclient.ConfigValue{}, false
	}
	all := o.Options.All()
	i := slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return string(v.Value) == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return strings.EqualFold(v.Name, name) })
	}
	if i < 0 {
		return acpclient.ConfigValue{}, false
	}
	return acpclient.SelectValue(all[i].Value), true
}

// ValueName is the name of a value of an option: as the agent calls it, or on
// and off.
func ValueName(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	if v.IsBool {
		if v.Bool {
			return "on"
		}
		return "off"
	}
	for _, g := range o.Options {
		for _, s := range g.Options {
			if s.Value == v.ID {
				return s.Name
			}
		}
	}
	return string(v.ID)
}
