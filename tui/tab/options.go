package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// nextMode switches to the mode after the one shown.
func (t *Tab) nextMode() tea.Cmd {
	c := t.conv
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return t.desk.Say("this agent has no modes")
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

// choose opens the list of the values of the option of a category, or says that
// there is none.
func (t *Tab) choose(cat acpclient.ConfigCategory, none string) tea.Cmd {
	if t.conv == nil {
		return nil
	}
	s := dialog.NewCategory(t.desk.Env(), t.conv, cat)
	if s == nil {
		return t.desk.Say(none)
	}
	t.dialogs.Push(s)
	return nil
}

func (t *Tab) showOptions() tea.Cmd {
	if t.conv == nil || t.conv.Phase != conversation.PhaseReady {
		return nil
	}
	t.dialogs.Push(dialog.NewOptions(t.desk.Env(), t.conv))
	return nil
}
