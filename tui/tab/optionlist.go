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

// NextMode switches to the mode after the one shown, by set.
func nextModeList(d *desk, c *conversation.Conversation, set func(acpclient.ConfigID, acpclient.ConfigValue)) tea.Cmd {
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return d.Say("this agent has no modes")
	}
	values := o.Options.All()
	if len(values) == 0 {
		return nil
	}
	now, _ := c.OptionValue(o)
	i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
	set(o.ID, acpclient.SelectValue(values[(i+1)%len(values)].Value))
	return nil
}

// Category opens the list of the values of the option of a category, or says that there is
// none.
func categoryList(d *desk, c *conversation.Conversation, cat acpclient.ConfigCategory, none string) tea.Cmd {
	if c == nil {
		return nil
	}
	s := dialog.NewCategory(d.Env(), c, cat)
	if s == nil {
		return d.Say(none)
	}
	d.Dialogs.Push(s)
	return nil
}

// Options lists all options.
func optionsList(d *desk, c *conversation.Conversation) tea.Cmd {
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	d.Dialogs.Push(dialog.NewOptions(d.Env(), c))
	return nil
}
