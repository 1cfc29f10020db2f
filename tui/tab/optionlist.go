package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// nextMode switches to the next mode.
func nextMode(t *Tab) tea.Cmd {
	c := t.conv
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return t.say("this agent has no modes")
	}
	values := o.Options.All()
	if len(values) == 0 {
		return nil
	}
	now, _ := c.OptionValue(o)
	i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
	t.session.SetOption(o.ID, acpclient.SelectValue(values[(i+1)%len(values)].Value))
	return nil
}

// categoryList lists the values of the first option of a category. It says none if there
// is no such option.
func categoryList(t *Tab, cat acpclient.ConfigCategory, none string) tea.Cmd {
	c := t.conv
	if c == nil {
		return nil
	}
	s := dialog.NewCategory(t.env(), c, cat)
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
