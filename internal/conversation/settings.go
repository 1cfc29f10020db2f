package conversation

import (
	"slices"

	"parley/acpclient"
)

// settings is what is known of modes, models and options beyond their values.
type settings struct {
	pendingMode    *pendingSwitch[acpclient.SessionModeID]
	pendingModel   *pendingSwitch[string]
	pendingOptions map[acpclient.ConfigID]*pendingSwitch[acpclient.ConfigValue]

	modeSeq, modelSeq int  // of the latest switch that was answered
	hasOptions        bool // configOptions were given: they replace modes
}

func newSettings() settings {
	return settings{pendingOptions: map[acpclient.ConfigID]*pendingSwitch[acpclient.ConfigValue]{}}
}

// pendingSwitch is a value that was sent and not answered yet.
type pendingSwitch[T any] struct {
	seq   int
	value T
}

// settle returns what is still pending when the switch with a number was
// answered: a later one keeps being shown.
func (p *pendingSwitch[T]) settle(seq int) *pendingSwitch[T] {
	if p != nil && p.seq <= seq {
		return nil
	}
	return p
}

// nothingPending forgets the switches that nobody will answer any more.
func (c *Conversation) nothingPending() {
	c.pendingMode, c.pendingModel = nil, nil
	clear(c.pendingOptions)
}

// opened takes the whole state that opening a session answers.
func (c *Conversation) opened(s acpclient.SessionState) {
	c.nothingPending()
	if s.Modes != nil {
		c.Modes, c.Mode = s.Modes.AvailableModes, s.Modes.CurrentModeID
	}
	if s.Models != nil {
		c.Models, c.Model = s.Models.AvailableModels, s.Models.CurrentModelID
	}
	// An empty list beside modes means that there are only modes.
	if len(s.ConfigOptions) > 0 || s.ConfigOptions != nil && c.hasOptions {
		c.options(s.ConfigOptions)
	}
}

func (c *Conversation) options(o []acpclient.SessionConfigOption) {
	c.Options, c.hasOptions = o, true
}

// setOption changes the value of one option; what was received stays as it was.
func (c *Conversation) setOption(id acpclient.ConfigID, v acpclient.ConfigValue) {
	c.Options = slices.Clone(c.Options)
	if o := c.Option(id); o != nil {
		o.CurrentValue = v
	}
}

func (c *Conversation) modeSettled(e ModeSettled) {
	c.pendingMode = c.pendingMode.settle(e.Seq)
	switch {
	case e.Err != nil:
		c.note(acpclient.NoticeError, "The mode was not switched", e.Err.Error())
	case e.Seq > c.modeSeq: // not overtaken by the answer to a later switch
		c.modeSeq = e.Seq
		c.Mode = e.Mode
	}
}

func (c *Conversation) optionSettled(e OptionSettled) {
	if c.pendingOptions[e.Option].settle(e.Seq) == nil {
		delete(c.pendingOptions, e.Option)
	}
	switch {
	case e.Err != nil:
		name := string(e.Option)
		if o := c.Option(e.Option); o != nil {
			name = o.Name
		}
		c.note(acpclient.NoticeError, name+" was not changed", e.Err.Error())
	case e.Options != nil:
		c.options(e.Options)
	default:
		c.setOption(e.Option, e.Value)
	}
}

func (c *Conversation) modelSettled(e ModelSettled) {
	c.pendingModel = c.pendingModel.settle(e.Seq)
	switch {
	case e.Err != nil:
		c.note(acpclient.NoticeError, "The model was not switched", e.Err.Error())
	case e.Seq > c.modelSeq:
		c.modelSeq = e.Seq
		c.Model = e.Model
	}
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
	models := c.LegacyModels()
	if len(models) == 0 {
		return "", false
	}
	id := c.Model
	if c.pendingModel != nil {
		id, pending = c.pendingModel.value, true
	}
	for _, m := range models {
		if m.ModelID == id && m.Name != "" {
			return m.Name, pending
		}
	}
	return id, pending
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
