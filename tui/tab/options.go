package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

const (
	// slowSwitch is when parley says that the agent has not answered a switch.
	slowSwitch = 5 * time.Second
	// freshTime is how long a value stands out that the agent has changed by itself.
	freshTime = 6 * time.Second
)

// options follows the options of the session and keeps their defaults.
type options struct {
	tab *Tab
	// fresh holds when the agent has last changed an option by itself.
	fresh map[acpclient.ConfigID]time.Time
	model acpclient.ConfigValueID // remembered as used
}

// Follow handles an event that was applied to the conversation.
func (o *options) Follow(e conversation.Event) tea.Cmd {
	t := o.tab
	var cmds []tea.Cmd
	if changed := t.conv.ChangedByAgent(); len(changed) > 0 {
		if o.fresh == nil {
			o.fresh = map[acpclient.ConfigID]time.Time{}
		}
		for _, id := range changed {
			o.fresh[id] = t.program.Now()
		}
		cmds = append(cmds, redraw(freshTime))
	}
	switch e.(type) {
	case conversation.OptionChosen:
		cmds = append(cmds, redraw(slowSwitch))
	case conversation.PromptSent:
		cmds = append(cmds, o.rememberModel())
	}
	return tea.Batch(cmds...)
}

// Fresh reports whether the agent has just changed an option by itself.
func (o *options) Fresh(id acpclient.ConfigID) bool {
	at, ok := o.fresh[id]
	return ok && o.tab.program.Now().Sub(at) < freshTime
}

// Slow returns the first option whose switch the agent has not answered for a while, and
// the switch; nil if there is none.
func (o *options) Slow() (*acpclient.SessionConfigOption, conversation.OptionChosen) {
	c := o.tab.conv
	if c == nil || o.tab.replay != nil {
		return nil, conversation.OptionChosen{}
	}
	for i := range c.Options {
		if to, pending := c.Pending(&c.Options[i]); pending && o.tab.program.Now().Sub(to.At) >= slowSwitch {
			return &c.Options[i], to
		}
	}
	return nil, conversation.OptionChosen{}
}

// slowWords names the switch that Slow returns, or returns "".
func (o *options) slowWords() string {
	option, to := o.Slow()
	if option == nil {
		return ""
	}
	return settingLabel(option) + " → " + settingValue(option, to.Value)
}

// TakeBack switches an option back whose switch the agent has not answered for a while,
// and reports whether there is one.
func (o *options) TakeBack() bool {
	slow, _ := o.Slow()
	if slow == nil {
		return false
	}
	o.tab.session.SetOption(slow.ID, slow.CurrentValue)
	return true
}

// rememberModel remembers the model that a prompt goes to.
func (o *options) rememberModel() tea.Cmd {
	t := o.tab
	model := t.conv.OptionByCategory(acpclient.CategoryModel)
	if model == nil || model.CurrentValue.ID == o.model {
		return nil
	}
	o.model = model.CurrentValue.ID
	agent, id := t.agent, o.model
	return bestEffort(func() error { return t.program.RememberModel(agent, id) })
}

// values is what the lists of options know of defaults and of use.
func (o *options) values() dialog.Values {
	t := o.tab
	return dialog.Values{
		Default: func(option *acpclient.SessionConfigOption) (acpclient.ConfigValue, bool) {
			return app.DefaultValue(t.agent, t.conv.Options, option)
		},
		SetDefault: o.toggleDefault,
		Often: func(option *acpclient.SessionConfigOption) []acpclient.ConfigValueID {
			if option.Category != acpclient.CategoryModel {
				return nil
			}
			return t.program.OftenUsed(t.agent)
		},
	}
}

// toggleDefault makes a value the default of the agent, or no longer, and writes that into
// the configuration.
func (o *options) toggleDefault(option *acpclient.SessionConfigOption, v acpclient.ConfigValue) tea.Cmd {
	t := o.tab
	agent, save, err := app.ToggleDefault(t.agent, t.conv.Options, option, v)
	if err != nil {
		return t.say(err.Error())
	}
	said := option.Name + ": " + conversation.ValueName(option, v) + " is now the default"
	if now, is := app.DefaultValue(agent, t.conv.Options, option); !is || now != v {
		said = option.Name + ": " + conversation.ValueName(option, v) + " is no longer the default"
	}
	return inBackground(func() then {
		err := save()
		return func() tea.Cmd {
			if err != nil {
				return t.say(err.Error())
			}
			t.agent.Mode, t.agent.Options = agent.Mode, agent.Options
			return t.say(said)
		}
	})
}
