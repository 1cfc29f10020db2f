// This file has what a person opens over a session to choose from: its modes and options,
// the files that the agent wrote, and the calls that can be cancelled by themselves.

package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// nextMode switches to the mode after the one shown.
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

// categoryList opens the list of the values of the option of a category, or says that there is
// none.
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
