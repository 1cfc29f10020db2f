package command

import (
	"context"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// chooseOption lists the session's options in the agent's order, to choose one and its value.
func chooseOption(f Front) {
	l := f.Live()
	f.Choose(Choice{
		Title: "Options", Ask: "Which option?", Empty: "The agent has no options.", Space: true, Keys: defaultKeys(l),
		Now: func() (items []Item) {
			for i := range l.Conversation.Options {
				items = append(items, optionItem(f, l, &l.Conversation.Options[i]))
			}
			return items
		},
	})
}

func optionItem(f Front, l *app.Live, o *acpclient.SessionConfigOption) Item {
	id, now := o.ID, o.CurrentValue
	it := Item{ID: string(id), Title: o.Name, Detail: conversation.ValueName(o, now), About: o.Description, Also: defaultFuncs(f, l, id, now)}
	to, pending := l.Conversation.Pending(o)
	if pending {
		it.Detail, it.Pending = it.Detail+" → "+conversation.ValueName(o, to.Value), true
	}
	if d, is := app.DefaultValue(l.Agent, l.Conversation.Options, o); is && d == now {
		it.Detail += " · default"
	}
	it.Open = func() { chooseValue(f, l, "back", id) }
	if o.Type == acpclient.ConfigBoolean {
		v, _ := l.Conversation.OptionValue(o)
		it.Do, it.Stays = setOption(l, id, acpclient.BoolValue(!v.Bool)), true
	}
	return it
}

func setOption(l *app.Live, id acpclient.ConfigID, v acpclient.ConfigValue) func() {
	return func() { session.Post(l.Session, session.SetOption{Option: id, Value: v}) }
}

// chooseCategories lists the values of the options of some categories.
func chooseCategories(f Front, categories ...acpclient.ConfigCategory) {
	l := f.Live()
	var ids []acpclient.ConfigID
	for _, category := range categories {
		for _, o := range l.Conversation.Options {
			if o.Category == category {
				ids = append(ids, o.ID)
			}
		}
	}
	chooseValue(f, l, "", ids...)
}

// chooseValue lists the values of options, under their names if there are several.
func chooseValue(f Front, l *app.Live, closing string, ids ...acpclient.ConfigID) {
	c := l.Conversation
	first := c.Option(ids[0])
	if first == nil {
		return // the agent has taken it back
	}
	name := first.Name
	f.Choose(Choice{
		Title: name, About: first.Description, Closing: closing, Keys: defaultKeys(l),
		Ask:   termtext.Line(name) + " is " + OptionText(c, first) + ". Which one?",
		Empty: name + " has no values.",
		Now: func() (items []Item) {
			if !slices.ContainsFunc(ids, func(id acpclient.ConfigID) bool { return c.Option(id) != nil }) {
				return []Item{{ID: "gone", Title: name, Why: "the agent no longer offers this option"}}
			}
			for _, id := range ids {
				o := c.Option(id)
				if o == nil {
					continue
				}
				values := valueItems(f, l, o)
				if len(ids) > 1 {
					values = underName(o, values)
				}
				items = append(items, values...)
			}
			return items
		},
	})
}

// OptionText returns the value of an option that the agent has confirmed, and the one that it
// has not.
func OptionText(c *conversation.Conversation, o *acpclient.SessionConfigOption) string {
	text := termtext.Line(conversation.ValueName(o, o.CurrentValue))
	if to, pending := c.Pending(o); pending {
		text += ", " + termtext.Line(conversation.ValueName(o, to.Value)) + " not confirmed"
	}
	return text
}

// underName puts the values of one of several options under its name. It changes items.
func underName(o *acpclient.SessionConfigOption, items []Item) []Item {
	if len(items) == 0 {
		items = []Item{{ID: "none", Title: "none", Why: "no values"}}
	}
	for i := range items {
		it := &items[i]
		it.ID, it.Words = string(o.ID)+"/"+it.ID, it.ID+" "+it.Words
		it.Group = strings.TrimSuffix(o.Name+" · "+it.Group, " · ")
	}
	return items
}

// usedOften heads the values that are used often.
const usedOften = "Used often"

// valueItems returns the values of an option: those that are used often, then the others
// in the agent's order.
func valueItems(f Front, l *app.Live, o *acpclient.SessionConfigOption) []Item {
	pending, waits := l.Conversation.Pending(o)
	standard, has := app.DefaultValue(l.Agent, l.Conversation.Options, o)
	item := func(id, group string, v acpclient.ConfigValue, title, detail string) Item {
		if has && v == standard {
			detail = strings.TrimSuffix("default · "+detail, " · ")
		}
		return Item{
			ID: id, Title: title, Detail: detail, Group: group, Current: v == o.CurrentValue, Pending: waits && v == pending.Value,
			Do: setOption(l, o.ID, v), Also: defaultFuncs(f, l, o.ID, v),
		}
	}
	if o.Type == acpclient.ConfigBoolean {
		on, off := item("on", "", acpclient.BoolValue(true), "on", ""), item("off", "", acpclient.BoolValue(false), "off", "")
		on.Words, off.Words = "true yes", "false no"
		return []Item{on, off}
	}
	var items, first []Item
	for _, g := range o.Options {
		for _, v := range g.Options {
			items = append(items, item(string(v.Value), g.Name, acpclient.SelectValue(v.Value), v.Name, v.Description))
		}
	}
	if o.Category != acpclient.CategoryModel {
		return items
	}
	for _, often := range f.Backend().OftenUsed(l.Agent) {
		if i := slices.IndexFunc(items, func(it Item) bool { return it.ID == string(often) }); i >= 0 {
			items[i].Group = usedOften
			first = append(first, items[i])
			items = slices.Delete(items, i, i+1)
		}
	}
	return append(first, items...)
}

// defaultKeys is the key that makes a value the default of the agent, if it can have defaults.
func defaultKeys(l *app.Live) []Key {
	if !app.HasDefaults(l.Agent) {
		return nil
	}
	return []Key{{ID: DialogDefault, Hint: "toggle default", Word: "default"}}
}

// defaultFuncs makes a value the default of the agent, or no longer, and writes that into the
// configuration.
func defaultFuncs(f Front, l *app.Live, id acpclient.ConfigID, v acpclient.ConfigValue) []func() {
	if !app.HasDefaults(l.Agent) {
		return nil
	}
	return []func(){func() {
		options := l.Conversation.Options
		o := l.Conversation.Option(id)
		if o == nil {
			return
		}
		agent, save, err := app.ToggleDefault(l.Agent, options, o, v)
		if err != nil {
			f.Say(err.Error())
			return
		}
		said := o.Name + ": " + conversation.ValueName(o, v) + " is now the default"
		if now, is := app.DefaultValue(agent, options, o); !is || now != v {
			said = o.Name + ": " + conversation.ValueName(o, v) + " is no longer the default"
		}
		Get(f, "", func(context.Context) (config.Agent, error) { return agent, save() }, func(a config.Agent) {
			l.Agent.Mode, l.Agent.Options = a.Mode, a.Options
			f.Say(said)
		})
	}}
}
