package session

import (
	"parley/acpclient"
)

// opened takes the whole state that opening a session answers.
func (c *Conversation) opened(s acpclient.SessionState) {
	c.pendingMode = nil
	clear(c.pendingOptions)
	if s.Modes != nil {
		c.Modes, c.Mode = s.Modes.AvailableModes, s.Modes.CurrentModeID
	}
	if s.Models != nil {
		c.Models, c.Model = s.Models.AvailableModels, s.Models.CurrentModelID
	}
	if s.ConfigOptions != nil {
		c.options(s.ConfigOptions)
	}
}

func (c *Conversation) options(o []acpclient.SessionConfigOption) {
	c.Options, c.hasOptions = o, true
}

// modeSettled takes the agent's answer to a switch. A later switch that is still
// open keeps being shown.
func (c *Conversation) modeSettled(e ModeSettled) {
	if p := c.pendingMode; p != nil && p.seq <= e.Seq {
		c.pendingMode = nil
	}
	if e.Err != nil {
		c.note(acpclient.NoticeError, "The mode was not switched", e.Err.Error())
		return
	}
	c.Mode = e.Mode
}

func (c *Conversation) optionSettled(e OptionSettled) {
	if p := c.pendingOptions[e.Option]; p != nil && p.seq <= e.Seq {
		delete(c.pendingOptions, e.Option)
	}
	if e.Err != nil {
		name := string(e.Option)
		if o := c.Option(e.Option); o != nil {
			name = o.Name
		}
		c.note(acpclient.NoticeError, name+" was not changed", e.Err.Error())
		return
	}
	if e.Options != nil {
		c.options(e.Options)
	}
}

func (c *Conversation) modelSettled(e ModelSettled) {
	if e.Err != nil {
		c.note(acpclient.NoticeError, "The model was not switched", e.Err.Error())
		return
	}
	c.Model = e.Model
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
	if p := c.pendingOptions[o.ID]; p != nil {
		return p.value, true
	}
	return o.CurrentValue, false
}

// ModeOption is the config option that switches modes, nil if the agent has
// none. Config options, when there are any, replace the older modes entirely.
func (c *Conversation) ModeOption() *acpclient.SessionConfigOption {
	return c.OptionByCategory(acpclient.CategoryMode)
}

// LegacyModes returns the modes to switch by session/set_mode, nil if the agent
// has config options.
func (c *Conversation) LegacyModes() []acpclient.SessionMode {
	if c.hasOptions {
		return nil
	}
	return c.Modes
}

// LegacyModels returns the models to switch by session/set_model, nil if the
// agent has config options.
func (c *Conversation) LegacyModels() []acpclient.ModelInfo {
	if c.hasOptions {
		return nil
	}
	return c.Models
}

// CurrentMode is the name of the mode to show, and whether it still waits for
// the agent's answer. It is "" if the agent has no modes.
func (c *Conversation) CurrentMode() (name string, pending bool) {
	if o := c.ModeOption(); o != nil {
		v, pending := c.OptionValue(o)
		return ValueName(o, v), pending
	}
	modes := c.LegacyModes()
	if len(modes) == 0 {
		return "", false
	}
	id := c.Mode
	if c.pendingMode != nil {
		id, pending = c.pendingMode.value, true
	}
	return modeName(modes, id), pending
}

// LegacyMode is the id of the mode to show among LegacyModes.
func (c *Conversation) LegacyMode() acpclient.SessionModeID {
	if c.pendingMode != nil {
		return c.pendingMode.value
	}
	return c.Mode
}

// CurrentModel is the name of the model to show, "" if it is not known.
func (c *Conversation) CurrentModel() (name string, pending bool) {
	if o := c.OptionByCategory(acpclient.CategoryModel); o != nil {
		v, pending := c.OptionValue(o)
		return ValueName(o, v), pending
	}
	for _, m := range c.LegacyModels() {
		if m.ModelID == c.Model {
			return m.Name, false
		}
	}
	return "", false
}

func modeName(modes []acpclient.SessionMode, id acpclient.SessionModeID) string {
	for _, m := range modes {
		if m.ID == id {
			return m.Name
		}
	}
	return string(id)
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
