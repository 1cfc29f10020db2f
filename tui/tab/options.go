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
	if o := c.ModeOption(); o != nil {
		values := o.Options.All()
		if len(values) == 0 {
			return nil
		}
		now, _ := c.OptionValue(o)
		i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
		t.session.SetOption(o.ID, acpclient.SelectValue(values[(i+1)%len(values)].Value))
		return nil
	}
	modes := c.LegacyModes()
	if len(modes) == 0 {
		return t.say("this agent has no modes")
	}
	i := slices.IndexFunc(modes, func(s acpclient.SessionMode) bool { return s.ID == c.LegacyMode() })
	t.session.SetMode(modes[(i+1)%len(modes)].ID)
	return nil
}

// choose opens a list of values, or says that there is none.
func (t *Tab) choose(make func(dialog.Env, *conversation.Conversation) *dialog.Selector, none string) tea.Cmd {
	if t.conv == nil {
		return nil
	}
	s := make(t.env(), t.conv)
	if s == nil {
		return t.say(none)
	}
	t.dialogs.Push(s)
	return nil
}

func newThoughtLevels(env dialog.Env, c *conversation.Conversation) *dialog.Selector {
	o := c.OptionByCategory(acpclient.CategoryThoughtLevel)
	if o == nil {
		return nil
	}
	return dialog.NewOption(env, c, o.ID)
}

func (t *Tab) showOptions() tea.Cmd {
	if t.conv == nil || t.conv.Phase != conversation.PhaseReady {
		return nil
	}
	t.dialogs.Push(dialog.NewOptions(t.env(), t.conv))
	return nil
}
