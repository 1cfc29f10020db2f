package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app/command"
	"parley/internal/conversation"
)

// Values is what lists of options know beyond the conversation. Its functions may be nil.
type Values struct {
	// Default returns the value that an option gets when a session begins.
	Default func(*acpclient.SessionConfigOption) (acpclient.ConfigValue, bool)
	// SetDefault changes that; the value that is the default already is no longer one.
	SetDefault func(*acpclient.SessionConfigOption, acpclient.ConfigValue) tea.Cmd
	// Often returns the values of an option that are used often, most used first.
	Often func(*acpclient.SessionConfigOption) []acpclient.ConfigValueID
}

// isDefault returns a function that reports whether an option gets a value when a session
// begins.
func (v Values) isDefault(o *acpclient.SessionConfigOption) func(acpclient.ConfigValue) bool {
	if v.Default == nil {
		return func(acpclient.ConfigValue) bool { return false }
	}
	d, ok := v.Default(o)
	return func(value acpclient.ConfigValue) bool { return ok && d == value }
}

// keys returns the key that makes a value the default. of returns the value that an item
// stands for.
func (v Values) keys(c *conversation.Conversation, of func(Item) (SetOption, bool)) []ItemKey {
	if v.SetDefault == nil {
		return nil
	}
	return []ItemKey{{Action: command.DialogDefault, Hint: "toggle default", Do: func(it Item) Action {
		set, ok := of(it)
		o := c.Option(set.Option)
		if !ok || o == nil {
			return nil
		}
		return Stay(func() tea.Cmd { return v.SetDefault(o, set.Value) })
	}}}
}

// NewCategories lists the values of the options of some categories, and follows the
// conversation. It returns nil if there is no such option.
func NewCategories(env Env, c *conversation.Conversation, categories ...acpclient.ConfigCategory) *Selector {
	var ids []acpclient.ConfigID
	for _, category := range categories {
		for i := range c.Options {
			if c.Options[i].Category == category {
				ids = append(ids, c.Options[i].ID)
			}
		}
	}
	return newValues(env, c, ids)
}

// NewOptions lists the session's options in the agent's order, and follows the
// conversation. It stays open after a change.
func NewOptions(env Env, c *conversation.Conversation) *Selector {
	l := List{Title: "Options", Empty: "The agent has no options.", Space: true}
	l.Keys = env.Values.keys(c, func(it Item) (SetOption, bool) {
		o := c.Option(acpclient.ConfigID(it.ID))
		if o == nil {
			return SetOption{}, false
		}
		return SetOption{o.ID, o.CurrentValue}, true
	})
	return NewFollowing(env, l, func() []Item { return optionItems(env, c) })
}

// changeOption returns the action that toggles an option or lists its values.
func changeOption(env Env, c *conversation.Conversation, o *acpclient.SessionConfigOption) Action {
	if o.Type == acpclient.ConfigBoolean {
		v, _ := c.OptionValue(o)
		return Toggle{o.ID, acpclient.BoolValue(!v.Bool)}
	}
	id := o.ID
	return Push(func() Dialog {
		s := newOption(env, c, id)
		if s == nil {
			return nil // the option is gone
		}
		s.list.Closing = "back"
		return s
	})
}

func optionItems(env Env, c *conversation.Conversation) []Item {
	var items []Item
	for i := range c.Options {
		o := &c.Options[i]
		it := Item{ID: string(o.ID), Title: o.Name, About: o.Description, Do: changeOption(env, c, o)}
		it.Detail = conversation.ValueName(o, o.CurrentValue)
		if to, pending := c.Pending(o); pending {
			it.Detail, it.Pending = it.Detail+" → "+conversation.ValueName(o, to.Value), true
		}
		if env.Values.isDefault(o)(o.CurrentValue) {
			it.Detail += " · default"
		}
		items = append(items, it)
	}
	return items
}

// newOption lists the values of an option, and follows the conversation. It returns nil if
// there is no such option.
func newOption(env Env, c *conversation.Conversation, id acpclient.ConfigID) *Selector {
	if c.Option(id) == nil {
		return nil
	}
	return newValues(env, c, []acpclient.ConfigID{id})
}

// newValues lists the values of options, under their names if there are several.
func newValues(env Env, c *conversation.Conversation, ids []acpclient.ConfigID) *Selector {
	if len(ids) == 0 {
		return nil
	}
	first := *c.Option(ids[0])
	l := List{Title: first.Name, About: first.Description, Empty: first.Name + " has no values."}
	l.Keys = env.Values.keys(c, func(it Item) (SetOption, bool) { set, ok := it.Do.(SetOption); return set, ok })
	return NewFollowing(env, l, func() []Item {
		if !slices.ContainsFunc(ids, func(id acpclient.ConfigID) bool { return c.Option(id) != nil }) {
			return []Item{{ID: "gone", Title: "The agent no longer offers this option: " + first.Name, Disabled: true}}
		}
		if len(ids) == 1 {
			return valueItems(env, c, ids[0])
		}
		var items []Item
		for _, id := range ids {
			items = append(items, underName(c.Option(id), valueItems(env, c, id))...)
		}
		return items
	})
}

// underName puts the values of one of several options under its name. It changes items.
func underName(o *acpclient.SessionConfigOption, items []Item) []Item {
	if o != nil && len(items) == 0 {
		items = []Item{{ID: "none", Title: "no values", Disabled: true}}
	}
	for i := range items {
		it := &items[i]
		it.ID = string(o.ID) + "/" + it.ID
		it.Group = strings.TrimSuffix(o.Name+" · "+it.Group, " · ")
	}
	return items
}

// usedOften heads the values that are used often.
const usedOften = "Used often"

// valueItems returns the values of an option: those that are used often, then the others
// in the agent's order.
func valueItems(env Env, c *conversation.Conversation, id acpclient.ConfigID) []Item {
	o := c.Option(id)
	if o == nil {
		return nil
	}
	pending, waits := c.Pending(o)
	isDefault := env.Values.isDefault(o)
	item := func(group string, v acpclient.ConfigValue, title, detail string) Item {
		if isDefault(v) {
			detail = strings.TrimSuffix("default · "+detail, " · ")
		}
		return Item{
			ID: string(v.ID), Title: title, Detail: detail, Group: group,
			Current: v == o.CurrentValue, Pending: waits && v == pending.Value, Do: SetOption{id, v},
		}
	}
	if o.Type == acpclient.ConfigBoolean {
		on, off := item("", acpclient.BoolValue(true), "on", ""), item("", acpclient.BoolValue(false), "off", "")
		on.ID, off.ID = "on", "off"
		return []Item{on, off}
	}
	var items []Item
	for _, g := range o.Options {
		for _, v := range g.Options {
			items = append(items, item(g.Name, acpclient.SelectValue(v.Value), v.Name, v.Description))
		}
	}
	if env.Values.Often == nil {
		return items
	}
	var first []Item
	for _, often := range env.Values.Often(o) {
		i := slices.IndexFunc(items, func(it Item) bool { return it.ID == string(often) })
		if i >= 0 {
			first = append(first, items[i])
			items = slices.Delete(items, i, i+1)
		}
	}
	for i := range first {
		first[i].Group = usedOften
	}
	return append(first, items...)
}
