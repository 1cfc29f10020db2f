package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// nextMode switches to the next mode, or toggles a mode that is on or off.
func nextMode(t *Tab) tea.Cmd {
	c := t.conv
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return t.say("this agent has no modes")
	}
	now, _ := c.OptionValue(o)
	if o.Type == acpclient.ConfigBoolean {
		t.session.SetOption(o.ID, acpclient.BoolValue(!now.Bool))
		return nil
	}
	values := o.Options.All()
	if len(values) == 0 {
		return t.say(o.Name + " has no values")
	}
	i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
	if i == 0 && len(values) == 1 {
		return t.say(o.Name + " has no other value than " + values[0].Name)
	}
	t.session.SetOption(o.ID, acpclient.SelectValue(values[(i+1)%len(values)].Value))
	return nil
}

// categoryList lists the values of the options of some categories. It says none if there
// is no such option.
func categoryList(t *Tab, none string, categories ...acpclient.ConfigCategory) tea.Cmd {
	c := t.conv
	if c == nil {
		return nil
	}
	s := dialog.NewCategories(t.env(), c, categories...)
	if s == nil {
		return t.say(none)
	}
	t.dialogs.Push(s)
	return nil
}

// optionsList lists all options.
func optionsList(t *Tab) tea.Cmd {
	c := t.conv
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	t.dialogs.Push(dialog.NewOptions(t.env(), c))
	return nil
}
